"""Measures the machine itself: CPU, its cooling, main memory, board and disks."""

from __future__ import annotations

import platform
import re
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import psutil

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.host.hwmon import HWMON, Sensor, critical_c, is_cpu_fan, package_sensors, read_text, sensors
from core.machine.telemetry.host.processor import Clocks, MemoryErrors, PackagePower, Slowdowns
from core.machine.telemetry.plausible import CounterRate, plausible, plausible_limit_c, possible
from core.machine.telemetry.source import CPU_ID, Incident, NoiseMeter, Report
from core.platform.processor import cpu_name
from core.words import tr

MB = 2**20
SYS = Path("/sys")
SELDOM_EVERY_S = 10.0
_SHORTEST_INTERVAL_S = 0.1
"""The kernel counts CPU time in ticks of 10 ms or so: a share over less says nothing."""


class HostSource:
    """The CPU as a device. What this machine, container or user cannot measure is None.

    `recording` is where the run is recorded: the room that is left there is a metric. `meter` measures noise; it is
    closed with the source.
    """

    def __init__(self, *, sys: Path = SYS, recording: Path | None = None, meter: NoiseMeter | None = None) -> None:
        hwmon = sys / "class" / "hwmon"
        self._package_sensors = package_sensors(hwmon)
        self._fans = sensors("fan", hwmon)
        self._power = PackagePower(sys / "class" / "powercap")
        self._board = Board(hwmon)
        self._clocks = Clocks(sys / "devices" / "system" / "cpu")
        self._slowdowns = Slowdowns(sys / "devices" / "system" / "cpu")
        self._memory_errors = MemoryErrors(sys / "devices" / "system" / "edac" / "mc")
        self._disks = Disks(sys / "block")
        self._recording = recording
        self._meter = meter
        self._device = _describe(self._package_sensors, self._fans, self._power)
        self._seldom: dict[str, float | None] = {}
        self._seldom_due_s = float("-inf")
        now_s = time.monotonic()
        self._power.read_w(now_s)
        self._disks.read(now_s)
        psutil.cpu_percent()
        self._asked_at = now_s

    def devices(self) -> list[Device]:
        """The one CPU device, whatever the number of sockets."""
        return [self._device]

    def read(self) -> dict[str, dict[str, float | None]]:
        """One sample; power, utilisation and what disks do are means since the last one.

        Board, memory, counters and room are read every ten seconds and keep their value in between.
        """
        now_s = time.monotonic()
        if now_s >= self._seldom_due_s:
            self._seldom_due_s = now_s + SELDOM_EVERY_S
            self._seldom = {
                # Where cores tell no clock of their own, /proc/cpuinfo has one that hardly ever changes.
                **({} if self._clocks.offered else {"clock_mhz": _stated_clock_mhz()}),
                **self._board.read(),
                **self._read_counters(),
                "memory_used_mb": round(psutil.virtual_memory().used / MB, 1),
                "swap_used_mb": round(psutil.swap_memory().used / MB, 1),
                "disk_free_mb": self._disk_free_mb(),
            }
        temperature, limit = self._temperature_c(), self._device.temperature_slowdown_c
        readings = {
            "temperature_c": temperature,
            "margin_c": None if temperature is None or limit is None else limit - temperature,
            "power_w": self._power.read_w(now_s),
            "power_limit_w": self._device.power_limit_w,
            "energy_j": self._power.energy_j,
            "clock_mhz": self._clocks.mean_mhz(),
            "utilisation_pct": self._utilisation_pct(now_s),
            "fan_rpm": self._cpu_fan_rpm(),
            "load_average": psutil.getloadavg()[0],
            "noise_dba": self._meter.read_dba() if self._meter else None,
            **self._disks.read(now_s),
            **self._seldom,
        }
        return {CPU_ID: possible(readings)}

    def count(self) -> dict[str, dict[str, float | None]]:
        """Errors of the main memory, and how often the CPU slowed itself down."""
        counts = possible(self._read_counters())
        self._seldom = self._seldom | counts
        return {CPU_ID: counts}

    def lost(self) -> Mapping[str, str]:
        """A CPU that is lost reports nothing any more."""
        return {}

    def set_activity(self, device_id: str, load: float) -> None:
        """The CPU feels its load by itself."""

    def listen(self, report: Report) -> None:
        """The kernel's log tells of the host's errors; here only the microphone has something to say."""
        if self._meter is not None:
            self._meter.on_trouble(lambda text: report(Incident("noise", text, "microphone")))

    def asking(self) -> str | None:
        """The kernel's files answer at once or not at all."""
        return None

    def slowest(self) -> str | None:
        """The kernel does not tell."""
        return None

    def close(self) -> None:
        """Ends the recording of sound."""
        if self._meter is not None:
            self._meter.close()

    def _read_counters(self) -> dict[str, float | None]:
        return {**self._slowdowns.read(), **self._memory_errors.read()}

    def _disk_free_mb(self) -> float | None:
        if self._recording is None:
            return None
        try:
            return round(shutil.disk_usage(self._recording).free / MB, 1)
        except OSError:
            return None

    def _temperature_c(self) -> float | None:
        temps = [plausible("temperature_c", raw / 1000) for s in self._package_sensors if (raw := s.read()) is not None]
        return max((value for value in temps if value is not None), default=None)

    def _cpu_fan_rpm(self) -> float | None:
        """The fastest fan that is labelled as the CPU's; one that stands still is 0, not unknown."""
        speeds = [fan.read() for fan in self._fans if is_cpu_fan(fan)]
        return max((speed for speed in speeds if speed is not None), default=None)

    def _utilisation_pct(self, now_s: float) -> float | None:
        if now_s - self._asked_at < _SHORTEST_INTERVAL_S:
            return None
        self._asked_at = now_s
        return psutil.cpu_percent()


def _describe(packages: list[Sensor], fans: list[Sensor], power: PackagePower) -> Device:
    cores, threads = psutil.cpu_count(logical=False), psutil.cpu_count()
    critical = [limit for sensor in packages if (limit := plausible_limit_c(critical_c(sensor))) is not None]
    spinning = [f"{fan.chip} {fan.label} {speed:.0f} rpm" for fan in fans if (speed := fan.read())]
    detail = {
        "cores": str(cores or ""),
        "threads": str(threads or ""),
        "system": f"{platform.system()} {platform.release()}",
        "temperature sensor": ", ".join(f"{sensor.chip} {sensor.label}".strip() for sensor in packages) or tr("none"),
        "power meter": "RAPL" if power.readable else tr("none, or readable only by root"),
        "fans": ", ".join(spinning) or tr("none reported"),
    }
    return Device(
        id=CPU_ID,
        kind=DeviceKind.CPU,
        name=cpu_name(),
        memory_mb=round(psutil.virtual_memory().total / MB),
        power_limit_w=plausible("power_limit_w", power.limit_w()),
        temperature_slowdown_c=min(critical, default=None),
        detail={name: text for name, text in detail.items() if text},
    )


def _stated_clock_mhz() -> float | None:
    """Absent on some virtual and ARM machines."""
    try:
        clock = psutil.cpu_freq()
    except (NotImplementedError, OSError):
        return None
    return None if clock is None else round(float(clock.current), 1)


BLOCK = Path("/sys/block")
_SECTOR = 512
"""Bytes; the kernel counts in these whatever the disk's own sectors are (Documentation/block/stat.rst)."""
_SECTORS_READ, _SECTORS_WRITTEN = 2, 6
"""Places in the file `stat`."""


class Disks:
    """Real devices alone: what lies on them (partitions, RAID, encryption) would count the same bytes again."""

    def __init__(self, root: Path = BLOCK) -> None:
        self._files = [disk / "stat" for disk in sorted(root.glob("*")) if (disk / "device").exists()]
        self._growth = {"disk_read_gbps": CounterRate(), "disk_written_gbps": CounterRate()}

    def read(self, now_s: float) -> dict[str, float | None]:
        """Means since the last call, by metric; `now_s` is monotonic."""
        counts = [text.split() for file in self._files if (text := read_text(file))]
        rates = {}
        for (metric, growth), place in zip(self._growth.items(), (_SECTORS_READ, _SECTORS_WRITTEN), strict=True):
            sectors = [int(fields[place]) for fields in counts if len(fields) > place and fields[place].isdecimal()]
            per_s = growth.per_s(now_s, sum(sectors) if sectors else None)
            rates[metric] = None if per_s is None else per_s * _SECTOR / 1e9
        return rates


# What the kernel's hardware monitors tell of board, memory modules, disks and PSU.

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
        self._rails = {metric: [s for s in voltages if label.fullmatch(s.label)] for metric, label in _RAILS.items()}
        self._meters = [
            *(sensor for sensor in sensors("power", root) if _measures_all(sensor)),
            *(sensor for sensor in sensors("power", root, "average") if _measures_all(sensor)),
        ]
        self._turning: set[Path] = set()

    def read(self) -> dict[str, float | None]:
        """Metrics of the CPU's device: the hottest module and disk, the slowest fan, the rails, the whole power."""
        rails = {
            metric: _first(plausible(metric, value / 1000) for value in _values(inputs))
            for metric, inputs in self._rails.items()
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


def _hottest(metric: str, inputs: list[Sensor]) -> float | None:
    degrees = (plausible(metric, value / 1000) for value in _values(inputs))
    return max((value for value in degrees if value is not None), default=None)


def _values(inputs: list[Sensor]) -> Iterable[float]:
    return (value for sensor in inputs if (value := sensor.read()) is not None)


def _first(values: Iterable[float | None]) -> float | None:
    return next((value for value in values if value is not None), None)
