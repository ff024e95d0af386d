"""How much a PSU loses: its own points, or the 80 PLUS minimum of its level.

Loss, not efficiency, is interpolated: it is smooth down to zero load, where a fixed loss remains and efficiency has no
meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from core.parts.specs import PsuSpec
from core.parts.vocabulary import EfficiencyLevel
from core.plan.line import Line
from core.predict.band import Band, independent
from core.words import tr

Point = tuple[float, float]


def pchip(points: Sequence[Point]) -> Callable[[float], float]:
    """A curve through points of increasing x that never overshoots them; straight lines beyond the ends.

    Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300. Raises ValueError for fewer than two points or x
    that do not increase. The same curve as scipy.interpolate.PchipInterpolator, whose import alone takes 0.3 s.
    """
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    if len(xs) < 2 or any(right <= left for left, right in pairwise(xs)):
        raise ValueError("interpolation needs two or more points of increasing x")
    widths = [right - left for left, right in pairwise(xs)]
    chords = [(ys[i + 1] - ys[i]) / widths[i] for i in range(len(widths))]
    slopes = _slopes(widths, chords)

    def curve(x: float) -> float:
        if x <= xs[0]:
            return ys[0] + slopes[0] * (x - xs[0])
        if x >= xs[-1]:
            return ys[-1] + slopes[-1] * (x - xs[-1])
        i = next(i for i in range(len(widths)) if x <= xs[i + 1])
        return _hermite((x - xs[i]) / widths[i], widths[i], (ys[i], ys[i + 1]), (slopes[i], slopes[i + 1]))

    return curve


def _hermite(t: float, width: float, ys: Point, slopes: Point) -> float:
    rest = 1 - t
    return (
        (1 + 2 * t) * rest * rest * ys[0]
        + t * rest * rest * width * slopes[0]
        + t * t * (3 - 2 * t) * ys[1]
        - t * t * rest * width * slopes[1]
    )


def _slopes(widths: list[float], chords: list[float]) -> list[float]:
    if len(chords) == 1:
        return [chords[0], chords[0]]
    inner = [_inner(widths[i], widths[i + 1], chords[i], chords[i + 1]) for i in range(len(chords) - 1)]
    first = _end(widths[0], widths[1], chords[0], chords[1])
    last = _end(widths[-1], widths[-2], chords[-1], chords[-2])
    return [first, *inner, last]


def _inner(left_width: float, right_width: float, left: float, right: float) -> float:
    if left * right <= 0:
        return 0.0
    left_weight = 2 * right_width + left_width
    right_weight = right_width + 2 * left_width
    return (left_weight + right_weight) / (left_weight / left + right_weight / right)


def _end(width: float, next_width: float, chord: float, next_chord: float) -> float:
    slope = ((2 * width + next_width) * chord - width * next_chord) / (width + next_width)
    if slope * chord <= 0:
        return 0.0
    if chord * next_chord <= 0 and abs(slope) > 3 * abs(chord):
        return 3 * chord
    return slope


HIGH_LINE_V = 180.0
"""Mains at or above it count as 230 V."""

Psus = tuple[tuple[Line, PsuSpec], ...]
Percentages = tuple[tuple[float, float], ...]
Curve = Callable[[float], float]
Curves = tuple[Curve, Curve, Curve]
"""Loss over rated power as a function of load over rated power: worst, expected, best."""

_E = EfficiencyLevel
EIGHTY_PLUS: dict[bool, dict[EfficiencyLevel, Percentages]] = {
    False: {
        _E.WHITE: ((20, 80), (50, 80), (100, 80)),
        _E.BRONZE: ((20, 82), (50, 85), (100, 82)),
        _E.SILVER: ((20, 85), (50, 88), (100, 85)),
        _E.GOLD: ((20, 87), (50, 90), (100, 87)),
        _E.PLATINUM: ((20, 90), (50, 92), (100, 89)),
        _E.TITANIUM: ((10, 90), (20, 92), (50, 94), (100, 90)),
    },
    True: {
        _E.WHITE: ((20, 82), (50, 85), (100, 82)),
        _E.BRONZE: ((20, 85), (50, 88), (100, 85)),
        _E.SILVER: ((20, 87), (50, 90), (100, 87)),
        _E.GOLD: ((20, 90), (50, 92), (100, 89)),
        _E.PLATINUM: ((20, 92), (50, 94), (100, 90)),
        _E.TITANIUM: ((10, 90), (20, 94), (50, 96), (100, 94)),
    },
}
"""Per cent of load and least efficiency, 115 V and 230 V EU internal (80 PLUS, Tom's Hardware 4848-2)."""

_FIXED = (0.0035, 0.0075, 0.0125)
"""Loss at no load over rated power: 6 to 12 W for 1 to 1.6 kW units, 9 W for an 850 W one."""
_LEVEL_POINTS = (-1.0, 0.7, 2.5)
"""What real units show against the minimum of their level, percentage points: hot -1, cool +2, below a fifth of the
load a little more (86.7 % at 80 W of an 850 W unit)."""
_MEASURED_POINTS = (-1.0, 0.0, 1.0)
_OTHER_LINE_POINTS = (0.5, 2.0, 3.0)
"""What 230 V gains over 115 V, for a unit measured only at the other voltage."""


POWER_FACTORS: tuple[tuple[float, tuple[float, float, float]], ...] = (
    (20 / 850, (0.75, 0.84, 0.95)),
    (40 / 850, (0.85, 0.93, 0.98)),
    (0.2, (0.95, 0.98, 0.99)),
)
"""By share of the rating: 0.84 and 0.93 were measured at 20 and 40 W of an 850 W unit, 0.98 to 0.99 at load; 80 PLUS
asks for 0.9. Other units spread by general knowledge."""


def wall_power(psus: Psus, dc: Band, mains_v: float) -> Band:
    """Watts at the wall for `dc` watts of load, shared by all PSUs in proportion to their rated power.

    What the parts draw and how good a PSU is are independent.

    Without a PSU, or with one of unknown power, an efficiency of 78 to 95 % is assumed.
    """
    missing = [f"{line.part.id}.power_w" for line, spec in psus if spec.power_w is None]
    if missing or not psus:
        return _unrated(dc, sum(line.quantity for line, _ in psus) or 1).noting(
            [] if psus else [tr("No PSU is chosen: an efficiency of 78 to 95 % is assumed.")], missing
        )
    powers = [line.quantity * (spec.power_w or 0) for line, spec in psus]
    curves = [_losses(spec, mains_v >= HIGH_LINE_V) for _, spec in psus]
    unknown = [
        f"{line.part.id}.efficiency_level" for line, spec in psus if not (spec.efficiency_level or spec.efficiency)
    ]
    return _through(powers, curves, dc).noting(missing=unknown)


def _through(powers: Sequence[float], curves: Sequence[Curves], dc: Band) -> Band:
    """The load with what PSUs lose that share it in proportion to their ratings."""

    def at_the_wall(watts: float, quality: int) -> float:
        share = watts / sum(powers)
        return watts + sum(curve[quality](share) * power for curve, power in zip(curves, powers, strict=True))

    low, middle, high = (at_the_wall(watts, 1) for watts in dc.triple)
    drawn = Band(low, middle, high, "W", dc.assumptions, dc.missing)
    better, worse = (at_the_wall(dc.expected, quality) - middle for quality in (2, 0))
    return independent((drawn, Band(better, 0.0, worse, "W")), "W")


def box_wall_power(psu_w: float | None, dc: Band, mains_v: float) -> Band:
    """Watts at the wall of an external box whose own PSU of unknown efficiency feeds its cards."""
    return _unrated(dc, 1) if psu_w is None else _through((psu_w,), (_curves((), None, mains_v >= HIGH_LINE_V),), dc)


def power_factor(share: float) -> tuple[float, float, float]:
    """low, expected, high of an active-PFC PSU at a share of its rating, on straight lines between the points."""
    share = min(max(share, POWER_FACTORS[0][0]), POWER_FACTORS[-1][0])
    right = next(place for place, (at, _) in enumerate(POWER_FACTORS) if at >= share) or 1
    (start, before), (end, after) = POWER_FACTORS[right - 1 : right + 1]
    way = (share - start) / (end - start)
    low, expected, high = (one + way * (other - one) for one, other in zip(before, after, strict=True))
    return low, expected, high


def _unrated(dc: Band, count: int) -> Band:
    no_load = 0.0125 * 2500 * count
    middle = 1 / 0.89
    spread = Band(dc.expected / 0.95, dc.expected * middle, dc.expected / 0.78 + no_load, "W")
    lost = Band(spread.low - spread.expected, 0.0, spread.high - spread.expected, "W")
    return independent((dc.times(middle), lost), "W")


def _losses(spec: PsuSpec, high_line: bool) -> Curves:
    own = tuple((p.load_pct, p.efficiency_pct, p.input_v >= HIGH_LINE_V) for p in spec.efficiency)
    return _curves(own, spec.efficiency_level, high_line)


@lru_cache(maxsize=256)
def _curves(own: tuple[tuple[float, float, bool], ...], level: EfficiencyLevel | None, high_line: bool) -> Curves:
    same = tuple(sorted((load, percent) for load, percent, line in own if line == high_line))
    other = tuple(sorted((load, percent) for load, percent, line in own if line != high_line))
    if len(same) > 1:
        return _around(same, _MEASURED_POINTS)
    if len(other) > 1:
        gain = _OTHER_LINE_POINTS if high_line else (-3.0, -2.0, -0.5)
        return _around(other, (gain[0] - 1, gain[1], gain[2] + 1))
    table = EIGHTY_PLUS[high_line]
    if level:
        return _around(table[level], _LEVEL_POINTS)
    return (
        _curve(table[EfficiencyLevel.WHITE], -3, 2),
        _curve(table[EfficiencyLevel.GOLD], 0, 1),
        _curve(table[EfficiencyLevel.TITANIUM], 2, 0),
    )


def _around(points: Percentages, spread: tuple[float, float, float]) -> Curves:
    worst, expected, best = spread
    return _curve(points, worst, 2), _curve(points, expected, 1), _curve(points, best, 0)


def _curve(points: Percentages, shift: float, fixed: int) -> Curve:
    """Never below the fixed loss, never falling with load: more load never draws less at the wall."""
    losses = [(0.0, _FIXED[fixed])]
    for load_pct, percent in points:
        efficiency = min(percent + shift, 98.5) / 100
        loss = load_pct / 100 * (1 / efficiency - 1)
        if load_pct / 100 > losses[-1][0]:
            losses.append((load_pct / 100, max(loss, losses[-1][1])))
    return pchip(losses)
