"""Machines reduced to what carries power."""

from __future__ import annotations

from typing import Any

from core.parts.part import Part
from core.parts.specs import RiserSpec
from core.plan.build import Build
from core.plan.line import Line
from core.plan.wiring.wiring import Wiring
from tests.rules.machines import SOURCE, part

Row = tuple[str, int] | tuple[str, int, int] | tuple[str, int, int, float]


def psu_of(*cables: Row, suffix: str = "", power_w: float = 2000, **changes: Any) -> Part:
    """A PSU with rows of (kind, cables, plugs per cable, rated W)."""
    names = ("kind", "cables", "connectors_per_cable", "rated_w")
    rows = [dict(zip(names, row, strict=False)) for row in cables]
    return part("psu", suffix=suffix, power_w=power_w, **{"cables": rows} | changes)


def gpu(*sockets: tuple[str, int], suffix: str = "", limit_w: float | None = 300, **changes: Any) -> Part:
    """A card with rows of (kind, count)."""
    rows = [{"kind": kind, "count": count} for kind, count in sockets]
    return part("gpu", suffix=suffix, power_connectors=rows, power_limit_w=limit_w, **changes)


def adapter(source: str, count: int, target: str, suffix: str = "", rated_w: float | None = None) -> Part:
    """`count` plugs of one kind to one of another."""
    kinds = {"source_kind": source, "source_count": count, "target_kind": target, "target_count": 1}
    return part("cable", suffix=suffix, rated_w=rated_w, **kinds)


def riser(**changes: Any) -> Part:
    """A powered riser."""
    return Part(id="riser", maker="Test", name="RISER", spec=RiserSpec(powered=True, **changes), sources=(SOURCE,))


def build_of(*lines: Part | tuple[Part, int]) -> Build:
    """Parts, or parts with a quantity."""
    return Build(lines=tuple(Line(*(line if isinstance(line, tuple) else (line,))) for line in lines))


def pigtails(wiring: Wiring) -> int:
    """How many plugs share a cable."""
    return sum(plug.pigtail for feed in wiring.feeds for plug in feed.plugs)


EIGHT = "pcie_8pin"
FULL = (("atx_24pin", 1), ("eps_8pin", 2), (EIGHT, 8))
OWN = adapter(EIGHT, 2, "12vhpwr", rated_w=600)
"""Goes into the sockets of its maker's PSUs, in the place of two of their cables."""
BOARD = part("motherboard", power_inputs=[{"kind": "atx_24pin", "count": 1}, {"kind": "eps_8pin", "count": 2}])
