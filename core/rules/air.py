"""Cards that take each other's breath."""

from __future__ import annotations

from core.build.build import Card
from core.parts.specs import GpuSpec
from core.parts.summary import COOLING_LABELS
from core.parts.vocabulary import CaseKind, Category, GpuCooling
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule
from core.rules.slots import covered
from core.rules.words import count_of

_BREATHING = (GpuCooling.OPEN_AIR, GpuCooling.FLOW_THROUGH)
GAP_SLOTS = 1
"""Empty slots that an open-air card needs before its fans."""


def _gap(read: Reader, card: Card) -> Answer:
    machine = read.machine
    name = f"{card.part.title} in slot {card.slot}"
    at = (card.slot or 0,)
    if machine.body(card) is not card.part:
        return Answer(Status.PASS, f"{name} is cooled by water.", slots=at)
    cooling = read(card.part, "cooling")
    if cooling not in _BREATHING:
        return Answer(Status.PASS, f"{name} ({COOLING_LABELS[cooling]}) may stand beside another card.", slots=at)
    own = covered(read, card)
    below = [other for other in _gpus(machine) if (other.slot or 0) > own[0]]
    if not below:
        return Answer(Status.PASS, f"{name} has no card below it.", slots=at)
    gap = (below[0].slot or 0) - own[-1] - 1
    read.about(below[0].part)
    if gap < 0:
        message = f"{name} overlaps the card in slot {below[0].slot}: no air reaches its fans."
        return Answer(Status.WARN, message, 0, GAP_SLOTS, "slots", at)
    room = count_of(gap, "empty slot") if gap else "no empty slot"
    message = f"{name} has {room} before the card in slot {below[0].slot}"
    if gap >= GAP_SLOTS:
        return Answer(Status.PASS, f"{message}.", gap, GAP_SLOTS, "slots", at)
    message = f"{message}: open-air cards side by side overheat, throttle by about 30 % and age."
    return Answer(Status.WARN, message, gap, GAP_SLOTS, "slots", at)


def _passive(read: Reader, card: Card) -> Answer:
    name = card.part.title
    if read(card.part, "cooling") is not GpuCooling.PASSIVE:
        return Answer(Status.PASS, f"{name} brings its own cooling.")
    kind = read(read.case, "kind")
    if kind in (CaseKind.RACK, CaseKind.SYSTEM):
        return Answer(Status.PASS, f"{name} has no fan and sits in a {kind} chassis with ducted air.")
    frame = "an open frame" if kind is CaseKind.OPEN_FRAME else f"a {kind}"
    return Answer(Status.WARN, f"{name} has no fan: in {frame} it needs a duct and a strong fan of its own.")


def _gpus(machine: Machine) -> list[Card]:
    return [card for card in machine.placed if card.part.category is Category.GPU]


def _kinds(machine: Machine) -> list[Card]:
    return [card for card in machine.cards if card.number == 1 and isinstance(card.part.spec, GpuSpec)]


_GPU = (Category.GPU,)

AIR_RULES = (
    Rule(
        "card-gap",
        "Air between the cards",
        "An open-air card has at least one empty slot before its fans; blowers and water-cooled cards need none.",
        "ZOTAC installation advice; T. Dettmers: neighbouring consumer cards lose about 30 % of their speed",
        _gap,
        _GPU,
        subjects=_gpus,
        nothing="No GPU sits in a slot.",
    ),
    Rule(
        "card-passive",
        "Cards without a fan",
        "Passive cards need ducted air.",
        "server chassis practice, not confirmed",
        _passive,
        (Category.GPU, Category.CASE),
        subjects=_kinds,
        nothing="No GPU that goes into a slot.",
        confirmed=False,
    ),
)
