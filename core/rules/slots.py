"""Cards and slots: placed, apart from each other, plugged in, within the case."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from core.parts.part import Part
from core.parts.specs import Slot
from core.parts.vocabulary import Category, FormFactor, SeatKind
from core.plan.line import Card, is_card, is_module
from core.plan.placement.candidates import PLACED_BY
from core.plan.placement.risers import RISER_READS, key_of
from core.plan.seats import MAX_POSITION, Seat, SlotNumber
from core.plan.water_blocks import BODY_READS
from core.rules.case import is_makers
from core.rules.changes import (
    BOARD_OF_MORE_SLOTS,
    CARD_FOR_FREE_SLOTS,
    CASE_FOR_BOARD,
    NARROWER_CARD,
    Move,
    Swap,
    at_least,
    limits,
    more,
)
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, EqualCards, Reader, Rule, Subjects, equal_cards, mounting
from core.words import joined, listed, slots_listed, tr, trn

SEATING = ("slot-placed", "slot-overlap")
"""The rules that ask whether every card has a slot of its own."""
PLACES_READS = ("motherboard.slots", "motherboard.places_assumed")
PITCH_MM = 20.32
"""0.8 in between expansion slots."""


def covered(read: Reader, card: Card) -> range:
    """Slot positions under a placed card, of the water block if it carries one."""
    first = card.slot or 0
    if card.on_riser or (first > MAX_POSITION and is_module(card.part)):
        return range(first, first + 1)
    width = read(read.machine.body(card), "width_slots")
    return range(first, first + ceil(width))


def need_places(read: Reader) -> None:
    """Gives up on a board whose source does not state how far its slots stand apart."""
    if read.machine.places_assumed:
        raise read.give_up(read.board, "slots")


def slot_under(read: Reader, card: Card) -> tuple[Part, Slot]:
    """The board and its slot under a placed card; the board's slots count as read."""
    board = read.board
    read(board, "slots")
    slot = read.machine.slot_of(card)
    if slot is None:
        raise read.give_up(board, "slots")
    return board, slot


def _placed(read: Reader, part: Part) -> Answer:
    machine = read.machine
    line = machine.line(part.id)
    read.about(part)
    board = read.board
    if not is_card(part) and not line.slots and not any(one.takes_modules for one in machine.build.carriers):
        return _module(read, part)
    read(board, "slots")
    strange = sorted(set(line.slots) - set(machine.slots))
    if strange:
        fields = {"part": part.title, "strange": strange[0], "board": _owner(machine, strange[0]) or board.title}
        message = tr("{part} is placed in slot {strange}, which {board} does not have.", **fields)
        return Answer(Status.FAIL, message, strange[0], slots=tuple(strange))
    left = line.quantity - len(line.slots)
    if left:
        room = machine.has_room
        fields = {"count": left, "part": part.title}
        seated = trn("{count} card of {part} has no slot.", "{count} cards of {part} have no slot.", **fields)
        how = tr("No arrangement on this board has room for all.")
        if room:
            how = trn("There is room for it.", "There is room for them.", count=left)
        message = joined([seated, how])
        return Answer(Status.WARN if room else Status.FAIL, message, left, unit="cards")
    return Answer(Status.PASS, tr("{part}: every card has a slot.", part=part.title), slots=tuple(sorted(line.slots)))


def _owner(machine: RuleContext, position: int) -> str | None:
    """The carrier that a seat's number names; None for a slot of the board, or where there is no such carrier."""
    number = SlotNumber(position).carrier
    return next((one.part.title for one in machine.build.carriers if one.number == number), None)


def _module(read: Reader, part: Part) -> Answer:
    """SXM modules sit on a board of their system's maker; no board of a standard size has sockets for them."""
    board = read.board
    form = read(board, "form_factor")
    module = tr("{part} is a module, not a card", part=part.title)
    if form is not FormFactor.PROPRIETARY:
        fields = {"module": module, "board": board.title, "form": form.label}
        return Answer(Status.FAIL, tr("{module}, and {board} ({form}) has no socket for it.", **fields))
    if read.machine.case is not None and is_makers(read):
        return Answer(Status.PASS, tr("{module}: the maker of {case} fitted it.", module=module, case=read.case.title))
    fields = {"module": module, "board": board.title}
    message = tr("{module}: it needs its own board; check whether {board} carries one.", **fields)
    return Answer(Status.NOTE, message)


def _overlap(read: Reader, group: EqualCards) -> Answer:
    """Cards that overlap nothing are one group; each one that does stands alone."""
    card = group.cards[0]
    body = read.machine.body(card)
    below = _overlapped(read.machine, card)
    read.about(group.part, *(other.part for other in below))
    if card.on_riser:
        if not below:
            message = trn(
                "{group} sits on a riser and needs no room at the slot.",
                "{group} sit on risers and need no room at the slot.",
                group=group.name,
                count=group.count,
            )
            return Answer(Status.PASS, message, slots=group.slots)
        fields: dict[str, object] = {"group": group.name, "count": group.count, "cards": _cards_words(below)}
        message = trn(
            "{group} sits on a riser, but {cards} sits in the same slot.",
            "{group} sit on risers, but {cards} sits in the same slot.",
            **fields,
        )
        return Answer(Status.FAIL, message, slots=group.slots)
    if card.on_carrier and is_module(card.part):
        if not below:
            message = tr("{group}: each in a socket of its own.", group=group.name)
            return Answer(Status.PASS, message, slots=group.slots)
        message = tr("{group} sits in the socket of {cards}.", group=group.name, cards=_cards_words(below))
        return Answer(Status.FAIL, message, slots=group.slots)
    width = read(body, "width_slots")
    if width == 1:
        wide = tr("{width:.0f} mm wide ({slots:g} slot)", width=width * PITCH_MM, slots=width)
    else:
        wide = tr("{width:.0f} mm wide ({slots:g} slots)", width=width * PITCH_MM, slots=width)
    if not below:
        if width > 1 and len(read.machine.placed) > 1:
            need_places(read)
        fields = {"group": group.name, "count": group.count, "wide": wide}
        message = trn("{group} is {wide} and overlaps no card.", "{group} are {wide} and overlap no card.", **fields)
        return Answer(Status.PASS, message, width, None, "slots", group.slots)
    free = min(other.slot or 0 for other in below) - (card.slot or 0)
    room = trn("{count} slot free", "{count} slots free", count=free) if free else tr("no slot free")
    fields = {"group": group.name, "wide": wide, "room": room, "cards": _cards_words(below)}
    message = tr("{group} is {wide}, {room}: it overlaps {cards}.", **fields)
    under = tuple(range(card.slot or 0, (card.slot or 0) + ceil(width)))
    return Answer(Status.FAIL, message, width, free, "slots", under)


def _overlapped(machine: RuleContext, card: Card) -> list[Card]:
    """Other cards whose slot lies under this one; two risers may share a slot (see `bifurcation`)."""
    first = card.slot or 0
    alone = card.on_riser or machine.places_assumed
    width = 1 if alone else ceil(getattr(machine.body(card).spec, "width_slots", None) or 1)
    under = [other for at in range(first, first + width) for other in machine.by_slot.get(at, ())]
    if len(under) == 1:  # itself
        return []
    return [other for other in under if other is not card and not (card.on_riser and other.on_riser)]


def _cards_words(cards: Iterable[Card]) -> str:
    return listed([tr("{part} in slot {slot}", part=card.part.title, slot=card.slot) for card in cards])


def _by_overlap(machine: RuleContext) -> Iterable[EqualCards]:
    return equal_cards(
        machine, lambda card: (mounting(machine, card), card.number if _overlapped(machine, card) else 0)
    )


def _mechanical(read: Reader, group: EqualCards) -> Answer:
    board, slot = slot_under(read, group.cards[0])
    lanes = _plug_lanes(read, group)
    mechanical = slot.mechanical_lanes
    hung = read.machine.risers.get(key_of(group.cards[0])) is not None
    name = tr("{part} (x{lanes} connector)", part=group.part.title, lanes=lanes)
    if hung:
        name = tr("{part} (x{lanes} plug of its riser)", part=group.part.title, lanes=lanes)
    where = tr(
        "{slots} of {board} (x{lanes} length)",
        slots=slots_listed(group.slots),
        board=slot.carrier.title if isinstance(slot, Seat) else board.title,
        lanes=mechanical,
    )
    if lanes > mechanical and not slot.open_ended:
        fields = {"name": name, "where": where, "count": group.count}
        message = trn(
            "{name} does not go into {where}, which is closed at the end.",
            "{name} does not go into {where}, which are closed at the end.",
            **fields,
        )
        return Answer(Status.FAIL, message, lanes, mechanical, "lanes", group.slots)
    message = tr("{name} goes into {where}.", name=name, where=where)
    return Answer(Status.PASS, message, lanes, mechanical, "lanes", group.slots)


def _plug_lanes(read: Reader, group: EqualCards) -> int:
    """Lanes of what goes into the slot: the card's connector, or the plug of its riser."""
    riser = read.machine.risers.get(key_of(group.cards[0]))
    if riser is None:
        return int(read(group.part, "pcie_lanes"))
    read.about(group.part)
    return int(read(riser, "lanes"))


def _by_slot_length(machine: RuleContext) -> Iterable[EqualCards]:
    def kind(card: Card) -> object:
        slot, riser = machine.slot_of(card), machine.risers.get(key_of(card))
        return slot and (slot.mechanical_lanes, slot.open_ended), riser and riser.id

    def fits_by_kind(group: EqualCards) -> bool:
        seat = machine.slot_of(group.cards[0])
        return is_card(group.part) and (not isinstance(seat, Seat) or seat.kind is SeatKind.SLOT)

    groups = equal_cards(machine, kind)
    return filter(fits_by_kind, groups) if machine.build.carriers else groups


def _case_openings(read: Reader, group: EqualCards) -> Answer:
    """Judged by the lowest card of those that are alike."""
    case = read.case
    card = group.cards[-1]
    if card.off_board:
        read.about(group.part)
        message = trn(
            "{group} stands away from the board and needs no opening behind the slot.",
            "{group} stand away from the board and need no opening behind the slot.",
            group=group.name,
            count=group.count,
        )
        return Answer(Status.PASS, message, slots=group.slots)
    need_places(read)
    body = read.machine.body(card)
    openings, offset = read(case, "expansion_slots"), read(case, "slot_offset")
    width = ceil(read(body, "width_slots"))
    bracket = read.maybe(body, "bracket_slots") if hasattr(body.spec, "bracket_slots") else width
    read.about(group.part)
    first = offset + (card.slot or 0)
    last = first + width - 1
    fields = {"case": case.title, "openings": trn("{count} opening", "{count} openings", count=openings)}
    has = tr("{case} has {openings}", **fields)
    if last <= openings and group.count > 1:
        message = tr("{group}: the lowest ends at opening {last}; {has}.", group=group.name, last=last, has=has)
        return Answer(Status.PASS, message, last, openings, "openings", group.slots)
    name = tr("{part} in slot {slot}", part=group.part.title, slot=card.slot)
    if last <= openings:
        message = tr("{name} ends at opening {last}; {has}.", name=name, last=last, has=has)
        return Answer(Status.PASS, message, last, openings, "openings", group.slots)
    if bracket is None and first <= openings:
        raise read.give_up(body, "bracket_slots")
    end = first + (bracket or width) - 1
    if end > openings:
        outside = tuple(at for at in group.slots if offset + at + (bracket or width) - 1 > openings)
        message = tr("The bracket of {name} needs opening {end}, but {has}.", name=name, end=end, has=has)
        return Answer(Status.FAIL, message, end, openings, "openings", outside)
    over = last - openings
    message = tr(
        "The bracket of {name} fits, but its cooler reaches {over:.0f} mm below the last "
        "opening: check for the PSU cover and fans there.",
        name=name,
        over=over * PITCH_MM,
    )
    return Answer(Status.WARN, message, last, openings, "openings", (card.slot or 0,))


def _placeable(machine: RuleContext) -> list[Part]:
    """Cards, and modules that look like some."""
    modules = [line.part for line in machine.lines(Category.GPU) if not is_card(line.part)]
    return [*{card.part.id: card.part for card in machine.cards}.values(), *modules]


_CARDS = (Category.MOTHERBOARD,)
_NO_CARD = tr("No card sits in a slot of the board.")

SLOT_RULES = (
    Rule(
        "slot-placed",
        tr("Cards in slots"),
        tr(
            "Every card sits in a slot that the board has; SXM modules on a carrier or a board of their system's maker."
        ),
        "the board's manual; NVIDIA, SXM modules and HGX baseboards",
        _placed,
        (Category.MOTHERBOARD,),
        subjects=Subjects(_placeable, tr("No card to place.")),
        reads=(*PLACED_BY, "motherboard.form_factor", "case.kind"),
        fixes=(Move.ARRANGE, Move.PUT_ON_RISER, NARROWER_CARD, BOARD_OF_MORE_SLOTS, Move.FEWER_CARDS),
    ),
    Rule(
        "slot-overlap",
        tr("Cards next to each other"),
        tr(
            "A card of width w in slot p covers p to p + ceil(w) - 1; no two cards cover the same slot. Pitch 20.32 mm."
        ),
        "PCIe CEM slot pitch; ATX specification",
        _overlap,
        subjects=Subjects(_by_overlap, _NO_CARD),
        reads=(*BODY_READS, *PLACES_READS),
        fixes=(Move.ARRANGE, Move.PUT_ON_RISER, CARD_FOR_FREE_SLOTS, BOARD_OF_MORE_SLOTS, Move.FEWER_CARDS),
    ),
    Rule(
        "slot-mechanical",
        tr("Connector in slot"),
        tr(
            "Connector lanes <= mechanical lanes of the slot, unless the slot's end is open. On "
            "a riser its plug counts."
        ),
        "PCIe CEM",
        _mechanical,
        _CARDS,
        subjects=Subjects(_by_slot_length, _NO_CARD),
        reads=("gpu.form", "gpu.pcie_lanes", "nic.pcie_lanes", "motherboard.slots", *RISER_READS),
        fixes=(Move.ARRANGE, Move.PUT_ON_RISER, BOARD_OF_MORE_SLOTS, Move.FEWER_CARDS),
    ),
    Rule(
        "case-openings",
        tr("Brackets in the case"),
        tr(
            "offset + slot + bracket width - 1 <= openings of the case: a two-slot card in slot "
            "7 needs an eighth opening."
        ),
        "Hardware Secrets, ASUS X99-PRO review; ATX specification",
        _case_openings,
        (Category.CASE,),
        subjects=Subjects(lambda machine: equal_cards(machine, lambda card: mounting(machine, card)), _NO_CARD),
        reads=(
            *BODY_READS,
            *PLACES_READS,
            *("gpu.bracket_slots", "water_block.bracket_slots", "case.expansion_slots", "case.slot_offset"),
        ),
        fixes=(
            Move.ARRANGE,
            Move.PUT_ON_RISER,
            Swap(
                Category.CASE,
                "expansion_slots",
                limits(CASE_FOR_BOARD, at_least("expansion_slots"), more("expansion_slots")),
            ),
            NARROWER_CARD,
            Move.FEWER_CARDS,
        ),
    ),
)
