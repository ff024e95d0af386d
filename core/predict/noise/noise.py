"""How loud the machine is at the ear: every source, all of them together, and what to change first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum, log10
from typing import Annotated

from pydantic import Field

from core.parts import specs
from core.parts.part import Part
from core.parts.vocabulary import GpuCooling, NoiseCondition, StorageKind
from core.plan.build import Build
from core.plan.calibration import SPREADS, Offset
from core.plan.line import Line, is_card
from core.plan.psus import boxes, in_boxes
from core.plan.water_blocks import fitted_blocks, uncooled
from core.platform.json_value import JsonValue, PartId
from core.predict.airflow.airflow import CaseAir, unlisted_server
from core.predict.airflow.flow_paths import is_fan_wall, place_fans
from core.predict.band import Band, Corner, Triple
from core.predict.components import GPU_TRAINING
from core.predict.conditions import Conditions, LoadCase
from core.predict.noise.acoustics import (
    COOLER_SLOPE,
    FAN_SLOPE,
    FREE_SPACE_DB,
    GRILLE,
    Enclosure,
    Shift,
    enclosure,
    energy_sum,
    identical,
    mounting,
    shifted,
    sum_bands,
    to_one_metre,
)
from core.predict.noise.sources import (
    AT_FULL_SPEED,
    NOISE_LOADS,
    SPEED_SHARE,
    Levels,
    cooler_levels,
    drive_levels,
    fan_levels,
    gpu_levels,
    included_levels,
    psu_levels,
    pump_levels,
    system_levels,
)
from core.predict.power import rated_power_w
from core.predict.thermal.coolers import CoolantLoop, Cooler, cooler
from core.predict.thermal.heat import HEAT_READS, Heat
from core.predict.thermal.neighbours import ALONE
from core.predict.thermal.steady import Air, Body, settle
from core.words import tr

NOISE_READS: tuple[str, ...] = (
    *HEAT_READS,
    *("case.depth_mm", "case.height_mm", "case.width_mm", "cpu_cooler.fan_size_mm", "cpu_cooler.noise"),
    *("psu.fan_max_rpm", "psu.fan_speeds", "psu.fan_stop_below_pct", "psu.noise", "pump.noise"),
    *("storage.noise", "system.noise"),
)
"""Figures that the noise comes from, which follows the temperatures of the cards."""

_AIR = (GpuCooling.OPEN_AIR, GpuCooling.BLOWER, GpuCooling.FLOW_THROUGH, None)
_ALONE = Shift(-1.0, 0.0, 2.0)
_CROWDED = Shift(-1.0, 1.0, 4.0)
"""A narrow gap before the fans adds 2 to 4 dB; reviews measure one card alone."""
_LOOP_TO_COME: Levels = {LoadCase.IDLE: Band(10, 24, 36, "dBA"), LoadCase.TRAINING: Band(22, 36, 50, "dBA")}
"""Pump and radiator fans that cards under water still need: anything from slow to fast ones; general knowledge."""
_INTAKE = Shift(0.0, 1.0, 2.5)


@dataclass(frozen=True, slots=True)
class NoiseSource(JsonValue):
    """All `count` parts of one line together, at the ear."""

    part_id: PartId
    title: str
    count: int
    idle: Annotated[Band, Field(serialization_alias="idle_dba")]
    load: Annotated[Band, Field(serialization_alias="load_dba")]


def noise_sources(
    build: Build, conditions: Conditions, dc_w: Mapping[LoadCase, Band], heat: Heat
) -> tuple[NoiseSource, ...]:
    """Everything that makes noise, the loudest under load first.

    `heat` is the steady state in training, `dc_w` what the PSUs deliver idle and then.
    """
    around = enclosure(build, conditions.distance_m)
    fan_share = conditions.fan_share or build.fan_share
    offset = build.calibration.level_db
    sources = [
        _as_measured(_source(*one, around), offset) for one in _all(build, around, dc_w, heat, fan_share) if one[1]
    ]
    audible = [source for source in sources if source.load.high > 0 or source.idle.high > 0]
    bare = sorted(part_id for part_id, _ in uncooled(build))
    if audible and bare:  # alone they make no noise yet
        name = (bare[0], tr("loop that the cards under water still need"))
        audible.append(_as_measured(_source(name, 1, _LOOP_TO_COME, around.inside, around), offset))
    return tuple(sorted(audible, key=lambda source: (-source.load.expected, source.part_id, source.title)))


def cooler_source(cooler: Part, build: Build, conditions: Conditions) -> NoiseSource:
    """A CPU cooler in the case of a build: what else is in it does not change its level."""
    assert isinstance(cooler.spec, specs.CpuCoolerSpec)
    around = enclosure(build, conditions.distance_m)
    levels = cooler_levels(cooler, cooler.spec)
    source = _source((cooler.id, cooler.title), 1, levels, (*around.inside, _INTAKE), around)
    return _as_measured(source, build.calibration.level_db)


def total_noise(sources: tuple[NoiseSource, ...], level: Offset | None = None) -> tuple[Band, Band]:
    """Idle and training: the machine alone, free field. `level`: the sources' measured offset, in them already."""
    idle, busy = sum_bands([source.idle for source in sources]), sum_bands([source.load for source in sources])
    if level is None:
        return idle, busy
    reach = SPREADS * level.error
    return idle, busy.within(busy.expected - reach, busy.expected + reach)


def unheard(build: Build) -> Iterator[str]:
    """GPUs without a fan outside a chassis that drives air through them, for somebody must add fans that are heard;
    external boxes."""
    ducted = build.case is not None and is_fan_wall(build.case[1])
    air_cooled = dict(_air_cooled(build))
    for line, spec in () if ducted else sorted(build.gpus(), key=lambda pair: pair[0].part.id):
        fanless = spec.cooling is GpuCooling.PASSIVE or (spec.cooling is None and not is_card(line.part))
        if fanless and air_cooled[line.part.id]:
            yield tr("{part} has no fan: the noise excludes the fans that must blow through it.", part=line.part.title)
    for title in dict.fromkeys(box.carrier.part.title for box in boxes(build) if box.cards):
        yield tr("The noise excludes the external box {box} and the cards in it.", box=title)


Found = tuple[tuple[str, str], int, Levels, tuple[Shift, ...]]


def _all(
    build: Build, around: Enclosure, dc_w: Mapping[LoadCase, Band], heat: Heat, fan_share: float | None
) -> Iterator[Found]:
    air_cooled = dict(_air_cooled(build))
    breathing = sum(air_cooled[line.part.id] for line, spec in build.gpus() if spec.cooling in _AIR)
    measured = build.calibration.fan_slope_db
    slope = COOLER_SLOPE + (measured.value if measured else 0.0)
    seats = place_fans(build)
    crowd = _CROWDED if breathing > 1 else _ALONE
    unlisted = unlisted_server(build) is not None
    for line in build.lines:
        part, count = line.part, line.quantity
        name = (part.id, part.title)
        match part.spec:
            case specs.GpuSpec() as spec:
                yield (
                    name,
                    air_cooled[part.id],
                    card_levels(part, spec, _fan_shares(heat, part.id), slope),
                    (*around.inside, crowd),
                )
            case specs.FanSpec() as spec:
                levels = fan_levels(part, spec, fan_share)
                yield name, count, levels, (*around.opening, mounting(seats.share_on_radiators(line)))
            case specs.CpuCoolerSpec() as spec:
                yield name, count, cooler_levels(part, spec), (*around.inside, _INTAKE)
            case specs.PumpSpec() as spec:
                yield name, count, pump_levels(part, spec), around.inside
            case specs.StorageSpec(kind=StorageKind.HDD) as spec:
                yield name, count, drive_levels(part, spec), around.inside
            case specs.PsuSpec() as spec:
                yield name, count, psu_levels(part, spec, _shares(build, dc_w)), around.opening
            case specs.SystemSpec(includes=()) as spec:
                yield name, count, system_levels(part, spec), ()
            case specs.CaseSpec() as spec:
                yield from _case_fans(line, spec, around, fan_share, heat.air.case_m3h if unlisted else None)


def _fan_shares(heat: Heat, part_id: str) -> list[Band]:
    return [card.fan_share for card in heat.cards if card.part_id == part_id and card.fan_share.high > 0]


def _air_cooled(build: Build) -> Iterator[tuple[str, int]]:
    """How many cards of each line keep their own cooler; not those in external boxes."""
    blocks, elsewhere = fitted_blocks(build), in_boxes(build)
    for line, _ in build.gpus():
        fitted = blocks.get(line.part.id)
        outside = elsewhere.get(line.part.id, 0)
        yield line.part.id, max(0, line.quantity - outside - (fitted.count if fitted else 0))


def _case_fans(
    line: Line, spec: specs.CaseSpec, around: Enclosure, fan_share: float | None, server_m3h: Triple | None
) -> Iterator[Found]:
    """`server_m3h` is what the fans of a server move in training whose maker lists none."""
    title = tr("{part}: included fans", part=line.part.title)
    if server_m3h is not None:
        yield (line.part.id, title), 1, server_levels(line.part, spec, server_m3h), around.opening
    elif spec.included_fans is None:
        unknown = {load: Band(0, 14 if load is LoadCase.IDLE else 22, 38, "dBA") for load in NOISE_LOADS}
        noted = {load: band.noting(missing=[f"{line.part.id}.included_fans"]) for load, band in unknown.items()}
        yield (line.part.id, title), 1, noted, around.opening
    for fan in spec.included_fans or ():
        shifts = (*around.opening, GRILLE)
        name = (line.part.id, f"{title}, {fan.place}")
        yield name, fan.count * line.quantity, included_levels(line.part, fan, fan_share), shifts


def _shares(build: Build, dc_w: Mapping[LoadCase, Band]) -> dict[LoadCase, float | None]:
    rated = rated_power_w(build)
    return {load: dc_w[load].expected / rated if rated else None for load in NOISE_LOADS}


def _source(
    name: tuple[str, str], count: int, levels: Mapping[LoadCase, Band], shifts: tuple[Shift, ...], around: Enclosure
) -> NoiseSource:
    heard = (shifted(levels[load], shifts, around.floor_dba).noting(missing=around.missing) for load in NOISE_LOADS)
    idle, busy = (identical(level, count) for level in heard)
    return NoiseSource(*name, count, idle, busy)


def _as_measured(source: NoiseSource, level: Offset | None) -> NoiseSource:
    """A reading in training moves all that sounds then alike; it tells nothing of idle."""
    if level is None or source.load.expected <= 0:
        return source
    low, expected, high = (max(0.0, x + level.value) for x in source.load.triple)
    return replace(source, load=replace(source.load, low=low, expected=expected, high=high))


WORTH_SAYING_DB = 1.0
SMALL_FAN_MM, FAST_RPM = 80.0, 2500.0
"""Blades of small, fast fans pass within the ear's most sensitive range; blade pass frequency = blades x rpm / 60."""


def shares(sources: Sequence[NoiseSource]) -> tuple[float, ...]:
    """Each source's share of the sound energy in training; they sum up to one, or are all zero in silence."""
    energies = [10 ** (source.load.expected / 10) if source.load.expected > 0 else 0.0 for source in sources]
    total = sum(energies)
    return tuple(energy / total if total else 0.0 for energy in energies)


def change_first(sources: Sequence[NoiseSource]) -> tuple[str, ...]:
    """What the machine would gain without each of its loudest sources, the most first."""
    total = energy_sum(source.load.expected for source in sources)
    worthwhile = []
    for source in sources:
        rest = energy_sum(other.load.expected for other in sources if other is not source)
        gain = total - rest
        slower = total - energy_sum((*(o.load.expected for o in sources if o is not source), source.load.expected - 6))
        if gain >= WORTH_SAYING_DB:
            fields = {"source": source.title, "slower": slower, "gain": gain}
            words = tr(
                "{source}: {slower:.1f} dB less with its fans a fifth slower, {gain:.1f} dB less without it.", **fields
            )
            worthwhile.append((gain, words))
    return tuple(words for _, words in sorted(worthwhile, reverse=True)[:3])


def tonal_risks(build: Build) -> tuple[str, ...]:
    """Sources with a tone that stands out; it annoys more than the level says."""
    sentences: list[str] = []
    for line in build.lines:
        title = line.part.title
        match line.part.spec:
            case specs.GpuSpec(cooling=GpuCooling.BLOWER):
                sentences.append(tr("{title}: a blower wheel whistles at high speed.", title=title))
            case specs.FanSpec() as spec if (spec.size_mm or 120) <= SMALL_FAN_MM and _fastest(spec) > FAST_RPM:
                sentences.append(tr("{title}: small fans above {rpm:.0f} rpm whine.", title=title, rpm=FAST_RPM))
            case specs.PumpSpec():
                sentences.append(tr("{title}: a pump hums through what it is mounted on.", title=title))
            case specs.CpuCoolerSpec() as spec if (spec.fan_size_mm or 120) <= SMALL_FAN_MM:
                sentences.append(tr("{title}: small fans whine.", title=title))
            case _:
                pass
        if isinstance(line.part.spec, specs.FanSpec) and line.quantity > 1:
            fields = {"quantity": line.quantity, "title": title}
            sentences.append(tr("{quantity} x {title}: equal fans at nearly equal speeds beat.", **fields))
    return tuple(sorted(sentences))


def _fastest(spec: specs.FanSpec) -> float:
    return max((point.rpm for point in spec.points or ()), default=0.0)


SPECIFIC_DB: Triple = (33.0, 37.0, 41.0)
"""K of fans that work near their best point, as VDI 2081 has it: 37 dB, give or take 4."""
PRESSURE_PA: Triple = (150.0, 300.0, 600.0)
FLOW_PER_UNIT_M3H = 215.0
"""What fans of a full server work against, at so much air for each rack unit; general knowledge. The pressure goes with
the square of the flow."""
USUAL_UNITS = 4.0
_ASSUMPTION = tr(
    "Unlisted fans are assumed to move the air that the heat needs, 10 to 16 K warmer, and to be as loud as that takes."
)


def server_levels(part: Part, spec: specs.CaseSpec, flow_m3h: Triple) -> Levels:
    """All fans of the chassis together at 1 m; `flow_m3h` is what they move in training."""
    missing = tuple(f"{part.id}.{name}" for name in ("included_fans", "rack_units") if not getattr(spec, name))
    low, expected, high = (_power_db(flow, spec.rack_units or USUAL_UNITS) - FREE_SPACE_DB for flow in flow_m3h)
    pressure = (20 * log10(pa / PRESSURE_PA[1]) for pa in PRESSURE_PA)
    specific = (db - SPECIFIC_DB[1] for db in SPECIFIC_DB)
    busy = shifted(Band(low, expected, high, "dBA", (_ASSUMPTION,), missing), (Shift(*pressure), Shift(*specific)))
    slower = (
        FAN_SLOPE * log10(idle / training)
        for idle, training in zip(SPEED_SHARE[LoadCase.IDLE], SPEED_SHARE[LoadCase.TRAINING], strict=True)
    )
    return {LoadCase.IDLE: shifted(busy, (Shift(*slower),)), LoadCase.TRAINING: busy}


def _power_db(flow_m3h: float, rack_units: float) -> float:
    """Expected sound power of fans that move so much through a chassis of this height."""
    pressure = PRESSURE_PA[1] * (flow_m3h / (rack_units * FLOW_PER_UNIT_M3H)) ** 2
    return SPECIFIC_DB[1] + 10 * log10(flow_m3h / 3600) + 20 * log10(pressure)


# How loud cards are at the fan speeds that their temperatures ask for.
#
# A review tells the level of one card alone. Beside warm neighbours its fans turn faster, under a power limit slower:
# the level follows the speed by `COOLER_SLOPE` dB per decade, from the speed that the card alone would have had.

REVIEW_ROOM_C = 23.0
SLOWEST = 0.3
"""Of the speed that a level is known at; below it the law does not hold."""
_REVIEW = Air(REVIEW_ROOM_C, 0.0, CaseAir(None), CoolantLoop(None), (0.0, 0.0, 0.0))


def card_levels(part: Part, spec: specs.GpuSpec, fan_shares: Sequence[Band], slope: float = COOLER_SLOPE) -> Levels:
    """The mean level of a line's air-cooled cards; `fan_shares` are those in training, of full speed.

    `slope` in dB per decade of speed. What is unknown of a card's level and of its fans' speed is independent.
    """
    levels = gpu_levels(part, spec)
    if levels[LoadCase.TRAINING].high <= 0 or not fan_shares:
        return levels
    busy, reference = _at_known_speed(spec, levels[LoadCase.TRAINING])
    ends = zip(*(band.triple for band in fan_shares), strict=True)
    faster = Shift(*(_mean_shift([share / reference for share in shares], slope) for shares in ends))
    return levels | {LoadCase.TRAINING: shifted(busy, (faster,)).noting([_speed_assumption(slope)])}


def _at_known_speed(spec: specs.GpuSpec, training: Band) -> tuple[Band, float]:
    """A level with the share of full speed that belongs to it: measured in training, at most, or usual for its kind."""
    loudest = _loudest(spec.noise)
    if not spec.noise and (usual := AT_FULL_SPEED.get(spec.cooling)):
        return Band(*usual, "dBA", training.assumptions, training.missing), 1.0
    if loudest is not None and not any(point.condition is NoiseCondition.LOAD for point in spec.noise):
        return Band(loudest - 1.5, loudest, loudest + 1.5, "dBA"), 1.0
    return training, _reference(spec)


def _speed_assumption(slope: float) -> str:
    return tr(
        "GPU fans run as fast as the predicted temperatures require, {slope:.0f} dB per decade of speed.", slope=slope
    )


def _mean_shift(ratios: Sequence[float], slope: float) -> float:
    """Energetic mean over cards whose fans turn at these ratios to the speed of a level, dB over that level."""
    shifts = [slope * log10(max(ratio, SLOWEST)) for ratio in ratios]
    return 10 * log10(fsum(10 ** (shift / 10) for shift in shifts) / len(shifts))


def _reference(spec: specs.GpuSpec) -> float:
    """The share of full speed at which the card's training level was measured, or would have been."""
    rpm = next((point.rpm for point in spec.noise if point.condition is NoiseCondition.LOAD and point.rpm), None)
    if rpm is not None and spec.fan_max_rpm is not None:
        return min(1.0, rpm / spec.fan_max_rpm)
    return _alone(cooler(spec), spec.power_limit_w or 300.0)


@lru_cache(maxsize=512)
def _alone(own: Cooler, limit_w: float) -> float:
    """The fan of a card alone on a test bench at its own limit, as a share of full speed."""
    low, middle, high = (share * limit_w for share in GPU_TRAINING)
    body = Body(own, (low, middle, high), ALONE)
    return settle([body], _REVIEW, Corner.EXPECTED).cards[0].share


def _loudest(points: Sequence[specs.NoisePoint]) -> float | None:
    levels = [
        to_one_metre(point.level_dba, point.distance_m) for point in points if point.condition is NoiseCondition.MAXIMUM
    ]
    return max(levels, default=None)
