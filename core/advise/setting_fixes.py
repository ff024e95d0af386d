"""Fixes without another major part: cards moved, on risers or fewer, power limits, fan speeds, which PSU feeds what,
circuits, sockets of drives, generations of slots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from math import ceil, floor

from core.advise.fix import PartSource, and_then
from core.advise.suitability import has_room_for_risers, is_suitable, runs_at
from core.advise.trial import Trial, TrialOutcome
from core.parts.part import Part
from core.parts.query import Filter, Query
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category, GpuCooling
from core.plan.build import SLOWEST_FANS, Build
from core.plan.card_edits import PlaceAll, PutOnRisers, SetPowerLimit, SetPsu, SetRole, SetSlotGeneration, SetSockets
from core.plan.edits import AddPart, Edit, PlaceCards, RemovePart, SetDetails, SetQuantity, Several, title_in
from core.plan.line import SLOT_FED_GB, SLOT_FED_W, Line, Role, is_card
from core.plan.mains import CIRCUITS, MAX_CIRCUITS
from core.plan.placement.best import best_placement, placed_by_hand
from core.plan.placement.risers import key_of
from core.plan.placement.sockets import drive_sockets, socket_form
from core.plan.site_edits import SetAssumptions, SetCircuits, SetFanShare
from core.plan.wiring.wire import wire
from core.predict.conditions import LoadCase
from core.predict.noise.sources import SPEED_SHARE
from core.words import listed, tr

RISERS_TRIED = 4
MOST_DROPPED = 1 / 3
"""Of the cards, at most: going without more of them is no fix but another machine."""


def arrange(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """Other slots for the cards of the finding, then for all."""
    build = trial.build
    there = {slot.position for slot in build.board_slots()}
    stays = {line.part.id for line in build.lines if set(line.slots) <= there} - set(trial.finding.parts)
    others = [key_of(card) for card in build.cards() if card.part.id in stays and card.slot is not None]
    for pinned in (others, []) if others else ([],):
        placement = best_placement(build, pinned=pinned)
        if placement is not None and _seated(placement.edit.apply(build)) >= _seated(build):
            yield _as_moved(build, placement.edit)


def _seated(build: Build) -> int:
    return sum(card.slot is not None for card in build.cards())


def _as_moved(build: Build, edit: PlaceAll) -> Edit:
    """The same as the edit of one line, if it changes only one."""
    after = edit.apply(build)
    changed = [(old, new) for old, new in zip(build.lines, after.lines, strict=True) if new != old]
    if len(changed) != 1 or changed[0][0].hosts != changed[0][1].hosts:
        return edit
    moved = changed[0][1]
    alone = PlaceCards(moved.part.id, moved.slots)
    return alone if alone.apply(build) == after else edit


def off_risers(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The finding's cards in their slots instead of on risers."""
    for line in _card_lines(trial):
        if line.risers:
            yield PutOnRisers(line.part.id, ())


def put_on_riser(trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """One of the finding's cards on a riser of the catalogue, where a card can stand away from its slot."""
    if not has_room_for_risers(trial.build):
        return
    hits = catalogue.find(Query(category=Category.RISER, sort="generation", descending=True))
    risers = [riser for hit in hits if (riser := catalogue.part(hit.id)) and is_suitable(trial.build, riser)]
    for line in _card_lines(trial):
        for slot in _slots_meant(trial, line):
            for riser in risers[:RISERS_TRIED]:
                fields = {"card": line.part.title, "slot": slot, "riser": riser.title}
                title = tr("Put {card} in slot {slot} on the riser {riser}", **fields)
                yield Several(title, (AddPart(riser), PutOnRisers(line.part.id, (*line.risers, slot))))


def display_card(trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """A small card that its slot alone feeds, the least of them first, in the slot that Arrange would give it."""
    small = (
        Filter("power_limit_w", high=SLOT_FED_W),
        Filter("memory_gb", high=SLOT_FED_GB),
        Filter("cooling", (GpuCooling.OPEN_AIR, GpuCooling.BLOWER)),
    )
    hits = catalogue.find(Query("", Category.GPU, small, sort="memory_gb"))
    for part in (part for hit in hits if (part := catalogue.part(hit.id))):
        if is_card(part) and trial.build.line(part.id) is None and is_suitable(trial.build, part):
            title = tr("Add {card} for the display", card=part.title)
            added = (AddPart(part), SetRole(part.id, Role.DISPLAY))
            slots = _slots_as_arranged(Several(title, added).apply(trial.build), part)
            if slots:
                yield Several(title, (*added, PlaceCards(part.id, slots)))


def _slots_as_arranged(build: Build, part: Part) -> tuple[int, ...]:
    """Where Arrange puts the cards of one part while all others stay; empty where no slot is left."""
    others = [key for key in placed_by_hand(build) if key[0] != part.id]
    placement = best_placement(build, pinned=others)
    line = placement.edit.apply(build).line(part.id) if placement else None
    return line.slots if line else ()


def fewer_cards(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """One card of the finding's fewer, then two, and so on; most of the cards stay, and a machine keeps one GPU."""
    lines = _card_lines(trial)
    for line in lines:
        for slot in _slots_meant(trial, line):
            if line.quantity > 1 and slot != line.slots[-1]:
                yield _taken_out(line, slot)
    for dropped in range(1, max((line.quantity for line in lines), default=0)):
        for line in lines:
            if line.quantity > dropped and _most_stay(trial.build, line, dropped):
                fewer = SetQuantity(line.part.id, line.quantity - dropped)
                fields = {"number": dropped, "quantity": line.quantity, "card": line.part.title}
                title = tr("Remove {number} of {quantity} {card}", **fields)
                yield Several(title, (fewer,))
    for line in lines:
        others = trial.build.count(line.part.category) > line.quantity
        if line.part.category is not Category.GPU or (others and _most_stay(trial.build, line, line.quantity)):
            yield RemovePart(line.part.id)


def _most_stay(build: Build, line: Line, dropped: int) -> bool:
    return dropped == 1 or dropped <= MOST_DROPPED * build.count(line.part.category)


def _taken_out(line: Line, slot: int) -> Edit:
    """The quantity counts from the end, so this card goes there first."""
    last = (*(other for other in line.slots if other != slot), slot)
    edits = (PlaceCards(line.part.id, last), SetQuantity(line.part.id, line.quantity - 1))
    return Several(tr("Remove {card} from slot {slot}", card=line.part.title, slot=slot), edits)


def _card_lines(trial: Trial) -> list[Line]:
    cards = [line for line in trial.build.lines if is_card(line.part)]
    return [line for line in cards if line.part.id in trial.finding.parts] or cards


def _slots_meant(trial: Trial, line: Line) -> list[int]:
    """The line's slots that the finding names, else all; without those on risers."""
    standing = [slot for slot in line.slots if slot not in line.risers]
    return [slot for slot in standing if slot in trial.finding.slots] or standing


STEP_W = 5.0
LEAST_SHARE = 0.5
"""Of its own limit, for a card whose least limit is unknown."""
ANGLED_PLUG_MM = 18.0
"""The least that builders report above a card's edge (18 to 40 mm), not confirmed: measure yours."""
LEAST_GENERATION = 3
"""Older ones cost training more than a better riser."""
FAN_STEPS = 16
"""From the slowest to the highest speed of case fans: 5 % each."""

Test = Callable[[TrialOutcome], bool]


def limit_power(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The largest power limits, in steps of 5 W, with which the finding is eased, and with which it is gone."""
    lines = _limitable(trial)
    if not lines:
        return
    steps = max(ceil(((line.limit_w or 0) - _least_w(line)) / STEP_W) for line in lines)
    yield from _just_enough(trial, steps, lambda step: _limits(lines, 1 - step / steps))


def faster_fans(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The lowest speed of the case's fans, above that of now, with which the finding is eased, and is gone."""
    yield from _fans_towards(trial, 1.0)


def slower_fans(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The highest speed of the case's fans, below that of now, with which the finding is eased, and is gone."""
    yield from _fans_towards(trial, SLOWEST_FANS)


def allowed_limit(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The nearest limit that the card takes in the place of one that it does not take, then its own."""
    for line, spec in trial.build.gpus():
        if line.power_limit_w is not None:
            ends = [limit for limit in (spec.power_limit_min_w, spec.power_limit_max_w) if limit is not None]
            near = line.power_limit_w
            for limit in (*sorted(ends, key=lambda end: abs(end - near)), None):
                yield SetPowerLimit(line.part.id, limit)


def _just_enough(trial: Trial, steps: int, edit: Callable[[int], Edit]) -> Iterator[Edit]:
    """The first steps, of 1 to `steps`, from which on the finding is eased, and gone; nothing where none is."""
    last = trial.outcome(edit(steps))
    if last is None or last.breaks:
        return
    if last.eased and (step := _first_step(trial, steps, edit, lambda outcome: outcome.eased)) is not None:
        yield edit(step)
    if last.solved and (step := _first_step(trial, steps, edit, lambda outcome: outcome.solved)) is not None:
        yield edit(step)


def _first_step(trial: Trial, steps: int, edit: Callable[[int], Edit], test: Test) -> int | None:
    """By halving; None where the trials do not suffice to be sure that it is the first."""
    low, high = 0, steps
    while high - low > 1:
        middle = (low + high) // 2
        if not trial.left:
            return None
        outcome = trial.outcome(edit(middle))
        if outcome is not None and test(outcome) and not outcome.breaks:
            high = middle
        else:
            low = middle
    return high


def _limitable(trial: Trial) -> list[Line]:
    """The GPUs at work that the finding is about, or all at work, if their limits are known and can be set lower."""
    lines = [line for line, _ in trial.build.workers()]
    chosen = [line for line in lines if line.part.id in trial.finding.parts] or lines
    if any(line.limit_w is None for line in chosen):
        return []
    return [line for line in chosen if _least_w(line) < (line.limit_w or 0)]


def _limits(lines: list[Line], share: float) -> Edit:
    """All at the same share of the way from the least to what they have now."""
    edits = tuple(SetPowerLimit(line.part.id, _limit_w(line, share)) for line in lines)
    if len(edits) == 1:
        return edits[0]
    limits = [tr("{card} to {limit_w:.0f} W", card=line.part.title, limit_w=_limit_w(line, share)) for line in lines]
    return Several(tr("Limit {limits}", limits=listed(limits)), edits)


def _limit_w(line: Line, share: float) -> float:
    now, least = line.limit_w or 0.0, _least_w(line)
    limit_w = least + (now - least) * share
    return max(least, floor((limit_w + 1e-6) / STEP_W) * STEP_W)


def _least_w(line: Line) -> float:
    """The least limit that is worth setting, W: what the card's driver accepts, or half its own."""
    assert isinstance(line.part.spec, GpuSpec)
    return line.part.spec.power_limit_min_w or LEAST_SHARE * (line.part.spec.power_limit_w or line.limit_w or 0.0)


def _fans_towards(trial: Trial, end: float) -> Iterator[Edit]:
    build = trial.build
    has = build.of(Category.FAN) or build.of(Category.RADIATOR) or (build.case and build.case[1].included_fans)
    now = build.fan_share
    if not has or now == end:
        return
    begin = SPEED_SHARE[LoadCase.TRAINING][1] if now is None else now
    steps = max(1, ceil(abs(end - begin) / (1 - SLOWEST_FANS) * FAN_STEPS))
    yield from _just_enough(trial, steps, lambda step: SetFanShare(round(begin + (end - begin) * step / steps, 2)))


def share_out(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """All PSUs chosen automatically, where somebody set them; then cards of the fullest PSU on the emptiest."""
    build = trial.build
    set_by_hand = tuple(SetPsu(line.part.id, None) for line in build.lines if any(line.psus))
    if set_by_hand:
        title = tr("Choose the PSU of each card automatically")
        yield set_by_hand[0] if len(set_by_hand) == 1 else Several(title, set_by_hand)
    wiring = wire(build)
    if len(wiring.psus) < 2 or wiring.by_chassis:
        return
    ranked = sorted(wiring.psus, key=lambda psu: (psu.share or 0.0, -psu.place))
    emptiest, fullest = ranked[0].place, ranked[-1].place
    cards = {
        (feed.socket.part_id, feed.socket.number): None
        for feed in wiring.feeds
        if feed.psu == fullest and feed.socket.category is Category.GPU
    }
    moves = [SetPsu(part_id, emptiest, (number,)) for part_id, number in reversed(cards)]
    yield from {move.part_id: move for move in reversed(moves)}.values()
    for count in range(2, len(moves)):
        titles = (title_in(move, build) for move in moves[:count])
        yield Several(reduce(and_then, titles), tuple(moves[:count]))


def another_circuit(trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """A stronger circuit of the same country that the machine's PSUs run at, the weakest first: of the same voltage,
    and of another one where no further circuit of the same kind helps."""
    build, now = trial.build, trial.build.circuit
    if build.custom_circuit is not None:
        return
    country = build.region.partition("-")[0]
    others = [one for one in CIRCUITS if one.id.startswith(f"{country}-") and one.continuous_w > now.continuous_w]
    further = (trial.outcome(edit) for edit in one_more_circuit(trial, catalogue))
    if any(outcome is not None and outcome.helps for outcome in further):
        others = [one for one in others if one.voltage_v == now.voltage_v]
    for circuit in sorted(others, key=lambda one: (one.voltage_v != now.voltage_v, one.continuous_w)):
        edit = SetDetails(region=circuit.id)
        there = edit.apply(build)
        fed = (Category.PSU, Category.UPS, Category.PDU)
        if all(runs_at(there, line.part) for category in fed for line in there.of(category)):
            yield Several(tr("Feed the machine from a circuit of {circuit}", circuit=circuit.title), (edit,))


def one_more_circuit(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """A further circuit of the same kind, with nothing else on it, for a machine of several PSUs."""
    loads = trial.build.other_loads_w
    if len(loads) < min(MAX_CIRCUITS, trial.build.count(Category.PSU)):
        yield SetCircuits(trial.build.custom_circuit, (*loads, 0.0))


def angled_plugs(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """Plugs that leave the card sideways: less room above it than a straight plug and the bend of its cable."""
    assumed = trial.build.assumptions
    if assumed.plug_room_mm > ANGLED_PLUG_MM:
        fields = {"angled": ANGLED_PLUG_MM, "straight": assumed.plug_room_mm}
        title = tr(
            "Use angled power plugs or adapters: {angled:.0f} mm above the cards instead of {straight:.0f} mm", **fields
        )
        yield Several(title, (SetAssumptions(replace(assumed, plug_room_mm=ANGLED_PLUG_MM)),))


def other_socket(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """Drives whose socket was set by hand where they cost least, then one drive after the other in a free socket."""
    build = trial.build
    lines = [line for line in build.of(Category.STORAGE) if any(line.sockets)]
    board = build.motherboard
    if not lines or board is None:
        return
    yield from (SetSockets(line.part.id, ()) for line in lines)
    taken = drive_sockets(build)
    used = {socket.label for socket in taken.values()}
    for line in lines:
        numbers = range(1, line.quantity + 1)
        for number in numbers:
            own = taken.get((line.part.id, number))
            for socket in board[1].m2 or ():
                if own is not None and socket.label not in used and socket_form(socket) == socket_form(own):
                    labels = [socket.label if each == number else line.socket(each) for each in numbers]
                    yield SetSockets(line.part.id, tuple(labels))


def older_generation(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The finding's slots at the generation below that of now, then at the one below that."""
    slots = [slot for slot in trial.build.board_slots() if slot.position in trial.finding.slots]
    newest = max((slot.generation for slot in slots), default=0)
    for generation in range(newest - 1, LEAST_GENERATION - 1, -1):
        faster = tuple(slot.position for slot in slots if slot.generation > generation)
        yield SetSlotGeneration(faster, generation)


def full_generation(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The finding's slots, where they are set to an older generation, as fast as they can."""
    slots = tuple(slot for slot, _ in trial.build.slot_generations if slot in trial.finding.slots)
    if slots:
        yield SetSlotGeneration(slots, None)
