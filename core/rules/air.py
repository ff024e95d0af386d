"""Cards that take each other's breath."""

from __future__ import annotations

from math import ceil

from core.build.build import Card, Line
from core.parts.specs import GpuSpec
from core.parts.summary import COOLING_LABELS
from core.parts.vocabulary import CaseKind, Category, GpuCooling
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.reads import BLOCK_READS
from core.rules.rule import Answer, Rule
from core.rules.words import count_of

_BREATHING = (GpuCooling.OPEN_AIR, GpuCooling.FLOW_THROUGH)
GAP_SLOTS = 1
"""Empty slots that an open-air card needs before its fans."""


def _gap(read: Reader, line: Line) -> Answer:
    """The narrowest gap below an air-cooled card of the line."""
    machine, part = read.machine, line.part
    all_ = _gpus(machine)
    cards = [card for card in all_ if card.part is part]
    dry = [card for card in cards if card.number > machine.blocks_on(part.id)]
    slots = tuple(card.slot or 0 for card in cards)
    if not dry:
        return Answer(Status.PASS, f"{part.title} is cooled by water.", slots=slots)
    cooling = read(part, "cooling")
    if cooling not in _BREATHING:
        message = f"{part.title} ({COOLING_LABELS[cooling]}) may stand beside another card."
        return Answer(Status.PASS, message, slots=slots)
    pairs = [(card, below) for card in dry if (below := _next_below(card, all_))]
    if not pairs:
        return Answer(Status.PASS, f"{part.title} has no card below it.", slots=slots)
    width = ceil(read(part, "width_slots"))
    gaps = [((below.slot or 0) - (card.slot or 0) - width, card, below) for card, below in pairs]
    narrow = [gap for gap in gaps if gap[0] < GAP_SLOTS]
    gap, card, below = min(gaps, key=lambda one: one[0])
    read.about(below.part)
    name = f"{part.title} in slot {card.slot}"
    at = tuple(card.slot or 0 for _, card, _ in (narrow or gaps))
    if gap < 0:
        message = f"{name} overlaps the card in slot {below.slot}: no air reaches its fans."
        return Answer(Status.WARN, message, 0, GAP_SLOTS, "slots", at)
    room = count_of(gap, "empty slot") if gap else "no empty slot"
    message = f"{name} has {room} before the card in slot {below.slot}"
    if narrow:
        more = f" ({len(narrow)} cards stand so)" if len(narrow) > 1 else ""
        message = f"{message}{more}: open-air cards side by side overheat, throttle by about 30 % and age."
        return Answer(Status.WARN, message, gap, GAP_SLOTS, "slots", at)
    if cooling is GpuCooling.FLOW_THROUGH and dry[-1] is not all_[0]:
        message = f"{message}; {part.title} blows through its end onto the card above it, which breathes that heat."
        return Answer(Status.NOTE, message, gap, GAP_SLOTS, "slots", at)
    return Answer(Status.PASS, f"{message}.", gap, GAP_SLOTS, "slots", at)


def _next_below(card: Card, cards: list[Card]) -> Card | None:
    """The next of the cards, which stand in order from the top."""
    return next((other for other in cards if (other.slot or 0) > (card.slot or 0)), None)


def _passive(read: Reader, line: Line) -> Answer:
    name = line.part.title
    if read(line.part, "cooling") is not GpuCooling.PASSIVE:
        return Answer(Status.PASS, f"{name} brings its own cooling.")
    if read.machine.blocks_on(line.part.id) >= line.quantity:
        return Answer(Status.PASS, f"{name} is cooled by water.")
    kind = read(read.case, "kind")
    if kind in (CaseKind.RACK, CaseKind.SYSTEM):
        return Answer(Status.PASS, f"{name} has no fan and sits in a {kind} chassis with ducted air.")
    frame = "an open frame" if kind is CaseKind.OPEN_FRAME else f"a {kind}"
    return Answer(Status.WARN, f"{name} has no fan: in {frame} it needs a duct and a strong fan of its own.")


def _gpus(machine: Machine) -> list[Card]:
    """GPUs that sit in their slot; one on a riser hangs elsewhere."""
    return [card for card in machine.placed if card.part.category is Category.GPU and not card.on_riser]


def _placed_lines(machine: Machine) -> list[Line]:
    sitting = {card.part.id for card in _gpus(machine)}
    return [line for line in machine.lines(Category.GPU) if line.part.id in sitting]


def _card_lines(machine: Machine) -> list[Line]:
    return [
        line
        for line in machine.lines(Category.GPU)
        if isinstance(spec := line.part.spec, GpuSpec) and spec.form == "pcie_card"
    ]


_GPU = (Category.GPU,)

AIR_RULES = (
    Rule(
        "card-gap",
        "Air between the cards",
        "An open-air card has at least one empty slot before its fans: two-slot cards three slots apart, thicker ones "
        "four. Blowers and water-cooled cards need none.",
        "ZOTAC installation advice; T. Dettmers: neighbouring consumer cards lose about 30 % of their speed",
        _gap,
        _GPU,
        subjects=_placed_lines,
        nothing="No GPU sits in a slot.",
        gravest=Status.WARN,
        reads=("gpu.width_slots", "gpu.form", *BLOCK_READS),
    ),
    Rule(
        "card-passive",
        "Cards without a fan",
        "Passive cards need ducted air.",
        "server chassis practice, not confirmed",
        _passive,
        (Category.GPU, Category.CASE),
        subjects=_card_lines,
        nothing="No GPU that goes into a slot.",
        confirmed=False,
        reads=("gpu.form", "case.kind", *BLOCK_READS),
    ),
)
