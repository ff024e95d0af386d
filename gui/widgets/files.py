"""Asks for file names. Callers go through the module, so that a test can answer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from core.words import tr
from gui.widgets import messages


def file_to_open(parent: QWidget, title: str, folder: Path, filters: str) -> Path | None:
    """A file that exists, None if the user turned away."""
    name, _ = QFileDialog.getOpenFileName(parent, title, str(folder), filters)
    return Path(name) if name else None


def files_to_open(parent: QWidget, title: str, folder: Path, filters: str) -> list[Path]:
    """Files that exist, none if the user turned away."""
    names, _ = QFileDialog.getOpenFileNames(parent, title, str(folder), filters)
    return [Path(name) for name in names]


def folder_to_open(parent: QWidget, title: str, folder: Path) -> Path | None:
    """A folder that exists, None if the user turned away."""
    name = QFileDialog.getExistingDirectory(parent, title, str(folder))
    return Path(name) if name else None


def file_to_save(parent: QWidget, title: str, suggested: Path, filters: str) -> Path | None:
    """Where to write; the dialog has asked before it names a file that exists."""
    name, _ = QFileDialog.getSaveFileName(parent, title, str(suggested), filters)
    return Path(name) if name else None


def may_write(parent: QWidget, chosen: Path, path: Path) -> bool:
    """Whether `path`, which is `chosen` with an ending, may be written: the dialog has asked about `chosen` only."""
    if path == chosen or not path.exists():
        return True
    question = tr("{name} already exists. Replace it?", name=path.name)
    detail = tr("Its contents will be lost.")
    return messages.ask(parent, question, detail, [("replace", tr("Replace"))]) == "replace"
