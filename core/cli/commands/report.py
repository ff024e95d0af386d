"""The command that writes reports of builds and runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from core.assessment import Assessment
from core.burnin.record.store import RunStore
from core.cli.lookup import read_priced_build
from core.cli.options import AsJson, DataDir, Language, console, print_json, spoken_code
from core.cli.recorded_run import MAX_RUN
from core.errors import BadInput
from core.language import spoken, tr
from core.paths import recordings_dir

if TYPE_CHECKING:
    from core.report.changed_run import RecordChanged
    from core.report.document import Document


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("report", help=tr("Write the report of a build or a run."))(report)


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
    from core.report.write import writer_for

    for path in output:
        writer_for(path)
    is_run = subject.isascii() and subject.isdecimal() and not Path(subject).is_file()
    with spoken(spoken_code(language)):
        if is_run:
            document = run_document_of(recordings_dir(folder), int(subject))
        else:
            document = build_document_of(subject, folder)
        problem = _write(document, output)
    if as_json:
        print_json({"written": [str(path) for path in output]})
    else:
        for path in output:
            console.print(tr("Written: {path}", path=escape(str(path))))
    if problem is not None:
        raise problem


def _write(document: Document, output: list[Path]) -> RecordChanged | None:
    """Every file, also where the first says that the run was changed; returns that."""
    from core.report.changed_run import RecordChanged
    from core.report.write import write_report

    problem = None
    for path in output:
        try:
            write_report(document, path)
        except RecordChanged as changed:
            problem = changed
    return problem


def build_document_of(file: str, folder: Path | None) -> Document:
    """The report of a build with its findings and predictions."""
    from core.report.build_report import build_document

    build, guide = read_priced_build(file, folder)
    return build_document(Assessment(build, guide=guide))


def run_document_of(place: Path, run_id: int) -> Document:
    """The report of a recorded run."""
    from core.report.run_report import run_document

    if run_id > MAX_RUN:
        raise BadInput(tr("There is no run {run}. See the recorded ones with: rigwright runs.", run=run_id))
    store = RunStore(place)
    try:
        return run_document(store, run_id)
    finally:
        store.close()
