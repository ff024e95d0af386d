"""The power limit of the GPUs: which one fits, and what each costs in speed and brings in watts, noise and heat."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QWidget

from core.parts.vocabulary import Category
from core.predict.curves import AtLimit
from core.predict.power import left_of_circuits_w
from core.predict.speed.networks import Network
from core.predict.thermal.heat import THROTTLED
from gui.burnin.backdrop import LimitLine
from gui.planner.document import PlanDocument
from gui.planner.figures import DASH, number
from gui.predict.band_chart import BandChart
from gui.predict.curve import Curve, Picture
from gui.predict.figures_model import Cell, FiguresModel, Heading, Row
from gui.predict.figures_view import FiguresView
from gui.predict.goals import Goals
from gui.predict.limits import has_known_limit, limits_words, points, share_set, unlimited, what_counts
from gui.predict.network_words import network_words
from gui.predict.panel import Panel
from gui.predict.study import Study
from gui.predict.words import load_words, nothing_cell, unknown_cell
from gui.widgets.labels import heading, muted
from gui.widgets.text import Label

Triple = tuple[float, float, float]


class LimitPanel(Panel):
    """Charts and table over the share of the cards' own limits."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self._points: tuple[AtLimit, ...] = ()
        self._asked: Any = None
        self._study = Study(self)
        self._study.answered.connect(self._take)
        self.goals = Goals(document, self)
        self.goals.edited.connect(self.edited)
        self.network = QComboBox(self)
        self.network.setAccessibleName(self.tr("Network"))
        for network in Network:
            self.network.addItem(network_words(network), network)
        self.network.currentIndexChanged.connect(self._show_points)
        self.charts = {
            "wall": BandChart(self.tr("At the wall"), self),
            "noise": BandChart(self.tr("Noise"), self),
            "heat": BandChart(self.tr("Temperature"), self),
            "speed": BandChart(self.tr("Speed"), self),
        }
        self.table = FiguresView(FiguresModel(self._headings(), self), self.tr("What each limit does"), self)
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
            return self.tr("The build has no GPU. What a power limit costs and brings will stand here.")
        if not has_known_limit(build):
            return self.tr("The power limit of the GPUs is unknown. Enter it in the Plan: Parts, Correct part.")
        return ""

    def refresh(self) -> None:
        """What is known at once; the rest is worked out beside the window."""
        build = self.document.build
        load = load_words(self.document.conditions.load)
        self.lead.setText(
            self.tr("One card may draw {limits} now. Watts at the wall are those of the load: {load}.").format(
                limits=limits_words(build), load=load
            )
        )
        self.goals.ask()
        asked = what_counts(unlimited(build)), self.document.conditions
        if asked == self._asked and (self._points or self._study.busy):
            self._show_points()
            return
        self._asked = asked
        self._progress.setText(self.tr("Predicting the machine at each limit …"))
        self._progress.show()
        self._study.ask(partial(points, *asked))

    def rest(self) -> None:
        """Gives up what is not known yet, and begins again when it is seen."""
        if self.busy:
            self.stay_stale()
        self._study.rest()
        self.goals.rest()

    @Slot(object)
    def _take(self, found: tuple[AtLimit, ...]) -> None:
        self._points = found
        self._progress.hide()
        self._show_points()

    @Slot()
    def _show_points(self) -> None:
        network = Network(self.network.currentData())
        unit = {"wall": "W", "noise": "dBA", "heat": "°C", "speed": network.unit}
        now = share_set(self.document.build)
        for key, curves in self._curves(network).items():
            lines = (self._circuit(),) if key == "wall" else ()
            picture = Picture(
                curves,
                unit[key],
                self.tr("% of the cards' own limit"),
                lines if curves else (),
                mark=100 * now if curves and now else None,
                notice=self.tr("not predicted") if self._points else "",
            )
            self.charts[key].show_picture(picture)
        self.table.figures.show_rows([self._row(point, network) for point in self._points])

    def _circuit(self) -> LimitLine:
        return LimitLine(left_of_circuits_w(self.document.build), self.document.build.circuit.title, "warn")

    def _curves(self, network: Network) -> dict[str, tuple[Curve, ...]]:
        at = [(100 * point.share, point) for point in self._points]
        hottest = [(x, one.hottest_c) for x, one in at if one.hottest_c]
        coolant = [(x, one.coolant_c) for x, one in at if one.coolant_c]
        speed = [(x, rate) for x, one in at if (rate := one.speed[network.value])]
        return {
            "wall": _curve(self.tr("At the wall"), [(x, one.wall_w) for x, one in at]),
            "noise": _curve(self.tr("Noise"), [(x, one.noise_dba) for x, one in at]),
            "heat": (*_curve(self.tr("Hottest GPU"), hottest), *_curve(self.tr("Coolant"), coolant, 1)),
            "speed": _curve(self.tr("Speed"), speed),
        }

    def _row(self, at: AtLimit, network: Network) -> Row:
        rate = at.speed[network.value]
        held = at.kept_share is not None and at.kept_share < THROTTLED
        kept = (
            Cell(number(round(100 * at.kept_share)), tone="warn" if held else "") if at.kept_share else nothing_cell()
        )
        limits = ", ".join(number(watts) for watts in sorted(set(at.limits_w.values())))
        cells = (
            Cell(f"{100 * at.share:.0f} %"),
            Cell(limits),
            _cell(at.wall_w),
            _cell(at.noise_dba),
            _cell(at.hottest_c),
            kept,
            _cell(at.coolant_c),
            _cell(rate) if rate else unknown_cell(),
        )
        return Row(at.share, cells)

    def _headings(self) -> tuple[Heading, ...]:
        return (
            Heading(self.tr("Of the own limit"), words=True),
            Heading(self.tr("Limit,\nW")),
            Heading(self.tr("At the\nwall, W")),
            Heading(self.tr("Noise,\ndBA")),
            Heading(self.tr("Hottest,\n°C")),
            Heading(self.tr("Keeps,\n%"), self.tr("Of the limited power: the rest is taken back for the heat")),
            Heading(self.tr("Coolant,\n°C")),
            Heading(self.tr("Speed"), self.tr("Of all cards on the chosen network")),
        )

    def _lay_out(self) -> None:
        choice = QHBoxLayout()
        label = Label(self.tr("Speed of"), self)
        label.setBuddy(self.network)
        for widget in (heading(self.tr("What each limit does"), self), label, self.network):
            choice.addWidget(widget)
        choice.addStretch(1)
        grid = QGridLayout()
        grid.setSpacing(12)
        for place, chart in enumerate(self.charts.values()):
            grid.addWidget(chart, *divmod(place, 2))
        self.body.addWidget(heading(self.tr("Which limit fits"), self))
        self.body.addWidget(self.goals)
        self.body.addLayout(choice)
        self.body.addWidget(self._progress)
        self.body.addLayout(grid)
        self.body.addWidget(self.table)
        self.body.addStretch(1)


def _curve(title: str, rows: list[tuple[float, Triple]], series: int = 0) -> tuple[Curve, ...]:
    """None for a quantity that the machine does not have."""
    return (Curve.of(title, [x for x, _ in rows], [band for _, band in rows], series),) if rows else ()


def _cell(band: Triple | None) -> Cell:
    if band is None:
        return nothing_cell()
    low, expected, high = (round(value) if abs(value) >= 10 else value for value in band)
    return Cell(number(expected), f"{number(low)}{DASH}{number(high)}", order=expected)
