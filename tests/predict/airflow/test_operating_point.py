"""Intake, exhaust and gaps in balance: nothing is lost, and no better fan or opening ever moves less."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.parts.specs import RadiatorSpec
from core.parts.vocabulary import Panels
from core.predict.airflow.operating_point import (
    INTAKE,
    Fans,
    balance,
    exhaust_k,
    intake_k,
    radiator_k,
    resistance,
    vents_k,
)

USUAL = {"flow_m3h": 95.0, "pressure_pa": 18.05}
"""A usual fan of 120 mm: P0 = 0.002 Q0^2."""

FANS = st.builds(Fans, st.integers(1, 12).map(float), st.floats(20, 400), st.floats(1, 200), st.floats(0, 0.02))
SIDE = st.lists(FANS, max_size=3).map(tuple)
GAPS = st.floats(1e-6, 0.1)
NEARLY = 1 - 1e-6


@pytest.mark.parametrize("share", [0.28, 0.4, 0.55, 0.7, 1.0])
@pytest.mark.parametrize("size_mm", [120.0, 140.0])
def test_behind_an_opening_a_usual_fan_delivers_the_share_that_it_stands_for(share: float, size_mm: float) -> None:
    wide = (size_mm / 120) ** 2
    fan = Fans(1, wide * USUAL["flow_m3h"], USUAL["pressure_pa"], resistance(share, size_mm))
    assert fan.all_m3h() == pytest.approx(share * wide * USUAL["flow_m3h"])


def test_thicker_and_denser_radiators_resist_more_and_a_thick_one_leaves_less_than_half() -> None:
    thin, thick, dense = (
        radiator_k(RadiatorSpec(fan_size_mm=120, thickness_mm=mm, fins_per_inch=fins))[1]
        for mm, fins in ((30, 13), (52, 13), (30, 20))
    )
    assert thin < dense < thick
    assert Fans(1, **USUAL, k=thin).all_m3h() == pytest.approx(0.55 * 95)
    assert Fans(1, **USUAL, k=thick).all_m3h() == pytest.approx(0.45 * 95, rel=0.01)


def test_a_softer_fan_delivers_a_smaller_share() -> None:
    soft = Fans(1, 95.0, USUAL["pressure_pa"] / 2, resistance(0.55))
    assert soft.all_m3h() < 0.5 * 95


@given(SIDE, SIDE, GAPS)
def test_as_much_enters_as_leaves(into: tuple[Fans, ...], out: tuple[Fans, ...], gaps_k: float) -> None:
    point = balance(into, out, gaps_k)
    inward = sum(fans.all_m3h(point.inside_pa) for fans in into)
    outward = sum(fans.all_m3h(-point.inside_pa) for fans in out)
    gaps = (abs(point.inside_pa) / gaps_k) ** 0.5
    entering = inward + (gaps if point.inside_pa < 0 else 0.0)
    leaving = outward + (gaps if point.inside_pa > 0 else 0.0)
    assert entering == pytest.approx(leaving, rel=1e-4, abs=1e-3)
    assert point.through_m3h == pytest.approx(leaving, rel=1e-4, abs=1e-3)


def test_more_blown_in_than_out_raises_the_pressure_inside() -> None:
    fan = Fans(1, **USUAL, k=resistance(0.6))
    gaps = vents_k(Panels.SOLID)[1]
    assert balance((fan,), (), gaps).inside_pa > 0.5
    assert balance((), (fan,), gaps).inside_pa < -0.5
    assert balance((fan,), (fan,), gaps).inside_pa == pytest.approx(0, abs=1e-6)
    assert balance((), (), gaps).through_m3h == 0


@given(SIDE, SIDE, GAPS, st.floats(1, 3), st.booleans())
def test_a_faster_fan_never_lessens_what_crosses_the_case(
    into: tuple[Fans, ...], out: tuple[Fans, ...], gaps_k: float, faster: float, inward: bool
) -> None:
    def sped(fans: tuple[Fans, ...]) -> tuple[Fans, ...]:
        first = replace(fans[0], flow_m3h=fans[0].flow_m3h * faster, pressure_pa=fans[0].pressure_pa * faster**2)
        return (first, *fans[1:])

    if not (into if inward else out):
        return
    before = balance(into, out, gaps_k).through_m3h
    after = balance(sped(into) if inward else into, out if inward else sped(out), gaps_k).through_m3h
    assert after >= before * NEARLY


@given(SIDE, SIDE, FANS, GAPS, st.booleans())
@example((), (Fans(5.0, 146.0, 1.0, 0.0),), Fans(1.0, 20.0, 1.0, 0.0), 0.0625, False)
def test_a_further_fan_never_lessens_what_crosses_the_case(
    into: tuple[Fans, ...], out: tuple[Fans, ...], more: Fans, gaps_k: float, inward: bool
) -> None:
    before = balance(into, out, gaps_k).through_m3h
    after = balance((*into, more) if inward else into, out if inward else (*out, more), gaps_k).through_m3h
    assert after >= before * NEARLY


@given(SIDE, SIDE, GAPS, st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 1))
def test_wider_openings_never_lessen_what_crosses_the_case(
    into: tuple[Fans, ...], out: tuple[Fans, ...], gaps_k: float, front: float, rear: float, gaps: float
) -> None:
    before = balance(into, out, gaps_k).through_m3h
    wider_in = tuple(replace(fans, k=front * fans.k) for fans in into)
    wider_out = tuple(replace(fans, k=rear * fans.k) for fans in out)
    assert balance(wider_in, wider_out, gaps * gaps_k).through_m3h >= before * NEARLY


def test_more_open_panels_resist_less_at_every_end() -> None:
    order = (Panels.OPEN, Panels.MESH, Panels.SOLID, Panels.DAMPED)
    for law in (lambda panels: intake_k(panels, 140.0), lambda panels: exhaust_k(panels, 140.0), vents_k):
        tables = [law(panels) for panels in order]
        for end in range(3):
            column = [table[end] for table in tables]
            assert column == sorted(column)
    for end in range(3):
        shares = [INTAKE[panels][end] for panels in order]
        assert shares[-1] <= INTAKE[None][end] <= shares[1]
