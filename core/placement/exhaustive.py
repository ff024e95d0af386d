"""Tries every arrangement, for boards where there are few: the best one, and whether there is room for all cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product, takewhile

from core.build.build import Build
from core.build.hosts import with_hosts
from core.placement.candidates import PlacementProblem, problem_of
from core.placement.risers import spare_risers
from core.placement.score import Arrangement, PlacementScore, score

Rank = Callable[[PlacementScore], tuple[int, ...]]


def search(problem: PlacementProblem, rank: Rank = tuple) -> tuple[Arrangement, PlacementScore]:
    """The best arrangement by the rank of its score; of equals the first one, from the top.

    As many cards as possible are placed. Pinned cards stay, even where they overlap each other.
    """
    for left_out in range(len(problem.candidates) + 1):
        best: tuple[tuple[int, ...], dict[int, int], PlacementScore] | None = None
        for chosen in _choices(problem, left_out):
            for arrangement in arrangements(problem, chosen):
                reached = score(problem, arrangement)
                if reached is not None and (best is None or rank(reached) > best[0]):
                    best = rank(reached), dict(arrangement), reached
        if best is not None:
            return best[1], best[2]
    raise AssertionError("with every card left out there is always an arrangement")


def arrangements(problem: PlacementProblem, chosen: Sequence[int]) -> Iterator[dict[int, int]]:
    """Every way to place these candidates, by index, without overlap; interchangeable ones in one order only.

    The dictionary is reused: copy it to keep it.
    """
    candidates = problem.candidates
    bits = [{at: ((1 << one.width) - 1) << at for at in one.positions} for one in candidates]
    arrangement = {index: candidates[index].positions[0] for index in chosen if candidates[index].pinned}
    pinned = 0
    for index, at in arrangement.items():
        pinned |= bits[index][at]
    free = sorted(
        (index for index in chosen if not candidates[index].pinned),
        key=lambda index: (len(candidates[index].positions), -candidates[index].width, candidates[index].kind, index),
    )

    def place(depth: int, taken: int, after: int) -> Iterator[dict[int, int]]:
        if depth == len(free):
            yield arrangement
            return
        index = free[depth]
        alike = depth + 1 < len(free) and candidates[free[depth + 1]].kind == candidates[index].kind
        for at, covered in bits[index].items():
            if at >= after and not covered & taken:
                arrangement[index] = at
                yield from place(depth + 1, taken | covered, at + 1 if alike else 0)
                del arrangement[index]

    yield from place(0, pinned, 0)


def _choices(problem: PlacementProblem, left_out: int) -> Iterator[list[int]]:
    """Every way to leave out so many: the last cards of each line, a pinned one only behind one that is not."""
    lines: dict[str, list[int]] = {}
    for index, candidate in enumerate(problem.candidates):
        lines.setdefault(candidate.key[0], []).append(index)
    counts = []
    for line in lines.values():
        held = len(list(takewhile(lambda index: problem.candidates[index].pinned, line)))
        counts.append(range(len(line), max(held, len(line) - left_out) - 1, -1))
    for placed in product(*counts):
        if sum(placed) == len(problem.candidates) - left_out:
            yield [index for line, count in zip(lines.values(), placed, strict=True) for index in line[:count]]


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
            if left < 0 or any(_is_on(problem, one) for one in arrangements(problem, range(cards))):
                return True
    return False


def _is_on(problem: PlacementProblem, arrangement: Arrangement) -> bool:
    """Whether every card's slot is switched on when exactly these are filled."""
    widths = problem.linker.population.widths(arrangement.values())
    return all(widths[position].lanes for position in arrangement.values())
