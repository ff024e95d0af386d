"""The open build: its file, its undo stack, and what the rules and predictions say about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from core.assessment import Assessment, assess
from core.parts.part import Part
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.plan.build import Build
from core.plan.edits import Edit, title_in
from core.plan.file import FindPart, load_build, load_with_digest, parse_build, save_build
from core.plan.file_name import SUFFIX
from core.platform.errors import BadInput
from core.predict.conditions import Conditions
from core.words import tr, translated
from gui.widgets.background import run_in_background

GuideFor = Callable[[Iterable[Part]], PriceGuide]
"""What is known of the prices of parts like these."""


class PlanDocument(QObject):
    """Everything the Plan page shows is read from here, and `changed` says when to read again."""

    changed = Signal()
    """The build differs (an edit, undo, redo, or another file), or what is predicted of it in another room."""
    opened = Signal()
    """Another build is here, begun, opened or recovered; `changed` came before."""
    title_changed = Signal()
    """Path, name or the unsaved mark differs."""
    conditions_changed = Signal()
    """The room or the listener differs; `changed` follows once that is predicted."""
    refused = Signal(object)
    """Why a change that the user asked for does not apply, in a sentence."""

    def __init__(
        self,
        find_part: FindPart,
        parent: QObject | None = None,
        *,
        conditions: Conditions | None = None,
        guide_for: GuideFor = lambda _: NO_GUIDE,
    ) -> None:
        super().__init__(parent)
        self._find_part = find_part
        self._guide_for = guide_for
        self._build = Build()
        self._path: Path | None = None
        self._digest: str | None = None
        """Of the file as it was read or saved last; None where that is not known."""
        self._recovered = False
        self._conditions = conditions or Conditions()
        self._assessment: Assessment | None = None
        self._question: tuple[Build, Conditions] | None = None
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self.title_changed)

    @property
    def build(self) -> Build:
        """The present build."""
        return self._build

    @property
    def conditions(self) -> Conditions:
        """The room and the listener. They are the user's and no part of the build."""
        return self._conditions

    @property
    def assessment(self) -> Assessment:
        """Findings and prediction for the present build; worked out once per change.

        After another room was set, that of the room before, until `changed`.
        """
        if self._assessment is None:
            self._assessment = assess(self._build, self._conditions, self.guide_of(self._build))
        return self._assessment

    @property
    def predicting(self) -> bool:
        """Whether the assessment is still that of the room before."""
        return self._assessment is not None and self._assessment.conditions != self._conditions

    @property
    def path(self) -> Path | None:
        """Where the build was opened or saved; None for one that was never saved."""
        return self._path

    @property
    def digest(self) -> str | None:
        """Of the file as it was opened or saved last; None of a build without one."""
        return self._digest

    @property
    def dirty(self) -> bool:
        """Whether there is something to save."""
        return self._recovered or not self.undo_stack.isClean()

    @property
    def label(self) -> str:
        """What the window is titled with: the file, or the build's name."""
        return self._path.name if self._path else self._build.name

    def edit(self, edit: Edit) -> None:
        """Makes one undoable change; one that changes nothing is not remembered.

        Raises BadInput, in a sentence, when the edit does not apply; the build stays.
        """
        after = edit.apply(self._build)
        if after != self._build:
            self.undo_stack.push(_Command(self, edit))

    @Slot(object)
    def try_edit(self, edit: Edit) -> bool:
        """As `edit`, for widgets: whether it applied; `refused` says why it did not."""
        try:
            self.edit(edit)
        except BadInput as error:
            self.refused.emit(str(error))
            return False
        return True

    def set_conditions(self, conditions: Conditions) -> None:
        """Predicts for another room beside the window, then `changed`. It is no edit: undo does not take it back."""
        if conditions != self._conditions:
            self._conditions = conditions
            self.conditions_changed.emit()
            self._predict_anew()

    def guide_of(self, *builds: Build) -> PriceGuide:
        """What is known of the prices of parts like those of these builds."""
        return self._guide_for(line.part for build in builds for line in build.lines)

    @Slot()
    def follow_prices(self) -> None:
        """Known prices differ: what the parts cost is told anew."""
        if self._build.lines:
            self._assessment = None
            self.changed.emit()

    def new(self, build: Build | None = None) -> None:
        """Starts an empty build; one that is given has nothing to be saved yet."""
        self._replace(build or Build(), None)

    def open(self, path: Path) -> None:
        """Opens a file. Raises BadInput; the build that was open stays."""
        build, digest = load_with_digest(path, self._find_part)
        self._replace(build, path, digest=digest)

    def open_template(self, path: Path) -> None:
        """Opens a copy of a shipped build, to be saved elsewhere; it is named in the language of who chose it."""
        build = self.read(path)
        self._replace(replace(build, name=str(translated(build.name))), None)

    def read(self, path: Path) -> Build:
        """The build of a file, with parts as they are known here; the one that is open stays. Raises BadInput."""
        return load_build(path, self._find_part)

    def begin(self, build: Build) -> None:
        """Starts with a build that has no file yet and is to be saved."""
        self._replace(build, None, recovered=True)

    def recover(self, text: str, path: Path | None, digest: str | None = None) -> None:
        """Takes up unsaved work from its recovery copy; `digest` is that of the file it began with. Raises BadInput."""
        build = parse_build(text, self._find_part, tr("The recovery copy"))
        self._replace(build, path, recovered=True, digest=digest)

    def save(self, path: Path, *, replace_changed: bool = False) -> None:
        """Writes the build. Raises EnvironmentProblem; the build stays open and unsaved.

        Raises ChangedMeanwhile where another program has written its file since, unless that is to be replaced.
        """
        expected = self._digest if path == self._path and not replace_changed else None
        self._digest = save_build(self._build, path, expected=expected)
        self._path = path
        self._recovered = False
        self.undo_stack.setClean()
        self.title_changed.emit()

    def suggested_file_name(self) -> str:
        """A file name made of the build's name."""
        if self._path is not None:
            return self._path.name
        name = "".join(" " if mark in '<>:"/\\|?*' or not mark.isprintable() else mark for mark in self._build.name)
        return (" ".join(name.split())[:100] or "build") + SUFFIX

    def set_build(self, build: Build) -> None:
        """Shows another state of the same document; only commands of the undo stack call this."""
        self._build = build
        self._assessment = None
        self.changed.emit()
        self.title_changed.emit()

    def _replace(self, build: Build, path: Path | None, *, recovered: bool = False, digest: str | None = None) -> None:
        self._path, self._digest, self._recovered = path, digest, recovered
        self.undo_stack.clear()
        self.set_build(build)
        self.opened.emit()

    def _predict_anew(self) -> None:
        """One at a time: of changes that follow each other fast, the last counts."""
        if self._question is None:
            self._question = self._build, self._conditions
            work = partial(assess, *self._question, self.guide_of(self._build))
            run_in_background(self, work, self._take, self._fail)

    def _take(self, assessment: Assessment) -> None:
        self._question = None
        if assessment.build is self._build and assessment.conditions == self._conditions:
            self._assessment = assessment
            self.changed.emit()
        elif self._assessment is None or self.predicting:
            self._predict_anew()

    def _fail(self, error: Exception) -> None:
        self._question = None
        raise error


class _Command(QUndoCommand):
    """An edit and the edit that takes it back."""

    def __init__(self, document: PlanDocument, edit: Edit) -> None:
        title = title_in(edit, document.build)
        super().__init__("\n".join((title, title.replace("&", "&&"))))  # for lists, and for menus
        self._document = document
        self._edit = edit
        self._inverse = edit.inverse(document.build)

    def redo(self) -> None:
        self._document.set_build(self._edit.apply(self._document.build))

    def undo(self) -> None:
        self._document.set_build(self._inverse.apply(self._document.build))
