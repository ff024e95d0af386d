"""What makes one arrangement better than another: a tuple of whole numbers, compared from the left, more is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.plan.placement.candidates import BridgeKind, Candidate, PlacementProblem

Arrangement = Mapping[int, int]
"""Slot position by the index of the candidate; a candidate that is not placed is missing."""


class PlacementScore(NamedTuple):
    """In order of weight. No arrangement that is scored has an overlap or a card in a slot that is off."""

    placed: int
    """Cards that have a slot."""
    gpus: int
    """GPUs among them."""
    within: int
    """Less one for each cooler that reaches below the last opening of the case."""
    worst_mbps: int
    """The slowest GPU's link: work on all GPUs waits for it."""
    total_mbps: int
    """All links together."""
    off_chipset: int
    """Less one for each GPU that shares the chipset's link."""
    air: int
    """Less one for each card that needs an empty slot before its fans and has none."""
    nvlink: int
    """Pairs at a bridge's spacing."""
    together: int
    """Less one for each pair of GPUs on different CPUs."""
    one_root: int
    """1 where all GPUs that work sit on one root complex, as far as the board's data state it."""
    top: int
    """Less the sum of the GPUs' positions."""
    others_top: int
    """Less the sum of the other cards' positions."""


def score(problem: PlacementProblem, arrangement: Arrangement) -> PlacementScore | None:
    """The score of an arrangement without overlaps; None if a card sits in a slot that is switched off."""
    widths = problem.linker.population.widths(arrangement.values())
    speeds = []
    gpus: list[tuple[Candidate, int]] = []
    slowest = None
    for index, position in arrangement.items():
        candidate = problem.candidates[index]
        width = widths[position]
        if width.lanes == 0 and not candidate.pinned:
            return None
        speed = problem.mbps(candidate, position, width)
        speeds.append(speed)
        if candidate.is_gpu:
            gpus.append((candidate, position))
            slowest = speed if slowest is None else min(slowest, speed)
    over = sum(problem.overhangs(candidate, at) for candidate, at in gpus)
    return PlacementScore(
        len(arrangement),
        len(gpus),
        -over,
        slowest or 0,
        sum(speeds),
        -sum(problem.on_chipset(at) for _, at in gpus),
        -stifled(gpus),
        sum(pairs_joined(bridge, gpus) for bridge in problem.bridges),
        -_apart(problem, gpus),
        _on_one_root(problem, gpus) if problem.roots else 0,
        -sum(at for _, at in gpus),
        sum(at for _, at in gpus) - sum(arrangement.values()),
    )


def stifled(gpus: Sequence[tuple[Candidate, int]]) -> int:
    """Cards that need an empty slot before the next card and have none."""
    standing = {at for candidate, at in gpus if not candidate.on_riser}
    return sum(
        any(below in standing for below in candidate.covered(at + 1)) for candidate, at in gpus if candidate.breathes
    )


def pairs_joined(bridge: BridgeKind, gpus: Sequence[tuple[Candidate, int]]) -> int:
    """Pairs of one product that bridges of this kind join."""
    left, pairs = bridge.quantity, 0
    for product, needed in sorted(bridge.needed.items()):
        free = {at for candidate, at in gpus if not candidate.on_riser and candidate.product == product}
        for at in sorted(free):
            if at in free and at + bridge.spacing in free and left >= needed:
                free -= {at, at + bridge.spacing}
                left -= needed
                pairs += 1
    return pairs


def _apart(problem: PlacementProblem, gpus: Sequence[tuple[Candidate, int]]) -> int:
    """Pairs of GPUs on different CPUs."""
    second = sum(problem.on_second_cpu(at) for _, at in gpus)
    return second * (len(gpus) - second)


def _on_one_root(problem: PlacementProblem, gpus: Sequence[tuple[Candidate, int]]) -> int:
    """Sharing some of the roots gains nothing: what all cards exchange goes over the slowest pair."""
    roots = [problem.roots.get(at) for candidate, at in gpus if candidate.works]
    return int(len(roots) > 1 and None not in roots and len(set(roots)) == 1)
