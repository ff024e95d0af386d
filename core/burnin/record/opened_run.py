"""A run that this process records from now on: what was settled before its first stage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from core.burnin.profile.profile import Profile
from core.telemetry.device import Device


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run that this process records from now on. `elapsed_s` is what it had lasted when it was interrupted."""

    id: int
    profile: Profile
    burned: list[Device]
    watched: list[Device]
    companions: list[Device]
    """Not burned in themselves, but under load in stages of the whole system: the CPU beside GPUs."""
    folder: Path
    """Of its logs and of what its workers meet by."""
    elapsed_s: float = 0.0
    shortened: bool = False
    """Whether the user gave it less time than its stages take: what that cut is told once, and warns of nothing."""
    locks: tuple[FileLock, ...] = ()
    """Of the devices that carry loads, held until this process ends."""

    @property
    def simulated(self) -> bool:
        """Whether any device of it is."""
        return any(device.simulated for device in self.watched)
