"""Cards and slots: placed, apart from each other, plugged in, within the case."""

from __future__ import annotations

from math import ceil

from core.build.build import Card
from core.parts.part import Part
from core.parts.specs import Slot
from core.parts.vocabulary import Category
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, placed_cards
from core.rules.seating import reseat
from core.rules.words import count_of, listed, slots_words, verb

PITCH_MM = 20.32
"""0.8 in between expansion slots."""


def covered(read: Reader, card: Card) -> range:
    """Slot positions under a placed card, of the water block if it carries one."""
    first = card.slot or 0
    if card.on_riser:
        return range(first, first + 1)
    width = read(read.machine.body(card), "width_slots")
    return range(first, first + ceil(width))


def _placed(read: Reader, part: Part) -> Answer:
    machine = read.machine
    line = machine.build.line(part.id)
    assert line is not None
    read.about(part)
    board = read.board
    left = line.quantity - len(line.slots)
    if left:
        read(board, "slots")
        fixes = tuple(fix for fix in reseat(machine, part.id) if len(fix.slots) == line.quantity)
        how = "There is room for it." if fixes else "No arrangement on this board has room for all."
        message = f"{count_of(left, 'card')} of {part.title} {verb(left, 'sit')} in no slot. {how}"
        return Answer(Status.WARN if fixes else Status.FAIL, message, left, unit="cards", fixes=fixes)
    strange = sorted(set(line.slots) - {slot.position for slot in read(board, "slots")})
    if strange:
        message = f"{part.title} is placed in slot {strange[0]}, which {board.title} does not have."
        return Answer(Status.FAIL, message, strange[0], slots=tuple(strange), fixes=reseat(machine, part.id))
    return Answer(Status.PASS, f"{part.title}: every card has a slot.", slots=tuple(sorted(line.slots)))


def _overlap(read: Reader, card: Card) -> Answer:
    machine = read.machine
    own = covered(read, card)
    below = [other for other in machine.placed if other is not card and (other.slot or 0) in own]
    read.about(card.part, *(other.part for other in below))
    width = read(machine.body(card), "width_slots")
    wide = f"{width * PITCH_MM:.0f} mm wide"
    name = f"{card.part.title} in slot {card.slot}"
    if below:
        nearest = min((other.slot or 0) for other in below)
        free = nearest - own[0]
        hit = listed([f"{other.part.title} in slot {other.slot}" for other in below])
        room = f"{count_of(free, 'slot')} free" if free else "no slot free"
        message = f"{name} is {wide} ({width:g} slots), {room}: it overlaps {hit}."
        fixes = reseat(machine, card.part.id)
        return Answer(Status.FAIL, message, width, free, "slots", tuple(own), fixes)
    return Answer(
        Status.PASS, f"{name} is {wide} and covers {slots_words(own)} alone.", width, None, "slots", tuple(own)
    )


def _mechanical(read: Reader, card: Card) -> Answer:
    board, slot = slot_under(read, card)
    lanes = read(card.part, "pcie_lanes")
    name = f"{card.part.title} (x{lanes} connector)"
    mechanical = slot.mechanical_lanes
    where = f"slot {slot.position} of {board.title} (x{mechanical} length)"
    if lanes > mechanical and not slot.open_ended:
        fixes = reseat(read.machine, card.part.id)
        message = f"{name} does not go into {where}, which is closed at its end."
        return Answer(Status.FAIL, message, lanes, mechanical, "lanes", (slot.position,), fixes)
    return Answer(Status.PASS, f"{name} goes into {where}.", lanes, mechanical, "lanes", (slot.position,))


def _case_openings(read: Reader, card: Card) -> Answer:
    case = read.case
    body = read.machine.body(card)
    openings, offset = read(case, "expansion_slots"), read(case, "slot_offset")
    width = ceil(read(body, "width_slots"))
    bracket = read.maybe(body, "bracket_slots") if hasattr(body.spec, "bracket_slots") else width
    read.about(card.part)
    first = offset + (card.slot or 0)
    last = first + width - 1
    name = f"{card.part.title} in slot {card.slot}"
    has = f"{case.title} has {count_of(openings, 'opening')}"
    slots = (card.slot or 0,)
    if last <= openings:
        return Answer(Status.PASS, f"{name} ends at opening {last}; {has}.", last, openings, "openings", slots)
    if bracket is None and first <= openings:
        raise read.give_up(body, "bracket_slots")
    end = first + (bracket or width) - 1
    if end > openings:
        fixes = reseat(read.machine, card.part.id)
        message = f"The bracket of {name} needs opening {end}, but {has}."
        return Answer(Status.FAIL, message, end, openings, "openings", slots, fixes)
    over = last - openings
    message = (
        f"The bracket of {name} fits, but its cooler reaches {over * PITCH_MM:.0f} mm below the last opening: "
        f"check for the PSU cover and fans there."
    )
    return Answer(Status.WARN, message, last, openings, "openings", slots)


def _hidden(read: Reader, machine: Machine) -> Answer:
    slots = read(read.board, "slots")
    under = {position for card in machine.placed for position in covered(read, card)[1:]}
    own = {card.slot for card in machine.placed}
    lost = sorted(slot.position for slot in slots if slot.position in under and slot.position not in own)
    if not lost:
        return Answer(Status.PASS, "No slot is hidden under a wide card.", 0, unit="slots")
    message = f"Wide cards hide {listed([f'slot {position}' for position in lost])}: nothing else can go there."
    return Answer(Status.NOTE, message, len(lost), unit="slots", slots=tuple(lost))


def slot_under(read: Reader, card: Card) -> tuple[Part, Slot]:
    """The board and its slot under a placed card; the board's slots count as read."""
    board = read.board
    read(board, "slots")
    slot = read.machine.slot_of(card)
    if slot is None:
        raise read.give_up(board, "slots")
    return board, slot


_CARDS = (Category.MOTHERBOARD,)
_NO_CARD = "No card sits in a slot of the board."


def _placeable(machine: Machine) -> list[Part]:
    return list({card.part.id: card.part for card in machine.cards}.values())


SLOT_RULES = (
    Rule(
        "slot-placed",
        "Cards in slots",
        "Every card sits in a slot that the board has.",
        "the board's manual",
        _placed,
        (Category.MOTHERBOARD,),
        subjects=_placeable,
        nothing="No card to place.",
    ),
    Rule(
        "slot-overlap",
        "Cards beside each other",
        "A card of width w in slot p covers p to p + ceil(w) - 1; two cards cover no slot together. Pitch 20.32 mm.",
        "PCIe CEM slot pitch; ATX specification",
        _overlap,
        subjects=placed_cards,
        nothing=_NO_CARD,
    ),
    Rule(
        "slot-mechanical",
        "Connector in slot",
        "Connector lanes <= mechanical lanes of the slot, unless the slot's end is open.",
        "PCIe CEM",
        _mechanical,
        _CARDS,
        subjects=placed_cards,
        nothing=_NO_CARD,
    ),
    Rule(
        "case-openings",
        "Brackets in the case",
        "offset + slot + bracket width - 1 <= openings of the case: a two-slot card in slot 7 needs an eighth opening.",
        "Hardware Secrets, ASUS X99-PRO review; ATX specification",
        _case_openings,
        (Category.CASE,),
        subjects=placed_cards,
        nothing=_NO_CARD,
    ),
    Rule(
        "slot-hidden",
        "Hidden slots",
        "Slots under a card of more than one slot are lost.",
        "geometry of the board",
        _hidden,
        _CARDS,
    ),
)
