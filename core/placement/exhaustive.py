"""Tries every arrangement, for boards where there are few: the best one, and whether there is room for all cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, takewhile

from core.build.build import Build
from core.build.hosts import with_hosts
from core.placement.candidates import Candidate, PlacementProblem, problem_of
from core.placement.risers import spare_risers
from core.placement.score import Arrangement, PlacementScore, score

Rank = Callable[[PlacementScore], tuple[int, ...]]


def search(problem: PlacementProblem, rank: Rank = tuple) -> tuple[Arrangement, PlacementScore]:
    """The best arrangement by the rank of its score; of equals the one that is found first, from the top.

    As many cards as possible are placed. Pinned cards stay, even where they overlap each other.
    """
    count = len(problem.candidates)
    for left_out in range(count + 1):
        best: tuple[tuple[int, ...], dict[int, int], PlacementScore] | None = None
        for chosen in _choices(problem, left_out):
            for seating in arrangements(problem, chosen):
                found = score(problem, seating)
                if found is not None and (best is None or rank(found) > best[0]):
                    best = rank(found), dict(seating), found
        if best is not None:
            return best[1], best[2]
    raise AssertionError("with every card left out there is always an arrangement")


def arrangements(problem: PlacementProblem, chosen: Sequence[int]) -> Iterator[dict[int, int]]:
    """Every way to seat these candidates, by index, without overlap; interchangeable ones in one order only.

    The dictionary is reused: copy it to keep it.
    """
    candidates = problem.candidates
    seating = {index: candidates[index].positions[0] for index in chosen if candidates[index].pinned}
    taken = 0
    for index, at in seating.items():
        taken |= _under(candidates[index], at)
    places = [[(at, _under(candidate, at)) for at in candidate.positions] for candidate in candidates]
    free = sorted(
        (index for index in chosen if not candidates[index].pinned),
        key=lambda index: (len(candidates[index].positions), -candidates[index].width, candidates[index].kind, index),
    )
    yield from _seat(candidates, places, free, seating, taken)


def _under(candidate: Candidate, at: int) -> int:
    """The slot positions under a candidate, one bit each."""
    return ((1 << candidate.width) - 1) << at


def _seat(
    candidates: Sequence[Candidate],
    places: Sequence[Sequence[tuple[int, int]]],
    free: Sequence[int],
    seating: dict[int, int],
    taken: int,
    after: int = 0,
) -> Iterator[dict[int, int]]:
    if not free:
        yield seating
        return
    index, rest = free[0], free[1:]
    alike = bool(rest) and candidates[rest[0]].kind == candidates[index].kind
    for at, under in places[index]:
        if at < after or under & taken:
            continue
        seating[index] = at
        yield from _seat(candidates, places, rest, seating, taken | under, at + 1 if alike else 0)
        del seating[index]


def _choices(problem: PlacementProblem, left_out: int) -> Iterator[list[int]]:
    """Every way to leave out so many: the last cards of each line, a pinned one only behind one that is not."""
    lines: dict[str, list[int]] = {}
    for index, candidate in enumerate(problem.candidates):
        lines.setdefault(candidate.key[0], []).append(index)
    yield from _drop(problem, list(lines.values()), left_out)


def _drop(problem: PlacementProblem, lines: Sequence[list[int]], left_out: int) -> Iterator[list[int]]:
    if not lines:
        if left_out == 0:
            yield []
        return
    first, rest = lines[0], lines[1:]
    held = len(list(takewhile(lambda index: problem.candidates[index].pinned, first)))
    for dropped in range(min(left_out, len(first)) + 1):
        if len(first) - dropped < held:
            return
        kept = first[: len(first) - dropped]
        for others in _drop(problem, rest, left_out - dropped):
            yield [*kept, *others]


TRIED = 20_000
"""With more arrangements than these, of all choices of risers, the answer is that there may be room: `best_placement`
knows."""


def has_room(build: Build) -> bool:
    """Whether some arrangement seats every card without overlap, within the case and in slots that are on.

    Spare risers of the build may carry cards. Where there are too many arrangements to try, the answer is yes.
    """
    build = with_hosts(build)
    cards = len(build.cards())
    if cards > len(build.seats()):
        return False
    left = TRIED
    for on_risers in chain([()], spare_risers(build)):
        problem = problem_of(build, (), on_risers)
        if len(problem.candidates) == cards and problem.fits_all:
            left -= problem.arrangements
            if left < 0 or _all_find_a_slot(problem):
                return True
    return False


def _all_find_a_slot(problem: PlacementProblem) -> bool:
    chosen = range(len(problem.candidates))
    return any(_all_on(problem, seating) for seating in arrangements(problem, chosen))


def _all_on(problem: PlacementProblem, seating: Arrangement) -> bool:
    """Whether every card's slot is switched on when exactly these are filled."""
    widths = problem.linker.population.widths(seating.values())
    return all(widths[position].lanes for position in seating.values())
