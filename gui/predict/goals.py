"""Which power limit fits a circuit, a noise level or a temperature: the goals, the answers, and a button for each."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from core.build.build import Build
from core.predict.conditions import Conditions
from core.predict.limit_for import Goal, LimitFor, circuit_goal, noise_goal, temperature_goal
from gui.planner.document import PlanDocument
from gui.planner.figures import number
from gui.predict.limits import answer_words, answers, edit_for, unlimited, what_counts
from gui.predict.room_fields import Field, Measure
from gui.predict.study import Study
from gui.widgets.labels import sentence
from gui.widgets.text import Label, tip

PAUSE_MS = 250
FIRST_DBA, FIRST_C = 35.0, 75.0
UNITS = ("W", "dBA", "°C")
Asked = tuple[Build, Conditions, tuple[float, ...]]


class Goals(QWidget):
    """`edited` carries the limits that were chosen. Answers come a moment after a goal or the build changed."""

    edited = Signal(object)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._found: tuple[LimitFor, ...] = ()
        self._asked: Asked | None = None
        self._study = Study(self)
        self._study.answered.connect(self._take)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.ask)
        self.circuit = Label(self)
        self.noise = Field(self.tr("Noise at most"), Measure(10, 90, " dBA"), self)
        self.temperature = Field(self.tr("Hottest GPU at most"), Measure(30, 110, " °C", decimals=0), self)
        self.noise.setValue(FIRST_DBA)
        self.temperature.setValue(FIRST_C)
        self.sentences = tuple(sentence(self) for _ in range(3))
        self.buttons = tuple(QPushButton(self.tr("Apply"), self) for _ in range(3))
        self._lay_out()
        for field in (self.noise, self.temperature):
            field.changed.connect(self._pause.start)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._study.busy or self._pause.isActive()

    @Slot()
    def ask(self) -> None:
        """Looks for the limits of the build as it stands, unless they are known."""
        self._pause.stop()
        self.circuit.setText(self.tr("{watts} W").format(watts=number(self._circuit_goal().most)))
        goals = self._goals()
        free, conditions = what_counts(unlimited(self._document.build)), self._document.conditions
        asked = free, conditions, tuple(goal.most for goal in goals)
        if asked == self._asked and (self._found or self._study.busy):
            self._show()
            return
        self._asked, self._found = asked, ()
        for label, button in zip(self.sentences, self.buttons, strict=True):
            label.setText(self.tr("Looking for the limit …"))
            button.setEnabled(False)
        self._study.ask(partial(answers, free, conditions, goals))

    def rest(self) -> None:
        """Gives up what is not answered."""
        self._pause.stop()
        self._study.rest()

    @Slot(object)
    def _take(self, found: tuple[LimitFor, ...]) -> None:
        self._found = found
        self._show()

    def _show(self) -> None:
        """Tells the answers, and whether they are set already."""
        if not self._found:
            return
        for label, button, answer, unit in zip(self.sentences, self.buttons, self._found, UNITS, strict=True):
            label.setText(self._words(answer, unit))
            edit = edit_for(self._document.build, answer)
            button.setEnabled(edit is not None)
            button.setToolTip(tip(edit.title) if edit is not None else "")

    def _words(self, answer: LimitFor, unit: str) -> str:
        words = answer_words(answer, unit)
        limits = answer.share is not None and answer.share < 1
        is_set = limits and edit_for(self._document.build, answer) is None
        return self.tr("{answer} It is set so.").format(answer=words) if is_set else words

    @Slot(int)
    def _apply(self, row: int) -> None:
        edit = edit_for(self._document.build, self._found[row]) if self._found else None
        if edit is not None:
            self.edited.emit(edit)

    def _circuit_goal(self) -> Goal:
        return circuit_goal(self._document.build, self._document.conditions.load)

    def _goals(self) -> tuple[Goal, ...]:
        return self._circuit_goal(), noise_goal(self.noise.value()), temperature_goal(self.temperature.value())

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        circuit = Label(self.tr("Within the circuit"), self)
        heads = (circuit, self.noise.head, self.temperature.head)
        fields = (self.circuit, self.noise, self.temperature)
        rows = zip(heads, fields, self.sentences, self.buttons, strict=True)
        for number_of, (head, field, label, button) in enumerate(rows):
            _name(button, self.tr("Apply the limit: {goal}").format(goal=_text(head)), label)
            button.clicked.connect(partial(self._press, number_of))
            for column, widget in enumerate((head, field, label, button)):
                grid.addWidget(widget, number_of, column)
        grid.setColumnStretch(2, 1)

    def _press(self, row: int, _checked: bool = False) -> None:
        self._apply(row)


def _name(button: QPushButton, name: str, answer: QLabel) -> None:
    button.setAccessibleName(name)
    button.setEnabled(False)
    answer.setAccessibleName(name)


def _text(head: QWidget) -> str:
    return head.text() if isinstance(head, QLabel) else ""
