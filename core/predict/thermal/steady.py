"""The steady state of all cards together: fan curve, resistance, neighbours, case air, coolant and the driver's power.

Every round moves chips and powers half-way to where the others' state wants them, until nothing moves. More heat is
never cooler: each law is monotone, and so is what the rounds converge to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.predict.thermal.air import rise_k
from core.predict.thermal.case_air import MIXED, OPEN_RISE_K, CaseAir
from core.predict.thermal.coolers import Cooler, at_speed, fan_share
from core.predict.thermal.neighbours import BLOWER_STARVED, CAP_K, Surroundings
from core.predict.thermal.spread import Case, Triple, hot_high, hot_low
from core.predict.thermal.water import BLOCK_K_PER_W, Loop

ROUNDS = 60
STILL_K = 0.02
STEP = 0.55
LEAST_POWER = 0.3
"""A driver takes power back to about this share before the card's own protection steps in."""
CASE_IN_LOOP = 0.3
"""Share of the case's rise that the air before the radiators has on average; general knowledge."""


@dataclass(frozen=True, slots=True)
class Body:
    """One card: its cooler, or the block on it; what it may draw in training, W."""

    cooler: Cooler
    power_w: Triple
    around: Surroundings
    on_water: bool = False
    block: float | None = None
    """Chip over coolant, K/W, where the block's maker states it."""


@dataclass(frozen=True, slots=True)
class Air:
    """Room, case and loop that all cards share; `other_heat_w` is what else warms the case."""

    room_c: float
    altitude_m: float
    case: CaseAir
    loop: Loop
    other_heat_w: Triple


@dataclass(slots=True)
class State:
    """Where one card has settled."""

    chip_c: float
    inlet_c: float
    share: float
    power_w: float


@dataclass(frozen=True, slots=True)
class Settled:
    """All cards, the air before them, and the coolant where there is a loop."""

    cards: tuple[State, ...]
    case_c: float
    coolant_c: float | None


def settle(bodies: Sequence[Body], air: Air, case: Case) -> Settled:
    """The steady state with every uncertain parameter on the side of `case`."""
    full = [_full_speed(body, case) for body in bodies]
    limits = [hot_high(body.power_w, case) for body in bodies]
    states = [State(60.0, air.room_c, 0.5, limit) for limit in limits]
    case_c, coolant_c = air.room_c, None
    for _ in range(ROUNDS):
        case_c = _case_air(bodies, states, air, case)
        coolant_c = _coolant(bodies, states, air, case_c, case)
        moved = 0.0
        for index, body in enumerate(bodies):
            base = coolant_c if body.on_water and coolant_c is not None else case_c
            inlet = base + _from_neighbours(body, states, case)
            moved = max(moved, _move(states[index], body, full[index], limits[index], inlet))
        if moved < STILL_K:
            break
    return Settled(tuple(states), case_c, coolant_c)


def _move(state: State, body: Body, full: float, limit: float, inlet: float) -> float:
    """One step of one card; returns how far its chip moved, K."""
    target = body.cooler.target_c
    allowed = (target - inlet) / _resistance(body, full, target)
    wanted = min(limit, max(allowed, LEAST_POWER * limit))
    state.power_w += STEP * (wanted - state.power_w)
    chip = inlet + _resistance(body, full, state.chip_c) * state.power_w
    step = STEP * (chip - state.chip_c)
    state.chip_c += step
    state.inlet_c = inlet
    state.share = 0.0 if body.on_water else fan_share(body.cooler.curve, state.chip_c)
    return abs(step)


def _resistance(body: Body, full: float, chip_c: float) -> float:
    return full if body.on_water else at_speed(full, fan_share(body.cooler.curve, chip_c))


def _full_speed(body: Body, case: Case) -> float:
    if body.on_water:
        return hot_high((body.block,) * 3 if body.block else BLOCK_K_PER_W, case)
    full = hot_high(body.cooler.resistance, case)
    blower = body.cooler.heat_into_case[2] < 0.5 and body.around.starved
    return full * hot_high(BLOWER_STARVED, case) if blower else full


def _from_neighbours(body: Body, states: Sequence[State], case: Case) -> float:
    if body.on_water:
        return 0.0
    warmed = sum(hot_high(n.coupling, case) * states[n.index].power_w for n in body.around.neighbours)
    return min(warmed, CAP_K)


def _case_air(bodies: Sequence[Body], states: Sequence[State], air: Air, case: Case) -> float:
    """Air before the cards, C."""
    if air.case.flow_m3h is None:
        return air.room_c + hot_high(OPEN_RISE_K, case)
    heat = hot_high(air.other_heat_w, case) + sum(
        state.power_w * (0.05 if body.on_water else hot_high(body.cooler.heat_into_case, case))
        for body, state in zip(bodies, states, strict=True)
    )
    rise = rise_k(heat, hot_low(air.case.flow_m3h, case), air.altitude_m)
    return air.room_c + hot_high(MIXED, case) * rise


def _coolant(bodies: Sequence[Body], states: Sequence[State], air: Air, case_c: float, case: Case) -> float | None:
    if air.loop.conductance is None:
        return None
    heat = sum(state.power_w for body, state in zip(bodies, states, strict=True) if body.on_water)
    before = air.room_c + CASE_IN_LOOP * (case_c - air.room_c)
    return before + heat / hot_low(air.loop.conductance, case)
