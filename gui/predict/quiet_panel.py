"""How quiet a water-cooled machine can be: radiators, power limit and fan speed against noise and coolant."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from threading import Event
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPushButton, QWidget

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import Several
from core.plan.site_edits import SetFanShare
from core.predict.band import exact
from core.predict.conditions import Conditions
from core.predict.curves import limited
from core.predict.quiet import AREAS, COOLANT_LIMIT_C, LIMITS, Quietest, quiet_map
from core.present.report.document import Cell, Figure, Nothing, ReportColumn, Table, Tone, Words, figures_column, table
from core.present.report.formatting import percent
from core.words import tr
from gui.planner.document import PlanDocument
from gui.predict.band_chart import BandChart
from gui.predict.chart_picture import BandCurve, ChartPicture
from gui.predict.figures_view import FiguresView
from gui.predict.limits import unlimited, what_counts
from gui.predict.panel import Panel, Study
from gui.widgets.figures import number
from gui.widgets.form import fill
from gui.widgets.text import muted


class QuietPanel(Panel):
    """Each point has the slowest fans that keep coolant and cards within their limits."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self._settings: tuple[Quietest, ...] = ()
        self._own_places: int | None = None
        self._question: Any = None
        self._study = Study(self)
        self._study.answered.connect(self._take)
        self._progress = muted(self)
        self.chart = BandChart(tr("Quietest in training"), self, lines=24)
        self.table = FiguresView(tr("Quietest for each radiator and limit"), self)
        self.apply = QPushButton(tr("Set this limit and these fans"), self)
        self.apply.clicked.connect(self._apply)
        self.table.chosen.connect(self._show_button)
        self._why_not = muted(self)
        self._answer: tuple[QWidget, ...] = (self.chart, self.table, self.apply, self._why_not)
        fill(self.body, self._progress, *self._answer, 1)
        self._show_answer()

    @property
    def busy(self) -> bool:
        """Whether the map is still to come."""
        return self._study.busy

    def lack(self) -> str:
        """It takes a radiator."""
        if not self.document.build.of(Category.RADIATOR):
            return tr(
                "The build has no radiator. For a water-cooled machine, this shows how quiet it can be "
                "with more radiators, lower power limits and slower fans."
            )
        return ""

    def refresh(self) -> None:
        """The map of the build as it stands, worked out beside the window."""
        question = what_counts(unlimited(self.document.build)), self.document.conditions
        if question == self._question and (self._settings or self._study.busy):
            self._show_button()
            return
        self._question = question
        self._progress.setText(tr("Trying radiators, limits and fan speeds …"))
        self._progress.show()
        self._study.ask(partial(_map, *question))

    def rest(self) -> None:
        """Gives up, and begins again when it is seen."""
        if self.busy:
            self.stay_stale()
        self._study.rest()

    @Slot(object)
    def _take(self, result: tuple[tuple[Quietest, ...], int]) -> None:
        self._settings, self._own_places = result
        self._progress.hide()
        self._show_answer()
        feasible = [row for row in self._settings if row.noise_dba is not None]
        best = min(feasible, key=lambda row: row.noise_dba or 0.0, default=None)
        self.lead.setText(self._lead(best))
        self.chart.show_picture(self._picture(feasible))
        self.table.show_table(self._table(), self.document.build)
        self._show_button()

    def _show_answer(self) -> None:
        """Chart, table and button stand where there is something for them to show."""
        for widget in self._answer:
            widget.setVisible(bool(self._settings))

    def _lead(self, best: Quietest | None) -> str:
        most = number(COOLANT_LIMIT_C)
        if best is None:
            return tr("No radiator, limit or fan speed that was tried keeps the coolant below {most} °C.", most=most)
        return tr(
            "Quietest setting tried: {noise} dBA with {places} fan positions on radiators, cards at "
            "{limit} % and fans at {fans} %. The coolant stays below {most} °C, and no card "
            "throttles.",
            noise=number(best.noise_dba),
            places=best.places,
            limit=number(100 * best.limit_share),
            fans=number(100 * (best.fan_share or 0)),
            most=most,
        )

    def _picture(self, feasible: list[Quietest]) -> ChartPicture:
        curves = []
        for series, (places, rows) in enumerate(groupby(feasible, lambda row: row.places)):
            points = sorted(rows, key=lambda row: row.limit_share)
            curves.append(
                BandCurve(
                    tr("{places} fan positions", places=places),
                    tuple(100 * row.limit_share for row in points),
                    tuple(row.noise_dba or 0.0 for row in points),
                    series=series,
                    words=tuple(tr("fans {share} %", share=number(100 * (row.fan_share or 0))) for row in points),
                )
            )
        return ChartPicture(tuple(curves), "dBA", tr("% of the cards' default limit"))

    def _table(self) -> Table:
        columns = (
            ReportColumn(tr("Radiators")),
            figures_column(tr("Limit"), "%", tr("Power limit of every GPU, of its default")),
            figures_column(tr("Fans"), "%", tr("The slowest that suffice, of full speed")),
            figures_column(tr("Noise"), "dBA"),
            figures_column(tr("Coolant"), "°C"),
        )
        return table(columns, [self._row(row) for row in self._settings], keys=[_key(row) for row in self._settings])

    def _row(self, row: Quietest) -> tuple[Cell, ...]:
        own = tr("as in the build") if row.places == self._own_places else ""
        title = Words(tr("{places} fan positions", places=row.places), own)
        limit = percent(exact(row.limit_share))
        if row.fan_share is None:
            none = tr("Even the fastest fans do not keep coolant and cards within their limits.")
            return title, limit, Words(tr("too warm"), about=none, tone=Tone.WARN), Nothing(), Nothing()
        noise = Nothing() if row.noise_dba is None else Words(number(row.noise_dba), order=row.noise_dba)
        coolant = Nothing() if row.coolant_c is None else Figure(exact(row.coolant_c, "°C"))
        return title, limit, percent(exact(row.fan_share)), noise, coolant

    def _chosen(self) -> Quietest | None:
        return next((row for row in self._settings if _key(row) == self.table.key), None)

    @Slot()
    def _show_button(self) -> None:
        row = self._chosen()
        own = row is not None and row.places == self._own_places and row.fan_share is not None
        self.apply.setEnabled(own)
        words = tr("Choose a row with the build's own radiators to set its limit and fans.")
        self._why_not.setText("" if own else words)

    @Slot()
    def _apply(self) -> None:
        row = self._chosen()
        if row is None or row.fan_share is None:
            return
        less = limited(unlimited(self.document.build), row.limit_share)
        limits = tuple(
            SetPowerLimit(line.part.id, line.power_limit_w if row.limit_share < 1 else None)
            for line in less.of(Category.GPU)
        )
        limit, fans = number(100 * row.limit_share), number(100 * row.fan_share)
        title = tr("Limit to {limit} %, fans at {fans} %", limit=limit, fans=fans)
        self.edited.emit(Several(title, (*limits, SetFanShare(row.fan_share))))


def _key(row: Quietest) -> tuple[int, float]:
    return row.places, row.limit_share


def _map(build: Build, conditions: Conditions, stop: Event) -> tuple[tuple[Quietest, ...], int] | None:
    """Area by area and limit by limit, and the fan positions that the build has itself."""
    settings: dict[tuple[int, float], Quietest] = {}
    own = 0
    for area in AREAS:
        for limit in LIMITS:
            if stop.is_set():
                return None
            for row in quiet_map(build, conditions, areas=(area,), limits=(limit,)):
                settings[row.places, row.limit_share] = row
                own = row.places if area == 1.0 else own
    return tuple(settings[key] for key in sorted(settings)), own
