"""Asks where a report should go, writes it beside the window, and shows it in the program for such files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QWidget

from core.assessment import Assessment
from core.words import tr
from gui.widgets import files, messages
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
        show_file(path)

    endings = (first, *(ending for ending in FORMATS if ending != first))
    filters = ";;".join(FORMATS[ending] for ending in endings)
    stem = suggested_name.removesuffix(".rig.json").removesuffix(".html")
    path = file_to_write(parent, tr("Export report"), documents_folder() / f"{stem}.{first}", filters)
    if path is not None:
        run_in_background(parent, lambda: _write(make_document, path), written)


def export_build(
    parent: QWidget, assessment: Assessment, suggested_name: str, *, on_written: Callable[[Path], None] | None = None
) -> None:
    """The report of a build as it stands now, in this room."""
    export_document(parent, lambda: _build_document(assessment), suggested_name, on_written=on_written)


def file_to_write(parent: QWidget, title: str, suggested: Path, filters: str) -> Path | None:
    """The file that the user names, with the ending of the suggested one where it has none; None to write nothing."""
    path = files.file_to_save(parent, title, suggested, filters)
    if path is None:
        return None
    target = path if path.suffix else path.with_suffix(suggested.suffix)
    return target if files.may_write(parent, path, target) else None


def written_words(name: str, path: Path) -> str:
    """What was written of a build, for the status bar."""
    return tr("Written: {name}, as {path}", name=name, path=path)


def show_file(path: Path) -> None:
    """Opens a written report in the user's program for it; says where it lies when there is no such program."""
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
        sentence = tr("The report was written to {path}. No program was found to open it.", path=path)
        messages.tell(QApplication.activeWindow(), sentence)


def _write(make_document: Callable[[], Document], path: Path) -> Path:
    from core.present.report.write import write_report

    return write_report(make_document(), path)


def _build_document(assessment: Assessment) -> Document:
    from core.present.report.build_report import build_document

    return build_document(assessment)


def documents_folder() -> Path:
    """Where files are suggested to go."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    folder = Path(documents) if documents else Path.home()
    return folder if folder.is_dir() else Path.home()
