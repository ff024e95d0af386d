"""New build from this machine: reads what it has, off the window's thread, and begins a build of it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from core.asbuilt.inspection import inspect
from core.asbuilt.new_build import FoundBuild, build_of
from core.asbuilt.notes import read_notes
from core.language import joined, tr, trn
from core.parts.catalogue import Catalogue
from core.telemetry.detect import detect_devices
from gui.background import run_in_background
from gui.build_files import BuildFiles
from gui.widgets import messages


class MachineBuild(QObject):
    """Belongs to a window, which shows what the catalogue does not know."""

    def __init__(self, files: BuildFiles, data_dir: Path, window: QWidget) -> None:
        super().__init__(window)
        self._files = files
        self._data_dir = data_dir
        self._window = window

    @Slot()
    def begin(self) -> None:
        """After the question about unsaved work."""
        if self._files.may_replace():
            run_in_background(self._window, self._read, self._show)

    def _read(self) -> FoundBuild:
        notes, _ = read_notes(self._data_dir)
        with closing(Catalogue(self._data_dir)) as catalogue:
            return build_of(inspect(detect_devices()), catalogue.parts(), notes, tr("This machine"))

    def _show(self, found: FoundBuild) -> None:
        self._files.begin(found.build)
        count = len(found.build.lines)
        if not found.left_out and count:
            return
        said = trn("1 part was recognised.", "{count} parts were recognised.", count=count)
        if found.left_out:
            detail = tr(
                "Not in the catalogue, and named in the build's notes: {parts}.", parts=joined(found.left_out, "; ")
            )
        else:
            detail = tr("The machine reports nothing about its parts.")
        messages.tell(self._window, said, detail)
