"""Whether a board has room for all cards of a build, wherever they sit now."""

from __future__ import annotations

from itertools import islice

from core.build.build import Build
from core.placement.candidates import Problem, problem_of
from core.placement.exhaustive import arrangements
from core.placement.risers import spare_hangings
from core.placement.score import score

TRIED = 5_000
"""Arrangements tried before the answer is that there may be room."""


def has_room(build: Build) -> bool:
    """Whether some arrangement seats every card without overlap, within the case and in slots that are on.

    Spare risers of the build may carry cards. Where there are too many arrangements to try, the answer is yes.
    """
    cards = len(build.cards())
    problems = [problem_of(build), *(problem_of(build, (), hung) for hung in spare_hangings(build))]
    return any(len(problem.pieces) == cards and _seats_all(problem) for problem in problems)


def _seats_all(problem: Problem) -> bool:
    if len(problem.pieces) > len(problem.slots):
        return False
    tried = 0
    for seating in islice(arrangements(problem, range(len(problem.pieces))), TRIED):
        if score(problem, seating) is not None:
            return True
        tried += 1
    return tried == TRIED
