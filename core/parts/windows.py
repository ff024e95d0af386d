"""How much address space (BAR1) a GPU asks for.

Some map their whole memory from power-on; others start with 256 MB, which Resizable BAR may grow to all of it.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from core.parts.compute import GpuSpec
from core.parts.vocabulary import Bar1Kind

SMALL_GB = 0.25
"""The window of cards that do not map all their memory: 256 MB."""


class Window(NamedTuple):
    """GB of addresses that one card asks for at least and at most; all its chips together. `kind` None: unknown."""

    kind: Bar1Kind | None
    low_gb: float
    high_gb: float


@cache
def _next_power_of_two(gb: float) -> float:
    whole = SMALL_GB
    while whole < gb:
        whole *= 2
    return whole


def window(spec: GpuSpec) -> Window | None:
    """The card's window: the size that is stated, else by what it maps; None where that memory is unknown."""
    if spec.bar1_gb is not None:
        return Window(Bar1Kind.WHOLE, spec.bar1_gb * spec.chips, spec.bar1_gb * spec.chips)
    small = SMALL_GB * spec.chips
    if spec.bar1 is Bar1Kind.SMALL:
        return Window(spec.bar1, small, small)
    if spec.memory_gb is None:
        return None
    whole = _next_power_of_two(spec.memory_gb / spec.chips) * spec.chips
    return Window(spec.bar1, whole if spec.bar1 is Bar1Kind.WHOLE else small, whole)
