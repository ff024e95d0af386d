"""Which way the air takes in a build: where each fan blows, and the opening before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.parts.part import Part
from core.parts.specs import CaseSpec, FanSpec, RadiatorSpec
from core.parts.vocabulary import CaseKind, CaseSide, Category
from core.plan.build import Build
from core.plan.line import Line
from core.predict.airflow.operating_point import (
    RADIATOR,
    FanCurve,
    Fans,
    curve,
    curve_of,
    exhaust_k,
    included_curve,
    intake_k,
    radiator_k,
)
from core.predict.band import Triple
from core.words import Worded, tr

USUAL_PLACES = 2
"""Fans on a radiator of which nobody says how many it takes."""


@dataclass(frozen=True, slots=True)
class OnRadiator:
    """`count` fans of one line on the radiators of one line; `fan` is None where no fan of the build fits there."""

    radiator: Line
    fan: Line | None
    count: int


@dataclass(frozen=True, slots=True)
class FanPlacement:
    """All fans of the build, by part id within each group."""

    on_radiators: tuple[OnRadiator, ...]
    loose: tuple[tuple[Line, int], ...]
    """Fans left for the case."""
    bare: tuple[tuple[Line, int], ...]
    """Radiators whose places the fans that fit there do not fill, and how many stay without."""

    def share_on_radiators(self, fan: Line) -> float:
        """Of one line's fans."""
        return sum(seat.count for seat in self.on_radiators if seat.fan is fan) / fan.quantity


def places_of(spec: RadiatorSpec) -> int:
    """Fans that a radiator takes."""
    return spec.fan_positions or USUAL_PLACES


def is_external(spec: RadiatorSpec) -> bool:
    """Whether a radiator is too large for a case: it has several rows of fans."""
    if spec.fan_size_mm is None or spec.length_mm is None or spec.fan_positions is None:
        return False
    return spec.fan_positions * spec.fan_size_mm > spec.length_mm + 1


def place_fans(build: Build) -> FanPlacement:
    """In the order of part ids, so that the order of lines does not matter."""
    fans = sorted(build.of(Category.FAN), key=lambda line: line.part.id)
    left = {line.part.id: line.quantity for line in fans}
    seated: list[OnRadiator] = []
    bare: list[tuple[Line, int]] = []
    for radiator in sorted(build.of(Category.RADIATOR), key=lambda line: line.part.id):
        spec = radiator.part.spec
        assert isinstance(spec, RadiatorSpec)
        free = radiator.quantity * places_of(spec)
        fitting = [fan for fan in fans if _fits(fan, spec)]
        if not fitting:
            seated.append(OnRadiator(radiator, None, free))
        for fan in fitting:
            count = min(free, left[fan.part.id])
            if count:
                seated.append(OnRadiator(radiator, fan, count))
                left[fan.part.id] -= count
                free -= count
        if fitting and free:
            bare.append((radiator, free))
    loose = tuple((fan, left[fan.part.id]) for fan in fans if left[fan.part.id])
    return FanPlacement(tuple(seated), loose, tuple(bare))


def _fits(fan: Line, radiator: RadiatorSpec) -> bool:
    spec = fan.part.spec
    assert isinstance(spec, FanSpec)
    return radiator.fan_size_mm is None or spec.size_mm in (None, radiator.fan_size_mm)


UNKNOWN_EACH_WAY: Triple = (0.0, 1.0, 2.0)
"""Fans that blow in, and as many out, of a case when nobody says which came with it: none, two or four of 120 mm."""
INWARD = (CaseSide.FRONT, CaseSide.BOTTOM, CaseSide.SIDE, CaseSide.INSIDE)
FREE: Triple = (0.0, 0.0, 0.0)


class FanRole(Worded):
    """Fans that share a way."""

    INTAKE = "intake", tr("Intake")
    EXHAUST = "exhaust", tr("Exhaust")
    RADIATOR = "radiator", tr("Radiators in the case")
    """Blowing out of it."""
    BESIDE = "radiator beside the case", tr("Radiators outside the case")


ON_RADIATORS = (FanRole.RADIATOR, FanRole.BESIDE)


@dataclass(frozen=True, slots=True)
class FlowPath:
    """Equal fans of one group: `k` of the opening before each, Pa / (m3/h)^2, the first the tightest."""

    group: FanRole
    count: Triple
    curve: FanCurve
    k: Triple
    figures: str
    """The field that tells, or should tell, what they can do ("part-id.field")."""
    radiator: Part | None = None

    def fans(self, end: int, shares: Triple) -> Fans | None:
        """With every figure at its low (0), expected (1) or high (2) `end`; None without a fan."""
        speed = self.speed(shares[end])
        flow, pressure = self.curve.flow_m3h[end], self.curve.pressure_pa[end]
        return Fans(self.count[end], flow * speed, pressure * speed**2, self.k[end]) if self.count[end] else None

    def speed(self, share: float) -> float:
        """No slower than the fan can turn."""
        return max(share, self.curve.least_share)


def closed_case(build: Build) -> tuple[Part, CaseSpec] | None:
    """The case, unless the machine stands in the open."""
    case = build.case
    return None if case is None or case[1].kind is CaseKind.OPEN_FRAME else case


def is_fan_wall(spec: CaseSpec) -> bool:
    """Whether all fans stand side by side and blow from front to rear, as in a server."""
    return spec.kind in (CaseKind.RACK, CaseKind.SYSTEM)


def flow_paths(build: Build, placement: FanPlacement) -> tuple[FlowPath, ...]:
    """Those of radiators, and where there is a closed case those of the case."""
    case = closed_case(build)
    paths = tuple(_on_radiator(mount, case[1] if case else None) for mount in placement.on_radiators)
    return (*paths, *_in_case(case, placement, paths)) if case else paths


def _on_radiator(mount: OnRadiator, case: CaseSpec | None) -> FlowPath:
    spec = mount.radiator.part.spec
    assert isinstance(spec, RadiatorSpec)
    beside = case is None or is_external(spec)
    grille = FREE if beside or case is None else exhaust_k(case.panels, spec.fan_size_mm)
    low, expected, high = (fins + panel for fins, panel in zip(radiator_k(spec), grille, strict=True))
    return FlowPath(
        FanRole.BESIDE if beside else FanRole.RADIATOR,
        _each(mount.count),
        _curve(mount.fan) if mount.fan else curve(spec.fan_size_mm),
        (low, expected, high),
        f"{mount.fan.part.id}.points" if mount.fan else "",
        mount.radiator.part,
    )


def _in_case(case: tuple[Part, CaseSpec], placement: FanPlacement, radiators: Sequence[FlowPath]) -> Iterator[FlowPath]:
    part, spec = case
    wall = is_fan_wall(spec)
    out = sum(path.count[1] * path.curve.flow_m3h[1] for path in radiators if path.group is FanRole.RADIATOR)
    moved = {FanRole.INTAKE: 0.0, FanRole.EXHAUST: RADIATOR[1] * out}
    figures = f"{part.id}.included_fans"
    for fan in spec.included_fans or ():
        group = FanRole.INTAKE if wall or fan.place in INWARD else FanRole.EXHAUST
        can = included_curve(fan)
        moved[group] += fan.count * can.flow_m3h[1]
        yield FlowPath(group, _each(fan.count), can, _panel(group, spec, fan.size_mm), figures)
    if spec.included_fans is None:
        for group in moved:
            k = _panel(FanRole.INTAKE if wall else group, spec, None)
            yield FlowPath(FanRole.INTAKE if wall else group, UNKNOWN_EACH_WAY, curve(), k, figures)
    for line, count in placement.loose:
        yield from _loose(line, count, spec, moved)


def _loose(line: Line, count: int, case: CaseSpec, moved: dict[FanRole, float]) -> Iterator[FlowPath]:
    """A line's fans go where less flows so far: a builder evens out what blows in and out."""
    can, size = _curve(line), getattr(line.part.spec, "size_mm", None)
    counts = dict.fromkeys(moved, 0)
    for _ in range(count):
        group = (
            FanRole.INTAKE if is_fan_wall(case) or moved[FanRole.INTAKE] <= moved[FanRole.EXHAUST] else FanRole.EXHAUST
        )
        moved[group] += can.flow_m3h[1]
        counts[group] += 1
    for group, many in counts.items():
        if many:
            yield FlowPath(group, _each(many), can, _panel(group, case, size), f"{line.part.id}.points")


def _panel(group: FanRole, case: CaseSpec, size_mm: float | None) -> Triple:
    return intake_k(case.panels, size_mm) if group is FanRole.INTAKE else exhaust_k(case.panels, size_mm)


def _curve(line: Line) -> FanCurve:
    assert isinstance(line.part.spec, FanSpec)
    return curve_of(line.part.spec)


def _each(count: int) -> Triple:
    return float(count), float(count), float(count)
