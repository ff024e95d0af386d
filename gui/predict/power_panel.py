"""What the machine draws: at the wall for each load, and part by part for the load that is chosen."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from core.predict.band import Band
from core.predict.conditions import Load
from core.predict.excursions import Window
from core.predict.power import Electrical, left_of_circuits_w, supplied_w
from gui.planner.document import PlanDocument
from gui.planner.figures import number
from gui.planner.gauges import held_words
from gui.predict.figures_model import Cell, FigureRow, FiguresModel, Heading
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import (
    band_cell,
    bar_cell,
    figure,
    load_words,
    mark_words,
    percent_cell,
    tip_of,
    unknown_cell,
)
from gui.widgets.text import heading, muted

WORST = "worst case"
"""Key of the row of the electrical worst case."""


class PowerPanel(Panel):
    """The chosen row of the upper table says of which load the lower one tells."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.loads = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("Load"), words=True),
                    Heading(self.tr("From the\nPSUs, W")),
                    Heading(self.tr("At the\nwall, W")),
                    Heading(self.tr("Current,\nA")),
                    Heading(self.tr("Apparent,\nVA"), self.tr("Volts times amperes: what a UPS must carry")),
                    Heading(self.tr("Of the\ncircuit, %"), self.tr("Of what the circuit gives for hours")),
                    Heading(self.tr("Of the\nPSUs, %"), self.tr("Of what they give at these mains")),
                ),
                self,
            ),
            self.tr("Power by load"),
            self,
        )
        self.parts = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("Part"), words=True),
                    Heading(self.tr("Qty")),
                    Heading(self.tr("Low to high"), words=True),
                    Heading(self.tr("From the\nPSUs, W")),
                ),
                self,
            ),
            self.tr("Power by part"),
            self,
        )
        self.peaks = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("Peaks of"), words=True),
                    Heading(self.tr("Peak\ndemand, W"), self.tr("From the PSUs at once, everything at its limit")),
                    Heading(self.tr("PSU\ncapability, W"), self.tr("What the PSUs deliver for so long")),
                    Heading(self.tr("Used,\n%"), self.tr("Demand over PSU capability")),
                    Heading(
                        self.tr("At most,\n% of time"), self.tr("Share of the time for which they must deliver it")
                    ),
                ),
                self,
            ),
            self.tr("Peaks of power"),
            self,
        )
        self._by_part = heading("", self)
        self._note, self._of_peaks = muted(self), muted(self)
        peaks = heading(self.tr("Peaks against the capability of the PSUs"), self)
        for widget in (self.loads, self._by_part, self.parts, self._note, peaks, self.peaks, self._of_peaks):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.loads.chosen.connect(self._show_parts)

    def refresh(self) -> None:
        """Both tables."""
        self.lead.setText(self._lead())
        self.loads.figures.show_rows([*(self._load_row(load) for load in Load), self._worst_row()])
        if self.loads.key is None:
            self.loads.choose(Load.TRAINING)
        self._show_parts()
        self._note.setText(mark_words(self._bands()))
        self._note.setVisible(bool(self._note.text()))
        excursions = self.assessment.prediction.excursions
        self.peaks.figures.show_rows([self._peak(window) for window in excursions.windows])
        self._of_peaks.setText("\n".join(excursions.assumptions))

    def _lead(self) -> str:
        build, prediction = self.document.build, self.assessment.prediction
        load = prediction.conditions.load
        band = prediction.wall_w[load]
        limit_w = left_of_circuits_w(build)
        words = self.tr("{load}: {power} from the wall; {limit} W of {circuit} are left for the machine.").format(
            load=load_words(load), power=figure(band), limit=number(limit_w), circuit=build.circuit.title
        )
        worst = prediction.worst_case.wall_w
        told = self.tr("{words} Electrical worst case, CPU and GPU at their limits at once: {power}.")
        words = told.format(words=words, power=figure(worst))
        if worst.low > limit_w:
            words = self.tr("{words} That is more than there is.").format(words=words)
        elif worst.high > limit_w:
            words = self.tr("{words} With bad luck it is more than there is.").format(words=words)
        return " ".join((words, *(f"{held_words(held)}." for held in prediction.held)))

    def _bands(self) -> Iterator[Band]:
        prediction = self.assessment.prediction
        for load in Load:
            yield prediction.dc_w[load]
            yield prediction.wall_w[load]

    def _load_row(self, load: Load) -> FigureRow:
        point = self.assessment.prediction.at(load)
        drawn = Electrical(point.dc_w, point.wall_w, point.apparent_va, point.current_a)
        return FigureRow(load, (Cell(load_words(load), tip=self._meaning(load)), *self._figures(drawn)))

    def _worst_row(self) -> FigureRow:
        tip = self.tr("Nothing held back by heat: what PSUs, cables and circuits are held against.")
        title = Cell(self.tr("Electrical worst case"), self.tr("CPU and GPU at their limits"), tip)
        return FigureRow(WORST, (title, *self._figures(self.assessment.prediction.worst_case)))

    def _figures(self, drawn: Electrical) -> tuple[Cell, ...]:
        build = self.document.build
        left_w = left_of_circuits_w(build)
        return (
            band_cell(build, drawn.dc_w),
            band_cell(build, drawn.wall_w, tone="fail" if drawn.wall_w.low > left_w else ""),
            band_cell(build, drawn.current_a),
            band_cell(build, drawn.apparent_va),
            self._share(drawn.wall_w, left_w),
            self._share(drawn.dc_w, supplied_w(build)),
        )

    def _peak(self, window: Window) -> FigureRow:
        build, share = self.document.build, window.share
        no_supply = self.tr("There is no PSU, or one of unknown power.")
        tone = "fail" if share and share.expected > 1 else "warn" if share and share.high > 1 else ""
        cells = (
            Cell(window.title),
            band_cell(build, window.demand_w),
            Cell(number(window.allowed_w)) if window.allowed_w else unknown_cell(no_supply),
            percent_cell(build, share, about=no_supply, tone=tone),
            Cell(number(100 * window.duty)),
        )
        return FigureRow(window.title, cells)

    def _share(self, band: Band, whole: float | None) -> Cell:
        if not whole:
            return unknown_cell()
        return percent_cell(self.document.build, band.times(1 / whole))

    def _meaning(self, load: Load) -> str:
        return {
            Load.IDLE: self.tr("The machine is on and does nothing."),
            Load.TRAINING: self.tr("All GPUs busy, as their limit and their temperature let them; the CPUs feed them."),
            Load.ALL_CORE: self.tr("All CPU cores busy, the GPUs idle."),
            Load.EVERYTHING: self.tr("GPUs and CPU cores busy at once, as their temperatures let them."),
        }[load]

    @Slot()
    def _show_parts(self) -> None:
        key = self.loads.key
        load = key if isinstance(key, Load) else Load.EVERYTHING if key == WORST else Load.TRAINING
        build, prediction = self.document.build, self.assessment.prediction
        parts = prediction.limits.components if key == WORST else prediction.components
        known = sorted(
            (part for part in parts if part.dc_w[load].high > 0),
            key=lambda part: (-part.dc_w[load].expected, part.title),
        )
        most = max((part.dc_w[load].high for part in known), default=0.0)
        state = self.tr("Electrical worst case") if key == WORST else load_words(load)
        self._by_part.setText(self.tr("By part: {load}").format(load=state))
        self.parts.figures.show_rows(
            [
                FigureRow(
                    part.part_id,
                    (
                        Cell(part.title, tip=tip_of(build, part.dc_w[load])),
                        Cell(str(part.count)),
                        bar_cell(part.dc_w[load], most),
                        band_cell(build, part.dc_w[load]),
                    ),
                )
                for part in known
            ]
        )
