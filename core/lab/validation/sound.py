"""Levels of measured cards, fans and panels, as the microphone hears them."""

from collections.abc import Sequence
from math import log10

from core.lab.validation.cards import bench_of
from core.lab.validation.cases import Measured
from core.lab.validation.facts import Facts, Sounding
from core.lab.validation.matching import MatchedCard
from core.parts.vocabulary import GpuCooling, NoiseCondition, Panels
from core.predict.band import Band, Triple
from core.predict.conditions import LoadCase
from core.predict.noise import acoustics
from core.predict.noise.acoustics import INSIDE
from core.predict.noise.noise import card_levels
from core.predict.noise.sources import AT_FULL_SPEED, PSU_FAN_AT_1000_RPM, gpu_levels
from core.words import tr

REVIEW_DISTANCE_M = (0.3, 0.35, 0.6)
"""German reviews without a stated distance: 0.3 m from the card, or a little more."""
REVIEW_ROOM_DBA: Triple = (20.0, 27.0, 30.0)
"""Reviewers' own rooms: 27 dBA in an average quiet home, 30 at most, below 20 in the quietest."""
CHAMBERS_DBA = {"silentpcreview.com": 11.0}
"""Measuring rooms whose floor is in every reading, by the address of those who measure there."""
STATISTICAL_DB = (2.0, 3.5, 5.5)
"""A declared sound power is the upper limit of a batch: about 0.3 B over its mean (ISO 9296); bystanders
stand a little further off than the measuring surface."""
SERVER = acoustics.ReferenceBox(0.45, 0.75, 0.15)
FULL_RPM: dict[GpuCooling | None, float] = {
    GpuCooling.BLOWER: 4800.0,
    GpuCooling.OPEN_AIR: 3000.0,
    GpuCooling.FLOW_THROUGH: 3000.0,
}
"""Highest fan speed of usual cards; general knowledge."""

A_MACHINE = tr("it is a whole machine, and its text names too few parts")
NO_CARD = tr("it names no card of the catalogue, and no fan speed with a kind of cooler")
NO_RPM = tr("it gives no fan speed")
NO_SINGLES = tr("the levels of the individual fans cannot be read")


def noise(case: Measured, match: MatchedCard | None) -> Band | str:
    """dBA: fans together from the single ones, closed panels from open ones, a PSU's fan, or a card in a review."""
    facts = case.facts
    if facts.fan_levels_dba is not None:
        return _sum(facts.fan_levels_dba, case.source)
    if facts.open_panels_dba is not None:
        open_dba, shift = facts.open_panels_dba, INSIDE[Panels.SOLID]
        return Band(open_dba + shift.low - 1, open_dba + shift.expected, open_dba + shift.high + 1, "dBA")
    if facts.sounding is Sounding.PSU_FAN:
        return _psu_fan(case)
    if facts.sounding is Sounding.MACHINE:
        return A_MACHINE
    return _card(case, match)


def power_over_pressure(case: Measured) -> Band:
    """Declared sound power less pressure at 1 m, dB: the box's surface and the statistical margin."""
    surface = 10 * log10(SERVER.surface_m2(case.distance_m or 1.0))
    low, middle, high = (surface + margin for margin in STATISTICAL_DB)
    return Band(low, middle, high, "dB")


def _sum(levels: Sequence[float], source: str) -> Band | str:
    """Fans whose single levels are known to half a decibel; the floor of the room is in each, and in the sum once."""
    if not levels:
        return NO_SINGLES
    floor = next((level for host, level in CHAMBERS_DBA.items() if host in source.lower()), None)
    total = acoustics.energy_sum(levels) if floor is None else _once(levels, floor)
    return Band(total - 2.0, total, total + 1.0 + (0.0 if floor is None else 0.5), "dBA")


def _once(levels: Sequence[float], floor: float) -> float:
    """The sum with the floor, which is in every level, counted once."""
    own = sum(max(10 ** (level / 10) - 10 ** (floor / 10), 0.0) for level in levels)
    return 10 * log10(own + 10 ** (floor / 10))


def _psu_fan(case: Measured) -> Band | str:
    rpm = case.facts.rpm
    if rpm is None:
        return NO_RPM
    low, middle, high = (level + acoustics.COOLER_SLOPE * log10(rpm / 1000) for level in PSU_FAN_AT_1000_RPM)
    return Band(low, middle, high, "dBA")


def _card(case: Measured, match: MatchedCard | None) -> Band | str:
    """A card and the reviewer's room: at its fans' stated speed, else at that which its watts ask for."""
    facts = case.facts
    load = LoadCase.IDLE if facts.load is LoadCase.IDLE else LoadCase.TRAINING
    level = _at_stated_speed(facts, match, load) or _at_own_speed(facts, match, load)
    if level is None:
        return NO_CARD
    low, middle, high = (case.distance_m,) * 3 if case.distance_m else REVIEW_DISTANCE_M
    away = acoustics.Shift(_from_one_metre(high), _from_one_metre(middle), _from_one_metre(low))
    room = (facts.background_dba,) * 3 if facts.background_dba else REVIEW_ROOM_DBA
    return acoustics.sum_bands((acoustics.shifted(level, (away,)), Band(*room, "dBA")))


def _at_stated_speed(facts: Facts, match: MatchedCard | None, load: LoadCase) -> Band | None:
    """At 1 m: from a level of the card at another speed, else from what cards of its kind reach at full speed."""
    if facts.rpm is None:
        return None
    spec = match.spec if match else None
    if spec is not None:
        condition = NoiseCondition.IDLE if load is LoadCase.IDLE else NoiseCondition.LOAD
        turning = [point for point in spec.noise if point.rpm]
        for point in sorted(turning, key=lambda point: point.condition is not condition)[:1]:
            level_dba = acoustics.to_one_metre(point.level_dba, point.distance_m)
            return _turned(
                Band(level_dba - 1.5, level_dba, level_dba + 1.5, "dBA"), facts.rpm / (point.rpm or facts.rpm)
            )
    kind = facts.cooling or (spec.cooling if spec else None)
    full, top = AT_FULL_SPEED.get(kind), FULL_RPM.get(kind)
    return _turned(Band(*full, "dBA"), facts.rpm / top) if full and top else None


def _turned(level: Band, ratio: float) -> Band:
    change = acoustics.COOLER_SLOPE * log10(ratio)
    return acoustics.shifted(level, (acoustics.Shift(change, change, change),))


def _at_own_speed(facts: Facts, match: MatchedCard | None, load: LoadCase) -> Band | None:
    """At 1 m, with the fans as fast as the model has them under this load."""
    if match is None:
        return None
    bench = bench_of(facts, match)
    if load is LoadCase.IDLE or bench is None:
        return gpu_levels(match.part, match.spec)[load]
    low, middle, high = sorted(one.cards[0].share for one in bench.settled())
    return card_levels(match.part, match.spec, [Band(low, middle, high, "")])[load]


def _from_one_metre(distance_m: float) -> float:
    return -(acoustics.NEAR_SLOPE if distance_m < 1 else 20.0) * log10(distance_m)
