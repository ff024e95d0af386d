"""How fast the machine trains: each kind of network, each card alone and all where they sit, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from core.language import joined, tr, trn
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.speed.memory_fit import MemoryFit
from core.predict.speed.networks import Network
from core.predict.speed.speed import CardSpeed, NetworkSpeed
from gui.figures import number
from gui.planner.document import PlanDocument
from gui.predict.figures_model import FigureCell, FigureColumn
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import (
    band_cell,
    figure,
    fit_words,
    listed,
    mark_words,
    nothing_cell,
    percent_cell,
    unknown_cell,
)
from gui.widgets.text import heading, muted, sentence

FULL_POWER = 0.995
"""Share of a card's own limit from which on it is not marked."""


@dataclass(frozen=True, slots=True)
class _AlikeCards:
    """Cards that are as fast as one another, and which of their line they are."""

    card: CardSpeed
    numbers: tuple[int, ...]


class SpeedPanel(Panel):
    """The chosen network of the upper table is told card by card below."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.networks = FiguresView(tr("Speed by network"), self._network_columns(), lambda speed: speed.network, self)
        self.cards = FiguresView(
            tr("Speed of each card"), self._card_columns(), lambda alike: (alike.card.part_id, alike.numbers), self
        )
        self._by_card, self._why = heading("", self), heading(tr("Why"), self)
        self.reasons, self.memory, self._note = sentence(self), sentence(self), muted(self)
        for widget in (self.networks, self._by_card, self.cards, self._why, self.reasons, self.memory, self._note):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.networks.chosen.connect(self._show_network)

    def lack(self) -> str:
        """Without a GPU there is no speed."""
        if not self.document.build.count(Category.GPU):
            return tr("The build has no GPU. Once it has one, this shows how fast its cards train.")
        return ""

    def refresh(self) -> None:
        """Both tables; the reasons of the chosen network."""
        known = self.assessment.speed
        self.lead.setText(self._lead(known.of(self._network())))
        self.networks.show_items(known.networks)
        if self.networks.key is None:
            self.networks.choose(Network.CNN)
        self._show_network()
        bands = [card.rate for network in known.networks for card in network.cards]
        self._note.setText("\n".join(filter(None, [*known.assumptions, mark_words(bands)])))

    def _network(self) -> Network:
        key = self.networks.key
        return key if isinstance(key, Network) else Network.CNN

    def _lead(self, known: NetworkSpeed) -> str:
        title = known.network.label
        if known.rate is None:
            return tr(
                "{network}: the speed of all cards cannot be predicted: figures of a card are unknown.", network=title
            )
        return tr(
            "{network} ({label}): the machine trains {speed}.",
            network=title,
            label=known.network.reference,
            speed=figure(known.rate),
        )

    def _network_columns(self) -> tuple[FigureColumn[NetworkSpeed], ...]:
        together, exchange = (
            tr("All together, relative to the sum of each alone"),
            tr("Summing gradients, once a step"),
        )
        machine = tr("Speed per 1000 of the whole machine's price")
        return (
            FigureColumn(tr("All cards train"), self._network_title, words=True),
            FigureColumn(tr("Speed"), self._rate, tr("All GPUs of this placement on one model")),
            FigureColumn(tr("Unit"), lambda speed: FigureCell(speed.network.unit), words=True),
            FigureColumn(tr("Of their\nsum, %"), self._efficiency, together),
            FigureColumn(tr("Exchange,\nms"), self._exchange, exchange),
            FigureColumn(tr("Per 1000\nof GPUs"), self._per_gpu_price, tr("Speed per 1000 of their price")),
            FigureColumn(tr("Per 1000\nof all"), self._per_price, machine),
        )

    def _card_columns(self) -> tuple[FigureColumn[_AlikeCards], ...]:
        power = tr("Of its default limit; the set limit and heat lower it")
        computing = tr("Of its time; the rest moves data to and from its memory")
        return (
            FigureColumn(tr("Card"), self._card_title, words=True),
            FigureColumn(tr("Alone"), self._alone),
            FigureColumn(tr("Power,\n%"), _power, power),
            FigureColumn(tr("Computing,\n%"), self._computing, computing),
            FigureColumn(tr("Precision"), lambda alike: FigureCell(alike.card.precision.label), words=True),
        )

    def _network_title(self, speed: NetworkSpeed) -> FigureCell:
        return FigureCell(speed.network.label, tip=speed.network.reference)

    def _rate(self, speed: NetworkSpeed) -> FigureCell:
        return band_cell(self.document.build, speed.rate, about=self._link_lacks())

    def _efficiency(self, speed: NetworkSpeed) -> FigureCell:
        if len(speed.cards) == 1:
            return nothing_cell(tr("One card"))
        return percent_cell(self.document.build, speed.efficiency, about=self._link_lacks())

    def _exchange(self, speed: NetworkSpeed) -> FigureCell:
        if len(speed.cards) == 1:
            return nothing_cell(tr("One card"))
        return band_cell(self.document.build, speed.exchange_ms, about=self._link_lacks())

    def _per_gpu_price(self, speed: NetworkSpeed) -> FigureCell:
        return self._worth(speed.per_price.gpus if speed.per_price else None)

    def _per_price(self, speed: NetworkSpeed) -> FigureCell:
        return self._worth(speed.per_price.build if speed.per_price else None)

    def _worth(self, band: Band | None) -> FigureCell:
        if band is None:
            return unknown_cell(tr("Its price or its speed is unknown."))
        return band_cell(self.document.build, band, about=band.unit)

    def _link_lacks(self) -> str:
        return tr("A figure of a card, or the link between two cards, is unknown.")

    @Slot()
    def _show_network(self) -> None:
        known = self.assessment.speed.of(self._network())
        self._by_card.setText(
            tr("{network}: each card alone, {unit}", network=known.network.label, unit=known.network.unit)
        )
        self.cards.show_items(_alike(known.cards))
        self.reasons.setText(listed(known.reasons))
        self._why.setVisible(bool(known.reasons))
        self.reasons.setVisible(bool(known.reasons))
        self.memory.setText(self._memory(known.memory) if known.memory else "")
        self.lead.setText(self._lead(known))

    def _card_title(self, alike: _AlikeCards) -> FigureCell:
        card, count = alike.card, len(alike.numbers)
        title = f"{count} × {card.title}" if count > 1 else card.title
        return FigureCell(title, self._places(card.part_id, alike.numbers))

    def _alone(self, alike: _AlikeCards) -> FigureCell:
        return band_cell(self.document.build, alike.card.rate, about=self._card_lacks())

    def _computing(self, alike: _AlikeCards) -> FigureCell:
        card = alike.card
        return FigureCell(number(round(100 * card.compute_part))) if card.rate else unknown_cell(self._card_lacks())

    def _card_lacks(self) -> str:
        return tr("Its peak rate or its memory's bandwidth is unknown.")

    def _places(self, part_id: str, numbers: tuple[int, ...]) -> str:
        """The slots of the cards with these numbers."""
        line = self.document.build.line(part_id)
        slots = [line.slots[number - 1] for number in numbers if number <= len(line.slots)] if line else []
        if not slots:
            return tr("no slot")
        told = trn("slot {slots}", "slots {slots}", slots=joined(map(str, slots), ", "), count=len(slots))
        return told if len(slots) == len(numbers) else tr("{slots}, others without a slot", slots=told)

    def _memory(self, memory: MemoryFit) -> str:
        if memory.memory_gb is None:
            return tr("Memory: the size of a card's memory is unknown.")
        return tr(
            "Memory: training it takes {need} of the {size} GB of a card, at a small batch: {verdict}.",
            need=figure(memory.needed_gb),
            size=number(memory.memory_gb),
            verdict=fit_words(memory),
        )


def _alike(cards: Sequence[CardSpeed]) -> list[_AlikeCards]:
    """Cards that agree in everything but their number are one row."""
    found: dict[CardSpeed, list[int]] = {}
    for card in cards:
        numbers = found.setdefault(replace(card, number=0, chip=0), [])
        numbers += [card.number] if card.number not in numbers else []
    return [_AlikeCards(card, tuple(numbers)) for card, numbers in found.items()]


def _power(alike: _AlikeCards) -> FigureCell:
    share = alike.card.power_share
    return FigureCell(number(round(100 * share)), tone="warn" if share < FULL_POWER else "")
