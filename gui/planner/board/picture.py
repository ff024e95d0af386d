"""The board view before it is painted: slots in their pitch and the cards on them, in mm, and their links in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.parts.specs import GpuSpec, NicSpec, Slot
from core.parts.vocabulary import Attachment, SeatKind
from core.plan.build import Build
from core.plan.line import Card
from core.plan.placement.links import CardLink, LinkLimit, own_link
from core.plan.placement.risers import CardKey, key_of
from core.plan.seats import Carrier, Seat, SlotNumber, on_carrier
from core.plan.slots import covered_positions
from core.words import joined, plain, tr
from gui.widgets.figures import UNKNOWN, number


def link_text(link: CardLink) -> str:
    """ "Gen4 x8"; "no link" where the slot is off."""
    if link.lanes == 0:
        return tr("no link")
    return _text(link.generation, link.lanes)


def link_with_limit(link: CardLink) -> str:
    """The link beside what the card could do, where it is less: "Gen4 x8 of x16", "Gen3 of Gen4 x16"."""
    got = link_text(link)
    lanes, generation = own_link(link.card.part)
    if not link.limits or not link.lanes or lanes is None or generation is None:
        return got
    narrow, slow = link.lanes < lanes, link.generation is not None and link.generation < generation
    if narrow and slow:
        return tr("{got} of {own}", got=got, own=_text(generation, lanes))
    if narrow:
        return tr("{got} of {own}", got=got, own=f"x{lanes}")
    return tr("{got} of {own}", got=got, own=f"Gen{generation}") if slow else got


def root_text(slot: Slot, *, cpus: int) -> str:
    """What a slot is wired to: "CPU" or "CPU 2, root C0", "chipset", the name of its switch."""
    match slot.attachment:
        case Attachment.CPU:
            cpu = tr("CPU {number}", number=slot.cpu + 1) if cpus > 1 else "CPU"
            return tr("{cpu}, root {root}", cpu=cpu, root=slot.root) if slot.root else cpu
        case Attachment.CHIPSET:
            return tr("chipset")
        case Attachment.SWITCH:
            return tr("switch {name}", name=slot.switch or "").rstrip()
    return tr("wiring unknown")


def slot_text(slot: Slot, *, cpus: int) -> str:
    """What a slot has by itself: "Gen4 x16 CPU", "Gen4 x8 (x16 long) chipset"."""
    longer = tr(" ({long} long)", long=f"x{slot.mechanical_lanes}")
    wired = _text(slot.generation, slot.lanes) + (longer if slot.mechanical_lanes != slot.lanes else "")
    return f"{wired} {root_text(slot, cpus=cpus)}"


def speed_words(link: CardLink) -> str:
    """GB/s each way, of what the card could do where that is more; empty if unknown."""
    if link.gbps is None:
        return ""
    got = tr("{speed} GB/s each way", speed=number(link.gbps))
    if link.full_gbps is None or link.full_gbps <= link.gbps + 0.1:
        return got
    return tr("{got}, the card could do {full}", got=got, full=number(link.full_gbps))


def limit_words(link: CardLink) -> str:
    """What holds the link back, in a phrase; empty if nothing does."""
    return joined((_limit(limit, link) for limit in link.limits), ", ")


def _limit(limit: LinkLimit, link: CardLink) -> str:
    if limit is LinkLimit.SETTING:
        return tr("set to Gen{generation}", generation=link.slot.generation)
    others = [name for name in (link.row.filled if link.row else ()) if name != link.slot.label]
    if limit is LinkLimit.POPULATION and others:
        return tr("shares lanes with {names}", names=joined(others, ", "))
    return limit.label


def _text(generation: int | None, lanes: int | None) -> str:
    return f"Gen{generation or UNKNOWN} x{UNKNOWN if lanes is None else lanes}"


PITCH_MM = 20.32
"""0.8 in: ATX and PCIe CEM."""
CONNECTOR_MM = {1: 25.0, 2: 25.0, 4: 39.0, 8: 56.0, 16: 89.0}
"""Length of a PCIe connector by mechanical width."""
FOR_CARDS = (SeatKind.SLOT, SeatKind.SXM, SeatKind.OAM)
"""Seats that take cards or modules, not cables."""
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
    carrier: str
    """What plugs into it that carries cards elsewhere; empty for nothing."""
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
        """Whether it takes the slot's lanes and is mounted elsewhere."""
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
    slots = {slot.position: slot for slot in build.seats() if not isinstance(slot, Seat) or slot.kind in FOR_CARDS}
    if build.motherboard is None or not slots:
        return None
    cards = build.cards()
    spans = {index: _span(card) for index, card in enumerate(cards) if card.slot is not None}
    under = {*slots, *(position for span in spans.values() for position in span)}
    last = max((position for position in under if not on_carrier(position)), default=0)
    positions = (*range(1, last + 1), *sorted(position for position in under if on_carrier(position)))
    carried = {host: carrier for carrier in build.carriers for host in carrier.hosts}
    rows = tuple(_row(position, slots, spans, cards, carried.get(position)) for position in positions)
    clashing = {index for row in rows if row.contested for index in row.cards}
    sharing = {index: [other for other in row.cards if cards[other].on_riser] for row in rows for index in row.cards}
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
            share=(sharing[index].index(index), len(sharing[index])) if card.on_riser else (0, 1),
        )
        for index, span in spans.items()
    )
    waiting = tuple(card for card in cards if card.slot is None)
    cpus = 1 + max(slot.cpu for slot in slots.values())
    return BoardPicture(build.motherboard[0].title, rows, boxes, waiting, cpus)


def _row(
    place: int, slots: Mapping[int, Slot], spans: Mapping[int, range], cards: tuple[Card, ...], carrier: Carrier | None
) -> SlotRow:
    covering = tuple(index for index, span in spans.items() if place in span)
    contested = len(covering) > 1 and not all(cards[index].on_riser for index in covering)
    name = f"C{carrier.number}  {carrier.part.name}" if carrier else ""
    return SlotRow(SlotNumber(place), slots.get(place), covering, name, contested)


def _span(card: Card) -> range:
    assert card.slot is not None
    return covered_positions(card) or range(card.slot, card.slot + 1)


def _length_mm(card: Card) -> float | None:
    spec = card.part.spec
    return spec.length_mm if isinstance(spec, (GpuSpec, NicSpec)) else None


def slot_words(row: SlotRow) -> str:
    """One pitch of the board."""
    if row.slot is None:
        return tr("Position {position}: no slot", position=row.position)
    text = tr(
        "Slot {position} ({label}): x{mechanical} connector, x{lanes} wired, PCIe {gen}.0",
        position=row.position,
        label=row.slot.label,
        mechanical=row.slot.mechanical_lanes,
        lanes=row.slot.lanes,
        gen=row.slot.generation,
    )
    if row.carrier:
        text = joined([text, tr("Carrier {carrier} plugs in here.", carrier=row.carrier)], "\n")
    if row.contested:
        return text + "\n" + tr("Two cards overlap here.")
    return text


def card_words(box: CardBox, *, cpus: int = 1) -> str:
    """A placed card."""
    width = number(box.width_slots)
    length = number(box.length_mm)
    lines = [
        tr("{title}, card {number}, slot {slot}", title=box.card.part.title, number=box.card.number, slot=box.slot),
        tr("{width} slots wide, {length} mm long", width=width, length=length),
        *link_lines(box, cpus=cpus),
        covers_words(box) if box.covers else "",
        riser_words(box) if box.on_riser else "",
        tr("It overlaps another card.") if box.clashes else "",
        tr("The board has no slot here.") if box.off_board else "",
        tr("Drag it to another slot to move it."),
    ]
    return joined(filter(None, lines), "\n")


def link_lines(box: CardBox, *, cpus: int) -> list[str]:
    """What the card gets, from where, how fast, and what holds it back."""
    link = box.link
    if link is None:
        return []
    words = (link_with_limit(link), root_text(link.slot, cpus=cpus), speed_words(link))
    lines: list[str] = [tr("Link: {words}", words=joined(filter(None, words), ", "))]
    held = limit_words(link)
    return [*lines, held[:1].upper() + held[1:]] if held else lines


def covers_words(box: CardBox) -> str:
    """The slots under the card: "covers 3 (PCIEX1_1)"."""
    names = joined((plain("{number} ({label})", number=slot.position, label=slot.label) for slot in box.covers), ", ")
    return tr("covers slot {names}", names=names)


def riser_words(box: CardBox) -> str:
    """That the card is on a riser, and on which."""
    riser = box.link.riser if box.link else None
    if riser is None:
        return tr("On a riser that the build does not have yet")
    return tr("On the riser {title}", title=riser.title)


def waiting_words(picture: BoardPicture) -> str:
    """The cards without a slot; empty if there is none."""
    if not picture.waiting:
        return ""
    titles = joined(dict.fromkeys(card.part.title for card in picture.waiting), ", ")
    return tr("{count} not placed: {titles}", count=len(picture.waiting), titles=titles)


def picture_words(picture: BoardPicture) -> str:
    """All cards by slot, for those who cannot see the picture."""
    seats = [
        tr("slot {slot}: {title}", slot=box.slot, title=box.card.part.title)
        + (f" {link_text(box.link)}" if box.link else "")
        for box in picture.boxes
    ]
    return joined(filter(None, [picture.title, *seats, waiting_words(picture)]), ", ")
