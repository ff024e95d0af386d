"""New, open, save: the build's file, with the questions that keep unsaved work safe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from core.build.build import Build
from core.build.file import ChangedMeanwhile
from core.build.file_name import SUFFIX
from core.errors import RigwrightError
from core.language import tr
from core.paths import ASSETS
from gui.planner.document import PlanDocument
from gui.preferences import read_preferences
from gui.settings import Settings
from gui.widgets import files, messages

TEMPLATES = ASSETS / "templates"


class BuildFiles(QObject):
    """`before_asking` is emitted before the document is compared or saved, so that typing can be taken in."""

    before_asking = Signal()
    recent_changed = Signal()
    said = Signal(str)
    """What was saved, for the status bar."""

    def __init__(self, document: PlanDocument, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._document = document
        self._settings = settings
        self._window = window

    @Slot()
    def new(self) -> bool:
        """An empty build, after the question about the old one. Whether there is one."""
        if not self.may_replace():
            return False
        self.begin_empty()
        return True

    @property
    def untouched(self) -> bool:
        """Whether the build is a new one that nobody has changed."""
        document = self._document
        return document.path is None and not document.dirty and document.build == self._new_build()

    def begin_empty(self) -> None:
        """An empty build where the user's machines stand."""
        self._document.new(self._new_build())

    def begin(self, build: Build) -> None:
        """A build that was put together and has no file yet, where the user's machines stand."""
        self._document.begin(replace(build, region=self._new_build().region))

    @Slot()
    def ask_and_open(self) -> None:
        """A file of the user's choice."""
        path = files.file_to_open(self._window, tr("Open build"), self._folder(), self._filters())
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """A build file; a sentence if it cannot be read, and the old build stays."""
        if not self.may_replace():
            return
        try:
            self._document.open(path.absolute())
        except RigwrightError as error:
            messages.show_error(self._window, error)
            return
        self._remember(path.absolute())

    def open_template(self, path: Path) -> None:
        """A copy of a shipped build."""
        if not self.may_replace():
            return
        try:
            self._document.open_template(path)
        except RigwrightError as error:
            messages.show_error(self._window, error)

    @Slot()
    def save(self) -> bool:
        """Saves; asks for a name if there is none. Whether it was saved."""
        self.before_asking.emit()
        return self._save(self._document.path) if self._document.path else self.save_as()

    @Slot()
    def save_as(self) -> bool:
        """Saves under another name. Whether it was saved."""
        self.before_asking.emit()
        suggested = self._folder() / self._document.suggested_file_name()
        chosen = files.file_to_save(self._window, tr("Save build"), suggested, self._filters())
        if chosen is None:
            return False
        path = _with_suffix(chosen)
        return files.may_write(self._window, chosen, path) and self._save(path)

    def may_replace(self) -> bool:
        """Asks about unsaved work. False if the user turned away or saving failed."""
        self.before_asking.emit()
        if not self._document.dirty:
            return True
        question = tr("Save the changes to {name}?", name=self._document.label)
        choices = [("save", tr("Save")), ("discard", tr("Discard"))]
        answer = messages.ask(self._window, question, tr("Discarded changes cannot be restored."), choices)
        return self.save() if answer == "save" else answer == "discard"

    def _new_build(self) -> Build:
        """Where the user's machines stand."""
        return Build(region=read_preferences(self._settings).region)

    def _save(self, path: Path, *, replace_changed: bool = False) -> bool:
        try:
            self._document.save(path, replace_changed=replace_changed)
        except ChangedMeanwhile:
            return self._ask_whose(path)
        except RigwrightError as error:
            messages.show_error(self._window, error)
            return False
        self._remember(path)
        self.said.emit(tr("Saved: {name}, as {path}", name=self._document.build.name, path=path))
        return True

    def _ask_whose(self, path: Path) -> bool:
        """What to do with a file that another program has written. Whether the build is saved, or is theirs now."""
        answer = messages.ask(
            self._window,
            tr("{name} was changed by another program since you opened it.", name=path.name),
            tr(
                "Save your version under another name to keep both. Replacing the file loses the other program's "
                "changes; opening it loses yours."
            ),
            [("save_as", tr("Save as…")), ("mine", tr("Replace with mine")), ("theirs", tr("Open theirs"))],
        )
        match answer:
            case "save_as":
                return self.save_as()
            case "mine":
                return self._save(path, replace_changed=True)
            case "theirs":
                return self._open_theirs(path)
        return False

    def _open_theirs(self, path: Path) -> bool:
        try:
            self._document.open(path)
        except RigwrightError as error:
            messages.show_error(self._window, error)
            return False
        return True

    def _remember(self, path: Path) -> None:
        self._settings.add_recent(path)
        self.recent_changed.emit()

    def _folder(self) -> Path:
        recent = self._settings.recent_files()
        return self._document.path.parent if self._document.path else recent[0].parent if recent else Path.home()

    def _filters(self) -> str:
        return tr("Builds (*{suffix});;All files (*)", suffix=SUFFIX)


def _with_suffix(path: Path) -> Path:
    return path if path.name.endswith(".json") else path.with_name(path.name + SUFFIX)
