"""Asks for a folder. Callers go through the module, so that a test can answer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def folder_to_open(parent: QWidget, title: str, folder: Path) -> Path | None:
    """A folder that exists, None if the user turned away."""
    name = QFileDialog.getExistingDirectory(parent, title, str(folder))
    return Path(name) if name else None
