"""Air in the picture of a machine: fans at the sides where their group blows, arrows, and what crosses the case."""

from __future__ import annotations

from collections.abc import Iterator

from core.assessment import Assessment
from core.predict.airflow.airflow import FanGroup
from core.predict.airflow.flow_paths import FanRole
from core.present.picture.scene import Box, Layer, Paint, SceneLine, Shape, Text
from core.words import tr
from core.words.units import quantity

FAN_THICK, FAN_HIGH, MOST_FANS = 25.0, 120.0, 6
"""mm; so many are drawn over each other."""
TOP = 30.0
"""Of the case, above fans and board, mm."""


def air(assessment: Assessment, case: Box) -> Iterator[Shape]:
    """Fans at the sides where their group blows, with arrows; words for what crosses the case."""
    heat = assessment.prediction.heat
    room = assessment.prediction.conditions.room_c
    crossing = heat.air.through_m3h
    coming = quantity(room, "°C")
    if crossing:
        flow = quantity(crossing.expected, crossing.unit, decimals=0)
        coming = tr("{temperature}, {flow}", temperature=coming, flow=flow)
    groups = {group.group: group for group in heat.air.groups}
    right, left = case.x + case.width, case.x
    if FanRole.INTAKE in groups:
        yield from _fans(groups[FanRole.INTAKE], right - FAN_THICK, case, Paint.INTAKE)
    out = groups.get(FanRole.EXHAUST) or groups.get(FanRole.RADIATOR)
    if out is not None:
        yield from _fans(out, left, case, Paint.EXHAUST)
    if assessment.build.lines:
        warm = quantity(heat.case_air_c.expected, "°C", decimals=0)
        yield Text(right + 6, case.y + 14, coming, 12, paint=Paint.INTAKE, layer=Layer.AIR)
        yield Text(
            left - 6,
            case.y + 14,
            tr("inside {temperature}", temperature=warm),
            12,
            "end",
            paint=Paint.EXHAUST,
            layer=Layer.AIR,
        )


def _fans(group: FanGroup, x: float, case: Box, paint: Paint) -> Iterator[Shape]:
    """As many as fit over each other; more stand behind them."""
    shown = max(min(group.count, MOST_FANS, int((case.height - TOP) // (FAN_HIGH + 8))), 1)
    gap = (case.height - TOP) / shown
    for number in range(shown):
        y = case.y + TOP + number * gap + (gap - FAN_HIGH) / 2
        yield Box(x, y, FAN_THICK, min(FAN_HIGH, gap - 4), Paint.FAN, layer=Layer.AIR)
        middle = y + FAN_HIGH / 2
        inward = paint is Paint.INTAKE
        ends = ((x + 90, middle), (x + FAN_THICK + 6, middle)) if inward else ((x - 6, middle), (x - 66, middle))
        yield SceneLine(*ends, 5, paint, Layer.AIR, arrow=True)
