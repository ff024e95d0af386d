"""What all sections of the predictions share: a sentence on top, figures, and questions answered beside the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from core.assessment import Assessment
from core.platform.errors import RigwrightError
from core.words import tr
from gui.planner.document import PlanDocument
from gui.widgets.background import run_in_background
from gui.widgets.empty import EmptyState
from gui.widgets.form import column_of
from gui.widgets.text import sentence

MARGIN, SPACING = 16, 12


class Panel(QStackedWidget):
    """Subclasses fill `body` and say what they show. `edited` carries an edit to make.

    `figure_wanted(part id, field)` asks for the editor of a part at a figure.

    While a panel is hidden it only remembers that the document changed.
    """

    edited = Signal(object)
    figure_wanted = Signal(str, str)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None, *, scrolls: bool = True) -> None:
        """`scrolls`: the section is as high as it needs to be; else it fills the room there is."""
        super().__init__(parent)
        self.document = document
        self._stale = True
        self.empty = EmptyState("", parent=self)
        content = QWidget(self)
        self.lead = sentence(content)
        self.body = column_of(self.lead, into=content, margins=MARGIN, spacing=SPACING)
        self.content: QWidget = content
        if scrolls:
            self.content = area = QScrollArea(self)
            area.setWidget(content)
            area.setWidgetResizable(True)
            area.setFrameShape(QFrame.Shape.NoFrame)
            area.setAccessibleName(tr("Figures of the section"))
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.addWidget(self.content)
        self.addWidget(self.empty)
        document.changed.connect(self.follow)

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is worked out when it is seen."""
        super().showEvent(event)
        if self._stale:
            self._read()

    def hideEvent(self, event: QHideEvent) -> None:
        """An unseen section works on nothing."""
        super().hideEvent(event)
        self.rest()

    @Slot()
    def follow(self) -> None:
        """The document changed, or another question was asked."""
        self._stale = True
        if self.isVisible():
            self._read()

    @property
    def assessment(self) -> Assessment:
        """What is known of the build as it stands."""
        return self.document.assessment

    def lack(self) -> str:
        """Why there is nothing to show, in a sentence; empty if there is."""
        if not self.document.build.lines:
            return tr("The build is empty. Once it has parts, their predictions are shown here.")
        return ""

    def refresh(self) -> None:
        """Shows the assessment."""
        raise NotImplementedError

    def rest(self) -> None:
        """Ends what goes on beside the window; `stay_stale` if it is to be begun again."""

    def stay_stale(self) -> None:
        """What is shown is not all: it is worked out again when the panel is seen next."""
        self._stale = True

    def _read(self) -> None:
        self._stale = False
        lack = self.lack()
        self.empty.set_sentence(lack)
        self.setCurrentWidget(self.empty if lack else self.content)
        if not lack:
            self.refresh()


Work = Callable[[Event], Any]
"""Works in steps, and gives up with None once the event is set."""


class Study(QObject):
    """`answered(result)`, unless another question was asked meanwhile or nobody wants to know any more."""

    answered = Signal(object)
    failed = Signal(object)
    """A known error, which is a sentence; any other is a bug and raised."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop: Event | None = None

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._stop is not None

    def ask(self, work: Work) -> None:
        """Gives up the question before, and begins this one."""
        self.rest()
        stop = self._stop = Event()
        run_in_background(self, partial(work, stop), partial(self._take, stop), partial(self._fail, stop))

    def rest(self) -> None:
        """Gives up; a step that has begun comes to its end, and is forgotten."""
        if self._stop is not None:
            self._stop.set()
            self._stop = None

    def _take(self, stop: Event, result: Any) -> None:
        if stop is self._stop:
            self._stop = None
            self.answered.emit(result)

    def _fail(self, stop: Event, error: Exception) -> None:
        if stop is self._stop:
            self._stop = None
            if not isinstance(error, RigwrightError):
                raise error
            self.failed.emit(error)
