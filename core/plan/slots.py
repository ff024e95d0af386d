"""Which slots a card covers and where the next card goes."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from core.parts.part import Part
from core.parts.specs import GpuSpec, NicSpec, Slot
from core.parts.vocabulary import Attachment, Category, GpuForm, SeatKind
from core.plan.build import Build
from core.plan.line import Card, is_card, is_module
from core.plan.seats import MAX_POSITION, Seat
from core.plan.water_blocks import Fitted, body_of, fitted_blocks


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


def places_assumed(build: Build) -> bool:
    """Whether nothing states how far the slots of the board stand apart: a card then covers its own alone."""
    board = build.motherboard
    return board is not None and board[1].places_assumed


def first_free_slot(build: Build, part: Part) -> int | None:
    """Position of the first slot, from the top, where one more such card overlaps nothing and finds all its lanes.

    Slots within the case's openings and of a CPU that is there come first, then seats of carriers. Falls back to a slot
    with fewer lanes, then None: the user decides. A card under a water block is as wide as its block. An unknown width
    counts as two slots, because a guess is better than no proposal; the rules still report it as unknown.
    """
    spec = part.spec
    if not isinstance(spec, (GpuSpec, NicSpec)):
        return None
    fitted = fitted_blocks(build)
    taken = taken_positions(build)
    line = build.line(part.id)
    width = 1 if places_assumed(build) else _width(Card(part, line.quantity if line else 1, None), fitted)
    free = [slot for slot in build.board_slots() if not taken & set(range(slot.position, slot.position + width))]
    lanes = spec.pcie_lanes or 16
    alive = [slot for slot in free if slot.cpu < max(1, build.count(Category.CPU))]
    alive.sort(key=lambda slot: _rank(slot, part, lanes))
    last = _last_opening(build)
    fitting = [slot for slot in alive if slot.mechanical_lanes >= lanes or slot.open_ended]
    inside = [slot for slot in fitting if slot.position + width - 1 <= last]
    roomy = [slot for slot in inside if slot.lanes >= lanes]
    seats = [seat for seat in build.seats() if isinstance(seat, Seat) and seat.plugged and takes(seat, part)]
    empty = [seat for seat in seats if not taken & set(range(seat.position, seat.position + width))]
    chosen = next(iter(roomy or empty or inside or fitting) if is_card(part) else iter(empty), None)
    return chosen.position if chosen else None


def seat_kind(part: Part) -> SeatKind:
    """What a card or module goes into."""
    form = part.spec.form if isinstance(part.spec, GpuSpec) else GpuForm.PCIE_CARD
    return SeatKind.SLOT if form is GpuForm.PCIE_CARD else SeatKind(form.value)


def takes(seat: Seat, part: Part) -> bool:
    """Whether a card or module goes into a seat: of its kind, and of its socket where both are known."""
    socket = part.spec.module_socket if isinstance(part.spec, GpuSpec) else None
    return seat.kind is seat_kind(part) and (None in (socket, seat.socket) or socket is seat.socket)


def taken_positions(build: Build) -> set[int]:
    """Slot positions under cards and carriers."""
    carried = {host for carrier in build.carriers for host in carrier.hosts if isinstance(host, int)}
    return carried.union(taken_by_cards(build))


def taken_by_cards(build: Build) -> dict[int, Part]:
    """Slot positions under cards, with the card over each."""
    fitted, alone = fitted_blocks(build), places_assumed(build)
    return {position: card.part for card in build.cards() for position in _under(card, fitted, alone)}


def slot_at(build: Build, position: int) -> Slot | None:
    """The slot of the board or seat of a carrier at a position, if there is one."""
    return next((slot for slot in build.seats() if slot.position == position), None)


def _width(card: Card, fitted: Mapping[str, Fitted]) -> int:
    width = getattr(body_of(card, fitted).spec, "width_slots", None)
    return 1 if is_module(card.part) else ceil(width or 2)


def _under(card: Card, fitted: Mapping[str, Fitted], alone: bool) -> range:
    if card.slot is None:
        return range(0)
    return range(card.slot, card.slot + (1 if alone or card.on_riser else _width(card, fitted)))


def _rank(slot: Slot, part: Part, lanes: int) -> tuple[bool, int]:
    """With a GPU off the chipset, then as wide as the card needs; of equals the first from the top."""
    return part.category is Category.GPU and slot.attachment is Attachment.CHIPSET, -min(slot.lanes, lanes)


def _last_opening(build: Build) -> int:
    case = build.case
    openings = case[1].expansion_slots if case else None
    return openings - case[1].slot_offset if case and openings is not None else MAX_POSITION + 5
