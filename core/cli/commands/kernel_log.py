"""The command that reads a kernel log from a file: last night's crash, or a customer's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.cli.options import AsJson, DataDir, console, print_json
from core.machine.telemetry.kernel_log.log_file import KernelLines
from core.machine.telemetry.kernel_log.reading import (
    NOTHING,
    Blamed,
    action_words,
    as_dict,
    meaning_words,
    no_log_words,
    part_words,
    read_log,
)
from core.machine.telemetry.throttle import Severity
from core.platform.errors import ExitCode
from core.words import tr, visible

LONGEST_SHOWN = 400
"""Letters of a record; --json has all of it."""
_COLOURS = {Severity.FAIL: "bold red", Severity.WARN: "yellow"}


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "kernel-log",
        help=tr(
            "Read a kernel log (dmesg, journalctl, nvidia-bug-report, also .gz): which part it blames, how grave, what "
            "to do. Exit code 1 if a device is blamed, 4 if the file is no kernel log."
        ),
    )(kernel_log)


def kernel_log(
    file: Annotated[Path, typer.Argument(help=tr("The log: dmesg.txt, a journal export, nvidia-bug-report.log.gz."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    del folder  # nothing is kept
    lines = KernelLines(file)
    findings = read_log(lines)
    recognised = lines.recognised or bool(findings)
    blamed = any(one.finding.blames_device for one in findings)
    if as_json:
        print_json({"recognised": recognised, "blamed": blamed, "findings": [as_dict(one) for one in findings]})
    else:
        _print(file, findings, recognised=recognised)
    if not recognised:
        raise typer.Exit(ExitCode.INCOMPLETE)
    if blamed:
        raise typer.Exit(ExitCode.FAIL)


def _print(file: Path, findings: list[Blamed], *, recognised: bool) -> None:
    if not recognised:
        console.print(escape(visible(no_log_words(file.name))))
    elif not findings:
        console.print(NOTHING)
    for one in findings:
        colour = _COLOURS[one.finding.gravity]
        part, meaning = visible(part_words(one.finding)), visible(meaning_words(one))
        console.print(f"[{colour}]{one.finding.gravity.label}[/]  [bold]{escape(part)}[/]: {escape(meaning)}")
        if action := action_words(one.finding):
            console.print(f"      {escape(visible(action))}")
        console.print(f"      [dim]{escape(_cut(visible(one.finding.text)))}[/]")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
