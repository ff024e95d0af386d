"""The curve is the one that scipy draws, and never overshoots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from core.predict.psu import pchip

steps = st.lists(
    st.tuples(st.floats(0.01, 10), st.floats(0, 10).map(lambda step: round(step, 3))), min_size=2, max_size=7
)


def points_of(steps: list[tuple[float, float]]) -> list[tuple[float, float]]:
    x = y = 0.0
    points = []
    for dx, dy in steps:
        points.append((x, y))
        x, y = x + dx, y + dy
    return points


@given(steps, st.floats(0, 1))
def test_it_agrees_with_scipy(steps: list[tuple[float, float]], share: float) -> None:
    points = points_of(steps)
    xs, ys = zip(*points, strict=True)
    x = share * xs[-1]
    assert pchip(points)(x) == pytest.approx(float(PchipInterpolator(xs, ys)(x)), abs=1e-6)


@given(steps, st.floats(0, 1), st.floats(0, 1))
def test_it_never_falls_between_rising_points(steps: list[tuple[float, float]], one: float, other: float) -> None:
    points = points_of(steps)
    curve = pchip(points)
    left, right = sorted((one * points[-1][0], other * points[-1][0]))
    assert curve(left) <= curve(right) + 1e-9


@pytest.mark.parametrize("points", [[], [(0, 1)], [(0, 1), (0, 2)], [(1, 1), (0, 2)]])
def test_points_that_do_not_advance_are_refused(points: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="increasing"):
        pchip(points)
