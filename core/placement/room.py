"""Whether a board has room for all cards of a build, wherever they sit now."""

from __future__ import annotations

from itertools import chain

from core.build.build import Build
from core.placement.candidates import Problem, problem_of
from core.placement.exhaustive import arrangements
from core.placement.risers import spare_risers
from core.placement.score import Seating

TRIED = 20_000
"""With more arrangements than these, of all choices of risers, the answer is that there may be room: `best_placement`
knows."""


def has_room(build: Build) -> bool:
    """Whether some arrangement seats every card without overlap, within the case and in slots that are on.

    Spare risers of the build may carry cards. Where there are too many arrangements to try, the answer is yes.
    """
    cards = len(build.cards())
    if cards > len(build.board_slots()):
        return False
    left = TRIED
    for on_risers in chain([()], spare_risers(build)):
        problem = problem_of(build, (), on_risers)
        if len(problem.pieces) == cards and problem.fits_all:
            left -= problem.arrangements
            if left < 0 or _seats_all(problem):
                return True
    return False


def _seats_all(problem: Problem) -> bool:
    chosen = range(len(problem.pieces))
    return any(_all_on(problem, seating) for seating in arrangements(problem, chosen))


def _all_on(problem: Problem, seating: Seating) -> bool:
    """Whether every card's slot is switched on when exactly these are filled."""
    widths = problem.linker.population.widths(seating.values())
    return all(widths[position].lanes for position in seating.values())
