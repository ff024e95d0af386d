"""Temperatures of measured cards: at the stated watts and fan speed, or at the fixed point of the model."""

from __future__ import annotations

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.predict.band import Band
from core.predict.thermal.case_air import OPEN_RISE_K, CaseAir
from core.predict.thermal.coolers import Cooler, at_speed, cooler
from core.predict.thermal.neighbours import BEFORE_FANS, BEHIND_FANS, CAP_K, Neighbour, Surroundings, coupling
from core.predict.thermal.spread import Case, Triple, hot_high
from core.predict.thermal.steady import Air, Body, Settled, settle
from core.predict.thermal.water import Loop
from core.validation.cases import Measured
from core.validation.facts import Facts

ROOM_C: Triple = (21.0, 24.0, 28.0)
"""Where nobody says how warm the room was."""
CASE_RISE_K: Triple = (1.0, 4.0, 10.0)
"""Air before the cards over the room in a closed case of unknown fans, for each card; general knowledge."""
HOT_SPOT_K: Triple = (7.0, 10.0, 15.0)
"""Hot spot over chip: 8.4 K on an RTX 4090, 9.8 to 10.1 K on Founders Editions."""


def chip(case: Measured, part: Part) -> Band | None:
    """The chip's temperature, C."""
    facts = Facts(case)
    own = _cooler(part, facts)
    if own is None:
        return None
    rooms = [_inlet(facts, step) for step in Case]
    if facts.watts is not None and facts.fan_share is not None:
        watts, share = facts.watts, facts.fan_share
        values = [
            room + _warmed(facts, own, watts, step) + at_speed(hot_high(own.resistance, step), share) * watts
            for room, step in zip(rooms, Case, strict=True)
        ]
        return _band(values)
    spec = part.spec
    limit = facts.watts or (spec.power_limit_w if isinstance(spec, GpuSpec) else None)
    if limit is None:
        return None
    settled = [_settled(facts, own, limit, room, step) for room, step in zip(rooms, Case, strict=True)]
    return _band([max(state.chip_c for state in one.cards) for one in settled])


def rise(case: Measured, part: Part) -> Band | None:
    """The chip over the room, K."""
    found = chip(case, part)
    if found is None:
        return None
    room_c = Facts(case).room_c or ROOM_C[1]
    return Band(found.low - room_c, found.expected - room_c, found.high - room_c, "K")


def hot_spot(case: Measured, part: Part) -> Band | None:
    """The hottest place of the chip, C."""
    found = chip(case, part)
    if found is None:
        return None
    low, middle, high = HOT_SPOT_K
    return Band(found.low + low, found.expected + middle, found.high + high, "C")


def _cooler(part: Part, facts: Facts) -> Cooler | None:
    """The part's own, with the kind of cooling that the case names."""
    spec = part.spec
    if not isinstance(spec, GpuSpec):
        return None
    if facts.cooling is not None and facts.cooling is not spec.cooling:
        spec = spec.model_copy(update={"cooling": facts.cooling, "thermal_resistance_k_per_w": None})
    return cooler(spec)


def _inlet(facts: Facts, step: Case) -> float:
    """Air before the cards without what they do to each other, C."""
    room = facts.room_c if facts.room_c is not None else hot_high(ROOM_C, step)
    over = OPEN_RISE_K if facts.in_the_open else CASE_RISE_K
    return room + hot_high(over, step)


def _warmed(facts: Facts, own: Cooler, watts: float, step: Case) -> float:
    """What neighbours of equal power add, K; snapshots do not tell which card lies above which."""
    if facts.count < 2 or facts.in_the_open:
        return 0.0
    weight = BEFORE_FANS + BEHIND_FANS if facts.count > 2 else (BEFORE_FANS + BEHIND_FANS) / 2
    return min(CAP_K, hot_high(coupling(own.kind, own.kind, facts.free_slots, weight), step) * watts)


def _settled(facts: Facts, own: Cooler, limit_w: float, inlet_c: float, step: Case) -> Settled:
    low, middle, high = (share * limit_w for share in ((0.98, 1.0, 1.02) if facts.watts else facts.power_share))
    per_watt = coupling(own.kind, own.kind, facts.free_slots, BEFORE_FANS)
    count = 1 if facts.in_the_open else facts.count
    starved = count > 1 and facts.free_slots == 0
    bodies = [
        Body(
            own,
            (low, middle, high),
            Surroundings(tuple(Neighbour(other, per_watt) for other in (index + 1,) if other < count), starved),
        )
        for index in range(count)
    ]
    no_rise = Air(inlet_c - hot_high(OPEN_RISE_K, step), 0.0, CaseAir(None), Loop(None), (0.0, 0.0, 0.0))
    return settle(bodies, no_rise, step)


def _band(values: list[float]) -> Band:
    low, middle, high = sorted(values)
    return Band(low, middle, high, "C")
