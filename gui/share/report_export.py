"""Asks where a report should go, writes it beside the window, and shows it in the program for such files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from core.assessment import Assessment
from core.words import tr
from gui.widgets import files
from gui.widgets.background import run_in_background

if TYPE_CHECKING:
    from core.present.report.document import Document


FORMATS = {"html": tr("HTML report (*.html)"), "pdf": tr("PDF report (*.pdf)"), "json": tr("JSON report (*.json)")}


def export_document(
    parent: QWidget,
    make_document: Callable[[], Document],
    suggested_name: str,
    first: str = "html",
    *,
    on_written: Callable[[Path], None] | None = None,
) -> None:
    """Writes HTML, PDF or JSON, after the ending of the chosen name. `make_document` is called beside the window.

    `on_written` is called with where the report lies. A known error is shown as its sentence.
    """

    def written(path: Path) -> None:
        if on_written is not None:
            on_written(path)
        files.show_file(path)

    endings = (first, *(ending for ending in FORMATS if ending != first))
    filters = ";;".join(FORMATS[ending] for ending in endings)
    stem = suggested_name.removesuffix(".rig.json").removesuffix(".html")
    path = files.file_to_write(parent, tr("Export report"), files.documents_folder() / f"{stem}.{first}", filters)
    if path is not None:
        run_in_background(parent, lambda: _write(make_document, path), written)


def export_build(
    parent: QWidget, assessment: Assessment, suggested_name: str, *, on_written: Callable[[Path], None] | None = None
) -> None:
    """The report of a build as it stands now, in this room."""
    export_document(parent, lambda: _build_document(assessment), suggested_name, on_written=on_written)


def written_words(name: str, path: Path) -> str:
    """What was written of a build, for the status bar."""
    return tr("Written: {name}, as {path}", name=name, path=path)


def _write(make_document: Callable[[], Document], path: Path) -> Path:
    from core.present.report.write import write_report

    return write_report(make_document(), path)


def _build_document(assessment: Assessment) -> Document:
    from core.present.report.build_report import build_document

    return build_document(assessment)
