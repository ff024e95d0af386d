"""Monotone cubic interpolation (PCHIP) for the few points of a data sheet.

The same curve as scipy.interpolate.PchipInterpolator, whose import alone takes 0.3 s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

Point = tuple[float, float]


def pchip(points: Sequence[Point]) -> Callable[[float], float]:
    """A curve through points of increasing x that never overshoots them; straight lines beyond the ends.

    Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300. Raises ValueError for fewer than two points or x
    that do not increase.
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
