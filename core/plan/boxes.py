"""What has a PSU of its own, external boxes and systems: it draws nothing from the machine's PSUs and heats no case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from core.parts.board import CarrierSpec
from core.parts.vocabulary import CarrierKind, Category
from core.plan.build import Build
from core.plan.line import Card
from core.plan.seats import Carrier, SlotNumber

BOX_READS = ("carrier.kind", "carrier.seats", "carrier.psu_w", "carrier.psu_included")
"""Figures that say which boxes feed their cards."""


class Box(NamedTuple):
    """One external box, and the cards on it and on carriers in it."""

    carrier: Carrier
    cards: tuple[Card, ...]

    @property
    def psu_w(self) -> float | None:
        """Rating of its PSU; None if unknown."""
        return self.carrier.spec.psu_w


def has_own_psu(spec: CarrierSpec) -> bool:
    """Whether it comes with a PSU for its cards, as external boxes do unless their maker leaves it to the buyer."""
    return spec.psu_w is not None or (spec.kind is CarrierKind.EXTERNAL_BOX and spec.psu_included is not False)


def boxes(build: Build) -> tuple[Box, ...]:
    """Every box with a PSU of its own, by its number."""
    if Category.CARRIER not in build.by_category:
        return ()
    carriers = {carrier.number: carrier for carrier in build.carriers}
    inside: dict[int, list[Card]] = {number: [] for number, one in carriers.items() if has_own_psu(one.spec)}
    if inside:
        for card in build.cards():
            box = _box_over(card.slot, carriers)
            if box is not None:
                inside[box].append(card)
    return tuple(Box(carriers[number], tuple(cards)) for number, cards in inside.items())


def in_boxes(build: Build) -> Mapping[str, int]:
    """How many cards of each line are in boxes with a PSU of their own, and how many systems there are, by part id."""
    counts = {line.part.id: line.quantity for line in build.by_category.get(Category.SYSTEM, ())}
    if Category.CARRIER not in build.by_category:
        return counts  # asked in every check
    for box in boxes(build):
        for card in box.cards:
            counts[card.part.id] = counts.get(card.part.id, 0) + 1
    return counts


def _box_over(slot: int | None, carriers: Mapping[int, Carrier]) -> int | None:
    """The box that a seat is in: its carrier, or what that one is plugged into."""
    seen: set[int] = set()
    while slot is not None:
        number = SlotNumber(slot).carrier
        if number is None or number in seen or number not in carriers:
            return None
        if has_own_psu(carriers[number].spec):
            return number
        seen.add(number)
        slot = next((host for host in carriers[number].hosts if isinstance(host, int)), None)
    return None
