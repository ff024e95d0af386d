"""Commands that write what is made of a build or a run: report, certificate, RMA pack, telemetry."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.assessment import Assessment
from core.burnin.record.sample_files import write_samples, write_telemetry
from core.burnin.record.store import RunStore
from core.cli.asking import given_passphrase
from core.cli.lookup import read_priced_build
from core.cli.options import AsJson, DataDir, Language, say, spoken_code
from core.cli.recorded_run import OneRun, run_in
from core.platform.paths import recordings_dir
from core.present.report.run_seal import RecordChanged, read_run_seal
from core.present.report.statement import PaperKind, Statement
from core.seal.keys import signing_key
from core.seal.sealed_file import sealed_lines
from core.words import joined, spoken, tr

if TYPE_CHECKING:
    from core.present.report.document import Document


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("report", help=tr("Write the report of a build or a run."))(report)
    app.command(
        "certificate",
        help=tr("Write the certificate of a run: one page to be signed, two of curves and reasons, sealed."),
    )(certificate)
    app.command(
        "rma",
        help=tr("Pack certificate, curves, events and steps to reproduce of one card, without data of the others."),
    )(rma)
    app.command(
        "telemetry",
        help=tr(
            "Write what a run measured: as JSON lines, to play back with --simulate replay:FILE, or "
            "as a table if the file ends in .csv."
        ),
    )(telemetry)


def report(
    subject: Annotated[
        str, typer.Argument(metavar="FILE|RUN", help=tr("A build file, a template, or a run's number."))
    ],
    output: Annotated[
        list[Path], typer.Option("-o", "--output", help=tr("*.html, *.pdf or *.json; repeat for several."))
    ],
    language: Language = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    from core.present.report.write import writer_for

    for path in output:
        writer_for(path)
    run = run_in(subject)
    with spoken(spoken_code(language)):
        document = build_document_of(subject, folder) if run is None else run_document_of(recordings_dir(folder), run)
        problem = _write(document, output)
    words = joined((tr("Written: {path}", path=path) for path in output), "\n")
    say(as_json, {"written": [str(path) for path in output]}, words)
    if problem is not None:
        raise problem


def _write(document: Document, output: list[Path]) -> RecordChanged | None:
    """Every file, also where the first says that the run was changed; returns that."""
    from core.present.report.write import write_report

    problem = None
    for path in output:
        try:
            write_report(document, path)
        except RecordChanged as changed:
            problem = changed
    return problem


def build_document_of(file: str, folder: Path | None) -> Document:
    """The report of a build with its findings and predictions."""
    from core.present.report.build_report import build_document

    build, guide = read_priced_build(file, folder)
    return build_document(Assessment(build, guide=guide))


def run_document_of(place: Path, run_id: int) -> Document:
    """The report of a recorded run."""
    from core.present.report.run_report import run_document

    with closing(RunStore(place)) as store:
        return run_document(store, run_id)


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
    from core.present.certificate.layout import write_certificate

    with closing(RunStore(recordings_dir(folder))) as store:
        store.run(run)
        code = spoken_code(language)
        written = write_certificate(store, run, output, language=code, letterhead=letterhead, annex=annex)
    say(as_json, {"written": str(written)}, tr("Written: {path}", path=written))


def rma(
    run: OneRun,
    gpu: Annotated[str, typer.Option(help=tr("Index of the card, its id or the start of its id."))],
    output: Annotated[Path, typer.Option("-o", "--output", "--out", help="*.zip")],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    from core.present.certificate.rma import write_rma

    with closing(RunStore(recordings_dir(folder))) as store:
        store.run(run)
        written = write_rma(store, run, gpu, output)
    say(as_json, {"written": str(written)}, tr("Written: {path}", path=written))


def telemetry(
    run: OneRun,
    output: Annotated[Path, typer.Option("-o", "--output", help=tr("File to write, such as run.jsonl or run.csv."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    statement = None
    with closing(RunStore(recordings_dir(folder))) as store:
        if output.suffix.lower() == ".csv":
            count = write_samples(store, run, output)
        else:
            key = signing_key(store.path.parent, given_passphrase(store.path.parent))
            statement = _of_telemetry(store, run)
            signed = statement.signed()
            count = write_telemetry(store, run, output, lambda lines: sealed_lines(lines, signed, key))
    words = tr("Written: {path}, {number} samples of each device", path=output, number=count)
    say(as_json, {"written": str(output), "samples": count}, words)
    if statement is not None and statement.changed:
        raise RecordChanged(run, output)


def _of_telemetry(store: RunStore, run: int) -> Statement:
    """With the digest that a run which goes on has now."""
    head = store.chain_head(run)
    statement = read_run_seal(store, run).statement(PaperKind.TELEMETRY, language="en")
    return statement.model_copy(update={"digest": head.hex() if head else None})
