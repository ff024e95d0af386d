"""Why a placement is as it is: what decided, and what had to be given up, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.parts.specs import LaneCase
from core.plan.build import Build
from core.plan.placement.candidates import Arrangement, Candidate, PlacementProblem, PlacementScore
from core.plan.placement.links import CardLink, LinkLimit, links, own_link
from core.plan.seats import Seat
from core.words import all_together, listed, slots_listed, tr, trn

_Placed = Sequence[tuple[Candidate, int]]


def reasons(
    build: Build,
    problem: PlacementProblem,
    arrangement: Arrangement,
    score: PlacementScore,
    roomier: PlacementScore | None = None,
) -> tuple[str, ...]:
    """Sentences about the build as placed. `roomier` is the score with air put before links, where that was tried."""
    placed = [(problem.candidates[index], at) for index, at in sorted(arrangement.items())]
    return (
        *_pinned(problem),
        *_left_out(build, problem, arrangement),
        *_overhanging(problem, placed, score),
        *_narrow(problem, links(build).values()),
        *_on_chipset(problem, placed),
        *_without_air(problem, placed, score, roomier),
        *_bridges(problem, score),
        *_apart(score),
        *_on_one_root(problem, placed, score),
    )


def why_narrow(link: CardLink, slots_by_label: dict[str, int], *, sentence: bool = False) -> str:
    """What holds a link back: "slot 5 has 8 lanes because slots 1 and 3 are filled". Empty if nothing does.

    As the start of a sentence: "Slot 5 has 8 lanes".
    """
    limits = [limit for limit in link.limits if limit is not LinkLimit.SLOT or LinkLimit.SETTING not in link.limits]
    plain_ones = [limit for limit in limits if limit in _PLAIN]
    others = [limit for limit in limits if limit not in _PLAIN or len(plain_ones) == 1]
    phrases = [_limit_words(link, limit, slots_by_label, sentence and not place)
               for place, limit in enumerate(others)]  # fmt: skip
    if len(plain_ones) > 1:
        phrases.append(_no_more_words(link, plain_ones, sentence and not phrases))
    return all_together(phrases)


_PLAIN = (LinkLimit.SLOT, LinkLimit.RISER, LinkLimit.CPU)
"""What simply gives no more; several of these are told in one."""


def _no_more_words(link: CardLink, limits: Sequence[LinkLimit], starts: bool) -> str:
    at, riser = link.slot.position, link.riser.title if link.riser else tr("unknown")
    slot = tr("Slot {slot}", slot=at) if starts else tr("slot {slot}", slot=at)
    riser_name = tr("the riser ({riser})", riser=riser)
    names = {LinkLimit.SLOT: slot, LinkLimit.RISER: riser_name, LinkLimit.CPU: tr("the CPU")}
    words = [names[limit] for limit in limits]
    if starts and limits[0] is LinkLimit.RISER:
        words[0] = tr("The riser ({riser})", riser=riser)
    return tr(
        "{names} give no more than Gen{generation} x{lanes}",
        names=listed(words),
        generation=link.generation,
        lanes=link.lanes,
    )


def _limit_words(link: CardLink, limit: LinkLimit, slots_by_label: dict[str, int], starts: bool) -> str:
    slot, at = link.slot, link.slot.position
    name = tr("Slot {slot}", slot=at) if starts else tr("slot {slot}", slot=at)
    match limit:
        case LinkLimit.NO_CPU:
            return tr("{slot} belongs to CPU {cpu}, which the build does not have", slot=name, cpu=slot.cpu + 1)
        case LinkLimit.SETTING if LinkLimit.SLOT in link.limits:
            return tr(
                "{slot} is x{lanes} and set to Gen{generation}",
                slot=name,
                lanes=int(slot.lanes),
                generation=slot.generation,
            )
        case LinkLimit.SETTING:
            return tr("{slot} is set to Gen{generation}", slot=name, generation=slot.generation)
        case LinkLimit.POPULATION if link.row is not None and _row_words(link, link.row, slots_by_label):
            lanes = int(slot.lanes * link.share) if isinstance(slot, Seat) else link.row.widths[slot.label]
            cause = _row_words(link, link.row, slots_by_label)
            if not lanes:
                return tr("{slot} is off because {cause}", slot=name, cause=cause)
            return trn(
                "{slot} has {count} lane because {cause}",
                "{slot} has {count} lanes because {cause}",
                slot=name,
                count=lanes,
                cause=cause,
            )
        case LinkLimit.SLOT | LinkLimit.POPULATION:
            lanes = int(slot.lanes) if link.row is None else link.row.widths.get(slot.label, int(slot.lanes))
            return tr("{slot} is Gen{generation} x{lanes}", slot=name, generation=slot.generation, lanes=lanes)
        case LinkLimit.SPLIT:
            if starts:
                return tr("Several cards share slot {slot}", slot=at)
            return tr("several cards share slot {slot}", slot=at)
        case LinkLimit.RISER:
            riser = link.riser.title if link.riser else tr("unknown")
            return (
                tr("The riser ({riser}) supports no more", riser=riser)
                if starts
                else tr("the riser ({riser}) supports no more", riser=riser)
            )
        case LinkLimit.CARRIER:
            assert isinstance(slot, Seat)
            return tr(
                "{seat} of {carrier} is Gen{generation} x{lanes}",
                seat=slot.position,
                carrier=slot.carrier.title,
                generation=slot.generation,
                lanes=slot.lanes,
            )
        case LinkLimit.NOT_PLUGGED:
            assert isinstance(slot, Seat)
            return tr("{carrier} under {seat} plugs into nothing yet", carrier=slot.carrier.title, seat=at)
        case LinkLimit.CPU:
            return tr("The CPU supports no more") if starts else tr("the CPU supports no more")


def _row_words(link: CardLink, row: LaneCase, slots_by_label: dict[str, int]) -> str:
    """What fills a row of the board's table, other than the slot itself; empty where nothing else does."""
    slots = {slots_by_label[label] for label in row.filled if label in slots_by_label} - {link.slot.position}
    sockets = [tr("M.2 socket {label}", label=label) for label in row.filled if label not in slots_by_label]
    cpu = tr("the CPU has at most {lanes} lanes", lanes=row.cpu_lanes) if row.cpu_lanes else ""
    if not slots and not sockets:
        return cpu
    filled = [slots_listed(sorted(slots))] if slots else []
    places, count = listed([*filled, *sockets]), len(slots) + len(sockets)
    words = trn("{places} is filled", "{places} are filled", places=places, count=count)
    return tr("{filled} and {cpu}", filled=words, cpu=cpu) if row.cpu_lanes else words


def _pinned(problem: PlacementProblem) -> Iterator[str]:
    pinned = sum(candidate.pinned for candidate in problem.candidates)
    if pinned:
        yield trn("{count} card stays where it is.", "{count} cards stay where they are.", count=pinned)


def _left_out(build: Build, problem: PlacementProblem, arrangement: Arrangement) -> Iterator[str]:
    board = build.motherboard
    name = board[0].title if board else tr("the board")
    cards = build.cards()
    for line in build.lines:
        count = sum(card.part.id == line.part.id for card in cards)
        own = [index for index, candidate in enumerate(problem.candidates) if candidate.key[0] == line.part.id]
        left = count - sum(index in arrangement for index in own)
        if not left:
            continue
        candidate = problem.candidates[own[0]] if own else None
        yield trn(
            "{count} of {wanted} {part} finds no slot: {why}",
            "{count} of {wanted} {part} find no slot: {why}",
            count=left,
            wanted=count,
            part=line.part.title,
            why=_why_no_slot(candidate, name),
        )
    if len(arrangement) == len(cards) and len(cards) > 1:
        yield (
            tr("Both cards have a slot, and none covers another's.")
            if len(cards) == 2
            else tr("All {number} cards have a slot, and none covers another's.", number=len(cards))
        )


def _why_no_slot(candidate: Candidate | None, board: str) -> str:
    if candidate is None or not candidate.positions:
        lanes = own_link(candidate.part)[0] if candidate else None
        plug = tr("an x{lanes} connector", lanes=lanes) if lanes else tr("such a card")
        return tr("{board} has no active slot for {plug} within the openings of the case.", board=board, plug=plug)
    count = len(candidate.positions)
    if candidate.width == 1:
        return trn(
            "{count} slot of {board} takes such a card within the case.",
            "{count} slots of {board} take such a card within the case.",
            count=count,
            board=board,
        )
    return trn(
        "{count} slot of {board} takes such a card within the case, and each card covers {width}.",
        "{count} slots of {board} take such a card within the case, and each card covers {width}.",
        count=count,
        board=board,
        width=candidate.width,
    )


def _overhanging(problem: PlacementProblem, placed: _Placed, score: PlacementScore) -> Iterator[str]:
    if score.within == 0:
        return
    over = [at for candidate, at in placed if candidate.is_gpu and problem.overhangs(candidate, at)]
    yield tr(
        "The cooler in {slots} reaches below the last opening of the case: nothing else fits.", slots=slots_listed(over)
    )


def _narrow(problem: PlacementProblem, card_links: Iterable[CardLink]) -> Iterator[str]:
    labels = {slot.label: position for position, slot in problem.slots.items()}
    sentences: list[str] = []
    for link in card_links:
        why = why_narrow(link, labels, sentence=True)
        if why and why not in sentences:
            sentences.append(why)
            yield tr("{sentence}.", sentence=why)
    if not sentences:
        yield tr("Every card has its full link.")


def _on_chipset(problem: PlacementProblem, placed: _Placed) -> Iterator[str]:
    on = [at for candidate, at in placed if candidate.is_gpu and problem.on_chipset(at)]
    if on:
        yield trn(
            "The GPU in {slots} shares the chipset's link: no slot of the CPU is left.",
            "The GPUs in {slots} share the chipset's link: no slot of the CPU is left.",
            slots=slots_listed(on),
            count=len(on),
        )


def _without_air(
    problem: PlacementProblem, placed: _Placed, score: PlacementScore, roomier: PlacementScore | None
) -> Iterator[str]:
    if score.air == 0:
        return
    if roomier is not None and roomier.air > score.air:
        slow, fast = roomier.worst_mbps / 1000, score.worst_mbps / 1000
        cost = tr("slower links")
        if slow < fast:
            cost = tr("the slowest GPU {slow:.1f} instead of {fast:.1f} GB/s", slow=slow, fast=fast)
        yield trn(
            "Air for {count} more card was traded for faster links: it would have left {cost}.",
            "Air for {count} more cards was traded for faster links: it would have left {cost}.",
            count=roomier.air - score.air,
            cost=cost,
        )
        return
    gpus = [candidate for candidate, _ in placed if candidate.is_gpu and not candidate.on_riser]
    needed = sum(candidate.width for candidate in gpus) + sum(candidate.breathes for candidate in gpus) - 1
    widest = max(candidate.width for candidate in gpus)
    room = min(problem.last_opening, max(problem.slots) + widest - 1) - min(problem.slots) + 1
    if needed > room:
        yield trn(
            "No arrangement gives every card air: {count} card with an empty slot before its fans "
            "needs {needed} slots; board and case have {room}.",
            "No arrangement gives every card air: {count} cards with an empty slot before their fans "
            "need {needed} slots; board and case have {room}.",
            count=len(gpus),
            needed=needed,
            room=room,
        )
    else:
        yield trn(
            "{count} card lacks an empty slot before its fans: the slot spacing does not allow it.",
            "{count} cards lack an empty slot before their fans: the slot spacing does not allow it.",
            count=-score.air,
        )


def _bridges(problem: PlacementProblem, score: PlacementScore) -> Iterator[str]:
    possible = sum(bridge.quantity // max(1, min(bridge.needed.values())) for bridge in problem.bridges)
    if not possible:
        return
    if score.nvlink >= possible:
        yield trn(
            "{count} NVLink pair sits at the spacing of the bridges.",
            "{count} NVLink pairs sit at the spacing of the bridges.",
            count=score.nvlink,
        )
    else:
        yield trn(
            "{set} of {count} NVLink pair could be placed at the spacing of the bridges.",
            "{set} of {count} NVLink pairs could be placed at the spacing of the bridges.",
            set=score.nvlink,
            count=possible,
        )


def _apart(score: PlacementScore) -> Iterator[str]:
    if score.together:
        yield trn(
            "GPUs are wired to both CPUs: {count} pair exchanges data over the link between them.",
            "GPUs are wired to both CPUs: {count} pairs exchange data over the link between them.",
            count=-score.together,
        )


def _on_one_root(problem: PlacementProblem, placed: _Placed, score: PlacementScore) -> Iterator[str]:
    if not score.one_root:
        return
    working = sorted(at for candidate, at in placed if candidate.works)
    _, root = problem.roots[working[0]]
    yield tr("The GPUs in {slots} share root complex {root}.", slots=slots_listed(working), root=root)
