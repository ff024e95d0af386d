"""The kernel's hardware monitors: temperature of the CPU package, fans of board and case.

The files are looked for once and read directly: asking for all sensors on every tick would also wake disks and slow
board controllers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HWMON = Path("/sys/class/hwmon")

_PACKAGE_SENSORS: tuple[tuple[str, str], ...] = (
    ("coretemp", "Package id"),
    ("k10temp", "Tdie"),  # without the offset that some Ryzen and Threadripper add to Tctl
    ("k10temp", "Tctl"),
    ("zenpower", "Tdie"),
    ("zenpower", "Tctl"),
    ("cpu_thermal", ""),
)
"""Driver and beginning of the label, best first."""
_CPU_FAN_WORDS = ("cpu", "processor")


@dataclass(frozen=True, slots=True)
class Sensor:
    """One input file of a monitor chip."""

    chip: str
    label: str
    path: Path

    def read(self) -> float | None:
        """The raw number: thousandths of a degree or volt, rpm, millionths of a watt; None when it cannot be read."""
        return read_number(self.path)


def read_text(path: Path) -> str | None:
    """The stripped text of a small kernel file, None when it is missing, protected or fails."""
    try:
        with path.open("rb", buffering=0) as file:  # a third of the work of a buffered text file
            return file.read().decode("utf-8", errors="replace").strip()
    except OSError:
        return None


def read_number(path: Path) -> float | None:
    """The number in a kernel file, None when there is none."""
    try:
        return float(read_text(path) or "")
    except ValueError:
        return None


def sensors(kind: str, root: Path = HWMON, what: str = "input") -> list[Sensor]:
    """All files of a kind ("temp", "fan", "in", "power") in the order of chips.

    Those without a label are called after their file, thermometers not at all.
    """
    inputs = []
    for chip in sorted(root.glob("hwmon*")):
        name = read_text(chip / "name") or chip.name
        for path in sorted(chip.glob(f"{kind}[0-9]*_{what}")):
            stem = path.name.removesuffix(f"_{what}")
            label = read_text(path.with_name(f"{stem}_label")) or ("" if kind == "temp" else stem)
            inputs.append(Sensor(name, label, path))
    return inputs


def package_sensors(root: Path = HWMON) -> list[Sensor]:
    """The sensor of each CPU package; empty in containers and virtual machines."""
    present = sensors("temp", root)
    for chip, label in _PACKAGE_SENSORS:
        chosen = [sensor for sensor in present if sensor.chip == chip and sensor.label.startswith(label)]
        if chosen:
            return chosen
    return []


def critical_c(sensor: Sensor) -> float | None:
    """The temperature at which the chip protects itself, where its driver tells."""
    raw = read_number(sensor.path.with_name(sensor.path.name.replace("_input", "_crit")))
    return None if raw is None else raw / 1000


def is_cpu_fan(fan: Sensor) -> bool:
    """Whether its label says so. A fan without one is never taken for the CPU's."""
    return any(word in fan.label.lower() for word in _CPU_FAN_WORDS)
