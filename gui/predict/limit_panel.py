"""The power limit of the GPUs: which one meets a goal, what each costs in speed and saves in watts, noise and heat."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QPushButton, QWidget

from core.chart import Limit
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.conditions import Conditions
from core.predict.curves import AtLimit, why_faster
from core.predict.limit_for import Goal, LimitFor, circuit_goal, noise_goal, temperature_goal
from core.predict.power import left_of_circuits_w
from core.predict.speed.networks import Network
from core.present.report.build_curves import limits_table
from core.words import tr
from gui.planner.document import PlanDocument
from gui.predict.band_chart import BandChart
from gui.predict.chart_picture import BandCurve, ChartPicture
from gui.predict.figure_box import FieldRange, FigureBox
from gui.predict.figures_view import FiguresView
from gui.predict.limits import (
    answers,
    edit_for,
    has_known_limit,
    limits_words,
    points,
    share_set,
    unlimited,
    what_counts,
)
from gui.predict.panel import Panel, Study
from gui.widgets.background import pause
from gui.widgets.figures import number
from gui.widgets.form import fill, row_of
from gui.widgets.text import Label, heading, muted, sentence, tip, unbroken
from gui.widgets.units import local

Triple = tuple[float, float, float]


class LimitPanel(Panel):
    """Charts and table over the share of the cards' own limits."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self._points: tuple[AtLimit, ...] = ()
        self._question: Any = None
        self._study = Study(self)
        self._study.answered.connect(self._take)
        self.goals = LimitGoals(document, self)
        self.goals.edited.connect(self.edited)
        self.network = QComboBox(self)
        self.network.setAccessibleName(tr("Network"))
        for network in Network:
            self.network.addItem(network.label, network)
        self.network.currentIndexChanged.connect(self._show_points)
        self.charts = {
            "wall": BandChart(tr("At the wall"), self),
            "noise": BandChart(tr("Noise"), self),
            "heat": BandChart(tr("Temperature"), self),
            "speed": BandChart(tr("Speed"), self),
        }
        self.table = FiguresView(tr("What each limit does"), self)
        self.reason = sentence(self)
        self._progress = muted(self)
        self._lay_out()

    @property
    def busy(self) -> bool:
        """Whether curves or answers are still to come."""
        return self._study.busy or self.goals.busy

    def lack(self) -> str:
        """It takes a GPU whose limit is known."""
        build = self.document.build
        if not build.count(Category.GPU):
            return tr("The build has no GPU. Once it has one, this shows what a power limit costs and saves.")
        if not has_known_limit(build):
            return tr("The power limit of the GPUs is unknown. Enter it in the Plan: Parts, Correct part.")
        return ""

    def refresh(self) -> None:
        """What is known at once; the rest is worked out beside the window."""
        build = self.document.build
        limits, load = limits_words(build), self.document.conditions.load.label
        words = tr("Power limit of a card now: {limits}. Wall power is for the load {load}.", limits=limits, load=load)
        self.lead.setText(words)
        self.goals.ask()
        question = what_counts(unlimited(build)), self.document.conditions
        if question == self._question and (self._points or self._study.busy):
            self._show_points()
            return
        self._question = question
        self._progress.setText(tr("Predicting the machine at each limit …"))
        self._progress.show()
        self._study.ask(partial(points, *question))

    def rest(self) -> None:
        """Gives up what is not known yet, and begins again when it is seen."""
        if self.busy:
            self.stay_stale()
        self._study.rest()
        self.goals.rest()

    @Slot(object)
    def _take(self, result: tuple[AtLimit, ...]) -> None:
        self._points = result
        self._progress.hide()
        self._show_points()

    @Slot()
    def _show_points(self) -> None:
        network = Network(self.network.currentData())
        unit = {"wall": "W", "noise": "dBA", "heat": "°C", "speed": network.unit}
        build = self.document.build
        now, circuit = share_set(build), Limit(left_of_circuits_w(build), build.circuit.title, "warn")
        for key, curves in self._curves(network).items():
            lines = (circuit,) if key == "wall" else ()
            picture = ChartPicture(
                curves,
                unit[key],
                tr("% of the cards' default limit"),
                lines if curves else (),
                mark=100 * now if curves and now else None,
                notice=tr("not predicted") if self._points else "",
            )
            self.charts[key].show_picture(picture)
        reason = why_faster(self._points, network.value)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        self.table.show_table(limits_table(self._points, network), self.document.build)

    def _curves(self, network: Network) -> dict[str, tuple[BandCurve, ...]]:
        at = [(100 * point.share, point) for point in self._points]
        hottest = [(x, one.hottest_c) for x, one in at if one.hottest_c]
        coolant = [(x, one.coolant_c) for x, one in at if one.coolant_c]
        speed = [(x, rate) for x, one in at if (rate := one.speed[network.value])]
        return {
            "wall": _curve(tr("At the wall"), [(x, one.wall_w) for x, one in at]),
            "noise": _curve(tr("Noise"), [(x, one.noise_dba) for x, one in at]),
            "heat": (*_curve(tr("Hottest GPU"), hottest), *_curve(tr("Coolant"), coolant, 1)),
            "speed": _curve(tr("Speed"), speed),
        }

    def _lay_out(self) -> None:
        label = Label(tr("Speed of"), self)
        label.setBuddy(self.network)
        choice = row_of(heading(tr("What each limit does"), self), label, self.network, 1)
        grid = QGridLayout()
        grid.setSpacing(12)
        for place, chart in enumerate(self.charts.values()):
            grid.addWidget(chart, *divmod(place, 2))
        above = heading(tr("Which limit fits"), self)
        fill(self.body, above, self.goals, choice, self._progress, grid, self.reason, self.table, 1)


def _curve(title: str, rows: list[tuple[float, Triple]], series: int = 0) -> tuple[BandCurve, ...]:
    """None for a quantity that the machine does not have."""
    return (BandCurve.of(title, [x for x, _ in rows], [band for _, band in rows], series),) if rows else ()


PAUSE_MS = 250
FIRST_DBA, FIRST_C = 35.0, 75.0
Question = tuple[Build, Conditions, tuple[float, ...]]


class LimitGoals(QWidget):
    """`edited` carries the limits that were chosen. Answers come a moment after a goal or the build changed."""

    edited = Signal(object)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._limits: tuple[LimitFor, ...] = ()
        self._question: Question | None = None
        self._study = Study(self)
        self._study.answered.connect(self._take)
        self._pause = pause(self, self.ask, PAUSE_MS)
        self.circuit = Label(self)
        self.noise = FigureBox(tr("Noise at most"), FieldRange(10, 90, "dBA"), self)
        self.temperature = FigureBox(tr("Hottest GPU at most"), FieldRange(30, 110, "°C", decimals=0), self)
        self.noise.setValue(FIRST_DBA)
        self.temperature.setValue(FIRST_C)
        self.sentences = tuple(sentence(self) for _ in range(3))
        self.buttons = tuple(QPushButton(tr("Apply"), self) for _ in range(3))
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
        self.circuit.setText(tr("{watts} W", watts=number(self._circuit_goal().most)))
        goals = self._goals()
        free, conditions = what_counts(unlimited(self._document.build)), self._document.conditions
        question = free, conditions, tuple(goal.most for goal in goals)
        if question == self._question and (self._limits or self._study.busy):
            self._show()
            return
        self._question, self._limits = question, ()
        for label, button in zip(self.sentences, self.buttons, strict=True):
            label.setText(tr("Looking for the limit …"))
            button.setEnabled(False)
        self._study.ask(partial(answers, free, conditions, goals))

    def rest(self) -> None:
        """Gives up what is not answered."""
        self._pause.stop()
        self._study.rest()

    @Slot(object)
    def _take(self, limits: tuple[LimitFor, ...]) -> None:
        self._limits = limits
        self._show()

    def _show(self) -> None:
        """Tells the answers, and whether they are set already."""
        if not self._limits:
            return
        for label, button, answer in zip(self.sentences, self.buttons, self._limits, strict=True):
            label.setText(unbroken(local(self._words(answer))))
            edit = edit_for(self._document.build, answer)
            button.setEnabled(edit is not None)
            button.setToolTip(tip(edit.title) if edit is not None else "")

    def _words(self, answer: LimitFor) -> str:
        limits = answer.share is not None and answer.share < 1
        is_set = limits and edit_for(self._document.build, answer) is None
        return tr("{answer} Already set.", answer=answer.message) if is_set else answer.message

    @Slot(int)
    def _apply(self, row: int) -> None:
        edit = edit_for(self._document.build, self._limits[row]) if self._limits else None
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
        circuit = Label(tr("Within the circuit"), self)
        heads = (circuit, self.noise.head, self.temperature.head)
        fields = (self.circuit, self.noise, self.temperature)
        rows = zip(heads, fields, self.sentences, self.buttons, strict=True)
        for number_of, (head, field, label, button) in enumerate(rows):
            _name(button, tr("Apply the limit: {goal}", goal=_text(head)), label)
            button.clicked.connect(partial(self._press, number_of))
            for column, widget in enumerate((head, field, button, label)):
                grid.addWidget(widget, number_of, column)
        grid.setColumnStretch(3, 1)

    def _press(self, row: int, _checked: bool = False) -> None:
        self._apply(row)


def _name(button: QPushButton, name: str, answer: QLabel) -> None:
    button.setAccessibleName(name)
    button.setEnabled(False)
    answer.setAccessibleName(name)


def _text(head: QWidget) -> str:
    return head.text() if isinstance(head, QLabel) else ""
