"""Slots and plugs between hot cards; of open-air cards without a gap `card-gap` tells already."""

from __future__ import annotations

from itertools import pairwise

from core.build.build import Card
from core.parts.vocabulary import Category, GpuCooling
from core.rules.air import crowded
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.reads import BLOCK_READS
from core.rules.rule import Answer, Rule
from core.rules.slots import covered
from core.rules.words import count_of
from core.words import slots_listed

HOT_W = 350.0
"""Cards of this power and more were those whose slots grew hot."""
REPORTED_C = 88.0


def _slot_heat(read: Reader, machine: RuleContext) -> Answer:
    cards = [card for card in machine.placed if card.part.category is Category.GPU and not card.on_riser]
    for card in cards:
        read.maybe(machine.body(card), "width_slots")
    told = crowded(machine)
    pairs = [pair for pair in pairwise(cards) if not {(one.part.id, one.number) for one in pair} <= told]
    close = [card for card, below in pairs if _hot(read, card, below)]
    if not close:
        return Answer(Status.PASS, "No slot lies between two hot cards without a gap.")
    slots = tuple(card.slot or 0 for card in close)
    have = "have" if len(close) > 1 else "has"
    message = (
        f"{count_of(len(close), 'card')} of {HOT_W:.0f} W and more, in {slots_listed(slots)}, {have} the next one "
        f"right below: slots and plugs between such cards were seen at {REPORTED_C:.0f} °C with errors on the link. "
        f"Blow air at them, and watch the link's error counters in the burn-in."
    )
    return Answer(Status.NOTE, message, len(close), unit="cards", slots=slots)


def _hot(read: Reader, card: Card, below: Card) -> bool:
    """Two air-cooled cards of high power with no empty slot between them."""
    machine = read.machine
    if any(machine.body(one) is not one.part for one in (card, below)):
        return False
    if GpuCooling.WATER_BLOCK in read.all((card.part, "cooling"), (below.part, "cooling")):
        return False
    limits = [machine.build.line(one.part.id) for one in (card, below)]
    read.all((card.part, "power_limit_w"), (below.part, "power_limit_w"))
    if any((line.limit_w or 0.0) < HOT_W for line in limits if line):
        return False
    return (below.slot or 0) <= covered(read, card)[-1] + 1


SLOT_HEAT_RULES = (
    Rule(
        "slot-heat",
        "Heat at slots and plugs",
        "Air-cooled cards of 350 W and more have an empty slot between them, so that air reaches slots and plugs.",
        "a builder's report of eight cards (rtx6kpro: 88 °C at a slot with link errors), not confirmed",
        _slot_heat,
        (Category.GPU, Category.MOTHERBOARD),
        gravest=Status.NOTE,
        confirmed=False,
        reads=("gpu.power_limit_w", "gpu.width_slots", "gpu.form", "water_block.width_slots", *BLOCK_READS),
    ),
)
