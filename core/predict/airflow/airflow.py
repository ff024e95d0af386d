"""The air of a build in training: what each group of fans moves, against which pressure and how fast, and what crosses
the case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from core.parts.part import Part
from core.parts.specs import CaseSpec, RadiatorSpec
from core.parts.vocabulary import CaseKind, Category, GpuCooling
from core.plan.build import Build
from core.plan.psus import in_boxes
from core.plan.water_blocks import BLOCK_READS, fitted_blocks
from core.platform.json_value import JsonValue, in_json
from core.predict.airflow.flow_paths import (
    ON_RADIATORS,
    FanPlacement,
    FanRole,
    FlowPath,
    closed_case,
    flow_paths,
    is_fan_wall,
    place_fans,
)
from core.predict.airflow.operating_point import (
    SEA_LEVEL_DENSITY,
    Balance,
    Fans,
    balance,
    density,
    vents_k,
    watts_per_k,
)
from core.predict.band import Band, Triple, union, usual_range
from core.predict.components import DRAW_READS, components, dc_power
from core.predict.conditions import LoadCase
from core.predict.noise.sources import fan_speeds
from core.words import tr

AIR_READS: tuple[str, ...] = (
    *dict.fromkeys((*DRAW_READS, *BLOCK_READS)),
    *("case.panels", "fan.min_rpm", "fan.points", "fan.size_mm", "radiator.fan_positions", "radiator.fan_size_mm"),
    *("radiator.fins_per_inch", "radiator.length_mm", "radiator.thickness_mm"),
)
"""Figures that the air through the case and the heat in it come from."""

DRAUGHT_M3H: Triple = (15.0, 35.0, 70.0)
"""What a case exchanges beside its own fans, m3/h: warm air rises, cards and PSU blow out; general knowledge."""
EXHAUST_RISE_K: Triple = (45.0, 30.0, 20.0)
"""How much warmer than its inlet the air behind the bracket is at the card's limit: by the balance of heat some 30 m3/h
for a card of 300 W; general knowledge."""
OUT_OF_BRACKET = 0.87
"""Share of the board's heat in that air."""
USUAL_W = 250.0
"""Of a card whose limit is unknown."""
STALL_PA = 200.0
"""Pressure of a small radial fan at its highest speed: some pascals of a case hardly change its flow; general
knowledge."""
_OF_RADIATORS = ("fan_positions", "thickness_mm", "fins_per_inch")


@dataclass(frozen=True, slots=True)
class RadiatorAir:
    """What one kind of fan moves through the fins of the radiators of one line, m3/h, and the figures that lack."""

    radiator: RadiatorSpec
    flow_m3h: Triple
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Airflow(JsonValue):
    """Triples are the whole range of what is uncertain."""

    points: tuple[Point, ...]
    case_m3h: Triple | None
    """What crosses a closed case; None in the open."""
    inside_pa: Triple | None
    """Pressure in the case over the room's; negative where more is blown out than in."""
    thin: float
    """Density of the air over that at sea level."""
    missing: tuple[str, ...]
    """Figures ("part-id.field") of the case's air that defaults stand in for."""
    unrated: tuple[str, ...]
    """Those among them that hide a fan's flow, not only its pressure."""
    notes: tuple[str, ...]

    @property
    def through_m3h(self) -> Band | None:
        """What crosses the case."""
        return None if self.case_m3h is None else band_of(self.case_m3h, "m³/h")

    @property
    def groups(self) -> tuple[FanGroup, ...]:
        """Fans by the way that they share."""
        return tuple(groups_of(self.points, self.thin))

    @property
    def radiators(self) -> Iterator[RadiatorAir]:
        """Every radiator of the build."""
        for point in self.points:
            if point.path.radiator is not None:
                assert isinstance(point.path.radiator.spec, RadiatorSpec)
                yield RadiatorAir(point.path.radiator.spec, point.flow_m3h, _unknown(point.path))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        inside = None if self.inside_pa is None else band_of(self.inside_pa, "Pa")
        figures: dict[str, Any] = in_json({"case_m3h": self.through_m3h, "inside_pa": inside, "groups": self.groups})
        return figures


def airflow(
    build: Build, fan_share: float | None = None, altitude_m: float = 0.0, load: LoadCase = LoadCase.TRAINING
) -> Airflow:
    """With fans at this share of their highest speed, else at what the build sets, else as usual.

    Thin air lowers the pressures of fans and openings alike: the flows stay.
    """
    placement = place_fans(build)
    paths = flow_paths(build, placement)
    shares = fan_speeds(load, fan_share or build.fan_share)
    thin = density(altitude_m) / SEA_LEVEL_DENSITY
    server = unlisted_server(build)
    if server is not None:
        return _server_air(server[0], needed_m3h(build, load, fan_share or build.fan_share), paths, shares, thin)
    balances = _balances(build, paths, shares)
    case = closed_case(build)
    in_case = [path for path in paths if path.group is not FanRole.BESIDE] if case else []
    panels = (f"{case[0].id}.panels",) if case and case[1].panels is None else ()
    return Airflow(
        tuple(_point(path, shares, balances) for path in paths),
        _triple([each.through_m3h + more for each, more in zip(balances, DRAUGHT_M3H, strict=False)]),
        _triple([thin * each.inside_pa for each in balances]),
        thin,
        union([*(_unknown(path) for path in in_case), panels]),
        union((path.figures,) for path in in_case if path.figures and not path.curve.flow_known),
        tuple(_notes(placement)),
    )


def _server_air(chassis: Part, needed: Triple, paths: Sequence[FlowPath], shares: Triple, thin: float) -> Airflow:
    """What the heat needs; how many fans move it against which pressure, nobody knows."""
    points = tuple(_point(path, shares, []) for path in paths if path.group in ON_RADIATORS)
    figures = (f"{chassis.id}.included_fans",)
    return Airflow(points, needed, None, thin, figures, figures, ())


def _balances(build: Build, paths: Sequence[FlowPath], shares: Triple) -> list[Balance]:
    """Of a closed case, at all three ends; empty in the open."""
    case = closed_case(build)
    if case is None:
        return []
    balances = []
    for end in ENDS:
        into = _fans(paths, end, shares, (FanRole.INTAKE,))
        out = (*_fans(paths, end, shares, (FanRole.EXHAUST, FanRole.RADIATOR)), *_blowers(build, end))
        ways_out = sum(fans.count for fans in into) if is_fan_wall(case[1]) else 0.0
        balances.append(balance(into, out, vents_k(case[1].panels, ways_out)[end]))
    return balances


def _blowers(build: Build, end: int) -> Iterator[Fans]:
    """One group for every line with blowers in the case that keep their cooler; the first `end` is the least flow.

    By the limit that a card is sold with: a lower one slows its fan as well, but how far depends on its temperature.
    """
    blocks, outside = fitted_blocks(build), in_boxes(build)
    for line, spec in build.gpus():
        fitted = blocks.get(line.part.id)
        count = line.quantity - (fitted.count if fitted else 0) - (outside.get(line.part.id, 0) if outside else 0)
        if spec.cooling is GpuCooling.BLOWER and count > 0:
            watts = OUT_OF_BRACKET * (spec.power_limit_w or USUAL_W)
            flow_m3h = watts / (watts_per_k(1.0) * EXHAUST_RISE_K[end])
            yield Fans(float(count), flow_m3h, STALL_PA, 0.0)


def _fans(paths: Sequence[FlowPath], end: int, shares: Triple, groups: Sequence[FanRole]) -> tuple[Fans, ...]:
    per_path = (path.fans(end, shares) for path in paths if path.group in groups)
    return tuple(fans for fans in per_path if fans is not None)


def _point(path: FlowPath, shares: Triple, balances: Sequence[Balance]) -> Point:
    flows, pressures = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for end in ENDS:
        fans = path.fans(end, shares)
        if fans is not None:
            against = _against(path.group, balances[end].inside_pa) if balances else 0.0
            flows[end], pressures[end] = fans.all_m3h(against), fans.held_pa(against)
    low, expected, high = (path.speed(share) for share in shares)
    return Point(
        path, (flows[0], flows[1], flows[2]), (pressures[0], pressures[1], pressures[2]), (low, expected, high)
    )


def _against(group: FanRole, inside_pa: float) -> float:
    """Pressure that the case puts before a fan: its own to what blows in, the room's to what blows out."""
    if group is FanRole.BESIDE:
        return 0.0
    return inside_pa if group is FanRole.INTAKE else -inside_pa


def _triple(ends: Sequence[float]) -> Triple | None:
    return (ends[0], ends[1], ends[2]) if ends else None


def _unknown(path: FlowPath) -> tuple[str, ...]:
    fans = (path.figures,) if path.figures and not (path.curve.flow_known and path.curve.pressure_known) else ()
    if path.radiator is None:
        return fans
    spec, name = path.radiator.spec, path.radiator.id
    return (*fans, *(f"{name}.{field}" for field in _OF_RADIATORS if getattr(spec, field) is None))


def _notes(placement: FanPlacement) -> Iterator[str]:
    for mount in placement.on_radiators:
        if mount.fan is None:
            yield tr("No fan of the build fits {part}: typical ones are assumed on it.", part=mount.radiator.part.title)
    for line, places in placement.bare:
        fields = {"places": places, "part": line.part.title}
        yield tr("{places} of the fan positions on {part} have no fan and carry off no heat.", **fields)


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
class FanGroup(JsonValue):
    """Fans that share a way, at their operating point in training."""

    group: FanRole
    count: Annotated[int, Field(serialization_alias="fans")]
    flow_m3h: Band
    """All of them together."""
    pressure_pa: Band
    """Static, over each; the mean by flow where they differ."""
    speed_share: Band
    """Of the highest speed; the mean by flow where they differ."""
    rpm: Band | None
    """The same in rpm; None where a fan's highest speed is unknown."""


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
            band_of(flows, "m³/h"),
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


# A server whose fans nobody lists: its maker fits them for what it sells inside, so its air follows from the heat.

RISE_K: Triple = (16.0, 13.0, 10.0)
"""How much warmer than its inlet the air behind a server is: its controller lets the fans turn just fast enough for
10 to 15 K, which is what data centres plan with; general knowledge."""
LEAST = 0.5
"""Of the air in training; no controller lets the fans turn slower, however idle the parts are."""


def unlisted_server(build: Build) -> tuple[Part, CaseSpec] | None:
    """The chassis, where it is sold as a system, nobody says which fans are in it, and the build brings none."""
    case = build.case
    if case is None or case[1].kind is not CaseKind.SYSTEM or case[1].included_fans is not None:
        return None
    return None if build.of(Category.FAN) else case


def needed_m3h(build: Build, load: LoadCase, fan_share: float | None = None) -> Triple:
    """The air that carries off what the parts draw under this load; more or less where the fans' speed is set."""
    parts = components(build)
    watts = max(dc_power(parts, load).expected, LEAST * dc_power(parts, LoadCase.TRAINING).expected)
    set_to = [share / usual for share, usual in zip(fan_speeds(load, fan_share), fan_speeds(load, None), strict=True)]
    low, expected, high = (
        times * watts / (watts_per_k(1.0) * rise) for times, rise in zip(set_to, RISE_K, strict=True)
    )
    return low, expected, high


MIXED: Triple = (0.35, 0.55, 0.85)
"""Share of the case air's rise that has happened before a card's inlet: some of the fresh air reaches it directly."""
OPEN_K_PER_W: Triple = (0.0005, 0.002, 0.005)
"""How much warmer than the room the air around cards in the open is, for each watt of the machine: 2 K at 1 kW; general
knowledge."""


@dataclass(frozen=True, slots=True)
class CaseAir:
    """`flow_m3h` through the case in training; None in the open."""

    flow_m3h: Triple | None
    missing: tuple[str, ...] = ()
    mixed: Triple = MIXED
    unrated: tuple[str, ...] = ()
    """Those of the missing figures that hide a fan's flow."""


def case_air(build: Build, fan_share: float | None = None) -> CaseAir:
    """The stream with the fans of build and case at this share, else at what they are set to, else as usual."""
    return stream_of(airflow(build, fan_share))


def stream_of(air: Airflow) -> CaseAir:
    """What crosses the case."""
    return CaseAir(air.case_m3h, air.missing if air.case_m3h else (), unrated=air.unrated)
