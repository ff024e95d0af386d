"""New build from this machine, or from texts of another one: read off the window's thread."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from core.asbuilt.inspection import Inspection, inspect
from core.asbuilt.new_build import FoundBuild, build_of
from core.asbuilt.notes import read_notes
from core.asbuilt.texts.contents import text_sentences
from core.asbuilt.texts.description import read_descriptions
from core.language import joined, tr, trn
from core.parts.catalogue import Catalogue
from core.telemetry.detect import detect_devices
from gui.background import run_in_background
from gui.build_files import BuildFiles
from gui.widgets import files, messages


@dataclass(frozen=True, slots=True)
class BegunBuild:
    """A build of a machine, and what is said of the texts that it was read from."""

    result: FoundBuild
    sentences: tuple[str, ...] = ()


class MachineBuild(QObject):
    """Belongs to a window, which shows what the catalogue does not know."""

    def __init__(self, build_files: BuildFiles, data_dir: Path, window: QWidget) -> None:
        super().__init__(window)
        self._files = build_files
        self._data_dir = data_dir
        self._window = window

    @Slot()
    def begin(self) -> None:
        """After the question about unsaved work."""
        if self._files.may_replace():
            run_in_background(self._window, self._read_here, self._show)

    @Slot()
    def begin_from_texts(self) -> None:
        """The same of files that the user chooses."""
        if not self._files.may_replace():
            return
        title = tr("Texts of the other machine")
        filters = joined([tr("Texts (*.txt *.log *.gz *.json)"), tr("All files (*)")], ";;")
        if paths := files.files_to_open(self._window, title, Path.home(), filters):
            run_in_background(self._window, partial(self._read_texts, paths), self._show)

    def _read_here(self) -> BegunBuild:
        return self._begun(inspect(detect_devices()), tr("This machine"))

    def _read_texts(self, paths: Sequence[Path]) -> BegunBuild:
        return self._begun(read_descriptions(paths), paths[0].stem)

    def _begun(self, inspection: Inspection, name: str) -> BegunBuild:
        notes, _ = read_notes(self._data_dir)
        with closing(Catalogue(self._data_dir)) as catalogue:
            result = build_of(inspection, catalogue.parts(), notes, name)
        return BegunBuild(result, (*result.stand_ins, *text_sentences(inspection.texts, inspection.untold)))

    def _show(self, begun: BegunBuild) -> None:
        result = begun.result
        self._files.begin(result.build)
        count = len(result.build.lines)
        if not result.left_out and not begun.sentences and count:
            return
        summary = trn("1 part was recognised.", "{count} parts were recognised.", count=count)
        details = list(begun.sentences)
        if result.left_out:
            missing = joined(result.left_out, "; ")
            details.insert(0, tr("Not in the catalogue, and named in the build's notes: {parts}.", parts=missing))
        elif not count:
            details.insert(0, tr("The machine reports nothing about its parts."))
        messages.tell(self._window, summary, joined(details, "\n"))
