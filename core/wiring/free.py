"""What is left to take: plugs on a PSU, and adapters of the build."""

from __future__ import annotations

from collections.abc import Sequence

from core.wiring.offer import Pool, Unit

Free = tuple[int, ...]
"""Plugs left on a PSU: for each pool those of their own cable and the shared ones. Of adapters: how many of each."""


def plugs_of(unit: Unit, pools: tuple[Pool, ...]) -> Free:
    """All that a PSU has."""
    counts = ((len(unit.own.get(pool, ())), len(unit.shared.get(pool, ()))) for pool in pools)
    return tuple(number for pair in counts for number in pair)


def usable_plugs(free: Free, most: Sequence[int]) -> Free:
    """Without the plugs that nothing is left to take: PSUs that differ in these alone are alike."""
    found: list[int] = []
    for pool, plugs in enumerate(most):
        own, shared = free[2 * pool], free[2 * pool + 1]
        found += (plugs, 0) if own >= plugs else (own, shared if own + shared < plugs else plugs - own)
    return tuple(found)


def take_plugs(
    free: Free, takes: tuple[tuple[int, int], ...], whole: tuple[tuple[int, int, int], ...] = ()
) -> tuple[Free, int] | None:
    """What is left and how many of the plugs are pigtails, None if there are not enough.

    `takes` are (pool, plugs), `whole` (pool, cables, further plugs that go with these).
    """
    for pool, plugs in takes:
        if free[2 * pool] + free[2 * pool + 1] < plugs:
            return None
    left, pigtails = list(free), 0
    for pool, cables, beside in whole:
        left[2 * pool] -= cables
        left[2 * pool + 1] = max(left[2 * pool + 1] - beside, 0)
        if left[2 * pool] < 0:
            return None
    for pool, plugs in takes:
        own = left[2 * pool] - plugs
        if own < 0:
            pigtails -= own
            left[2 * pool + 1] += own
            if left[2 * pool + 1] < 0:
                return None
        left[2 * pool] = max(own, 0)
    return tuple(left), pigtails


def take_adapters(stock: Free, adapters: tuple[tuple[int, int], ...]) -> Free | None:
    """What is left, None if there are not enough."""
    if any(stock[index] < count for index, count in adapters):
        return None
    left = list(stock)
    for index, count in adapters:
        left[index] -= count
    return tuple(left)
