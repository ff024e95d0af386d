"""The five windows of time, and what a supply must bear in each (Intel design guide 613768, table 3-3)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from core.build.build import Line
from core.parts.specs import PsuSpec
from core.parts.vocabulary import PowerConnector

WINDOWS_MS = (0.1, 1.0, 10.0, 100.0, inf)
TITLES = ("100 µs", "1 ms", "10 ms", "100 ms", "steady")
DUTY = (0.05, 0.08, 0.125, 0.25, 1.0)
"""Share of the time for which a supply must bear the peak, at most."""
PSU_ATX3 = (2.0, 1.8, 1.6, 1.2, 1.0)
"""Peak over output of an ATX 3 supply above 450 W with a 16-pin plug."""
PSU_OTHER = (1.5, 1.45, 1.35, 1.1, 1.0)
"""Of any other."""
ATX3_ABOVE_W = 450.0
PINS_16 = frozenset({PowerConnector.PCIE_16PIN, PowerConnector.PCIE_16PIN_2X6})


@dataclass(frozen=True, slots=True)
class Bearing:
    """Equal supplies: what each gives at the build's mains voltage, and which multiples of it hold."""

    part_id: str
    count: int
    output_w: float | None
    atx3: bool
    """Whether it is made to ATX 3 and has a 16-pin plug."""

    @property
    def multiples(self) -> tuple[float, ...]:
        """Of its output, by window."""
        return PSU_ATX3 if self.atx3 else PSU_OTHER

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "part": self.part_id,
            "count": self.count,
            "output_w": self.output_w,
            "atx3_with_16_pin": self.atx3,
            "multiples": list(self.multiples),
        }


def bearing(line: Line, spec: PsuSpec, mains_v: float) -> Bearing:
    """A line of supplies. One of unknown ATX version counts as an old one."""
    modern = (spec.atx_version or "").startswith("3") and (spec.power_w or 0.0) > ATX3_ABOVE_W
    kinds = [row.kind for row in spec.cables or ()] + [row.kind for row in spec.connectors or ()]
    return Bearing(line.part.id, line.quantity, spec.output_w(mains_v), modern and not PINS_16.isdisjoint(kinds))


def unknown_figures(line: Line, spec: PsuSpec) -> tuple[str, ...]:
    """Figures ("part-id.field") without which the bounds are unknown, or taken lower than they may be."""
    fields = (name for name in ("power_w", "atx_version") if getattr(spec, name) is None)
    return tuple(f"{line.part.id}.{field}" for field in fields)
