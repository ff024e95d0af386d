"""A device that is present now, by a stable identity."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class DeviceKind(StrEnum):
    """What can be burned in."""

    GPU = "gpu"
    CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU by UUID, the machine's CPU ("cpu"), or a simulated GPU ("SIM-0-rtx-3090").

    None is "not measured". Temperatures are the driver's own limits, in C.
    """

    id: str
    kind: DeviceKind
    name: str
    simulated: bool = False
    index: int = 0
    """Position for display only: NVML's order is not CUDA's."""
    bus_id: str | None = None
    memory_mb: int | None = None
    power_limit_w: float | None = None
    temperature_target_c: float | None = None
    temperature_slowdown_c: float | None = None
    temperature_shutdown_c: float | None = None
    detail: dict[str, str] = field(default_factory=dict)
    """Driver, VBIOS, compute capability, threads and the like: shown, never judged."""

    @property
    def title(self) -> str:
        """Name with its place, and SIMULATED where it is."""
        place = f" @ {self.bus_id}" if self.bus_id else ""
        return f"{self.name}{place}" + (" (SIMULATED)" if self.simulated else "")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Device:
        """From JSON."""
        return cls(**{**stored, "kind": DeviceKind(stored["kind"])})
