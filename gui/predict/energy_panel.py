"""What training 24/7 takes, costs, and leaves behind as heat; and what the parts cost."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from core.language import joined, tr
from core.predict.band import Band
from core.predict.cost import HOURS_PER_MONTH
from core.predict.price import PriceTotal
from gui.figures import number
from gui.guide.terms import explained_heading
from gui.planner.document import PlanDocument
from gui.predict.figures_model import FigureCell, FigureColumn
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import band_cell, figure, listed, mark_words
from gui.widgets.text import heading, muted, sentence

Period = tuple[str, float]
"""Words and hours."""
Heat = tuple[str, Band]


class EnergyPanel(Panel):
    """Money for energy in whatever currency the tariff is in; money for parts in the one that is shown."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.periods = FiguresView(
            tr("Energy and cost"),
            (
                FigureColumn(tr("24/7"), lambda period: FigureCell(period[0]), words=True),
                FigureColumn(tr("Energy, kWh"), self._energy),
                FigureColumn(tr("Cost"), self._cost, tr("In the currency of the price of one kWh")),
            ),
            lambda period: period[1],
            self,
        )
        self.heat = FiguresView(
            tr("Heat"),
            (
                FigureColumn(tr("Under that load"), lambda heat: FigureCell(heat[0]), words=True),
                FigureColumn(tr("Figure"), lambda heat: band_cell(self.document.build, heat[1])),
                FigureColumn(tr("Unit"), lambda heat: FigureCell(heat[1].unit), words=True),
            ),
            lambda heat: heat[0],
            self,
        )
        self._note, self.parts, self.unpriced = muted(self), sentence(self), muted(self)
        for widget in (
            self.periods,
            heading(tr("Heat into the room"), self),
            self.heat,
            self._note,
            explained_heading(tr("Price of the parts"), "estimate", self),
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
        load = prediction.conditions.load.label
        self.lead.setText(tr("{load}, 24/7: {energy} a day.", load=load, energy=figure(day)))
        hour, month = tr("an hour"), tr("a month")
        self.periods.show_items([(hour, 1.0), (tr("a day"), 24.0), (month, HOURS_PER_MONTH)])
        self.heat.show_items(
            [
                (tr("Heat given off to the room"), energy.heat_btu_h),
                (tr("Air-conditioning draws on top"), energy.cooling_w),
                (tr("A closed room without it gets warmer by"), energy.room_rise_k),
            ]
        )
        notes = [*energy.cooling_w.assumptions, *energy.room_rise_k.assumptions]
        marks = mark_words([day])
        self._note.setText("\n".join([*dict.fromkeys(notes), *([marks] if marks else [])]))
        self._show_price(self.assessment.price, self.assessment.budget_words)

    def _energy(self, period: Period) -> FigureCell:
        return band_cell(self.document.build, self.assessment.prediction.energy.kwh(period[1]))

    def _cost(self, period: Period) -> FigureCell:
        cost = self.assessment.prediction.energy.cost(period[1])
        if cost is None:
            lack = tr("Enter the price of one kWh under Room and listener.")
            return FigureCell(tr("no tariff"), tip=lack, tone="muted")
        return band_cell(self.document.build, cost)

    def _show_price(self, total: PriceTotal, budget: str) -> None:
        known = (
            (tr("{total}.", total=total.words), *total.basis)
            if total.totals or total.owned
            else (tr("No part has a price."),)
        )
        beside = tr("Budget: {use}.", use=budget) if budget else ""
        self.parts.setText(joined((joined(known), beside), "\n"))
        titles = {line.part.id: line.part.title for line in self.document.build.lines}
        told = []
        if total.estimates:
            words = tr("Estimated parts, {count} in all:", count=number(total.estimated))
            told += [words, listed(f"{titles[part_id]}: {estimate.words}" for part_id, estimate in total.estimates)]
        if total.unpriced:
            words = tr("Parts without a price, {count} in all:", count=number(total.unpriced))
            told += [words, listed(titles[part_id] for part_id in total.unpriced_ids)]
        self.unpriced.setText("\n".join(told))
        self.unpriced.setVisible(bool(told))
