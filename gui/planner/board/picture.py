"""The geometry of the board view: slots in their pitch and the cards on them, in mm. Knows nothing of painting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.build.build import Build, Card
from core.build.placement import covered_positions
from core.parts.specs import GpuSpec, NicSpec, Slot
from core.placement.links import CardLink
from core.placement.risers import CardKey, key_of

PITCH_MM = 20.32
"""0.8 in: ATX and PCIe CEM."""
CONNECTOR_MM = {1: 25.0, 2: 25.0, 4: 39.0, 8: 56.0, 16: 89.0}
"""Length of a PCIe connector by mechanical width."""
DEFAULT_LENGTH_MM = 267.0
"""A full-length drawing for a card of unknown length; its edge is dashed."""
BOARD_MM = 330.0


@dataclass(frozen=True, slots=True)
class SlotRow:
    """One pitch of the board; `slot` is None where the board has no connector."""

    position: int
    slot: Slot | None
    cards: tuple[int, ...]
    """Indices of the cards that sit in it or cover it."""
    contested: bool
    """Whether cards claim the same place; on risers several can share a slot."""


@dataclass(frozen=True, slots=True)
class CardBox:
    """A placed card. `width_slots` is None if unknown; `clashes` when another card needs a pitch of its own."""

    index: int
    card: Card
    slot: int
    width_slots: float | None
    length_mm: float | None
    clashes: bool
    off_board: bool
    """Reaches below the last pitch, or sits where the board has no slot."""
    link: CardLink | None = None
    """What it really gets; None where the board has no slot."""
    covers: tuple[Slot, ...] = ()
    """Further slots that lie under it."""
    share: tuple[int, int] = (0, 1)
    """Which of how many cards on risers that share the slot."""

    @property
    def on_riser(self) -> bool:
        """Whether it takes the slot's lanes and stands elsewhere."""
        return self.card.on_riser


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """What is to be drawn, from the top."""

    title: str
    rows: tuple[SlotRow, ...]
    boxes: tuple[CardBox, ...]
    waiting: tuple[Card, ...]
    """Cards that are not placed yet."""
    cpus: int = 1
    """How many CPUs the slots are wired to."""

    @property
    def length_mm(self) -> float:
        """How far the drawing reaches to the right of the bracket."""
        lengths = [box.length_mm or DEFAULT_LENGTH_MM for box in self.boxes]
        return max([BOARD_MM, *lengths])


def board_picture(build: Build, links: Mapping[CardKey, CardLink]) -> BoardPicture | None:
    """The picture of a build with the links of its cards; None without a board whose slots are known."""
    slots = {slot.position: slot for slot in build.board_slots()}
    if build.motherboard is None or not slots:
        return None
    cards = build.cards()
    spans = {index: _span(card) for index, card in enumerate(cards) if card.slot is not None}
    last = max([*slots, *(span.stop - 1 for span in spans.values())])
    rows = tuple(_row(position, slots, spans, cards) for position in range(1, last + 1))
    clashing = {index for row in rows if row.contested for index in row.cards}
    hung = {index: [other for other in row.cards if cards[other].on_riser] for row in rows for index in row.cards}
    boxes = tuple(
        CardBox(
            index,
            card := cards[index],
            span.start,
            card.width_slots,
            _length_mm(card),
            clashes=index in clashing,
            off_board=span.start not in slots,
            link=links.get(key_of(card)),
            covers=tuple(slots[position] for position in span[1:] if position in slots),
            share=(hung[index].index(index), len(hung[index])) if card.on_riser else (0, 1),
        )
        for index, span in spans.items()
    )
    waiting = tuple(card for card in cards if card.slot is None)
    cpus = 1 + max(slot.cpu for slot in slots.values())
    return BoardPicture(build.motherboard[0].title, rows, boxes, waiting, cpus)


def _row(position: int, slots: Mapping[int, Slot], spans: Mapping[int, range], cards: tuple[Card, ...]) -> SlotRow:
    found = tuple(index for index, span in spans.items() if position in span)
    contested = len(found) > 1 and not all(cards[index].on_riser for index in found)
    return SlotRow(position, slots.get(position), found, contested)


def _span(card: Card) -> range:
    assert card.slot is not None
    return covered_positions(card) or range(card.slot, card.slot + 1)


def _length_mm(card: Card) -> float | None:
    spec = card.part.spec
    return spec.length_mm if isinstance(spec, (GpuSpec, NicSpec)) else None
