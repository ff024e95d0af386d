"""Power of the CPU packages from the kernel's energy counters (RAPL, by Intel and AMD processors)."""

from __future__ import annotations

from pathlib import Path

from core.telemetry.hwmon import read_number, read_text

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
        known = [limit for limit in limits if limit is not None]
        return sum(known) / 1e6 if known and len(known) == len(limits) else None

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
        known = [value for value in values if value is not None]
        return known if known and len(known) == len(values) else None

    @staticmethod
    def _difference_uj(package: Path, was: float, now: float) -> float:
        """The counter starts again at zero after `max_energy_range_uj`."""
        if now >= was:
            return now - was
        return now - was + (read_number(package / "max_energy_range_uj") or was)
