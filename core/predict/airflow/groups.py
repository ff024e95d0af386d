"""Groups of fans at their operating point, for people and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.predict.airflow.flow_paths import FanRole, FlowPath
from core.predict.band import Band
from core.predict.thermal.spread import Triple, usual_range

ENDS = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Point:
    """All fans of one path together, at the low, expected and high end of what is uncertain."""

    path: FlowPath
    flow_m3h: Triple
    pressure_pa: Triple
    """Static, over each; at sea level."""
    speed: Triple
    """Share of the highest."""


@dataclass(frozen=True, slots=True)
class FanGroup:
    """Fans that share a way, at their operating point in training."""

    group: FanRole
    count: int
    flow_m3h: Band
    """All of them together."""
    pressure_pa: Band
    """Static, over each; the mean by flow where they differ."""
    speed_share: Band
    """Of the highest speed; the mean by flow where they differ."""
    rpm: Band | None
    """The same in rpm; None where a fan's highest speed is unknown."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "group": self.group.value,
            "fans": self.count,
            "flow_m3h": self.flow_m3h.as_dict(),
            "pressure_pa": self.pressure_pa.as_dict(),
            "speed_share": self.speed_share.as_dict(),
            "rpm": self.rpm.as_dict() if self.rpm else None,
        }


def groups_of(points: Sequence[Point], thin: float) -> Iterator[FanGroup]:
    """Every group that has fans; `thin` is the density of the air over that at sea level."""
    for group in FanRole:
        own = [point for point in points if point.path.group is group]
        flows = [sum(point.flow_m3h[end] for point in own) for end in ENDS]
        if not flows[2]:
            continue
        tops = [point.path.curve.rpm for point in own]
        speeds = [[point.speed[end] for point in own] for end in ENDS]
        turning = [[share * (top or 0.0) for share, top in zip(each, tops, strict=True)] for each in speeds]
        yield FanGroup(
            group,
            round(sum(point.path.count[1] for point in own)),
            band_of(flows, "m3/h"),
            band_of([thin * _mean(own, [point.pressure_pa[end] for point in own]) for end in ENDS], "Pa"),
            band_of([_mean(own, each) for each in speeds], ""),
            None if None in tops else band_of([_mean(own, each) for each in turning], "rpm"),
        )


def band_of(ends: Sequence[float], unit: str) -> Band:
    """Low, expected and high as a band with the ends that temperatures reckon with."""
    low, expected, high = usual_range(*ends)
    return Band(min(low, expected, high), expected, max(low, expected, high), unit)


def _mean(points: Sequence[Point], values: Sequence[float]) -> float:
    """By the expected flow; plain where nothing is expected to flow."""
    weights = [point.flow_m3h[1] for point in points]
    if not sum(weights):
        return sum(values) / len(values)
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
