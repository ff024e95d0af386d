"""What the kernel tells of processors and main memory: clocks, slowdowns because of heat, memory errors."""

from __future__ import annotations

from pathlib import Path

from core.machine.telemetry.host.hwmon import read_number, read_text

CPUS = Path("/sys/devices/system/cpu")
EDAC = Path("/sys/devices/system/edac/mc")
MOST_CLOCKS = 8


class Clocks:
    """The clocks of some cores, spread over all: asking each of a hundred would wake each of a hundred."""

    def __init__(self, root: Path = CPUS) -> None:
        files = sorted(root.glob("cpufreq/policy[0-9]*/scaling_cur_freq"))
        self._files = files[:: max(1, -(-len(files) // MOST_CLOCKS))]

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
        counted = {"throttle_count": sum(counts)} if counts else {}
        return counted | ({"throttle_hw_thermal_s": max(lasted)} if lasted else {})


class MemoryErrors:
    """Errors of the main memory, where it has ECC and the kernel a driver for its controller."""

    def __init__(self, root: Path = EDAC) -> None:
        self._controllers = sorted(root.glob("mc[0-9]*"))

    def read(self) -> dict[str, float]:
        """Since the machine started, by metric; empty where nothing is counted."""
        totals = {}
        for metric, file in (("ecc_corrected", "ce_count"), ("ecc_uncorrected", "ue_count")):
            counts = [count for path in self._controllers if (count := read_number(path / file)) is not None]
            if counts:
                totals[metric] = sum(counts)
        return totals


POWERCAP = Path("/sys/class/powercap")


class PackagePower:
    """Mean power between two readings. The counters are open to root only, and absent in virtual machines."""

    def __init__(self, root: Path = POWERCAP) -> None:
        zones = sorted(root.glob("intel-rapl:*"))
        self._packages = [zone for zone in zones if (read_text(zone / "name") or "").startswith("package")]
        self._before: tuple[float, list[float]] | None = None
        self.energy_j: float | None = None
        """Used since the first reading; None before it and without counters."""

    @property
    def readable(self) -> bool:
        """Whether the counters are there and open to this user."""
        return self._energies_uj() is not None

    def limit_w(self) -> float | None:
        """Sum of the long-term power limits, None where a package has none."""
        limits = [read_number(package / "constraint_0_power_limit_uw") for package in self._packages]
        stated = [limit for limit in limits if limit is not None]
        return sum(stated) / 1e6 if stated and len(stated) == len(limits) else None

    def read_w(self, now_s: float) -> float | None:
        """Mean power since the last call; None on the first call or without counters. `now_s` is monotonic."""
        energies = self._energies_uj()
        before, self._before = self._before, None if energies is None else (now_s, energies)
        if before is None or energies is None or now_s <= before[0]:
            return None
        used_uj = sum(
            self._difference_uj(package, was, now)
            for package, was, now in zip(self._packages, before[1], energies, strict=True)
        )
        self.energy_j = (self.energy_j or 0.0) + used_uj / 1e6
        return used_uj / 1e6 / (now_s - before[0])

    def _energies_uj(self) -> list[float] | None:
        values = [read_number(package / "energy_uj") for package in self._packages]
        counted = [value for value in values if value is not None]
        return counted if counted and len(counted) == len(values) else None

    @staticmethod
    def _difference_uj(package: Path, was: float, now: float) -> float:
        """The counter starts again at zero after `max_energy_range_uj`."""
        if now >= was:
            return now - was
        return now - was + (read_number(package / "max_energy_range_uj") or was)
