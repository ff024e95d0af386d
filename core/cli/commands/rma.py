"""The command that packs what a warranty desk needs of one card."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.burnin.record.store import RunStore
from core.cli.options import AsJson, DataDir, say
from core.cli.recorded_run import OneRun
from core.language import tr
from core.paths import recordings_dir


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "rma",
        help=tr("Pack certificate, curves, events and steps to reproduce of one card, without data of the others."),
    )(rma)


def rma(
    run: OneRun,
    gpu: Annotated[str, typer.Option(help=tr("Index of the card, its id or the start of its id."))],
    output: Annotated[Path, typer.Option("-o", "--output", "--out", help="*.zip")],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    from core.certificate.rma import write_rma

    with closing(RunStore(recordings_dir(folder))) as store:
        store.run(run)
        written = write_rma(store, run, gpu, output)
    say(as_json, {"written": str(written)}, tr("Written: {path}", path=written))
