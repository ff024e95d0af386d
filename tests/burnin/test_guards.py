"""Guards: they speak after a duration, not on one spike, and only about what is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.burnin.guards import (
    TemperatureGuard,
    blind_breach,
    disk_breach,
    heartbeat_breach,
    pause_breach,
    telemetry_breach,
)
from core.burnin.profile import Guards
from core.telemetry.device import Device, DeviceKind


def guard(limit_c: float | None = None, slowdown_c: float | None = 90.0) -> TemperatureGuard:
    device = Device("GPU-1", DeviceKind.GPU, "Card", temperature_slowdown_c=slowdown_c)
    return TemperatureGuard(device, Guards(temperature_c=limit_c, temperature_for_s=5))


def breaches(watch: TemperatureGuard, readings: list[tuple[float, float | None]]) -> list[str | None]:
    return [watch.breach(time_s, {"temperature_c": value}) for time_s, value in readings]


def test_heat_that_lasts_is_a_breach() -> None:
    said = breaches(guard(), [(0, 91), (4, 92), (5, 92)])
    assert said[:2] == [None, None]
    assert said[2] is not None
    assert "92 °C, limit 90 °C" in said[2]


def test_a_spike_is_not_a_breach() -> None:
    assert breaches(guard(), [(0, 95), (1, 80), (5, 95), (9, 80)]) == [None] * 4


def test_the_lower_of_own_limit_and_slowdown_holds() -> None:
    assert guard(limit_c=80).limit_c == 80
    assert guard(limit_c=95).limit_c == 90
    assert guard(limit_c=None, slowdown_c=None).limit_c is None


def test_a_cpu_is_guarded_by_the_profiles_own_limit_alone() -> None:
    processor = Device("cpu", DeviceKind.CPU, "Processor", temperature_slowdown_c=100.0)
    assert TemperatureGuard(processor, Guards()).limit_c is None
    assert TemperatureGuard(processor, Guards(temperature_c=85)).limit_c == 85


def test_an_unmeasured_temperature_is_never_a_breach() -> None:
    assert breaches(guard(), [(0, None), (10, None), (20, None)]) == [None] * 3


def test_a_negative_margin_is_a_breach_without_any_known_limit() -> None:
    watch = guard(slowdown_c=None)
    assert watch.breach(0, {"margin_c": -1.0}) is None
    assert "margin" in str(watch.breach(6, {"margin_c": -2.0}))


def test_a_gap_in_the_readings_does_not_cool_a_hot_device() -> None:
    assert breaches(guard(), [(0, 95), (3, None), (6, 95)])[2] is not None


@pytest.mark.parametrize("breach", [heartbeat_breach, telemetry_breach, blind_breach, pause_breach])
def test_silence_is_a_breach_from_its_timeout_on(breach: Callable[[float, Guards], str | None]) -> None:
    guards = Guards(heartbeat_timeout_s=10, telemetry_timeout_s=10)
    assert breach(9.9, guards) is None
    assert "10 s" in str(breach(10.0, guards))


def test_a_nearly_full_disk_is_a_breach_with_both_figures(tmp_path: Path) -> None:
    assert disk_breach(tmp_path, Guards(free_disk_mb=0)) is None
    assert "MB left" in str(disk_breach(tmp_path, Guards(free_disk_mb=1e12)))
