"""New, open, save: the build's file, with the questions that keep unsaved work safe; and the build of a machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from core.machine.asbuilt.binding import read_notes
from core.machine.asbuilt.inspection import Inspection, inspect
from core.machine.asbuilt.new_build import FoundBuild, build_of
from core.machine.asbuilt.texts.contents import text_sentences
from core.machine.asbuilt.texts.description import read_descriptions
from core.machine.telemetry.detect import detect_devices
from core.parts.catalogue import Catalogue
from core.plan.build import Build
from core.plan.file import ChangedMeanwhile
from core.plan.file_name import SUFFIX
from core.platform.errors import RigwrightError
from core.platform.paths import ASSETS
from core.words import joined, tr, trn
from gui.planner.document import PlanDocument
from gui.settings import Settings, read_preferences
from gui.widgets import files, messages
from gui.widgets.background import run_in_background

TEMPLATES = ASSETS / "templates"


class BuildFiles(QObject):
    """`before_asking` is emitted before the document is compared or saved, so that typing can be taken in."""

    before_asking = Signal()
    recent_changed = Signal()
    message = Signal(str)
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
        path = path.absolute()
        if self.may_replace() and messages.succeeds(self._window, partial(self._document.open, path)):
            self._remember(path)

    def open_template(self, path: Path) -> None:
        """A copy of a shipped build."""
        if self.may_replace():
            messages.succeeds(self._window, partial(self._document.open_template, path))

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
        path = chosen if chosen.name.endswith(".json") else chosen.with_name(chosen.name + SUFFIX)
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
        self.message.emit(tr("Saved: {name}, as {path}", name=self._document.build.name, path=path))
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
                return messages.succeeds(self._window, partial(self._document.open, path))
        return False

    def _remember(self, path: Path) -> None:
        self._settings.add_recent(path)
        self.recent_changed.emit()

    def _folder(self) -> Path:
        recent = self._settings.recent_files()
        return self._document.path.parent if self._document.path else recent[0].parent if recent else Path.home()

    def _filters(self) -> str:
        return tr("Builds (*{suffix});;All files (*)", suffix=SUFFIX)


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
            work = partial(self._begun, lambda: inspect(detect_devices()), tr("This machine"))
            run_in_background(self._window, work, self._show)

    @Slot()
    def begin_from_texts(self) -> None:
        """The same of files that the user chooses."""
        if not self._files.may_replace():
            return
        title = tr("Texts of the other machine")
        filters = joined([tr("Texts (*.txt *.log *.gz *.json)"), tr("All files (*)")], ";;")
        if paths := files.files_to_open(self._window, title, Path.home(), filters):
            work = partial(self._begun, partial(read_descriptions, paths), paths[0].stem)
            run_in_background(self._window, work, self._show)

    def _begun(self, inspected: Callable[[], Inspection], name: str) -> BegunBuild:
        inspection, (notes, _) = inspected(), read_notes(self._data_dir)
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
