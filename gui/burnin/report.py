"""Writes the report of a run, from either page."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from core.burnin.store import RunStore

if TYPE_CHECKING:
    from core.report.document import Document


def export_run(parent: QWidget, data_dir: Path, run_id: int) -> None:
    """Asks for a file and writes the report there; reports load when first needed."""
    from gui.reports.export import export_document

    export_document(parent, lambda: run_report(data_dir, run_id), f"rigwright-run-{run_id}")


def run_report(data_dir: Path, run_id: int) -> Document:
    """The document of a run, on a connection of its own: it is made beside the window."""
    from core.report.run_report import run_document

    with closing(RunStore(data_dir)) as store:
        return run_document(store, run_id)
