"""What the kernel tells of processors and main memory: clocks, slowdowns because of heat, memory errors."""

from __future__ import annotations

from pathlib import Path

from core.telemetry.hwmon import read_number, read_text

CPUS = Path("/sys/devices/system/cpu")
EDAC = Path("/sys/devices/system/edac/mc")
MOST_CLOCKS = 8


class Clocks:
    """The clocks of some cores, spread over all: asking each of a hundred would wake each of a hundred."""

    def __init__(self, root: Path = CPUS) -> None:
        found = sorted(root.glob("cpufreq/policy[0-9]*/scaling_cur_freq"))
        self._files = found[:: max(1, -(-len(found) // MOST_CLOCKS))]

    @property
    def offered(self) -> bool:
        """Virtual machines offer none."""
        return bool(self._files)

    def mean_mhz(self) -> float | None:
        """Over those cores, now."""
        clocks = [kilohertz / 1000 for file in self._files if (kilohertz := read_number(file)) is not None]
        return sum(clocks) / len(clocks) if clocks else None


class Slowdowns:
    """How often and how long cores and packages lowered clocks because of heat (Intel processors)."""

    def __init__(self, root: Path = CPUS) -> None:
        self._cores: dict[tuple[str, str], Path] = {}
        self._packages: dict[str, Path] = {}
        for counters in sorted(root.glob("cpu[0-9]*/thermal_throttle")):
            topology = counters.parent / "topology"
            package = read_text(topology / "physical_package_id") or ""
            # Threads of a core, and cores of a package, show the same counter.
            self._cores.setdefault((package, read_text(topology / "core_id") or ""), counters)
            self._packages.setdefault(package, counters)

    def read(self) -> dict[str, float]:
        """Since the machine started, by metric; empty where nothing is counted."""
        times = [
            *(path / "core_throttle_count" for path in self._cores.values()),
            *(path / "package_throttle_count" for path in self._packages.values()),
        ]
        counts = [count for path in times if (count := read_number(path)) is not None]
        lasted = [
            spent_ms / 1000
            for path in self._packages.values()
            if (spent_ms := read_number(path / "package_throttle_total_time_ms")) is not None
        ]
        found = {"throttle_count": sum(counts)} if counts else {}
        return found | ({"throttle_hw_thermal_s": max(lasted)} if lasted else {})


class MemoryErrors:
    """Errors of the main memory, where it has ECC and the kernel a driver for its controller."""

    def __init__(self, root: Path = EDAC) -> None:
        self._controllers = sorted(root.glob("mc[0-9]*"))

    def read(self) -> dict[str, float]:
        """Since the machine started, by metric; empty where nothing is counted."""
        found = {}
        for metric, file in (("ecc_corrected", "ce_count"), ("ecc_uncorrected", "ue_count")):
            counts = [count for path in self._controllers if (count := read_number(path / file)) is not None]
            if counts:
                found[metric] = sum(counts)
        return found
