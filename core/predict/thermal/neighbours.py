"""How much a card's inlet is warmed by the cards beside it: T in = T case + sum of k x P of the neighbours.

The coefficients are not established: what published machines allow is 0.03 to 0.2 K/W for an open-air card with no free
slot, near nothing with two. A linear law diverges for hot neighbours, so the sum is capped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.parts.vocabulary import GpuCooling
from core.plan.line import Card
from core.plan.slots import covered_positions
from core.predict.band import Triple

BY_FREE_SLOTS: tuple[Triple, ...] = ((0.03, 0.08, 0.17), (0.008, 0.02, 0.04), (0.003, 0.008, 0.02))
"""K/W by the free slots between two cards; further apart: nothing."""
CAP_K = 25.0
BEFORE_FANS, BEHIND_FANS = 1.0, 0.5
"""Fans of an upright tower look down: the card below blocks them, the one above only warms the air around."""
FLOW_THROUGH_UPWARDS = 1.5
"""A card whose air leaves through its back blows at the card above it."""
BLOWER_COUPLING: Triple = (0.002, 0.005, 0.012)
"""A blower leaves nearly all of its heat behind the bracket: 5 to 10 % goes off its back into some 60 m3/h of the
next card's air, by the balance of heat."""
AT_THE_BOARD: Triple = (0.05, 0.15, 0.3)
"""Share of a hybrid's heat that its board gives off beside the radiator, and of its chip's cooling that the air around
the card has a part in: two RTX 4090 of 240 mm side by side stay at 63 C, as one does alone."""
STARVED_FLOW: Triple = (0.6, 0.8, 0.95)
"""Share of its air that a blower with no free slot before its inlet still gets: two TITAN X side by side, 249 and 225 W
at 86 and 90 C with fans at 67 and 88 %; two RTX 6000 Ada without any difference."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """`index` among the cards, coupling in K/W."""

    index: int
    coupling: Triple


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around one card."""

    neighbours: tuple[Neighbour, ...] = ()
    starved: bool = False
    """No free slot before its fans."""


ALONE = Surroundings()


def surroundings(cards: Sequence[Card], kinds: Sequence[GpuCooling | None]) -> list[Surroundings]:
    """For each of `cards`, with the kind of its cooling; cards on risers and unplaced ones stand alone."""
    spans = {index: span for index, card in enumerate(cards) if (span := _span(card)) is not None}
    order = sorted(spans, key=lambda index: spans[index].start)
    of_cards = [ALONE] * len(cards)
    for place, index in enumerate(order):
        above = order[place - 1] if place else None
        below = order[place + 1] if place + 1 < len(order) else None
        of_cards[index] = _around(index, above, below, spans, kinds)
    return of_cards


def _span(card: Card) -> range | None:
    return None if card.on_riser or card.slot is None else covered_positions(card) or range(card.slot, card.slot + 2)


def _around(
    index: int, above: int | None, below: int | None, spans: dict[int, range], kinds: Sequence[GpuCooling | None]
) -> Surroundings:
    neighbours: list[Neighbour] = []
    if below is not None:
        neighbours += _neighbour(below, spans[below].start - spans[index].stop, BEFORE_FANS, kinds[index], kinds[below])
    if above is not None:
        weight = FLOW_THROUGH_UPWARDS if kinds[above] is GpuCooling.FLOW_THROUGH else 1.0
        neighbours += _neighbour(
            above, spans[index].start - spans[above].stop, BEHIND_FANS * weight, kinds[index], kinds[above]
        )
    starved = below is not None and spans[below].start <= spans[index].stop
    return Surroundings(tuple(neighbours), starved)


def _neighbour(
    index: int, free: int, weight: float, own: GpuCooling | None, other: GpuCooling | None
) -> list[Neighbour]:
    strength = coupling(own, other, free, weight)
    return [Neighbour(index, strength)] if strength[2] else []


def coupling(own: GpuCooling | None, other: GpuCooling | None, free: int, weight: float) -> Triple:
    """K/W that the other card adds to the inlet of the own one with `free` slots between them; zero where none."""
    dry = own not in (GpuCooling.WATER_BLOCK, GpuCooling.PASSIVE) and other is not GpuCooling.WATER_BLOCK
    if free >= len(BY_FREE_SLOTS) or not dry:
        return 0.0, 0.0, 0.0
    base = BLOWER_COUPLING if GpuCooling.BLOWER in (own, other) else BY_FREE_SLOTS[max(free, 0)]
    hybrids = (own, other).count(GpuCooling.HYBRID)
    low, expected, high = (weight * k * share**hybrids for k, share in zip(base, AT_THE_BOARD, strict=True))
    return low, expected, high
