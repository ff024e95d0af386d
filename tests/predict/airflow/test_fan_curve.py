"""What a fan can do, from its own points or from those of its size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.specs import FanPoint, FanSpec, IncludedFan
from core.predict.airflow.operating_point import PA_PER_MMH2O, Fans, curve, curve_of, included_curve


def test_published_points_are_taken_as_they_are_and_brought_to_the_highest_speed() -> None:
    slow, fast = FanPoint(rpm=1000, airflow_m3h=50, static_pressure_mmh2o=0.8), FanPoint(rpm=2000, level_dba=30)
    can = curve_of(FanSpec(size_mm=120, points=(slow, fast), min_rpm=500))
    assert can.flow_m3h == (100, 100, 100)
    assert can.pressure_pa[1] == pytest.approx(3.2 * PA_PER_MMH2O)
    assert (can.rpm, can.least_share, can.flow_known, can.pressure_known) == (2000, 0.25, True, True)


def test_a_fan_without_a_pressure_gets_that_of_its_size_with_a_range() -> None:
    can = curve_of(FanSpec(size_mm=120, points=(FanPoint(rpm=1500, airflow_m3h=90),)))
    low, expected, high = can.pressure_pa
    assert low < expected < high
    assert expected / PA_PER_MMH2O == pytest.approx(1.65, abs=0.05)
    assert can.flow_known
    assert not can.pressure_known


@pytest.mark.parametrize(
    ("size_mm", "rpm", "published_m3h"),
    [(120, 2000, 102), (120, 1500, 93), (140, 1500, 140), (140, 900, 84), (92, 2000, 79)],
)
def test_a_fan_of_known_size_and_speed_moves_what_such_fans_are_sold_with(
    size_mm: float, rpm: float, published_m3h: float
) -> None:
    """Noctua NF-A12x25, F12, A14, P14s redux and A9."""
    low, expected, high = curve(size_mm, rpm).flow_m3h
    assert low < expected < high
    assert expected == pytest.approx(published_m3h, rel=0.35)


def test_a_fan_of_which_nothing_is_known_is_a_usual_one_with_a_wide_range() -> None:
    can = included_curve(IncludedFan(place="front", size_mm=120, count=2))
    assert can.flow_m3h[2] > 2 * can.flow_m3h[0]
    assert can.rpm is None
    assert not can.flow_known


CURVES = st.builds(
    curve,
    st.sampled_from([None, 80.0, 120.0, 140.0, 200.0]),
    st.none() | st.floats(300, 5000),
    st.none() | st.floats(10, 400),
    st.none() | st.floats(1, 200),
)


@given(CURVES, st.floats(0.2, 1), st.floats(0, 0.8), st.floats(0, 0.01), st.floats(0, 100))
def test_a_faster_fan_never_moves_less_and_a_tighter_opening_never_lets_more_through(
    can: object, speed: float, faster: float, k: float, against_pa: float
) -> None:
    flow, pressure = can.flow_m3h[1], can.pressure_pa[1]  # type: ignore[attr-defined]

    def moved(share: float, opening: float) -> float:
        return Fans(1, flow * share, pressure * share**2, opening).all_m3h(against_pa)

    assert moved(speed + faster, k) >= moved(speed, k)
    assert moved(speed, 2 * k + 1e-6) <= moved(speed, k)
    assert 0 <= moved(speed, k) <= flow * speed * (1 + 1e-9)


@given(CURVES, st.floats(0.2, 1), st.floats(1e-5, 0.01))
def test_the_operating_point_lies_on_both_curves(can: object, speed: float, k: float) -> None:
    flow, pressure = can.flow_m3h[1] * speed, can.pressure_pa[1] * speed**2  # type: ignore[attr-defined]
    fans = Fans(3, flow, pressure, k)
    each = fans.all_m3h() / 3
    assert fans.held_pa() == pytest.approx(k * each**2)
    assert fans.held_pa() == pytest.approx(pressure * (1 - (each / flow) ** 2))


@given(CURVES, st.floats(0.25, 1), st.floats(1e-5, 0.01))
def test_the_share_that_an_opening_lets_through_is_the_same_at_every_speed(can: object, speed: float, k: float) -> None:
    flow, pressure = can.flow_m3h[1], can.pressure_pa[1]  # type: ignore[attr-defined]
    full, slow = Fans(1, flow, pressure, k), Fans(1, flow * speed, pressure * speed**2, k)
    assert slow.all_m3h() / speed == pytest.approx(full.all_m3h())
