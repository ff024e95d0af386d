"""Takes a run out of the window: its charts as a picture, its samples as CSV or JSON lines, its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from core.burnin.record.sample_files import write_samples, write_telemetry
from core.burnin.record.store import in_store
from core.words import tr
from gui.share.report_export import export_document
from gui.widgets import files, messages
from gui.widgets.background import run_in_background

if TYPE_CHECKING:
    from core.present.report.document import Document

PICTURE, TABLE, LINES = "png", "csv", "jsonl"


def kinds() -> tuple[tuple[str, str], ...]:
    """What can be taken out: its file ending, and the entry of the menu."""
    return (PICTURE, tr("Charts as a picture…")), (TABLE, tr("Samples as CSV…")), (LINES, tr("Samples as JSON lines…"))


def export_samples(view: QWidget, charts: QWidget, data_dir: Path, run_id: int, kind: str) -> None:
    """Asks for a file and writes it: the picture as it is seen now, the samples beside the window and all of them."""
    words = {
        PICTURE: (tr("Save the charts"), tr("Pictures (*.png)")),
        TABLE: (tr("Save the samples"), tr("Tables (*.csv)")),
        LINES: (tr("Save the samples"), tr("JSON lines (*.jsonl)")),
    }
    title, filters = words[kind]
    picture = charts.grab()
    path = files.file_to_write(view, title, files.documents_folder() / f"rigwright-run-{run_id}.{kind}", filters)
    if path is not None and kind != PICTURE:
        run_in_background(view, lambda: _write(data_dir, run_id, path, kind), lambda _: None)
    elif path is not None and not picture.save(str(path), "PNG"):
        messages.tell(view, tr("{path} could not be written. Choose another place.", path=path))


def _write(data_dir: Path, run_id: int, path: Path, kind: str) -> int:
    """On a connection of its own: a long run takes seconds."""
    write = write_samples if kind == TABLE else write_telemetry
    return in_store(data_dir, lambda store: write(store, run_id, path))


def export_run(parent: QWidget, data_dir: Path, run_id: int) -> None:
    """Asks for a file and writes the report there."""
    export_document(parent, lambda: run_report(data_dir, run_id), f"rigwright-run-{run_id}")


def run_report(data_dir: Path, run_id: int) -> Document:
    """The document of a run, on a connection of its own: it is made beside the window."""
    from core.present.report.run_report import run_document

    return in_store(data_dir, lambda store: run_document(store, run_id))
