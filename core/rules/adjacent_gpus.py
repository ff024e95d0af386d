"""Cards that take each other's air, and slots and plugs between hot cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.parts.vocabulary import CaseKind, Category, GpuCooling
from core.plan.line import Card, Line
from core.plan.seats import SlotNumber
from core.plan.water_blocks import BLOCK_READS
from core.predict.power_limit import ThrottledLine, throttled_lines
from core.rules.changes import BLOWER, BOARD_OF_MORE_SLOTS, COOLER_CARDS, OTHER_CASE, SAME_CHIP, Move, Swap
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, Rule, Subjects
from core.rules.slots import PLACES_READS, covered, need_places
from core.words import lowered, slots_listed, tr, trn

Key = tuple[str, int]
"""A card: the id of its part and its number."""
_BREATHING = (GpuCooling.OPEN_AIR, GpuCooling.FLOW_THROUGH)
GAP_SLOTS = 1
"""Empty slots that an open-air card needs before its fans."""
DUCT_MMH2O, CARDS_PER_FAN = 10.0, 2
"""What a fan must press to blow through the fins of a passive card, as server fans do and case fans do not, and how
many cards builders put behind one; practice, not confirmed."""
BORNE_W_PER_SLOT = 100.0
"""Open-air cards of so much over each slot that they take work without an empty one: RTX 3090 of three slots at 250 to
290 W in five reported machines, RX 470 of two at 120 W. At 350 W, or 250 W over two slots, they lose clocks."""


def _gap(read: Reader, line: Line) -> Answer:
    """The narrowest gap below an air-cooled card of the line."""
    machine, part = read.machine, line.part
    all_ = machine.side_by_side
    cards = [card for card in all_ if card.part is part]
    dry = [card for card in cards if card.number > machine.blocks_on(part.id)]
    slots = tuple(card.slot or 0 for card in cards)
    cooling = read(part, "cooling") if dry else GpuCooling.WATER_BLOCK
    if cooling is GpuCooling.WATER_BLOCK:
        return Answer(Status.PASS, tr("{part} is cooled by water.", part=part.title), slots=slots)
    if cooling not in _BREATHING:
        message = tr("{part} ({cooling}) may sit next to another card.", part=part.title, cooling=cooling.label)
        return Answer(Status.PASS, message, slots=slots)
    pairs = [(card, below) for card in dry if (below := _next_below(card, all_))]
    if machine.build.carriers:
        pairs = [pair for pair in pairs if _side_by_side(*pair)]
    if not pairs:
        return Answer(Status.PASS, tr("{part} has no card below it.", part=part.title), slots=slots)
    need_places(read)
    gaps = [(_free(card, below, read(part, "width_slots")), card, below) for card, below in pairs]
    narrow = [gap for gap in gaps if gap[0] < GAP_SLOTS]
    gap, card, below = min(gaps, key=lambda one: one[0])
    read.about(below.part)
    name = tr("{part} in slot {slot}", part=part.title, slot=card.slot)
    at = tuple(card.slot or 0 for _, card, _ in (narrow or gaps))
    if gap < 0:
        message = tr("{name} overlaps the card in slot {slot}: no air reaches its fans.", name=name, slot=below.slot)
        return Answer(Status.WARN, message, 0, GAP_SLOTS, "slots", at)
    if gap:
        fields = {"name": name, "count": gap, "slot": below.slot}
        message = trn(
            "{name} has {count} empty slot before the card in slot {slot}",
            "{name} has {count} empty slots before the card in slot {slot}",
            **fields,
        )
    else:
        message = tr("{name} has no empty slot before the card in slot {slot}", name=name, slot=below.slot)
    if narrow:
        if len(narrow) > 1:
            message = tr("{message} ({number} such cards)", message=message, number=len(narrow))
        status, cost = _cost(machine, line, most_w=BORNE_W_PER_SLOT * ceil(read(part, "width_slots")))
        return Answer(status, tr("{message}: {cost}", message=message, cost=cost), gap, GAP_SLOTS, "slots", at)
    if cooling is GpuCooling.FLOW_THROUGH and dry[-1] is not all_[0]:
        fields = {"message": message, "part": part.title}
        message = tr(
            "{message}; {part} exhausts through its end onto the card above it, which draws in that heat.", **fields
        )
        return Answer(Status.NOTE, message, gap, GAP_SLOTS, "slots", at)
    return Answer(Status.PASS, tr("{message}.", message=message), gap, GAP_SLOTS, "slots", at)


def _cost(machine: RuleContext, line: Line, *, most_w: float) -> tuple[Status, str]:
    """What too narrow a gap takes from the line's cards, from the prediction where there is one; up to `most_w` such
    cards are known to work."""
    cool = line.limit_w is not None and line.limit_w <= most_w
    crowded_cards = crowded(machine)
    prediction = machine.prediction
    held = throttled_among(machine, crowded_cards) if prediction else ()
    own = next((one for one in held if one.part_id == line.part.id), None)
    if prediction is None or prediction.heat.unknown:
        if cool:
            return Status.NOTE, tr("they run warm, but at {limit_w:.0f} W each they work.", limit_w=line.limit_w)
        return Status.WARN, tr("open-air cards side by side overheat.")
    if own is None:
        return Status.PASS if cool else Status.WARN, tr(
            "they run hot, but are expected to keep their power in a room of {room_c:.0f} °C.",
            room_c=prediction.conditions.room_c,
        )
    return Status.WARN, tr("{sentence}.", sentence=lowered(own.sentence))


def throttled_among(machine: RuleContext, cards: frozenset[Key]) -> tuple[ThrottledLine, ...]:
    """What heat takes from these cards; `machine` has its prediction."""
    assert machine.prediction is not None
    heat = machine.prediction.heat
    chosen = tuple(card for card in heat.cards if (card.part_id, card.number) in cards)
    return throttled_lines(machine.build, replace(heat, cards=chosen))


def crowded(machine: RuleContext) -> frozenset[Key]:
    """Open-air cards that stand too close, above or below, by part id and number."""
    all_ = () if machine.places_assumed else machine.side_by_side
    keys: set[Key] = set()
    for card in all_:
        spec, below = card.part.spec, _next_below(card, all_)
        assert isinstance(spec, GpuSpec)
        breathes = spec.cooling in _BREATHING and card.number > machine.blocks_on(card.part.id)
        if below is not None and machine.build.carriers and not _side_by_side(card, below):
            continue
        if breathes and below and spec.width_slots and _free(card, below, spec.width_slots) < GAP_SLOTS:
            keys |= {(one.part.id, one.number) for one in (card, below)}
    return frozenset(keys)


def _free(card: Card, below: Card, width_slots: float) -> int:
    """Empty slots between two cards."""
    return (below.slot or 0) - (card.slot or 0) - ceil(width_slots)


def _side_by_side(card: Card, below: Card) -> bool:
    """Whether they are on one board or one carrier."""
    return SlotNumber(card.slot or 0).carrier == SlotNumber(below.slot or 0).carrier


def _next_below(card: Card, cards: Sequence[Card]) -> Card | None:
    """The next of the cards, which stand in order from the top."""
    return next((other for other in cards if (other.slot or 0) > (card.slot or 0)), None)


def _passive(read: Reader, line: Line) -> Answer:
    name = line.part.title
    if read(line.part, "cooling") is not GpuCooling.PASSIVE:
        return Answer(Status.PASS, tr("{name} brings its own cooling.", name=name))
    if read.machine.blocks_on(line.part.id) >= line.quantity:
        return Answer(Status.PASS, tr("{name} is cooled by water.", name=name))
    kind = read(read.case, "kind")
    if kind in (CaseKind.RACK, CaseKind.SYSTEM):
        message = tr("{name} has no fan and sits in a system chassis with ducted air.", name=name)
        if kind is CaseKind.RACK:
            message = tr("{name} has no fan and sits in a rack chassis with ducted air.", name=name)
        return Answer(Status.PASS, message)
    coolings = ((one.quantity, getattr(one.part.spec, "cooling", None)) for one in _card_lines(read.machine))
    strong = sum(fans.quantity for fans in read.machine.lines(Category.FAN) if _blows_hard(read, fans.part))
    if CARDS_PER_FAN * strong >= sum(quantity for quantity, cooling in coolings if cooling is GpuCooling.PASSIVE):
        message = tr("{name} has no fan: lead the air of the build's server fans through it with a duct.", name=name)
        return Answer(Status.NOTE, message)
    frame = tr("an open frame") if kind is CaseKind.OPEN_FRAME else tr("a tower")
    message = tr("{name} has no fan: in {frame} it needs a duct and a strong fan of its own.", name=name, frame=frame)
    return Answer(Status.WARN, message)


def _blows_hard(read: Reader, fan: Part) -> bool:
    pressures = (point.static_pressure_mmh2o or 0.0 for point in read.maybe(fan, "points") or ())
    return max(pressures, default=0.0) >= DUCT_MMH2O


def _placed_lines(machine: RuleContext) -> list[Line]:
    sitting = {card.part.id for card in machine.side_by_side}
    return [line for line in machine.lines(Category.GPU) if line.part.id in sitting]


def _card_lines(machine: RuleContext) -> list[Line]:
    gpus = ((line, line.part.spec) for line in machine.lines(Category.GPU))
    return [line for line, spec in gpus if isinstance(spec, GpuSpec) and spec.form == "pcie_card"]


_GPU = (Category.GPU,)

AIR_RULES = (
    Rule(
        "card-gap",
        tr("Air between the cards"),
        tr(
            "An open-air card has at least one empty slot before its fans: two-slot cards three "
            "slots apart, thicker ones four. Blowers and water-cooled cards need none, nor do cards of at most 100 W "
            "for each slot that they take."
        ),
        "ZOTAC installation advice; T. Dettmers: neighbouring consumer cards lose about 30 % of their speed; here "
        "what the prediction has them lose",
        _gap,
        _GPU,
        subjects=Subjects(_placed_lines, tr("No GPU sits in a slot.")),
        gravest=Status.WARN,
        reads=("gpu.width_slots", "gpu.form", "gpu.power_limit_w", *PLACES_READS, *BLOCK_READS),
        fixes=(*COOLER_CARDS[:-1], BOARD_OF_MORE_SLOTS, Move.FEWER_CARDS),
    ),
    Rule(
        "card-passive",
        tr("Cards without a fan"),
        tr("Passive cards need ducted air, in a tower from fans of at least 10 mmH₂O, one for two cards."),
        "server chassis practice, not confirmed",
        _passive,
        (Category.GPU, Category.CASE),
        subjects=Subjects(_card_lines, tr("No GPU that goes into a slot.")),
        confirmed=False,
        reads=("gpu.form", "case.kind", "fan.points", *BLOCK_READS),
        fixes=(OTHER_CASE, BLOWER, Swap(Category.GPU, "", SAME_CHIP), Move.FEWER_CARDS),
    ),
)


RETIMED_GENERATION = 5
RETIMED_W_PER_SLOT = 150.0
"""From generation 5 on: blowers of 300 W two slots apart overheated the retimers under them."""
PASSIVE_W_PER_SLOT = 175.0
"""Up to generation 4, whose slots have few parts under the cards: those of 350 W in two slots grew hot."""
REPORTED_C = 88.0
_AWAY = (GpuCooling.WATER_BLOCK, GpuCooling.HYBRID, GpuCooling.PASSIVE)
"""Cards whose heat leaves at a radiator, and those without a fan: the air driven through them passes slots as well."""


def _slot_heat(read: Reader, machine: RuleContext) -> Answer:
    cards = machine.side_by_side
    for body in {body.id: body for card in cards if (body := machine.body(card))}.values():
        read.maybe(body, "width_slots")
    crowded_cards = crowded(machine)
    pairs = [pair for pair in pairwise(cards) if not {(one.part.id, one.number) for one in pair} <= crowded_cards]
    parts = {one.part.id: one.part for pair in pairs for one in pair}
    airy = {part.id for part in parts.values() if _warms(read, part)}
    pairs = [(card, below) for card, below in pairs if {card.part.id, below.part.id} <= airy]
    limits_w = {line.part.id: line.limit_w or 0.0 for line in machine.lines(Category.GPU)}
    hot = [(one, heat) for one, below in pairs if (heat := _heat_per_slot(read, one, below, limits_w)) is not None]
    if pairs:
        need_places(read)
    warm = [pair for pair in hot if pair[1] >= RETIMED_W_PER_SLOT]
    if warm:
        read(read.board, "slots")
    close = [pair for pair in warm if _generation(read, pair[0]) >= RETIMED_GENERATION]
    if close:
        return _hot_slots(read, close, Status.WARN, RETIMED_W_PER_SLOT)
    close = [pair for pair in hot if pair[1] >= PASSIVE_W_PER_SLOT]
    if close:
        return _hot_slots(read, close, Status.NOTE, PASSIVE_W_PER_SLOT)
    if crowded_cards:
        return Answer(Status.PASS, tr("Open-air cards sit without a gap: card-gap says what that costs."))
    return Answer(Status.PASS, tr("No two hot cards sit without a gap."))


def _hot_slots(read: Reader, close: list[tuple[Card, float]], status: Status, limit: float) -> Answer:
    read.about(*(card.part for card, _ in close))
    slots = tuple(card.slot or 0 for card, _ in close)
    most = max(heat for _, heat in close)
    fields = {"most": most, "reported_c": REPORTED_C}
    if status is Status.WARN:
        message = tr(
            "{most:.0f} W per slot without a gap over {slots} of Gen5: retimers under such cards have overheated and "
            "slots have reached {reported_c:.0f} °C, with errors on the link. Leave a slot free, lower the power limit "
            "or blow air at the slots, and watch the link's error counters in the burn-in.",
            slots=slots_listed(slots),
            **fields,
        )
    else:
        message = tr(
            "{most:.0f} W per slot without a gap over {slots}: slots and plugs between such cards have reached "
            "{reported_c:.0f} °C, with errors on the link. Blow air at them, and watch the link's error counters in "
            "the burn-in.",
            slots=slots_listed(slots),
            **fields,
        )
    return Answer(status, message, most, limit, "W", slots)


def _warms(read: Reader, part: Part) -> bool:
    """Whether air of its own fans takes a card's heat past the slots; its power limit counts as read then."""
    if read(part, "cooling") in _AWAY:
        return False
    read(part, "power_limit_w")
    return True


def _heat_per_slot(read: Reader, card: Card, below: Card, limits_w: Mapping[str, float]) -> float | None:
    """Watts over each slot's pitch of the cooler of two air-cooled cards without an empty slot between them."""
    machine = read.machine
    if any(machine.body(one) is not one.part for one in (card, below)):
        return None
    if (below.slot or 0) > covered(read, card)[-1] + 1:
        return None
    return min(limits_w[card.part.id], limits_w[below.part.id]) / max((below.slot or 0) - (card.slot or 0), 1)


def _generation(read: Reader, card: Card) -> int:
    """What card and slot agree on."""
    own = read(card.part, "pcie_generation")
    slot = read.machine.slot_of(card)
    if slot is None:
        raise read.give_up(read.board, "slots")
    return int(min(own, slot.generation))


SLOT_HEAT_RULES = (
    Rule(
        "slot-heat",
        tr("Heat at slots and plugs"),
        tr(
            "Air-cooled cards without an empty slot between them leave less than 150 W per slot of Gen5, whose "
            "retimers sit under them, and less than 175 W per slot of earlier generations."
        ),
        "convergence.ninja, taming the toaster (four RTX PRO 6000 Max-Q of 300 W two slots apart: retimers over their "
        "limit, a lock-up a day); rtx6kpro (88 °C at a slot with link errors), not confirmed",
        _slot_heat,
        (Category.GPU, Category.MOTHERBOARD),
        gravest=Status.WARN,
        confirmed=False,
        reads=(
            *("gpu.power_limit_w", "gpu.width_slots", "gpu.form", "gpu.pcie_generation", *PLACES_READS),
            "water_block.width_slots",
            *BLOCK_READS,
        ),
        fixes=(Move.LIMIT_POWER, BOARD_OF_MORE_SLOTS, Move.FEWER_CARDS),
    ),
)
