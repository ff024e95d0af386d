"""Which slots a card covers and where the next card goes."""

from __future__ import annotations

from math import ceil

from core.build.build import Build, Card, is_card
from core.parts.part import Part
from core.parts.specs import GpuSpec, NicSpec, Slot


def covered_positions(card: Card) -> range | None:
    """Slot positions under the card, None if it is not placed or its width is unknown.

    A card of width w at position p covers p to p + ceil(w) - 1 (PCIe CEM slot pitch 20.32 mm). One on a riser covers
    its slot alone.
    """
    if card.slot is not None and card.on_riser:
        return range(card.slot, card.slot + 1)
    if card.slot is None or card.width_slots is None:
        return None
    return range(card.slot, card.slot + ceil(card.width_slots))


def first_free_slot(build: Build, part: Part) -> int | None:
    """Position of the first slot, from the top, where the card overlaps nothing and finds all its lanes.

    Falls back to a slot with fewer lanes, then None: the user decides. An unknown width counts as two slots here,
    because a guess is better than no proposal; the rules still report it as unknown.
    """
    spec = part.spec
    if not is_card(part) or not isinstance(spec, (GpuSpec, NicSpec)):
        return None
    taken = {position for card in build.cards() for position in _positions_or_slot(card)}
    width = ceil(spec.width_slots or 2)
    free = [slot for slot in build.board_slots() if not taken & set(range(slot.position, slot.position + width))]
    lanes = spec.pcie_lanes or 16
    roomy = [slot for slot in free if slot.lanes >= lanes]
    fitting = [slot for slot in free if slot.mechanical_lanes >= lanes or slot.open_ended]
    chosen = next(iter(roomy or fitting), None)
    return chosen.position if chosen else None


def slot_at(build: Build, position: int) -> Slot | None:
    """The board's slot at a position, if there is one."""
    return next((slot for slot in build.board_slots() if slot.position == position), None)


def _positions_or_slot(card: Card) -> range:
    covered = covered_positions(card)
    if covered is not None:
        return covered
    return range(card.slot, card.slot + 1) if card.slot is not None else range(0)
