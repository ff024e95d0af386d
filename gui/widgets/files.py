"""Asks for file names. Callers go through the module, so that a test can answer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def file_to_open(parent: QWidget, title: str, folder: Path, filters: str) -> Path | None:
    """A file that exists, None if the user turned away."""
    name, _ = QFileDialog.getOpenFileName(parent, title, str(folder), filters)
    return Path(name) if name else None


def file_to_save(parent: QWidget, title: str, suggested: Path, filters: str) -> Path | None:
    """Where to write; the dialog has asked before it names a file that exists."""
    name, _ = QFileDialog.getSaveFileName(parent, title, str(suggested), filters)
    return Path(name) if name else None
