"""An exact matching of radiators and the mounts of a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from core.parts.specs import RadiatorMount
from core.parts.vocabulary import CaseSide

BESIDE_CARDS = (CaseSide.FRONT, CaseSide.BOTTOM)
"""Sides where a radiator takes room from the cards or the PSU: used last."""

Sizes = dict[CaseSide, set[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a radiator needs, mm; an unknown fan size or thickness (None) is taken to suit."""

    length_mm: float
    fan_size_mm: float | None = None
    thickness_mm: float | None = None


@lru_cache(maxsize=512)
def pack(radiators: tuple[Wanted, ...], mounts: tuple[RadiatorMount, ...]) -> tuple[RadiatorMount | None, ...]:
    """The mount of each radiator, in order; None for those that find none, as few as can be.

    A mount takes one radiator that is not longer, of its fan size, and not thicker than stated. Rows of one side with
    another length or fan size are alternatives for the same room, so that each side uses rows of one size. Among the
    best, the first that keeps front and bottom free.
    """
    best: tuple[RadiatorMount | None, ...] = (None,) * len(radiators)
    for free in ((*BESIDE_CARDS,), (CaseSide.FRONT,), (CaseSide.BOTTOM,), ()):
        for chosen in _choices(row for row in mounts if row.place not in free):
            matching = _match(radiators, chosen)
            if matching.count(None) < best.count(None):
                best = matching
            if None not in best:
                return best
    return best


def _choices(mounts: Iterable[RadiatorMount]) -> Iterator[list[RadiatorMount]]:
    """The rows that can be used together: for each side, those of one size."""
    rows = list(mounts)
    sizes: Sizes = {}
    for row in rows:
        if row.place is not CaseSide.EXTERNAL:
            sizes.setdefault(row.place, set()).add(_size(row))
    places = sorted(sizes)
    for picked in product(*(sorted(sizes[place], reverse=True) for place in places)):
        active = dict(zip(places, picked, strict=True))
        yield [row for row in rows if active.get(row.place, _size(row)) == _size(row)]


def _size(row: RadiatorMount) -> tuple[float, float]:
    return row.length_mm, row.fan_size_mm


def _match(radiators: tuple[Wanted, ...], mounts: list[RadiatorMount]) -> tuple[RadiatorMount | None, ...]:
    """A largest matching by augmenting paths."""
    holder: dict[int, int] = {}
    suits = [sorted((i for i, row in enumerate(mounts) if _suits(one, row)), key=lambda i: _size(mounts[i]))
             for one in radiators]  # fmt: skip

    def place(one: int, seen: set[int]) -> bool:
        for mount in suits[one]:
            if mount in seen:
                continue
            seen.add(mount)
            if mount not in holder or place(holder[mount], seen):
                holder[mount] = one
                return True
        return False

    for one in range(len(radiators)):
        place(one, set())
    of = {one: mounts[mount] for mount, one in holder.items()}
    return tuple(of.get(one) for one in range(len(radiators)))


def _suits(one: Wanted, row: RadiatorMount) -> bool:
    thin_enough = row.max_thickness_mm is None or (one.thickness_mm or 0.0) <= row.max_thickness_mm
    return one.length_mm <= row.length_mm and one.fan_size_mm in (None, row.fan_size_mm) and thin_enough
