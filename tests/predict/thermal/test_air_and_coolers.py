"""Air that takes up heat, and coolers against cards whose power, fan speed and temperature were published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.vocabulary import GpuCooling
from core.predict.airflow.operating_point import density, rise_k
from core.predict.band import Corner
from core.predict.curves import warm_up
from core.predict.thermal.coolers import BLOWER_CURVE, OPEN_CURVE, at_speed, cooler_of, fan_share

ROOM_C = 25.0
SHARE_OF_RANGE = 0.25


def test_1500_watts_need_223_cubic_metres_an_hour_for_20_kelvin() -> None:
    assert rise_k(1500, 223) == pytest.approx(20, rel=0.01)


@pytest.mark.parametrize(("altitude_m", "factor"), [(500, 1.05), (1000, 1.10), (2000, 1.22), (3000, 1.35)])
def test_thin_air_warms_more(altitude_m: float, factor: float) -> None:
    """1 / density of the standard atmosphere."""
    assert density(0) / density(altitude_m) == pytest.approx(factor, abs=0.02)
    assert rise_k(1000, 300, altitude_m) / rise_k(1000, 300) == pytest.approx(factor, abs=0.02)


@pytest.mark.parametrize(
    ("kind", "slots", "limit_w", "watts", "fan", "measured_c"),
    [
        (GpuCooling.OPEN_AIR, 3.0, 350, 291, 0.68, 65),
        (GpuCooling.OPEN_AIR, 3.0, 350, 296, 0.67, 65),
        (GpuCooling.OPEN_AIR, 3.0, 350, 333, 0.63, 62),
        (GpuCooling.OPEN_AIR, 3.0, 350, 306, 0.61, 61),
        (GpuCooling.OPEN_AIR, 3.0, 350, 342, 0.58, 66),
        (GpuCooling.OPEN_AIR, 3.5, 450, 384, 0.50, 60),
        (GpuCooling.FLOW_THROUGH, 2.0, 575, 529, 0.82, 71),
        (GpuCooling.BLOWER, 2.0, 300, 295, 0.71, 85),
        (GpuCooling.BLOWER, 2.0, 300, 289, 0.56, 83),
        (GpuCooling.BLOWER, 2.0, 300, 232, 0.54, 79),
        (GpuCooling.BLOWER, 2.0, 250, 300, 0.75, 87),
        (GpuCooling.BLOWER, 2.0, 250, 245, 0.50, 84),
        (GpuCooling.BLOWER, 2.0, 180, 175, 0.55, 83),
    ],
)
def test_coolers_come_out_as_published_machines_show(
    kind: GpuCooling, slots: float, limit_w: float, watts: float, fan: float, measured_c: float
) -> None:
    """RTX 3090 in servers and training, RTX 4090 and 5090, RTX A6000 and 6000 Ada, GTX 1080 Ti: within a quarter."""
    _, full_speed, _ = cooler_of(kind, slots, limit_w).resistance
    rise = at_speed(full_speed, fan) * watts
    assert rise == pytest.approx(measured_c - ROOM_C, rel=SHARE_OF_RANGE)


@given(st.sampled_from([OPEN_CURVE, BLOWER_CURVE]), st.floats(0, 110), st.floats(0, 20))
def test_a_warmer_chip_never_slows_its_fan(curve: tuple[tuple[float, float], ...], chip_c: float, more: float) -> None:
    assert fan_share(curve, chip_c + more) >= fan_share(curve, chip_c)


@given(st.floats(0.02, 0.3), st.floats(0.05, 1), st.floats(0, 0.5))
def test_a_faster_fan_never_cools_less(full_speed: float, share: float, more: float) -> None:
    assert at_speed(full_speed, min(1, share + more)) <= at_speed(full_speed, share)


def test_a_stated_resistance_holds_before_the_kind() -> None:
    cooler = cooler_of(GpuCooling.OPEN_AIR, 2.0, 300.0, resistance=0.09, target_c=84.0)
    assert cooler.resistance[1] == 0.09
    assert cooler.missing == ()
    assert cooler_of(None, None, None).missing == ("thermal_resistance_k_per_w", "cooling", "width_slots")


def test_a_card_warms_within_minutes_and_the_case_within_half_an_hour() -> None:
    start, three_minutes, half_an_hour, day = warm_up(25, 40, 80, [0, 180, 1800, 86400])
    assert start == pytest.approx(25)
    assert 58 < three_minutes < 70
    assert half_an_hour == pytest.approx(78.6, abs=0.5)
    assert day == pytest.approx(80)
    soon, usual, late = (warm_up(25, 40, 80, [300], case)[0] for case in (Corner.HOT, Corner.EXPECTED, Corner.COOL))
    assert soon > usual > late
