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
    """As the kernel and lspci -D write it: 0000:41:00.0."""
    memory_mb: int | None = None
    """In 2^20 bytes, as the driver's own tools count."""
    power_limit_w: float | None = None
    """The limit that the card leaves the factory with; the one in force is the metric of the same name."""
    temperature_target_c: float | None = None
    temperature_slowdown_c: float | None = None
    temperature_shutdown_c: float | None = None
    detail: dict[str, str] = field(default_factory=dict)
    """Driver, VBIOS, compute capability, threads and the like: shown, never judged."""
    temperature_max_c: float | None = None
    """Maximum operating temperature: above it the driver lowers clocks."""
    memory_temperature_max_c: float | None = None
    """Limit of the HBM; None on cards that do not report it."""

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
