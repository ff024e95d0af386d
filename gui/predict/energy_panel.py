"""What training day and night takes, costs, and leaves behind as heat; and what the parts cost."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from core.predict.energy import HOURS_PER_MONTH
from core.predict.price import PriceTotal
from core.rules.figure_names import listed as listed_words
from gui.planner.document import PlanDocument
from gui.planner.figures import money, number
from gui.predict.figures_model import Cell, FigureRow, FiguresModel, Heading
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import band_cell, figure, listed, load_words, mark_words
from gui.widgets.text import heading, muted, sentence


class EnergyPanel(Panel):
    """Money for energy in whatever currency the tariff is in; money for parts in that of each part's price."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.periods = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("Without a pause"), words=True),
                    Heading(self.tr("Energy, kWh")),
                    Heading(self.tr("Cost"), self.tr("In the currency of the price of one kWh")),
                ),
                self,
            ),
            self.tr("Energy and cost"),
            self,
        )
        self.heat = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("Under that load"), words=True),
                    Heading(self.tr("Figure")),
                    Heading(self.tr("Unit"), words=True),
                ),
                self,
            ),
            self.tr("Heat"),
            self,
        )
        self._note, self.parts, self.unpriced = muted(self), sentence(self), muted(self)
        for widget in (
            self.periods,
            heading(self.tr("Heat for the room"), self),
            self.heat,
            self._note,
            heading(self.tr("Price of the parts"), self),
            self.parts,
            self.unpriced,
        ):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def refresh(self) -> None:
        """Both tables, and the parts' price."""
        prediction = self.assessment.prediction
        energy = prediction.energy
        day = energy.kwh(24)
        load = load_words(prediction.conditions.load)
        self.lead.setText(self.tr("{load}, 24/7: {energy} a day.").format(load=load, energy=figure(day)))
        self.periods.figures.show_rows(
            [
                self._period("hour", self.tr("an hour"), 1.0),
                self._period("day", self.tr("a day"), 24.0),
                self._period("month", self.tr("a month"), HOURS_PER_MONTH),
            ]
        )
        build, given = self.document.build, energy
        rows = (
            ("heat", self.tr("Heat that must go somewhere"), given.heat_btu_h),
            ("cooling", self.tr("Air-conditioning draws on top"), given.cooling_w),
            ("rise", self.tr("A closed room without it gets warmer by"), given.room_rise_k),
        )
        self.heat.figures.show_rows(
            [FigureRow(key, (Cell(words), band_cell(build, band), Cell(band.unit))) for key, words, band in rows]
        )
        notes = [*given.cooling_w.assumptions, *given.room_rise_k.assumptions]
        marks = mark_words([day])
        self._note.setText("\n".join([*dict.fromkeys(notes), *([marks] if marks else [])]))
        self._show_price(prediction.price)

    def _period(self, key: str, words: str, hours: float) -> FigureRow:
        build, energy = self.document.build, self.assessment.prediction.energy
        cost = energy.cost(hours)
        lack = self.tr("Give the price of one kWh under Room and listener.")
        none = Cell(self.tr("no tariff"), tip=lack, tone="muted")
        paid = none if cost is None else band_cell(build, cost)
        return FigureRow(key, (Cell(words), band_cell(build, energy.kwh(hours)), paid))

    def _show_price(self, total: PriceTotal) -> None:
        sums = [money(row.amount, row.currency) for row in total.totals]
        known = self.tr("{sums} for the parts with a price.").format(sums=listed_words(sums)) if sums else ""
        self.parts.setText(known or self.tr("No part has a price."))
        titles = {line.part.id: line.part.title for line in self.document.build.lines}
        lines = listed(titles.get(part_id, part_id) for part_id in total.unpriced_ids)
        words = self.tr("Parts without a price, {count} in all:").format(count=number(total.unpriced))
        self.unpriced.setText(f"{words}\n{lines}" if total.unpriced else "")
        self.unpriced.setVisible(bool(total.unpriced))
