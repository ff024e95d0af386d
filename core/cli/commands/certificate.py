"""The command that writes the certificate of a run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.burnin.record.store import RunStore
from core.cli.options import AsJson, DataDir, Language, say, spoken_code
from core.cli.recorded_run import OneRun
from core.language import tr
from core.paths import recordings_dir


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "certificate",
        help=tr("Write the certificate of a run: one page to be signed, two of curves and reasons, sealed."),
    )(certificate)


def certificate(
    run: OneRun,
    output: Annotated[Path, typer.Option("-o", "--output", "--out", help="*.pdf")],
    language: Language = None,
    letterhead: Annotated[
        Path | None,
        typer.Option(help=tr("TOML file with name, address and logo; by default letterhead.toml in the data folder.")),
    ] = None,
    annex: Annotated[bool, typer.Option("--annex", help=tr("Add the whole report of the run."))] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    from core.certificate.write import write_certificate

    with closing(RunStore(recordings_dir(folder))) as store:
        store.run(run)
        code = spoken_code(language)
        written = write_certificate(store, run, output, language=code, letterhead=letterhead, annex=annex)
    say(as_json, {"written": str(written)}, tr("Written: {path}", path=written))
