"""How warm everything gets in training: air, coolant, processor and every card, and how it warms up."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from core.build.build import Build
from core.language import joined, tr
from core.predict.airflow.airflow import Airflow, FanGroup
from core.predict.band import Band
from core.predict.curves import over_time
from core.predict.prediction import CPU_BUSY_TITLE, CPU_TRAINING_TITLE
from core.predict.thermal.heat import THROTTLED, CardHeat
from gui.figures import number
from gui.guide.terms import explained_heading
from gui.planner.document import PlanDocument
from gui.planner.gauges import held_words
from gui.predict.band_chart import BandChart
from gui.predict.chart_picture import BandCurve, ChartPicture
from gui.predict.figures_model import FigureCell, FigureColumn
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import (
    band_cell,
    figure,
    listed,
    mark_words,
    nothing_cell,
    percent_cell,
    place_words,
    unknown_cell,
)
from gui.widgets.text import heading, muted, sentence


@dataclass(frozen=True, slots=True)
class _Warm:
    """A row of temperatures: a card, or what is around the cards, which has a title and one temperature."""

    key: Hashable
    title: FigureCell
    inlet: FigureCell
    chip: FigureCell
    card: CardHeat | None = None


class TemperaturePanel(Panel):
    """A card that throttles says how much of its power it keeps."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.cards = FiguresView(tr("Temperatures"), self._columns(), lambda warm: warm.key, self)
        self.untold = sentence(self)
        self.warm_up = BandChart(tr("Warm-up after a cold start"), self)
        self._above_chart = heading(tr("Over time"), self)
        self._note = muted(self)
        self.air = AirView(self)
        self.air_notes = muted(self)
        air = explained_heading(tr("Air in training"), "intake-air", self)
        self._of_air = (air, self.air, self.air_notes)
        for widget in (self.untold, self.cards, self._note, self._above_chart, self.warm_up, *self._of_air):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def refresh(self) -> None:
        """Table and chart."""
        heat = self.assessment.prediction.heat
        self.lead.setText(self._lead())
        self.untold.setText(listed(heat.unknown))
        self.untold.setVisible(bool(heat.unknown))
        self.cards.show_items([*self._surroundings(), *map(self._card, heat.cards)])
        self._note.setText(mark_words(self._bands()))
        self._note.setVisible(bool(self._note.text()))
        for widget in (self._above_chart, self.warm_up):
            widget.setVisible(bool(heat.cards))
        self.warm_up.show_picture(self._warm_up())
        self.air.show_air(self.document.build, heat.air)
        self.air_notes.setText("\n".join(heat.air.notes))
        for part in self._of_air:
            part.setVisible(bool(self.air.figures.rowCount()))
        self.air_notes.setVisible(bool(heat.air.notes))

    def _lead(self) -> str:
        prediction = self.assessment.prediction
        hottest, room = prediction.heat.hottest, number(prediction.conditions.room_c)
        if hottest is None:
            return tr("No card's temperature is predicted.")
        told = tr(
            "With intake air of {room} °C, {card} ({place}) reaches {temperature}.",
            room=room,
            card=hottest.title,
            place=place_words(hottest.slot, hottest.number),
            temperature=figure(hottest.temperature_c, "°C"),
        )
        return joined((told, *map(held_words, prediction.throttled)))

    def _bands(self) -> Iterator[Band | None]:
        heat = self.assessment.prediction.heat
        yield from (heat.case_air_c, heat.coolant_c, heat.cpu_c)
        for card in heat.cards:
            yield from (card.temperature_c, card.inlet_c)

    def _columns(self) -> tuple[FigureColumn[_Warm], ...]:
        inlet = tr("Air at its inlet; coolant, for a card with a block")
        kept = tr("Of its power; throttling takes the rest")
        return (
            FigureColumn(tr("In training"), lambda warm: warm.title, words=True),
            FigureColumn(tr("Inlet,\n°C"), lambda warm: warm.inlet, inlet),
            FigureColumn(tr("Chip,\n°C"), lambda warm: warm.chip),
            FigureColumn(tr("Fan,\n%"), self._fan, tr("Of full speed")),
            FigureColumn(tr("Power,\nW"), self._power),
            FigureColumn(tr("Keeps,\n%"), self._kept, kept),
        )

    def _surroundings(self) -> Iterator[_Warm]:
        build, prediction = self.document.build, self.assessment.prediction
        heat, none = prediction.heat, nothing_cell()
        yield _Warm("air", FigureCell(tr("Intake air of the cards")), band_cell(build, heat.case_air_c), none)
        if heat.coolant_c is not None:
            yield _Warm("coolant", FigureCell(tr("Coolant")), band_cell(build, heat.coolant_c), none)
        for key, words, chip_c in (
            ("cpu", CPU_TRAINING_TITLE, heat.cpu_c),
            ("cores", CPU_BUSY_TITLE, prediction.cpu_busy_c),
        ):
            chip = band_cell(build, chip_c) if chip_c else unknown_cell(self._cpu_lacks())
            yield _Warm(key, FigureCell(words), none, chip)

    def _card(self, card: CardHeat) -> _Warm:
        build, tone = self.document.build, "warn" if card.kept_share < THROTTLED else ""
        title = FigureCell(card.title, place_words(card.slot, card.number))
        chip = band_cell(build, card.temperature_c, tone=tone)
        return _Warm((card.part_id, card.number), title, band_cell(build, card.inlet_c), chip, card)

    def _cpu_lacks(self) -> str:
        return tr("Needs one kind of CPU cooler whose thermal resistance or size is known.")

    def _fan(self, warm: _Warm) -> FigureCell:
        if warm.card is None:
            return nothing_cell()
        share = warm.card.fan_share
        return percent_cell(self.document.build, share) if share.high > 0 else nothing_cell(tr("It has no fan."))

    def _power(self, warm: _Warm) -> FigureCell:
        return band_cell(self.document.build, warm.card.power_w) if warm.card else nothing_cell()

    def _kept(self, warm: _Warm) -> FigureCell:
        if warm.card is None:
            return nothing_cell()
        kept = warm.card.kept_share
        return FigureCell(number(round(100 * kept)), tone="warn" if kept < THROTTLED else "", order=kept)

    def _warm_up(self) -> ChartPicture:
        """Cards that warm up alike are one curve."""
        alike: dict[tuple[tuple[float, ...], ...], list[str]] = {}
        curves = over_time(self.assessment.prediction)
        for curve in curves:
            key = (curve.minutes, curve.low_c, curve.expected_c, curve.high_c)
            alike.setdefault(key, []).append(place_words(curve.slot, curve.number))
        return ChartPicture(
            tuple(
                BandCurve(joined(places, ", "), minutes, expected, low, high, series)
                for series, ((minutes, low, expected, high), places) in enumerate(alike.items())
            ),
            "°C",
            tr("minutes"),
        )


@dataclass(frozen=True, slots=True)
class _Flow:
    """What a group of fans moves, or, without a point, what crosses the case."""

    title: str
    flow_m3h: Band
    point: FanGroup | None = None


class AirView(FiguresView):
    """One row per group of fans with the same flow path."""

    def __init__(self, parent: QWidget) -> None:
        self._build = Build()
        columns: tuple[FigureColumn[_Flow], ...] = (
            FigureColumn(tr("Fans"), lambda flow: FigureCell(flow.title), words=True),
            FigureColumn(tr("Qty"), _count),
            FigureColumn(tr("Air,\nm³/h"), self._flow, tr("All of them together")),
            FigureColumn(tr("Pressure,\nPa"), self._pressure, tr("Static, across each fan")),
            FigureColumn(tr("Speed,\n%"), self._speed, tr("Of full speed")),
            FigureColumn(tr("Speed,\nrpm"), self._rpm),
        )
        super().__init__(tr("Fan airflow"), columns, lambda flow: flow.title, parent)

    def show_air(self, build: Build, air: Airflow) -> None:
        """Shows the air of a build in training."""
        self._build = build
        flows = [_Flow(point.group.label, point.flow_m3h, point) for point in air.groups]
        if air.through_m3h is not None:
            flows.append(_Flow(tr("Through the case"), air.through_m3h.noting(missing=air.missing)))
        self.show_items(flows)

    def _flow(self, flow: _Flow) -> FigureCell:
        return band_cell(self._build, flow.flow_m3h)

    def _pressure(self, flow: _Flow) -> FigureCell:
        return band_cell(self._build, flow.point.pressure_pa) if flow.point else nothing_cell()

    def _speed(self, flow: _Flow) -> FigureCell:
        return percent_cell(self._build, flow.point.speed_share) if flow.point else nothing_cell()

    def _rpm(self, flow: _Flow) -> FigureCell:
        if flow.point is None:
            return nothing_cell()
        rpm = flow.point.rpm
        return band_cell(self._build, rpm) if rpm else unknown_cell(tr("A fan's speed is unknown."))


def _count(flow: _Flow) -> FigureCell:
    return FigureCell(str(flow.point.count)) if flow.point else nothing_cell()
