"""The command that writes what a run measured, as JSON lines or as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.burnin.record.sample_files import write_samples, write_telemetry
from core.burnin.record.store import RunStore
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.passphrase import given_passphrase
from core.cli.recorded_run import MAX_RUN
from core.language import tr
from core.paths import recordings_dir
from core.report.changed_run import RecordChanged
from core.report.run_seal import read_run_seal
from core.report.statement import PaperKind, Statement
from core.seal.keys import signing_key
from core.seal.sealed_file import sealed_lines


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "telemetry",
        help=tr(
            "Write what a run measured: as JSON lines, to play back with --simulate replay:FILE, or "
            "as a table if the file ends in .csv."
        ),
    )(telemetry)


def telemetry(
    run: Annotated[int, typer.Argument(metavar="RUN", min=1, max=MAX_RUN)],
    output: Annotated[Path, typer.Option("-o", "--output", help=tr("File to write, such as run.jsonl or run.csv."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    store = RunStore(recordings_dir(folder))
    try:
        if output.suffix.lower() == ".csv":
            _tell(output, write_samples(store, run, output), as_json=as_json)
            return
        key = signing_key(store.path.parent, given_passphrase(store.path.parent))
        statement = _statement(store, run)
        count = write_telemetry(store, run, output, lambda lines: sealed_lines(lines, statement.signed(), key))
    finally:
        store.close()
    _tell(output, count, as_json=as_json)
    if statement.changed:
        raise RecordChanged(run, output)


def _statement(store: RunStore, run: int) -> Statement:
    """With the digest that a run which goes on has now."""
    head = store.chain_head(run)
    statement = read_run_seal(store, run).statement(PaperKind.TELEMETRY, language="en")
    return statement.model_copy(update={"digest": head.hex() if head else None})


def _tell(output: Path, count: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"written": str(output), "samples": count})
    else:
        console.print(tr("Written: {path}, {number} samples of each device", path=escape(str(output)), number=count))
