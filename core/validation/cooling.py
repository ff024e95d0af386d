"""Temperatures of measured cards, at the stated watts and fan speed or where the model settles; heat of radiators."""

from __future__ import annotations

from core.language import tr
from core.parts.part import Part
from core.parts.specs import RadiatorSpec
from core.parts.vocabulary import GpuCooling
from core.predict.airflow.fan_placement import places_of
from core.predict.airflow.openings import radiator_k
from core.predict.airflow.operating_point import Fans, curve
from core.predict.band import Band, Corner, Triple, hot_high, usual_range
from core.predict.thermal.coolers import at_speed
from core.predict.thermal.neighbours import BEFORE_FANS, BEHIND_FANS, CAP_K, coupling
from core.predict.thermal.water import BLOCK_K_PER_W, conductance
from core.validation.bench import ROOM_C, ReviewBench, bench_of
from core.validation.cases import Measured
from core.validation.facts import Facts
from core.validation.matching import MatchedCard

HOT_SPOT_K: Triple = (7.0, 10.0, 15.0)
"""Hot spot over chip: 8.4 K on an RTX 4090, 9.8 to 10.1 K on Founders Editions."""
NO_COOLANT = tr("the card is water-cooled, and no coolant temperature is given")
NO_WATTS = tr("neither its text nor the card's figures say what the card draws")


def chip(case: Measured, match: MatchedCard) -> Band | str:
    """The chip's temperature, C."""
    facts = case.facts
    bench = bench_of(facts, match)
    if bench is None:
        return NO_WATTS
    if bench.cooler.kind is GpuCooling.WATER_BLOCK:
        return _over_coolant(bench)
    if facts.card_w is not None and facts.fan_share is not None:
        return _band([_at(bench, facts.card_w, facts.fan_share, step) for step in Corner])
    return _band([max(state.chip_c for state in one.cards) for one in bench.settled()])


def rise(case: Measured, match: MatchedCard) -> Band | str:
    """The chip over the room, K."""
    found = chip(case, match)
    if isinstance(found, str):
        return found
    room_c = case.facts.room_c or ROOM_C[1]
    return Band(found.low - room_c, found.expected - room_c, found.high - room_c, "K")


def hot_spot(case: Measured, match: MatchedCard) -> Band | str:
    """The hottest place of the chip, C."""
    found = chip(case, match)
    if isinstance(found, str):
        return found
    low, middle, high = HOT_SPOT_K
    return Band(found.low + low, found.expected + middle, found.high + high, "°C")


def _over_coolant(bench: ReviewBench) -> Band | str:
    """A card under water stands above its coolant, whatever the air is like."""
    coolant_c = bench.facts.coolant_c
    if coolant_c is None:
        return NO_COOLANT
    low, middle, high = bench.watts
    ends = zip(BLOCK_K_PER_W, (low, middle, high), strict=True)
    return _band([coolant_c + per_watt * watts for per_watt, watts in ends])


def _at(bench: ReviewBench, watts: float, share: float, step: Corner) -> float:
    own = at_speed(hot_high(bench.cooler.resistance, step), share * bench.flow(step))
    return bench.inlet_c(watts, step) + _warmed(bench, watts, step) + own * watts


def _warmed(bench: ReviewBench, watts: float, step: Corner) -> float:
    """What neighbours of equal power add, K; snapshots do not tell which card lies above which."""
    facts, kind = bench.facts, bench.cooler.kind
    if facts.cards < 2 or facts.in_the_open:
        return 0.0
    weight = BEFORE_FANS + BEHIND_FANS if facts.cards > 2 else (BEFORE_FANS + BEHIND_FANS) / 2
    return min(CAP_K, hot_high(coupling(kind, kind, facts.free_slots, weight), step) * watts)


def _band(values: list[float]) -> Band:
    low, middle, high = sorted(values)
    return Band(low, middle, high, "°C")


STRONG_FAN_RPM = 2800.0
"""Of fans that are only called strong."""


NO_SIZE = tr("it gives no radiator size")


def watts_at_10_k(case: Measured, part: Part | None) -> Band | str:
    """W that go off at 10 K between coolant and air, with usual fans of the stated speed."""
    spec = part.spec if part else _named(case.facts)
    if not isinstance(spec, RadiatorSpec):
        return NO_SIZE
    can, resists = curve(spec.fan_size_mm, case.facts.rpm or STRONG_FAN_RPM), radiator_k(spec)
    low, middle, high = (
        Fans(places_of(spec), flow, pressure, k).all_m3h()
        for flow, pressure, k in zip(can.flow_m3h, can.pressure_pa, resists, strict=True)
    )
    low, middle, high = (10 * each for each in usual_range(*conductance(spec, (low, middle, high))))
    return Band(low, middle, high, "W")


def _named(facts: Facts) -> RadiatorSpec | None:
    """A radiator that the catalogue lacks, by its size."""
    if facts.radiator_fan_mm is None or facts.radiator_fans is None:
        return None
    return RadiatorSpec(fan_size_mm=facts.radiator_fan_mm, fan_positions=facts.radiator_fans)
