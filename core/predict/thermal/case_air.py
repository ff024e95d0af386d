"""The stream of air through the case, and how warm the air before the cards is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.build.build import Build
from core.parts.specs import CaseSpec, FanSpec, IncludedFan
from core.parts.vocabulary import CaseKind, Category, Panels
from core.predict.fans import fan_speeds
from core.predict.load import Load
from core.predict.thermal.spread import Triple

DELIVERED: dict[Panels | None, Triple] = {
    Panels.OPEN: (0.7, 0.85, 1.0),
    Panels.MESH: (0.45, 0.58, 0.72),
    Panels.SOLID: (0.32, 0.42, 0.55),
    Panels.DAMPED: (0.28, 0.38, 0.50),
    None: (0.28, 0.48, 0.72),
}
"""Share of the rated free-air flow that filters, doors and grilles let through; general knowledge."""
THROUGH: Triple = (0.45, 0.6, 0.85)
"""Share of all fans' flow that crosses the case: half of them in, half out, is a half; leaks and jets help."""
DRAUGHT_M3H: Triple = (15.0, 35.0, 70.0)
"""What a case without a fan exchanges, m3/h; general knowledge."""
MIXED: Triple = (0.35, 0.55, 0.85)
"""Share of the case air's rise that has happened before a card's inlet: some of the fresh air reaches it directly."""
OPEN_RISE_K: Triple = (0.5, 2.0, 5.0)
"""Around cards on an open frame."""
UNKNOWN_FANS_M3H: Triple = (0.0, 160.0, 400.0)
"""Rated flow of the fans that a case may come with when nobody says: none, two, or four of 120 mm."""
_FREE_M3H = {80: 45.0, 92: 65.0, 120: 95.0, 140: 125.0, 200: 190.0}
"""Rated flow of usual fans by size, m3/h, for those without published points."""


@dataclass(frozen=True, slots=True)
class CaseAir:
    """`flow_m3h` through the case in training; None on an open frame, where `rise_k` is about the room."""

    flow_m3h: Triple | None
    missing: tuple[str, ...] = ()
    mixed: Triple = MIXED


def case_air(build: Build, fan_share: float | None = None) -> CaseAir:
    """The stream with the fans of build and case at this share, else at what they are set to, else as usual."""
    case = build.case
    if case is None or case[1].kind is CaseKind.OPEN_FRAME:
        return CaseAir(None)
    part, spec = case
    rows = list(_fans(build, part.id, spec))
    unknown = UNKNOWN_FANS_M3H if spec.included_fans is None else (0.0, 0.0, 0.0)
    rated = [more + sum(flow for flow, _ in rows) for more in unknown]
    missing = tuple(dict.fromkeys(field for _, field in rows if field))
    if spec.included_fans is None:
        missing = (*missing, f"{part.id}.included_fans")
    if spec.panels is None:
        missing = (*missing, f"{part.id}.panels")
    share = fan_speeds(Load.TRAINING, fan_share or build.fan_share)
    through = [
        flow * speed * delivered * crossing + draught
        for flow, speed, delivered, crossing, draught in zip(
            rated, share, DELIVERED[spec.panels], THROUGH, DRAUGHT_M3H, strict=True
        )
    ]
    return CaseAir((through[0], through[1], through[2]), missing)


def _fans(build: Build, case_id: str, spec: CaseSpec) -> Iterator[tuple[float, str | None]]:
    """Rated flow in m3/h and the field that is missing, per line of fans. Fans on radiators move air, too."""
    for row in spec.included_fans or ():
        yield row.count * (row.airflow_m3h or _usual(row)), None if row.airflow_m3h else f"{case_id}.included_fans"
    for line in build.of(Category.FAN):
        fan = line.part.spec
        assert isinstance(fan, FanSpec)
        flows = [point.airflow_m3h for point in fan.points or () if point.airflow_m3h is not None]
        known = max(flows, default=None)
        yield line.quantity * (known or _usual(fan)), None if known else f"{line.part.id}.points"


def _usual(fan: FanSpec | IncludedFan) -> float:
    size = fan.size_mm or 120.0
    return _FREE_M3H[min(_FREE_M3H, key=lambda known: abs(known - size))]
