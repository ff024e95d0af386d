"""Asks for file names, and shows files that were written. Callers go through the module, so that a test can answer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

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


def file_to_write(parent: QWidget, title: str, suggested: Path, filters: str) -> Path | None:
    """The file that the user names, with the ending of the suggested one where it has none; None to write nothing."""
    path = file_to_save(parent, title, suggested, filters)
    if path is None:
        return None
    target = path if path.suffix else path.with_suffix(suggested.suffix)
    return target if may_write(parent, path, target) else None


def documents_folder() -> Path:
    """Where files are suggested to go."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    folder = Path(documents) if documents else Path.home()
    return folder if folder.is_dir() else Path.home()


def show_file(path: Path) -> None:
    """Opens a written report in the user's program for it; says where it lies when there is no such program."""
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
        sentence = tr("The report was written to {path}. No program was found to open it.", path=path)
        messages.tell(QApplication.activeWindow(), sentence)
