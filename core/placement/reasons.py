"""Why a placement is as it is: what decided, and what had to be given up, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.build.build import Build
from core.parts.specs import LaneCase
from core.phrasing import count_of, listed, slots_listed, verb
from core.placement.candidates import Piece, PlacementProblem
from core.placement.links import CardLink, LinkLimit, links, own_link
from core.placement.score import PlacementScore, Seating


def reasons(
    build: Build,
    problem: PlacementProblem,
    seating: Seating,
    score: PlacementScore,
    roomier: PlacementScore | None = None,
) -> tuple[str, ...]:
    """Sentences about the build as placed. `roomier` is the score with air put before links, where that was tried."""
    placed = [(problem.pieces[index], at) for index, at in sorted(seating.items())]
    return (
        *_pinned(problem),
        *_left_out(build, problem, seating),
        *_overhanging(problem, placed, score),
        *_narrow(problem, links(build).values()),
        *_on_chipset(problem, placed),
        *_without_air(problem, placed, score, roomier),
        *_bridges(problem, score),
        *_apart(score),
    )


def why_narrow(link: CardLink, slots_by_label: dict[str, int]) -> str:
    """What holds a link back: "slot 5 has 8 lanes because slots 1 and 3 are filled". Empty if nothing does."""
    slot, phrases = link.slot, []
    for limit in link.limits:
        match limit:
            case LinkLimit.NO_CPU:
                phrases.append(f"slot {slot.position} belongs to CPU {slot.cpu + 1}, which the build does not have")
            case LinkLimit.POPULATION if link.row is not None:
                lanes = link.row.widths[slot.label]
                has = f"has {count_of(lanes, 'lane')}" if lanes else "is off"
                phrases.append(f"slot {slot.position} {has} because {_row_words(link, link.row, slots_by_label)}")
            case LinkLimit.SLOT | LinkLimit.POPULATION:
                phrases.append(f"slot {slot.position} is Gen{slot.generation} x{int(slot.lanes)}")
            case LinkLimit.SPLIT:
                phrases.append(f"several cards share slot {slot.position}")
            case LinkLimit.RISER:
                phrases.append(f"the riser ({link.riser.title if link.riser else 'unknown'}) carries no more")
            case LinkLimit.CPU:
                phrases.append("the CPU offers no more")
    return " and ".join(phrases)


def _row_words(link: CardLink, row: LaneCase, slots_by_label: dict[str, int]) -> str:
    slots = {slots_by_label[label] for label in row.filled if label in slots_by_label}
    sockets = [f"M.2 socket {label}" for label in row.filled if label not in slots_by_label]
    if not slots and not sockets:
        return f"the CPU has at most {row.cpu_lanes} lanes"
    # The maker's table leaves out the slot itself.
    filled = [slots_listed(sorted(slots | {link.slot.position}))] if slots else []
    several = len(slots) + len(sockets) + bool(slots) > 1
    narrow_cpu = f" and the CPU has at most {row.cpu_lanes} lanes" if row.cpu_lanes else ""
    return f"{listed([*filled, *sockets])} {'are' if several else 'is'} filled{narrow_cpu}"


def _pinned(problem: PlacementProblem) -> Iterator[str]:
    kept = sum(piece.pinned for piece in problem.pieces)
    if kept:
        yield f"{count_of(kept, 'card')} {verb(kept, 'stay')} where {'it is' if kept == 1 else 'they are'}."


def _left_out(build: Build, problem: PlacementProblem, seating: Seating) -> Iterator[str]:
    board = build.motherboard
    name = board[0].title if board else "the board"
    cards = build.cards()
    for line in build.lines:
        wanted = sum(card.part.id == line.part.id for card in cards)
        own = [index for index, piece in enumerate(problem.pieces) if piece.key[0] == line.part.id]
        left = wanted - sum(index in seating for index in own)
        if not wanted or not left:
            continue
        piece = problem.pieces[own[0]] if own else None
        yield f"{left} of {wanted} {line.part.title} {verb(left, 'find')} no slot: {_why_no_slot(piece, name)}"
    if len(seating) == len(cards) and len(cards) > 1:
        yield f"{'Both' if len(cards) == 2 else f'All {len(cards)}'} cards have a slot, and none covers another's."


def _why_no_slot(piece: Piece | None, board: str) -> str:
    if piece is None or not piece.seats:
        lanes = own_link(piece.part)[0] if piece else None
        plug = f"an x{lanes} connector" if lanes else "such a card"
        return f"{board} has no slot for {plug} that is in use and within the openings of the case."
    takes = f"{count_of(len(piece.seats), 'slot')} of {board} {verb(len(piece.seats), 'take')} such a card"
    covers = f", and each card covers {piece.width}" if piece.width > 1 else ""
    return f"{takes} within the case{covers}."


def _overhanging(
    problem: PlacementProblem, placed: Sequence[tuple[Piece, int]], score: PlacementScore
) -> Iterator[str]:
    if score.within == 0:
        return
    last = problem.last_opening
    over = [at for piece, at in placed if piece.is_gpu and piece.bracket > 0 and at + piece.width - 1 > last]
    yield f"The cooler in {slots_listed(over)} reaches below the last opening of the case: nothing else fits."


def _narrow(problem: PlacementProblem, found: Iterable[CardLink]) -> Iterator[str]:
    labels = {slot.label: position for position, slot in problem.slots.items()}
    phrases: list[str] = []
    held = 0
    for link in found:
        why = why_narrow(link, labels)
        held += bool(why)
        if why and why not in phrases:
            phrases.append(why)
    yield from (f"{phrase[0].upper()}{phrase[1:]}." for phrase in phrases)
    if not held:
        yield "Every card has its full link."


def _on_chipset(problem: PlacementProblem, placed: Sequence[tuple[Piece, int]]) -> Iterator[str]:
    on = [at for piece, at in placed if piece.is_gpu and problem.on_chipset(at)]
    if on:
        what = "The GPU" if len(on) == 1 else "The GPUs"
        yield f"{what} in {slots_listed(on)} {verb(len(on), 'share')} the chipset's link: no slot of the CPU is left."


def _without_air(
    problem: PlacementProblem,
    placed: Sequence[tuple[Piece, int]],
    score: PlacementScore,
    roomier: PlacementScore | None,
) -> Iterator[str]:
    if score.air == 0:
        return
    if roomier is not None and roomier.air > score.air:
        gained = count_of(roomier.air - score.air, "more card")
        slow, fast = roomier.worst_mbps / 1000, score.worst_mbps / 1000
        cost = f"the slowest GPU {slow:.1f} instead of {fast:.1f} GB/s" if slow < fast else "slower links"
        yield f"Air for {gained} was given up for links: it would have left {cost}."
        return
    gpus = [piece for piece, _ in placed if piece.is_gpu and not piece.on_riser]
    needed = sum(piece.width for piece in gpus) + sum(piece.breathes for piece in gpus) - 1
    widest = max(piece.width for piece in gpus)
    room = min(problem.last_opening, max(problem.slots) + widest - 1) - min(problem.slots) + 1
    if needed > room:
        yield (
            f"No arrangement gives every card air: {count_of(len(gpus), 'card')} with an empty slot before their fans "
            f"need {needed} slots, board and case have {room}."
        )
    else:
        lacking = count_of(-score.air, "card")
        yield f"{lacking} {verb(-score.air, 'lack')} an empty slot before the fans: the slots are not so spaced."


def _bridges(problem: PlacementProblem, score: PlacementScore) -> Iterator[str]:
    wanted = sum(bridge.quantity // max(1, min(bridge.needed.values())) for bridge in problem.bridges)
    if not wanted:
        return
    if score.nvlink >= wanted:
        yield f"{count_of(score.nvlink, 'NVLink pair')} {verb(score.nvlink, 'sit')} at the spacing of the bridges."
    else:
        yield f"{score.nvlink} of {count_of(wanted, 'NVLink pair')} could be set at the spacing of the bridges."


def _apart(score: PlacementScore) -> Iterator[str]:
    if score.together:
        pairs = f"{count_of(-score.together, 'pair')} {verb(-score.together, 'exchange')}"
        yield f"GPUs are wired to both CPUs: {pairs} data over the link between them."
