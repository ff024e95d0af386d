"""What the kernel's hardware monitors tell of board, memory modules, disks and PSU."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from core.telemetry.host.hwmon import HWMON, Sensor, sensors
from core.telemetry.plausible import plausible

_MODULE_CHIPS = ("jc42", "spd5118")
"""Thermometers on memory modules: DDR3 and DDR4, DDR5."""
_DISK_CHIPS = ("nvme", "drivetemp")
_METER_CHIPS = ("power_meter", "corsairpsu")
"""Service processors by ACPI, and PSUs with a cable for data."""
_RAILS = {
    "voltage_12v": re.compile(r"(v_out )?\+?12 ?v", re.IGNORECASE),
    "voltage_5v": re.compile(r"(v_out )?\+?5 ?v", re.IGNORECASE),
    "voltage_3v3": re.compile(r"(v_out )?\+?3\.3 ?v", re.IGNORECASE),
}
"""Only inputs whose driver says what they measure: without a label the divider on the board is unknown."""


class Board:
    """The sensors are looked for once. What is absent is not measured."""

    def __init__(self, root: Path = HWMON) -> None:
        temperatures = sensors("temp", root)
        self._modules = [sensor for sensor in temperatures if sensor.chip in _MODULE_CHIPS]
        self._disks = [s for s in temperatures if s.chip in _DISK_CHIPS and s.path.name == "temp1_input"]
        self._fans = sensors("fan", root)
        voltages = sensors("in", root)
        self._rails = {
            metric: [sensor for sensor in voltages if label.fullmatch(sensor.label)] for metric, label in _RAILS.items()
        }
        self._meters = [
            *(sensor for sensor in sensors("power", root) if _measures_all(sensor)),
            *(sensor for sensor in sensors("power", root, "average") if _measures_all(sensor)),
        ]
        self._turning: set[Path] = set()

    def read(self) -> dict[str, float | None]:
        """Metrics of the CPU's device: the hottest module and disk, the slowest fan, the rails, the whole power."""
        rails = {
            metric: _first(plausible(metric, value / 1000) for value in _values(found))
            for metric, found in self._rails.items()
        }
        return rails | {
            "memory_temperature_c": _hottest("memory_temperature_c", self._modules),
            "disk_temperature_c": _hottest("disk_temperature_c", self._disks),
            "case_fan_rpm": self._slowest_fan_rpm(),
            "machine_power_w": _first(plausible("machine_power_w", value / 1e6) for value in _values(self._meters)),
        }

    def _slowest_fan_rpm(self) -> float | None:
        """Connectors without a fan read 0 for ever; a fan that has turned and stands still counts."""
        speeds = {fan.path: speed for fan in self._fans if (speed := fan.read()) is not None}
        self._turning |= {path for path, speed in speeds.items() if speed > 0}
        return min((speed for path, speed in speeds.items() if path in self._turning), default=None)


def _measures_all(sensor: Sensor) -> bool:
    """PSUs label the sum of their rails; the ACPI meter has only one input, with or without a label."""
    return sensor.chip in _METER_CHIPS and (sensor.chip == "power_meter" or sensor.label == "power total")


def _hottest(metric: str, found: list[Sensor]) -> float | None:
    degrees = (plausible(metric, value / 1000) for value in _values(found))
    return max((value for value in degrees if value is not None), default=None)


def _values(found: list[Sensor]) -> Iterable[float]:
    return (value for sensor in found if (value := sensor.read()) is not None)


def _first(values: Iterable[float | None]) -> float | None:
    return next((value for value in values if value is not None), None)
