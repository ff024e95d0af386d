"""The command that solves what fails or warns, one fix after the other, and shows what all of them cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.advise.solve_all import Solution, solve_all
from core.build.build import Build
from core.build.file import load_build, update_build
from core.cli.lookup import find_build, open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.plan_text import counts_words, print_finding
from core.errors import ExitCode
from core.language import tr, trn
from core.rules.finding import Status


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "fix",
        help=tr(
            "Solve what fails or warns, one fix after the other, and show what all of them cost. "
            "Exit code 1 if something still fails."
        ),
    )(fix)


def fix(
    file: Annotated[str, typer.Argument(help=tr("A build file, or the name of a template."))],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=tr("Write the build with these changes; FILE itself, too."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    found: Solution
    with open_catalogue(folder) as catalogue:

        def solved(build: Build) -> Build:
            nonlocal found
            found = solve_all(build, catalogue)
            return found.after.build

        path = find_build(file)
        if output is None:
            solved(load_build(path, catalogue.part))
        else:
            update_build(path, output, catalogue.part, solved)
    if as_json:
        print_json(_document(found, output))
    else:
        _print_solution(found, output)
    if any(finding.status is Status.FAIL for finding in found.unsolved):
        raise typer.Exit(ExitCode.FAIL)


def _document(found: Solution, output: Path | None) -> dict[str, Any]:
    written = str(output) if output else None
    return {"build": found.before.build.name, "written": written} | found.as_dict()


def _print_solution(found: Solution, output: Path | None) -> None:
    console.print(f"[bold]{escape(found.before.build.name)}[/]  {found.before.build.circuit.title}\n")
    for number, step in enumerate(found.steps, start=1):
        console.print(escape(f"{number}. {step.sentence}"))
    if found.sum is not None:
        console.print(f"\n[bold]{tr('In all')}[/]")
        for sentence in found.sum.in_all:
            console.print(f"  · {escape(sentence)}")
    else:
        console.print(tr("Nothing was found to change."))
    if found.unsolved:
        heading = trn("{count} finding is left", "{count} findings are left", count=len(found.unsolved))
        console.print(f"\n[bold]{heading}[/]")
        for finding in found.unsolved:
            print_finding(finding)
    console.print("\n" + tr("Before: {counts}.", counts=counts_words(found.before.findings)))
    console.print(tr("After: {counts}.", counts=counts_words(found.after.findings)))
    if found.steps and output is None:
        console.print(tr("Nothing was written. Write the changed build with -o."))
