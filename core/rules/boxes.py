"""External boxes with a PSU of their own: what it bears, and room for the card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.line import Card
from core.plan.psus import BOX_READS, Box, boxes
from core.predict.components import DRAW_READS
from core.predict.power import BoxDraw, box_load
from core.rules.carriers import carrier_name
from core.rules.changes import OTHER_CARRIER, Fewer, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, Rule, Subjects, all_of, within_rating
from core.words import clauses, joined, tr


def _psu(read: Reader, drawn: BoxDraw) -> Answer:
    box = drawn.box
    part, cards = box.carrier.part, box.cards
    psu_w, card_w = float(read(part, "psu_w")), read.maybe(part, "card_w")
    read.maybe(part, "load_power_w")
    read.all(*((card.part, "power_limit_w") for card in cards if isinstance(card.part.spec, GpuSpec)))
    load = box_load(drawn)
    assert load is not None, "its rating is known"
    read.lacking(load.worst.missing)
    fields = {"name": carrier_name(box.carrier), "psu_w": psu_w, "load": load.words}
    message = tr(
        "{name} feeds its card from its own PSU of {psu_w:.0f} W: {load}. It needs a wall socket of its own.", **fields
    )
    status, slots = within_rating(load, old=True), tuple(card.slot or 0 for card in cards)
    asked_w = sum(read.machine.line(card.part.id).limit_w or 0.0 for card in cards)
    if card_w is not None and asked_w > card_w:
        allows = tr("Its maker allows a card {card_w:.0f} W; this one may draw {asked_w:.0f} W.", card_w=card_w,
                    asked_w=asked_w)  # fmt: skip
        message = joined([message, allows])
        if status is Status.PASS:
            return Answer(Status.WARN, message, asked_w, card_w, "W", slots)
    return Answer(status, message, load.worst.expected, psu_w, "W", slots)


class _Inside(NamedTuple):
    """A card in a box."""

    box: Box
    card: Card


def _room(read: Reader, inside: _Inside) -> Answer:
    box, card = inside
    part = box.carrier.part
    body = read.machine.body(card)
    read.about(card.part)
    most_mm, most_slots = read.maybe(part, "card_max_length_mm"), read.maybe(part, "card_max_slots")
    if most_mm is None and most_slots is None:
        raise read.give_up(part, "card_max_length_mm")
    length = None if most_mm is None else float(read(body, "length_mm"))
    width = None if most_slots is None else float(read(body, "width_slots"))
    sizes = [
        *([] if length is None else [tr("{length:.0f} mm long of {room:.0f} mm", length=length, room=most_mm)]),
        *([] if width is None else [tr("{width:g} slots wide of {room:g}", width=width, room=most_slots)]),
    ]
    name = carrier_name(box.carrier)
    slots = (card.slot or 0,)
    if length is not None and length > most_mm:
        message = tr("{card} is too long for {name}: {sizes}.", card=card.part.title, name=name, sizes=clauses(sizes))
        return Answer(Status.FAIL, message, length, most_mm, "mm", slots)
    if width is not None and width > most_slots:
        message = tr("{card} is too wide for {name}: {sizes}.", card=card.part.title, name=name, sizes=clauses(sizes))
        return Answer(Status.FAIL, message, width, most_slots, "slots", slots)
    message = tr("{card} has room in {name}: {sizes}.", card=card.part.title, name=name, sizes=clauses(sizes))
    if length is not None:
        return Answer(Status.PASS, message, length, most_mm, "mm", slots)
    return Answer(Status.PASS, message, width, most_slots, "slots", slots)


def _inside(machine: RuleContext) -> Iterable[_Inside]:
    """Each line of cards once in each box."""
    inside = [_Inside(box, card) for box in boxes(machine.build) for card in box.cards]
    return {(one.box.carrier.number, one.card.part.id): one for one in inside}.values()


_NONE = tr("No card sits in an external box with a PSU of its own.")

BOX_RULES = (
    Rule(
        "box-psu",
        tr("PSU of an external box"),
        tr(
            "Worst case of the card in the box <= rating of the box's PSU, training and worst case <= 80 % of it, "
            "the card's limit <= what the maker allows a card; fails if even the low end of the worst case is above "
            "the rating."
        ),
        "the makers' figures; 80 % is a convention",
        _psu,
        subjects=Subjects(lambda machine: machine.power.boxes, _NONE),
        reads=all_of(DRAW_READS, BOX_READS, ("gpu.power_limit_w", "carrier.card_w", "carrier.load_power_w")),
        fixes=(Move.LIMIT_POWER, OTHER_CARRIER, Move.ARRANGE),
    ),
    Rule(
        "box-room",
        tr("Room in an external box"),
        tr("Length and width of the card <= room in the box."),
        "the maker's stated room",
        _room,
        subjects=Subjects(_inside, _NONE),
        reads=all_of(
            BOX_READS,
            ("carrier.card_max_length_mm", "carrier.card_max_slots", "gpu.length_mm", "gpu.width_slots", "gpu.form"),
            ("nic.length_mm", "nic.width_slots", "water_block.length_mm", "water_block.width_slots"),
        ),
        fixes=(OTHER_CARRIER, Move.ARRANGE, Fewer(Category.GPU)),
    ),
)
