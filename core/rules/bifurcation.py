"""Slots that the board must split: among cards on risers, or among the chips of one card."""

from __future__ import annotations

from collections.abc import Iterable

from core.build.line import Card
from core.language import tr
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.placement.links import LINK_READS
from core.placement.risers import key_of
from core.rules.changes import OTHER_BOARD, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, EqualCards, Rule, Subjects, equal_cards
from core.rules.slots import slot_under


def _among_chips(read: Reader, group: EqualCards) -> Answer:
    card = group.part
    chips = _chips(card.spec)
    at = group.slots
    if not read(card, "needs_bifurcation"):
        return Answer(Status.PASS, tr("{cards}: a switch on the card links its chips.", cards=group.name), slots=at)
    board, slot = slot_under(read, group.cards[0])
    own = read(card, "pcie_lanes")
    way = "/".join([f"x{own // chips}"] * chips)
    needed = tr(
        "{cards}: {chips} chips without a switch, the slot must be split {way}", cards=group.name, chips=chips, way=way
    )
    got = read.machine.links[key_of(group.cards[0])].lanes
    if got is not None and got <= own * (chips - 1) // chips:
        return Answer(
            Status.FAIL,
            tr("{needed}. With {lanes} lanes in this build the last chip has no link.", needed=needed, lanes=got),
            got,
            own,
            "lanes",
            at,
        )
    if not slot.bifurcation:
        raise read.give_up(board, "slots")
    offers = tr("{needed}; {board} offers {ways}", needed=needed, board=board.title, ways=", ".join(slot.bifurcation))
    if not any(len(offer.split("/")) >= chips for offer in slot.bifurcation):
        return Answer(Status.FAIL, tr("{offers}.", offers=offers), slots=at)
    return Answer(Status.PASS, tr("{offers}: set it in the firmware.", offers=offers), slots=at)


def _chips(spec: object) -> int:
    return spec.chips if isinstance(spec, GpuSpec) else 1


def _of_several_chips(machine: RuleContext) -> Iterable[EqualCards]:
    def kind(card: Card) -> object:
        slot, link = machine.slot_of(card), machine.links.get(key_of(card))
        return slot and slot.bifurcation, link and link.lanes

    if all(_chips(line.part.spec) == 1 for line in machine.lines(Category.GPU)):
        return ()
    return (group for group in equal_cards(machine, kind) if _chips(group.part.spec) > 1)


def _among_cards(read: Reader, cards: tuple[Card, ...]) -> Answer:
    read(read.board, "slots")
    slot = read.machine.slot_of(cards[0])
    if slot is None:
        raise read.give_up(read.board, "slots")
    read.about(*(card.part for card in cards))
    each = "x8" if len(cards) == 2 else "x4"
    fields = {"number": len(cards), "slot": slot.position, "each": each}
    words = tr("{number} cards share slot {slot}, which must be split into {each} links", **fields)
    at = (slot.position,)
    if not slot.bifurcation:
        raise read.give_up(read.board, "slots")
    if any(len(way.split("/")) >= len(cards) for way in slot.bifurcation):
        return Answer(
            Status.NOTE, tr("{words}: set it in the firmware; the riser must split it, too.", words=words), slots=at
        )
    return Answer(
        Status.FAIL, tr("{words}: the board offers {ways}.", words=words, ways=", ".join(slot.bifurcation)), slots=at
    )


def _sharing(machine: RuleContext) -> Iterable[tuple[Card, ...]]:
    """Cards that share one slot."""
    shared: dict[int | None, list[Card]] = {}
    for card in machine.placed:
        if card.on_riser:
            shared.setdefault(card.slot, []).append(card)
    return (tuple(cards) for cards in shared.values() if len(cards) > 1)


BIFURCATION_RULES = (
    Rule(
        "bifurcation",
        tr("Slot bifurcation"),
        tr("Several cards on one slot need a board that splits it (x8/x8, x4/x4/x4/x4) and a riser that does."),
        "peine-braun and maxcloudon on bifurcation",
        _among_cards,
        (Category.MOTHERBOARD,),
        subjects=Subjects(_sharing, tr("No two cards share a slot.")),
        reads=("gpu.form", "motherboard.slots"),
        fixes=(Move.OFF_RISERS, Move.ARRANGE, OTHER_BOARD, Move.FEWER_CARDS),
    ),
    Rule(
        "chip-bifurcation",
        tr("Slot of a card with several chips"),
        tr("Chips without a switch on their card each take a part of the slot: the board must split it (x8/x8)."),
        "ASRock and Maxsun, Arc Pro B60 Dual: PCIe 5.0 x16 slot with x8/x8 bifurcation required",
        _among_chips,
        (Category.MOTHERBOARD, Category.GPU),
        subjects=Subjects(_of_several_chips, tr("No card with several chips in a slot.")),
        reads=("gpu.chips", "gpu.needs_bifurcation", *LINK_READS),
        fixes=(Move.ARRANGE, OTHER_BOARD, Move.FEWER_CARDS),
    ),
)
