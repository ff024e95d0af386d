"""A load that what befell our own processes interrupted, and that was started again: its pieces, and one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.burnin.record.evidence import warned
from core.burnin.record.rows import Result, ResultStatus
from core.language import trn

MOST_RESTARTS = 3
"""Of one load: what is interrupted again and again is no burn-in."""
SHORTEST_S = 2.0
"""A piece that is shorter proves nothing."""
_SUMS = ("checks", "errors")


@dataclass(frozen=True, slots=True)
class Piece:
    """How long a part of a load ran, when it began since the start of the run, and how it ended."""

    began_s: float
    ran_s: float
    result: Result


def rest_s(seconds: float, pieces: Sequence[Piece]) -> float:
    """What is left of the planned time; never so little that it proves nothing."""
    return max(seconds - sum(piece.ran_s for piece in pieces), min(SHORTEST_S, seconds))


def longest(pieces: Sequence[Piece]) -> Piece:
    """The one whose rates mean most."""
    return max(pieces, key=lambda piece: piece.ran_s)


def as_one(pieces: Sequence[Piece]) -> Result:
    """Ended as the last one did; with the evidence of the longest where that passed, and what all of them counted."""
    status, reason, evidence = pieces[-1].result
    if len(pieces) == 1:
        return pieces[-1].result
    if status is ResultStatus.PASSED:
        evidence = longest(pieces).result[2] or evidence
    told = [piece.result[2] for piece in pieces]
    sums = {name: sum(one.get(name) or 0 for one in told) for name in _SUMS if any(name in one for one in told)}
    text = trn(
        "The load was interrupted once and started again for the rest of its time.",
        "The load was interrupted {count} times and started again for the rest of its time.",
        count=len(pieces) - 1,
    )
    return status, reason, warned({**evidence, **sums}, text)
