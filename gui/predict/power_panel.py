"""What the machine draws: at the wall for each load, and part by part for the load that is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import starmap
from operator import attrgetter

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from core.language import joined, tr
from core.predict.band import Band
from core.predict.components import Component
from core.predict.conditions import LoadCase
from core.predict.excursions import Window
from core.predict.power import AT_LIMITS, Electrical, left_of_circuits_w, supplied_w
from gui.figures import number
from gui.guide.terms import explained_heading
from gui.planner.document import PlanDocument
from gui.planner.gauges import held_words
from gui.predict.figures_model import FigureCell, FigureColumn
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import band_cell, bar_cell, figure, mark_words, percent_cell, tip_of, unknown_cell
from gui.widgets.text import heading, muted


@dataclass(frozen=True, slots=True)
class _LoadState:
    """What the machine does, and what it draws then."""

    load: LoadCase
    at_limits: bool
    """Whether nothing throttles."""
    title: FigureCell
    drawn: Electrical


@dataclass(frozen=True, slots=True)
class _PartShare:
    """What a part draws from the PSUs, beside the most that any part does."""

    part: Component
    dc_w: Band
    most_w: float


class PowerPanel(Panel):
    """The chosen row of the upper table says of which load the lower one tells."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.loads = FiguresView(tr("Power by load"), self._load_columns(), attrgetter("load", "at_limits"), self)
        self.parts = FiguresView(tr("Power by part"), self._part_columns(), lambda share: share.part.part_id, self)
        self.peaks = FiguresView(tr("Peaks of power"), self._peak_columns(), lambda window: window.title, self)
        self._by_part = heading("", self)
        self._note, self._of_peaks = muted(self), muted(self)
        peaks = explained_heading(tr("Peaks against PSU capability"), "psu-capability", self)
        for widget in (self.loads, self._by_part, self.parts, self._note, peaks, self.peaks, self._of_peaks):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.loads.chosen.connect(self._show_parts)

    def refresh(self) -> None:
        """Both tables."""
        self.lead.setText(self._lead())
        at_limits = self.assessment.prediction.at_limits
        self.loads.show_items([*map(self._state, LoadCase), *starmap(self._state_at_limits, at_limits.items())])
        if self.loads.key is None:
            self.loads.choose((LoadCase.TRAINING, False))
        self._show_parts()
        self._note.setText(mark_words(self._bands()))
        self._note.setVisible(bool(self._note.text()))
        excursions = self.assessment.prediction.excursions
        self.peaks.show_items(excursions.asked)
        self._of_peaks.setText("\n".join(excursions.assumptions))

    def _lead(self) -> str:
        build, prediction = self.document.build, self.assessment.prediction
        load = prediction.conditions.load
        band = prediction.wall_w[load]
        limit_w = left_of_circuits_w(build)
        words = tr(
            "{load}: {power} from the wall; {circuit} has {limit} W left for the machine.",
            load=load.label,
            power=figure(band),
            limit=number(limit_w),
            circuit=build.circuit.title,
        )
        worst = prediction.worst_case.wall_w
        words = tr(
            "{words} Electrical worst case, CPU and GPU at their limits at once: {power}.",
            words=words,
            power=figure(worst),
        )
        if worst.low > limit_w:
            words = tr("{words} That exceeds the circuit.", words=words)
        elif worst.high > limit_w:
            words = tr("{words} At the high end that exceeds the circuit.", words=words)
        return joined((words, *map(held_words, prediction.throttled)))

    def _bands(self) -> Iterator[Band]:
        prediction = self.assessment.prediction
        for load in LoadCase:
            yield prediction.dc_w[load]
            yield prediction.wall_w[load]

    def _state(self, load: LoadCase) -> _LoadState:
        point = self.assessment.prediction.at(load)
        drawn = Electrical(point.dc_w, point.wall_w, point.apparent_va, point.current_a)
        return _LoadState(load, False, FigureCell(load.label, tip=load.meaning), drawn)

    def _state_at_limits(self, load: LoadCase, drawn: Electrical) -> _LoadState:
        tip = tr("Nothing throttles: what PSUs, cables and circuits are checked against.")
        return _LoadState(load, True, FigureCell(*AT_LIMITS[load], tip), drawn)

    def _load_columns(self) -> tuple[FigureColumn[_LoadState], ...]:
        of_psus, of_circuit = tr("Of what they deliver at these mains"), tr("Of its continuous rating")
        va = tr("Volts times amperes: what a UPS must carry")
        return (
            FigureColumn(tr("Load"), lambda state: state.title, words=True),
            FigureColumn(tr("From the\nPSUs, W"), lambda state: self._band(state.drawn.dc_w)),
            FigureColumn(tr("At the\nwall, W"), self._wall),
            FigureColumn(tr("Current,\nA"), lambda state: self._band(state.drawn.current_a)),
            FigureColumn(tr("Apparent,\nVA"), lambda state: self._band(state.drawn.apparent_va), va),
            FigureColumn(tr("Of the\ncircuit, %"), self._of_circuit, of_circuit),
            FigureColumn(tr("Of the\nPSUs, %"), self._of_psus, of_psus),
        )

    def _part_columns(self) -> tuple[FigureColumn[_PartShare], ...]:
        return (
            FigureColumn(tr("Part"), self._part_title, words=True),
            FigureColumn(tr("Qty"), lambda share: FigureCell(str(share.part.count))),
            FigureColumn(tr("Low to high"), lambda share: bar_cell(share.dc_w, share.most_w), words=True),
            FigureColumn(tr("From the\nPSUs, W"), lambda share: self._band(share.dc_w)),
        )

    def _peak_columns(self) -> tuple[FigureColumn[Window], ...]:
        demand = tr("From the PSUs at once, everything at its limit")
        capability = tr("What the PSUs can deliver for that long")
        duty = tr("Share of time in which they must deliver it")
        return (
            FigureColumn(tr("Peaks of"), lambda window: FigureCell(window.title), words=True),
            FigureColumn(tr("Peak\ndemand, W"), lambda window: self._band(window.demand_w), demand),
            FigureColumn(tr("PSU\ncapability, W"), self._capability, capability),
            FigureColumn(tr("Used,\n%"), self._used, tr("Demand over PSU capability")),
            FigureColumn(tr("At most,\n% of time"), lambda window: FigureCell(number(100 * window.duty)), duty),
        )

    def _band(self, band: Band) -> FigureCell:
        return band_cell(self.document.build, band)

    def _wall(self, state: _LoadState) -> FigureCell:
        over = state.drawn.wall_w.low > left_of_circuits_w(self.document.build)
        return band_cell(self.document.build, state.drawn.wall_w, tone="fail" if over else "")

    def _of_circuit(self, state: _LoadState) -> FigureCell:
        return self._share(state.drawn.wall_w, left_of_circuits_w(self.document.build))

    def _of_psus(self, state: _LoadState) -> FigureCell:
        return self._share(state.drawn.dc_w, supplied_w(self.document.build))

    def _part_title(self, share: _PartShare) -> FigureCell:
        return FigureCell(share.part.title, tip=tip_of(self.document.build, share.dc_w))

    def _capability(self, window: Window) -> FigureCell:
        return FigureCell(number(window.allowed_w)) if window.allowed_w else unknown_cell(self._no_psu())

    def _used(self, window: Window) -> FigureCell:
        share = window.share
        tone = "fail" if share and share.expected > 1 else "warn" if share and share.high > 1 else ""
        return percent_cell(self.document.build, share, about=self._no_psu(), tone=tone)

    def _no_psu(self) -> str:
        return tr("There is no PSU, or one of unknown power.")

    def _share(self, band: Band, whole: float | None) -> FigureCell:
        if not whole:
            return unknown_cell()
        return percent_cell(self.document.build, band.times(1 / whole))

    @Slot()
    def _show_parts(self) -> None:
        key = self.loads.key
        load, at_limits = key if isinstance(key, tuple) else (LoadCase.TRAINING, False)
        prediction = self.assessment.prediction
        parts = prediction.limits.components if at_limits else prediction.components
        known = sorted(
            (part for part in parts if part.dc_w[load].high > 0),
            key=lambda part: (-part.dc_w[load].expected, part.title),
        )
        most_w = max((part.dc_w[load].high for part in known), default=0.0)
        state = AT_LIMITS[load].name if at_limits else load.label
        self._by_part.setText(tr("By part: {load}", load=state))
        self.parts.show_items([_PartShare(part, part.dc_w[load], most_w) for part in known])
