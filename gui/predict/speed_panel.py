"""How fast the machine trains: each kind of network, each card alone and all where they sit, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.speed.memory_fit import MemoryFit
from core.predict.speed.networks import Network
from core.predict.speed.speed import CardSpeed, NetworkSpeed
from gui.planner.document import PlanDocument
from gui.planner.figures import number
from gui.predict.figures_model import Cell, FigureRow, FiguresModel, Heading
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.prediction_words import (
    band_cell,
    figure,
    fit_words,
    listed,
    mark_words,
    network_words,
    nothing_cell,
    percent_cell,
    precision_words,
    unknown_cell,
)
from gui.widgets.text import heading, muted, sentence


class SpeedPanel(Panel):
    """The chosen network of the upper table is told card by card below."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.networks = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("All cards train"), words=True),
                    Heading(self.tr("Speed"), self.tr("All GPUs of this placement on one model")),
                    Heading(self.tr("Unit"), words=True),
                    Heading(self.tr("Of their\nsum, %"), self.tr("All together over the sum of each alone")),
                    Heading(
                        self.tr("Exchange,\nms"), self.tr("Summing the gradients over the slowest link, once a step")
                    ),
                    Heading(self.tr("Per 1000\nof GPUs"), self.tr("Speed for each 1000 of their price")),
                    Heading(self.tr("Per 1000\nof all"), self.tr("Speed for each 1000 of the whole machine's price")),
                ),
                self,
            ),
            self.tr("Speed by network"),
            self,
        )
        self.cards = FiguresView(
            FiguresModel(
                (
                    Heading(self.tr("Card"), words=True),
                    Heading(self.tr("Alone")),
                    Heading(self.tr("Power,\n%"), self.tr("Of its own limit: the limit that is set, and heat")),
                    Heading(
                        self.tr("Computing,\n%"), self.tr("Of its time; the rest moves data to and from its memory")
                    ),
                    Heading(self.tr("Multiplies in"), words=True),
                ),
                self,
            ),
            self.tr("Speed of each card"),
            self,
        )
        self._by_card, self._why = heading("", self), heading(self.tr("Why"), self)
        self.reasons, self.memory, self._note = sentence(self), sentence(self), muted(self)
        for widget in (self.networks, self._by_card, self.cards, self._why, self.reasons, self.memory, self._note):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.networks.chosen.connect(self._show_network)

    def lack(self) -> str:
        """Without a GPU there is no speed."""
        if not self.document.build.count(Category.GPU):
            return self.tr("The build has no GPU. How fast its cards train will stand here.")
        return ""

    def refresh(self) -> None:
        """Both tables; the reasons of the chosen network."""
        known = self.assessment.speed
        self.lead.setText(self._lead(known.of(self._network())))
        self.networks.figures.show_rows([self._row(network) for network in known.networks])
        if self.networks.key is None:
            self.networks.choose(Network.CNN)
        self._show_network()
        bands = [card.rate for network in known.networks for card in network.cards]
        self._note.setText("\n".join(filter(None, [*known.assumptions, mark_words(bands)])))

    def _network(self) -> Network:
        key = self.networks.key
        return key if isinstance(key, Network) else Network.CNN

    def _lead(self, known: NetworkSpeed) -> str:
        title = network_words(known.network)
        if known.rate is None:
            words = self.tr("{network}: the speed of all cards cannot be told, figures of a card are unknown.")
            return words.format(network=title)
        words = self.tr("{network}, that is {label}: the machine trains {speed}.")
        return words.format(network=title, label=known.network.label, speed=figure(known.rate))

    def _row(self, known: NetworkSpeed) -> FigureRow:
        build, worth = self.document.build, known.per_price
        one = len(known.cards) == 1
        lacks = self.tr("A figure of a card, or the way between two cards, is unknown.")
        no_price = self.tr("A price is unknown, or there are several currencies.")
        cells = (
            Cell(network_words(known.network), tip=known.network.label),
            band_cell(build, known.rate, about=lacks),
            Cell(known.network.unit),
            nothing_cell(self.tr("One card")) if one else percent_cell(build, known.efficiency, about=lacks),
            nothing_cell(self.tr("One card")) if one else band_cell(build, known.exchange_ms, about=lacks),
            self._worth(worth.gpus if worth else None, no_price),
            self._worth(worth.build if worth else None, no_price),
        )
        return FigureRow(known.network, cells)

    def _worth(self, band: Band | None, why_not: str) -> Cell:
        if band is None:
            return unknown_cell(why_not)
        return band_cell(self.document.build, band, about=band.unit)

    @Slot()
    def _show_network(self) -> None:
        known = self.assessment.speed.of(self._network())
        self._by_card.setText(
            self.tr("{network}: each card alone, {unit}").format(
                network=network_words(known.network), unit=known.network.unit
            )
        )
        self.cards.figures.show_rows(list(self._cards(known)))
        self.reasons.setText(listed(known.reasons))
        self._why.setVisible(bool(known.reasons))
        self.reasons.setVisible(bool(known.reasons))
        self.memory.setText(self._memory(known.memory) if known.memory else "")
        self.lead.setText(self._lead(known))

    def _cards(self, known: NetworkSpeed) -> Iterator[FigureRow]:
        """Cards that are alike in everything are one row."""
        alike: dict[CardSpeed, list[int]] = {}
        for card in known.cards:
            alike.setdefault(_without_number(card), []).append(card.number)
        for card, numbers in alike.items():
            yield self._card(card, numbers)

    def _card(self, card: CardSpeed, numbers: list[int]) -> FigureRow:
        title = f"{len(numbers)} × {card.title}" if len(numbers) > 1 else card.title
        held = card.power_share < 0.995
        lacks = self.tr("Its peak rate or its memory's bandwidth is unknown.")
        cells = (
            Cell(title, self._places(card.part_id, numbers)),
            band_cell(self.document.build, card.rate, about=lacks),
            Cell(number(round(100 * card.power_share)), tone="warn" if held else ""),
            Cell(number(round(100 * card.compute_part))) if card.rate else unknown_cell(lacks),
            Cell(precision_words(card.precision)),
        )
        return FigureRow((card.part_id, tuple(numbers)), cells)

    def _places(self, part_id: str, numbers: list[int]) -> str:
        """The slots of the cards with these numbers."""
        line = self.document.build.line(part_id)
        slots = [line.slots[number - 1] for number in numbers if number <= len(line.slots)] if line else []
        if not slots:
            return self.tr("no slot")
        words = self.tr("slot {slots}") if len(slots) == 1 else self.tr("slots {slots}")
        told = words.format(slots=", ".join(map(str, slots)))
        return told if len(slots) == len(numbers) else self.tr("{slots}, others in none").format(slots=told)

    def _memory(self, memory: MemoryFit) -> str:
        if memory.memory_gb is None:
            return self.tr("Memory: the size of a card's is unknown.")
        words = self.tr("Memory: training it takes {need} of the {size} GB of a card, at a small batch: {verdict}.")
        return words.format(need=figure(memory.needed_gb), size=number(memory.memory_gb), verdict=fit_words(memory))


def _without_number(card: CardSpeed) -> CardSpeed:
    return replace(card, number=0)
