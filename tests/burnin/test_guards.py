"""Guards: they speak after a duration, not on one spike, and only about what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.guards.device import DeviceGuards, FanGuard, GuardLimit, TemperatureGuard
from core.burnin.guards.rounds import (
    MemoryGuard,
    blind_breach,
    disk_breach,
    heartbeat_breach,
    stalled,
    telemetry_breach,
)
from core.burnin.profile.profile import Guards, OwnLimit
from core.machine.telemetry.device import Device, DeviceKind

PROCESSOR = Device("cpu", DeviceKind.CPU, "Processor", temperature_slowdown_c=100.0)


def guard(limit_c: float | None = None, slowdown_c: float | None = 90.0) -> TemperatureGuard:
    device = Device("GPU-1", DeviceKind.GPU, "Card", temperature_slowdown_c=slowdown_c)
    return TemperatureGuard(device, Guards(temperature_c=limit_c, temperature_for_s=5))


def last(watch: Any, readings: Iterable[dict[str, float | None]]) -> str | None:
    """What is said at the end of readings a second apart."""
    return [watch.breach(float(second), row) for second, row in enumerate(readings)][-1]


# -- a limit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "lasted_s"),
    [([90, 89, 90, 89, 90, 89, 90], 6), ([90, 88, 90, 90, 90, 90], None)],
    ids=["a swing counts from its first passing", "what has come back begins anew"],
)
def test_a_value_must_stay_beyond_its_limit(values: list[float], lasted_s: float | None) -> None:
    limit = GuardLimit(90, for_s=5, hysteresis=2)
    lengths_s = [limit.lasted_s(time_s, value) for time_s, value in enumerate(values)]
    assert lengths_s == [None] * (len(values) - 1) + [lasted_s]


@given(st.lists(st.floats(0, 89.9), max_size=30), st.floats(0, 20))
def test_values_inside_their_limit_are_never_a_breach(values: list[float], hysteresis: float) -> None:
    limit = GuardLimit(90, for_s=0.001, hysteresis=hysteresis)
    assert [limit.lasted_s(time_s, value) for time_s, value in enumerate(values)] == [None] * len(values)


# -- heat ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slowdown_c", "readings", "says"),
    [
        (90.0, {0: 91, 4: 92, 5: 92}, "92 °C, limit 90 °C"),
        (90.0, {0: 91, 4: 92}, None),
        (90.0, {0: 95, 1: 80, 5: 95, 9: 80}, None),
        (90.0, {0: None, 10: None, 20: None}, None),
        (90.0, {0: 95, 3: None, 6: 95}, "95 °C"),
        (None, {0: 200, 10: 200}, None),
    ],
    ids=["lasts", "not long enough", "a spike", "not measured", "a gap does not cool it", "no limit known"],
)
def test_heat_that_lasts_is_a_breach(slowdown_c: float | None, readings: dict[int, Any], says: str | None) -> None:
    watch = guard(slowdown_c=slowdown_c)
    *before, at_the_end = [watch.breach(time_s, {"temperature_c": value}) for time_s, value in readings.items()]
    assert set(before) <= {None}
    assert at_the_end is None if says is None else says in str(at_the_end)


def test_the_lower_of_own_limit_and_slowdown_holds_and_of_a_cpu_its_own_alone() -> None:
    assert [guard(*limits).limit_c for limits in ((80, 90), (95, 90), (None, None))] == [80, 90, None]
    assert TemperatureGuard(PROCESSOR, Guards()).limit_c is None
    assert TemperatureGuard(PROCESSOR, Guards(temperature_c=85)).limit_c == 85


def test_a_negative_margin_is_a_breach_without_any_known_limit_and_a_margin_of_zero_is_none() -> None:
    watch = guard(slowdown_c=None)
    assert watch.breach(0, {"margin_c": -1.0}) is None
    assert "margin" in str(watch.breach(6, {"margin_c": -2.0}))
    assert last(guard(slowdown_c=None), [{"margin_c": 0.0}] * 20) is None


# -- fans ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("readings", "says"),
    [
        ([{"fan_pct": 80.0, "fan_rpm": 0.0}] * 12, "has not turned for 11 s, although it is set to 80 %"),
        ([{"fan_pct": 60.0, "fan_rpm": 1800.0}] * 3 + [{"fan_pct": 60.0, "fan_rpm": 700.0}] * 12, "only 700 rpm"),
        ([{"fan_pct": 60.0, "fan_rpm": 1800.0}] * 3 + [{"fan_pct": 30.0, "fan_rpm": 900.0}] * 12, None),
        ([{"fan_pct": 60.0, "fan_rpm": 1800.0}] * 3 + [{"fan_pct": 60.0, "fan_rpm": 1500.0}] * 12, None),
        ([{"fan_pct": 0.0, "fan_rpm": 0.0}] * 12, None),
        ([{"fan_pct": 0.0, "fan_rpm": 0.0}] * 3 + [{"fan_pct": 45.0, "fan_rpm": 0.0}] * 14, None),
        ([{"fan_pct": 0.0, "fan_rpm": 0.0}] * 3 + [{"fan_pct": 45.0, "fan_rpm": 0.0}] * 25, "has not turned"),
        ([{"fan_pct": 80.0, "fan_rpm": None}] * 12, None),
        ([{"fan_rpm": 900.0, "temperature_c": 70.0}] + [{"fan_rpm": 0.0, "temperature_c": 70.0}] * 12,
         "has not turned"),
        ([{"fan_rpm": 900.0, "temperature_c": 40.0}] + [{"fan_rpm": 0.0, "temperature_c": 40.0}] * 12, None),
        ([{"fan_rpm": 0.0, "temperature_c": 70.0}] * 12, None),
    ],
    ids=["dead", "slow", "told to slow down", "a little slower", "semi-passive", "spins up", "never spins up",
         "not measured", "CPU's fan dies", "cool CPU", "no fan there"],
)  # fmt: skip
def test_a_fan_must_turn_as_it_is_set(readings: list[dict[str, float | None]], says: str | None) -> None:
    breach = last(FanGuard(Guards()), readings)
    assert breach is None if says is None else says in str(breach)


# -- limits of the user and what is odd -----------------------------------------------------------------------------


def test_any_metric_can_be_limited_on_the_devices_that_it_is_meant_for() -> None:
    guards = Guards(limits=(OwnLimit(metric="memory_temperature_c", above=95, for_s=3, device="gpu"),))
    card = DeviceGuards(Device("GPU-1", DeviceKind.GPU, "Card"), guards, under_test=True)
    processor = DeviceGuards(PROCESSOR, guards, under_test=True)
    readings = [{"memory_temperature_c": 96.0}] * 5
    assert "Memory temperature was above 95 °C for 4 s (96)" in str(last(card, readings))
    assert last(processor, readings) is None


def test_a_limit_can_be_a_least_value() -> None:
    guards = Guards(limits=(OwnLimit(metric="clock_mhz", below=900, for_s=2),))
    card = DeviceGuards(Device("GPU-1", DeviceKind.GPU, "Card"), guards, under_test=True)
    assert "Clock was below 900 MHz" in str(last(card, [{"clock_mhz": 300.0}] * 4))
    assert last(card, [{"clock_mhz": 1500.0}] * 4) is None


def test_a_busy_device_that_draws_little_is_noticed_once_a_stage() -> None:
    card = DeviceGuards(Device("GPU-1", DeviceKind.GPU, "Card"), Guards(), under_test=True)
    busy = [{"power_w": 300.0, "utilisation_pct": 100.0}] * 60 + [{"power_w": 80.0, "utilisation_pct": 100.0}] * 30
    notices = [card.notice(float(second), row) for second, row in enumerate(busy)]
    expected = "It reports 100 % utilisation but draws 80 W, 27 % of its usual power."
    assert [text for text in notices if text] == [expected]
    resting = [{"power_w": 300.0, "utilisation_pct": 100.0}] * 60 + [{"power_w": 80.0, "utilisation_pct": 3.0}] * 30
    card.new_stage()
    assert not any(card.notice(float(second), row) for second, row in enumerate(resting))


# -- silence and the machine ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("breach", [heartbeat_breach, telemetry_breach, blind_breach, stalled])
def test_silence_is_a_breach_from_its_timeout_on(breach: Callable[[float, Guards], str | None]) -> None:
    guards = Guards(heartbeat_timeout_s=10, telemetry_timeout_s=10, stalled_after_s=10)
    assert breach(9.9, guards) is None
    assert "10 s" in str(breach(10.0, guards))


def test_telemetry_that_hangs_names_what_does_not_answer() -> None:
    breach = telemetry_breach(11.0, Guards(), "nvmlDeviceGetPowerUsage of GPU 3")
    assert breach is not None
    assert "No telemetry for 11 s: nvmlDeviceGetPowerUsage of GPU 3 does not answer." in breach


def test_a_nearly_full_disk_is_a_breach_with_both_figures(tmp_path: Path) -> None:
    assert disk_breach(tmp_path, Guards(free_disk_mb=0)) is None
    assert "MB left" in str(disk_breach(tmp_path, Guards(free_disk_mb=1e12)))


def test_memory_that_stays_full_is_a_breach_with_both_figures() -> None:
    watch = MemoryGuard(Guards(free_memory_mb=300, free_memory_for_s=5))
    assert [watch.breach(time_s, free_mb) for time_s, free_mb in ((0, 100), (3, 900), (4, 100), (8, 100))] == [None] * 4
    assert "100 MB left, 300 MB required" in str(watch.breach(9, 100))
