"""How warm everything gets in training: air, coolant, processor and every card, and how it warms up."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from core.build.build import Build
from core.predict.airflow.airflow import Airflow
from core.predict.airflow.flow_paths import FanRole
from core.predict.band import Band
from core.predict.curves import over_time
from core.predict.thermal.heat import THROTTLED, CardHeat
from gui.planner.document import PlanDocument
from gui.planner.figures import number
from gui.planner.gauges import held_words
from gui.predict.band_chart import BandChart
from gui.predict.chart_picture import BandCurve, ChartPicture
from gui.predict.figures_model import Cell, FigureRow, FiguresModel, Heading
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


class TemperaturePanel(Panel):
    """A card that its driver holds back says how much of its power it keeps."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.cards = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("In training"), words=True),
                    Heading(self.tr("Before\nit, °C"), self.tr("Air at its inlet; coolant, for a card with a block")),
                    Heading(self.tr("Chip,\n°C")),
                    Heading(self.tr("Fan,\n%"), self.tr("Of full speed")),
                    Heading(self.tr("Power,\nW")),
                    Heading(self.tr("Keeps,\n%"), self.tr("Of its power: the rest its driver takes back for the heat")),
                ),
                self,
            ),
            self.tr("Temperatures"),
            self,
        )
        self.untold = sentence(self)
        self.warm_up = BandChart(self.tr("Warm-up after a cold start"), self)
        self._above_chart = heading(self.tr("Over time"), self)
        self._note = muted(self)
        self.air = AirView(self)
        self.air_notes = muted(self)
        air = heading(self.tr("Air in training"), self)
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
        self.cards.figures.show_rows([*self._surroundings(), *map(self._card, heat.cards)])
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
            return self.tr("No card's temperature is predicted.")
        told = self.tr("With {room} °C before the machine, {card} ({place}) gets {temperature}.").format(
            room=room,
            card=hottest.title,
            place=place_words(hottest.slot, hottest.number),
            temperature=figure(hottest.temperature_c, "°C"),
        )
        return " ".join((told, *(f"{held_words(held)}." for held in prediction.held)))

    def _bands(self) -> Iterator[Band | None]:
        heat = self.assessment.prediction.heat
        yield from (heat.case_air_c, heat.coolant_c, heat.cpu_c)
        for card in heat.cards:
            yield from (card.temperature_c, card.inlet_c)

    def _surroundings(self) -> Iterator[FigureRow]:
        build, heat = self.document.build, self.assessment.prediction.heat
        rest = (nothing_cell(),) * 3
        yield FigureRow(
            "air", (Cell(self.tr("Intake air of the cards")), band_cell(build, heat.case_air_c), nothing_cell(), *rest)
        )
        if heat.coolant_c is not None:
            yield FigureRow(
                "coolant", (Cell(self.tr("Coolant")), band_cell(build, heat.coolant_c), nothing_cell(), *rest)
            )
        busy_c = self.assessment.prediction.cpu_busy_c
        for key, words, chip_c in (
            ("cpu", self.tr("CPU, in training"), heat.cpu_c),
            ("cores", self.tr("CPU, all cores at work"), busy_c),
        ):
            core = band_cell(build, chip_c) if chip_c else unknown_cell(self._cpu_lacks())
            yield FigureRow(key, (Cell(words), nothing_cell(), core, *rest))

    def _cpu_lacks(self) -> str:
        return self.tr("It takes one kind of CPU cooler whose resistance is known or can be told from its size.")

    def _card(self, card: CardHeat) -> FigureRow:
        build = self.document.build
        held = card.kept_share < THROTTLED
        fan = (
            percent_cell(build, card.fan_share) if card.fan_share.high > 0 else nothing_cell(self.tr("It has no fan."))
        )
        kept = Cell(_percent(card.kept_share), tone="warn" if held else "", order=card.kept_share)
        cells = (
            Cell(card.title, place_words(card.slot, card.number)),
            band_cell(build, card.inlet_c),
            band_cell(build, card.temperature_c, tone="warn" if held else ""),
            fan,
            band_cell(build, card.power_w),
            kept,
        )
        return FigureRow((card.part_id, card.number), cells)

    def _warm_up(self) -> ChartPicture:
        """Cards that warm up alike are one curve."""
        alike: dict[tuple[tuple[float, ...], ...], list[str]] = {}
        curves = over_time(self.assessment.prediction)
        for curve in curves:
            key = (curve.minutes, curve.low_c, curve.expected_c, curve.high_c)
            alike.setdefault(key, []).append(place_words(curve.slot, curve.number))
        return ChartPicture(
            tuple(
                BandCurve(", ".join(places), minutes, expected, low, high, series)
                for series, ((minutes, low, expected, high), places) in enumerate(alike.items())
            ),
            "°C",
            self.tr("minutes"),
        )


def _percent(share: float) -> str:
    return number(round(100 * share))


translate = QCoreApplication.translate


class AirView(FiguresView):
    """One row per group of fans that share a way."""

    def __init__(self, parent: QWidget) -> None:
        headings = (
            Heading(translate("AirView", "Fans"), words=True),
            Heading(translate("AirView", "Qty")),
            Heading(translate("AirView", "Air,\nm³/h"), translate("AirView", "All of them together")),
            Heading(translate("AirView", "Against,\nPa"), translate("AirView", "Static pressure over each")),
            Heading(translate("AirView", "Speed,\n%"), translate("AirView", "Of their highest")),
            Heading(translate("AirView", "Speed,\nrpm")),
        )
        super().__init__(FiguresModel(headings, parent), translate("AirView", "What the fans move"), parent)

    def show_air(self, build: Build, air: Airflow) -> None:
        """Shows the air of a build in training."""
        self.figures.show_rows(list(self._rows(build, air)))

    def _rows(self, build: Build, air: Airflow) -> Iterator[FigureRow]:
        for group in air.groups:
            cells = (
                Cell(self._words(group.group)),
                Cell(str(group.count)),
                band_cell(build, group.flow_m3h),
                band_cell(build, group.pressure_pa),
                percent_cell(build, group.speed_share),
                band_cell(build, group.rpm) if group.rpm else unknown_cell(self.tr("A fan's speed is unknown.")),
            )
            yield FigureRow(group.group, cells)
        through = air.through_m3h
        if through is not None:
            missing = through.noting(missing=air.missing)
            rest = (nothing_cell(),) * 3
            yield FigureRow(
                "through", (Cell(self.tr("Through the case")), nothing_cell(), band_cell(build, missing), *rest)
            )

    def _words(self, group: FanRole) -> str:
        return {
            FanRole.INTAKE: self.tr("Blowing in"),
            FanRole.EXHAUST: self.tr("Blowing out"),
            FanRole.RADIATOR: self.tr("On radiators in the case"),
            FanRole.BESIDE: self.tr("On radiators beside the case"),
        }[group]
