"""Where fans and the ways of the air meet: flows that balance at one pressure inside the case.

Room, front, intake fans, inside, exhaust fans, grilles, room: the two are in series, with gaps between inside and room.
Fans side by side see the same pressures and add their flows. A fan that is overcome by the pressure behind it delivers
nothing; that air blows back through it is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

STEPS = 44
"""Halvings of the range of pressures. Near its shut-off pressure a fan delivers with the root of what is left of it: a
millionth of its flow is a billionth of a thousandth of its pressure."""


@dataclass(frozen=True, slots=True)
class Fans:
    """`count` equal fans at one speed, each with an opening of its own that resists by `k`, Pa / (m3/h)^2."""

    count: float
    flow_m3h: float
    """Of one, in free air at this speed; above zero."""
    pressure_pa: float
    """Of one, without flow at this speed; above zero."""
    k: float

    @property
    def width(self) -> float:
        """Flow of all over the root of the pressure that is left for it: P0 (1 - (Q / Q0)^2) = k Q^2 + against."""
        return self.count / sqrt(self.k + self.pressure_pa / self.flow_m3h**2)

    def all_m3h(self, against_pa: float = 0.0) -> float:
        """Flow of all of them against this pressure."""
        push = self.pressure_pa - against_pa
        return self.width * sqrt(push) if push > 0 else 0.0

    def held_pa(self, against_pa: float = 0.0) -> float:
        """Static pressure over each fan at its operating point."""
        share = self.all_m3h(against_pa) / (self.count * self.flow_m3h)
        return self.pressure_pa * (1 - share**2)


@dataclass(frozen=True, slots=True)
class Balance:
    """The case at rest: pressure inside over the room's, and what crosses it."""

    inside_pa: float
    through_m3h: float
    """What enters and leaves, by fans and gaps together."""


@lru_cache(maxsize=1024)
def balance(into: tuple[Fans, ...], out: tuple[Fans, ...], gaps_k: float) -> Balance:
    """The one pressure at which as much enters as leaves; `gaps_k` of all openings without a fan together.

    Inflow falls and outflow grows with the pressure inside, so halving finds it. The unknown is the signed root of the
    pressure, in which the flow through the gaps is straight. As every curve is monotone, no faster or further fan and
    no wider opening ever lessens what crosses the case.
    """
    pushing, pulling = ([(fans.width, fans.pressure_pa) for fans in side] for side in (into, out))
    gaps = 1 / sqrt(gaps_k)
    low = -sqrt(max((pressure for _, pressure in pulling), default=0.0))
    high = sqrt(max((pressure for _, pressure in pushing), default=0.0))
    for _ in range(STEPS):
        root = (low + high) / 2
        inside = root * abs(root)
        if _flow(pushing, inside) > _flow(pulling, -inside) + root * gaps:
            low = root
        else:
            high = root
    root = (low + high) / 2
    inside = root * abs(root)
    return Balance(inside, _flow(pulling, -inside) + max(0.0, root) * gaps)


def _flow(fans: Sequence[tuple[float, float]], against_pa: float) -> float:
    """Of fans by their width and shut-off pressure."""
    total = 0.0
    for width, pressure in fans:
        if pressure > against_pa:
            total += width * sqrt(pressure - against_pa)
    return total
