"""The cards as the thermal model sees them, and the steady state of all together, with case air and coolant.

Every round moves chips and powers half-way to where the others' state wants them, until nothing moves. More heat is
never cooler while cards keep their power. Of cards that are held at their target one may gain what another gives up: in
a warmer room a card between two that draw less is a little cooler, beside one of a larger limit it keeps fewer watts.
Of all cards together a warmer room never raises the watts, and a larger limit of some never lowers them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.parts.specs import GpuSpec, WaterBlockSpec
from core.parts.vocabulary import CaseKind, Category, GpuCooling
from core.plan.build import Build
from core.plan.line import Card
from core.plan.psus import boxes
from core.plan.water_blocks import Fitted, body_of, fitted_blocks
from core.predict.airflow.airflow import OPEN_K_PER_W, CaseAir
from core.predict.airflow.operating_point import rise_k
from core.predict.band import Corner, Triple, hot_high, hot_low
from core.predict.conditions import LoadCase
from core.predict.power import PowerDraw
from core.predict.thermal import coolers
from core.predict.thermal.calibrated import cooler_as_measured, corrected, surroundings_as_measured
from core.predict.thermal.coolers import BLOCK_K_PER_W, Cooler, cooler
from core.predict.thermal.cpu import NO_PROCESSOR, ProcessorHeat
from core.predict.thermal.neighbours import CAP_K, STARVED_FLOW, Surroundings, surroundings

ROUNDS = 60
STILL_K = 0.02
AT_TARGET_K = 0.3
"""So near its target a card counts as held at it."""
STEP = 0.55
STABLE = 1.5
"""Of the two at which the rounds would swing without end."""
LEAST_POWER = 0.3
"""A driver takes power back to about this share before the card's own protection steps in."""
CASE_IN_LOOP = 0.3
"""Share of the case's rise that the air before the radiators has on average; general knowledge."""


@dataclass(frozen=True, slots=True)
class Body:
    """One card: its cooler, or the block on it; what it may draw in training, W."""

    cooler: coolers.Cooler
    power_w: Triple
    around: Surroundings
    on_water: bool = False
    block: Triple = coolers.BLOCK_K_PER_W
    """Chip over coolant, K/W, of a card on water."""


@dataclass(frozen=True, slots=True)
class Air:
    """Room, case and loop that all cards share; `other_heat_w` is what else warms the case."""

    room_c: float
    altitude_m: float
    case: CaseAir
    loop: coolers.CoolantLoop
    other_heat_w: Triple
    """Of all but cards and processors."""
    processor: ProcessorHeat = NO_PROCESSOR


@dataclass(slots=True)
class CardState:
    """Where one card has settled."""

    chip_c: float
    inlet_c: float
    share: float
    power_w: float


@dataclass(frozen=True, slots=True)
class SteadyState:
    """All cards, the air before them, the coolant where there is a loop, and the processors."""

    cards: tuple[CardState, ...]
    case_c: float
    coolant_c: float | None
    processor_c: float | None = None
    """None where it cannot be told."""
    processor_kept: float = 1.0
    """Share of the processors' power that their temperature leaves them."""


@dataclass(frozen=True, slots=True)
class _Laws:
    """One card's laws with every parameter on one side of its range."""

    full: float
    """K/W: at full fan speed, or of the block."""
    table: tuple[float, ...] | None
    """Resistance over `full` by whole degrees; None under water."""
    limit_w: float
    target_c: float
    at_target: float
    """K/W at the target, with the fan as fast as the driver lets it turn there."""
    into_case: float
    couplings: tuple[tuple[int, float], ...]
    later_k: float = 0.0
    """How much later than usual the fans speed up."""
    flow: float = 1.0
    """Share of its air that reaches the cooler."""

    def resistance(self, chip_c: float) -> float:
        """K/W."""
        return self.full if self.table is None else self.full * _over_full(self.table, chip_c - self.later_k)


def settle(bodies: Sequence[Body], air: Air, case: Corner) -> SteadyState:
    """The steady state with every uncertain parameter on the side of `case`."""
    laws = [_laws(body, air.altitude_m, case) for body in bodies]
    states = [CardState(60.0, air.room_c, 0.5, law.limit_w) for law in laws]
    warmer = _case_law(air, case)
    wet = _coolant_law(air, case)
    case_c, coolant_c = air.room_c, None
    cores = _Cores(air.processor, case)
    step = _step(laws, warmer(1.0) - warmer(0.0), wet(1.0, 0.0) - wet(0.0, 0.0) if wet else 0.0)
    for _ in range(ROUNDS):
        heat = sum([state.power_w * law.into_case for law, state in zip(laws, states, strict=True)])
        case_c = warmer(heat + cores.heat_w)
        if wet:
            taken = sum(state.power_w for body, state in zip(bodies, states, strict=True) if body.on_water)
            coolant_c = wet(taken, case_c)
        moved = cores.move(case_c, step)
        for body, law, state in zip(bodies, laws, states, strict=True):
            inlet = coolant_c if body.on_water and coolant_c is not None else case_c
            if law.couplings:
                inlet += min(sum([k * states[index].power_w for index, k in law.couplings]), CAP_K)
            moved = max(moved, _move(state, law, inlet, step))
        if moved < STILL_K:
            break
    for body, law, state in zip(bodies, laws, states, strict=True):
        state.share = 0.0 if body.on_water else _share(body, law, state, air.altitude_m)
    return SteadyState(tuple(states), case_c, coolant_c, cores.chip_c, cores.kept_share)


class _Cores:
    """The processors on their way to the steady state: they heat the case, and their temperature holds them back."""

    def __init__(self, processor: ProcessorHeat, case: Corner) -> None:
        self.kept_share = 1.0
        self.chip_c: float | None = None
        self._left_w = hot_high(processor.heat_w, case) * hot_high(processor.left, case)
        self._most_c = processor.most_c
        resistance = processor.resistance
        self._rise_k = processor.hottest_w * hot_high(resistance, case) if resistance else None

    @property
    def heat_w(self) -> float:
        """What they leave in the case."""
        return self.kept_share * self._left_w

    def move(self, air_c: float, share: float) -> float:
        """They go this share of their way; returns how far, K."""
        if self._rise_k is None:
            return 0.0
        allowed = (self._most_c - air_c) / self._rise_k if self._rise_k else 1.0
        less = share * (min(1.0, max(allowed, LEAST_POWER)) - self.kept_share)
        self.kept_share += less
        self.chip_c = air_c + self.kept_share * self._rise_k
        return abs(less) * self._rise_k


def _step(laws: Sequence[_Laws], case_k_per_w: float, coolant_k_per_w: float) -> float:
    """How far towards its wanted state each round may go: no further than what cards do to each other allows.

    Cards at their target take back 1 / R watts per kelvin of their inlet. What they share, air or coolant, answers with
    its rise per watt of them all; steps that are longer than two over one and that gain swing ever wider.
    """
    into_case = case_k_per_w * sum(law.into_case for law in laws)
    on_water = coolant_k_per_w * sum(law.table is None for law in laws)
    gains = [(on_water if law.table is None else into_case) / law.at_target for law in laws]
    return min(STEP, STABLE / (1 + max(gains, default=0.0)))


def _move(state: CardState, law: _Laws, inlet: float, share: float) -> float:
    """One card goes this share of its way; returns how far, K. A chip may stand still while its watts fall."""
    allowed = (law.target_c - inlet) / law.at_target
    target_w = min(law.limit_w, max(allowed, LEAST_POWER * law.limit_w))
    less = share * (target_w - state.power_w)
    state.power_w += less
    by_curve = inlet + law.resistance(state.chip_c) * state.power_w
    step = share * (min(by_curve, max(law.target_c, inlet + law.at_target * state.power_w)) - state.chip_c)
    state.chip_c += step
    state.inlet_c = inlet
    return max(abs(step), abs(less) * law.at_target)


def _share(body: Body, law: _Laws, state: CardState, altitude_m: float) -> float:
    """Share of full fan speed: that of the curve, more where the target is held beyond it."""
    by_curve = coolers.fan_share(body.cooler.curve, state.chip_c - law.later_k)
    if body.cooler.reserve is None or state.chip_c < law.target_c - AT_TARGET_K or state.power_w <= 0:
        return by_curve
    needed = coolers.speed_for((state.chip_c - state.inlet_c) / state.power_w / law.full, altitude_m) / law.flow
    return min(max(by_curve, needed), 1.0)


def _laws(body: Body, altitude_m: float, case: Corner) -> _Laws:
    full = hot_high(body.block if body.on_water else body.cooler.resistance, case)
    starved = body.cooler.kind is GpuCooling.BLOWER and body.around.starved
    flow = hot_low(STARVED_FLOW, case) if starved else 1.0
    table = None if body.on_water else coolers.resistance_table(body.cooler.curve, altitude_m, flow)
    couplings = () if body.on_water else tuple((n.index, hot_high(n.coupling, case)) for n in body.around.neighbours)
    target = hot_high(body.cooler.target_c, case)
    later_k = hot_high(body.cooler.curve_shift_k, case)
    into_case = coolers.HEAT_INTO_CASE[GpuCooling.WATER_BLOCK] if body.on_water else body.cooler.heat_into_case
    at_target = full if table is None else full * _over_full(table, target - later_k)
    if table is not None and body.cooler.reserve is not None:
        at_target = min(at_target, coolers.at_speed(full, flow * hot_low(body.cooler.reserve, case), altitude_m))
    watts, left = hot_high(body.power_w, case), hot_high(into_case, case)
    return _Laws(full, table, watts, target, at_target, left, couplings, later_k, flow)


def _over_full(table: Sequence[float], chip_c: float) -> float:
    """Resistance over that at full fan speed, between the whole degrees of the table."""
    chip_c = min(max(chip_c, 0.0), coolers.HOTTEST_C - 1.0)
    below = int(chip_c)
    return table[below] + (chip_c - below) * (table[below + 1] - table[below])


def _case_law(air: Air, case: Corner) -> Callable[[float], float]:
    """Air before the cards in C, from the watts that they leave in the case."""
    other = hot_high(air.other_heat_w, case)
    if air.case.flow_m3h is None:
        per_watt = hot_high(OPEN_K_PER_W, case)
    else:
        per_watt = hot_high(air.case.mixed, case) * rise_k(1.0, hot_low(air.case.flow_m3h, case), air.altitude_m)
    return lambda watts: air.room_c + per_watt * (other + watts)


def _coolant_law(air: Air, case: Corner) -> Callable[[float, float], float] | None:
    """Coolant in C, from the cards' watts and the air in the case."""
    if air.loop.conductance is None:
        return None
    conductance = hot_low(air.loop.conductance, case)
    return lambda watts, case_c: air.room_c + CASE_IN_LOOP * (case_c - air.room_c) + watts / conductance


def gpu_cards(build: Build) -> list[Card]:
    """Every GPU that sits in a slot or may, in the order of part ids and numbers; not those in external boxes."""
    outside = [card for box in boxes(build) for card in box.cards]
    cards = (card for card in build.cards() if card.part.category is Category.GPU)
    return sorted((card for card in cards if card not in outside), key=lambda card: (card.part.id, card.number))


def bodies_of(build: Build, cards: Sequence[Card], power: PowerDraw, load: LoadCase = LoadCase.TRAINING) -> list[Body]:
    """One per card, each with its own place among the others, as a measured run corrects them."""
    measured = build.calibration
    blocks = fitted_blocks(build)
    kinds = [GpuCooling.WATER_BLOCK if _fitted(card, blocks) else _spec(card).cooling for card in cards]
    watts = _watts_each(power, load)
    return [
        Body(
            cooler_as_measured(cooler(_spec(card)), measured, card.part.id),
            watts[card.part.id],
            surroundings_as_measured(around, measured.coupling),
            kind is GpuCooling.WATER_BLOCK,
            corrected(_block_resistance(card, blocks), measured.block_of(body_of(card, blocks).id)),
        )
        for card, kind, around in zip(cards, kinds, surroundings(cards, kinds), strict=True)
    ]


def depends_on_a_duct(build: Build, body_cooler: Cooler) -> bool:
    """A card without a fan, outside a chassis that drives air through it: nobody can say how warm it gets."""
    ducted = build.case is not None and build.case[1].kind in (CaseKind.RACK, CaseKind.SYSTEM)
    return body_cooler.kind is GpuCooling.PASSIVE and not ducted


def _spec(card: Card) -> GpuSpec:
    assert isinstance(card.part.spec, GpuSpec)
    return card.part.spec


def _fitted(card: Card, blocks: Mapping[str, Fitted]) -> WaterBlockSpec | None:
    fitted = blocks.get(card.part.id)
    spec = fitted.block.spec if fitted and card.number <= fitted.count else None
    return spec if isinstance(spec, WaterBlockSpec) else None


def _block_resistance(card: Card, blocks: Mapping[str, Fitted]) -> Triple:
    """Chip over coolant, K/W: as stated of the block, or of a card that is sold with one, else as usual."""
    block = _fitted(card, blocks)
    own = _spec(card)
    stated = None
    if block is not None:
        stated = block.thermal_resistance_k_per_w
    elif own.cooling is GpuCooling.WATER_BLOCK:
        stated = own.thermal_resistance_k_per_w
    return (stated, stated, stated) if stated is not None else BLOCK_K_PER_W


def _watts_each(power: PowerDraw, load: LoadCase) -> dict[str, Triple]:
    """What one card of each line asks for under a load, W; a card of unknown limit has a wide range."""
    bands = {part.part_id: (part.dc_w[load], part.count) for part in power.components}
    return {
        part_id: (band.low / count, band.expected / count, band.high / count)
        for part_id, (band, count) in bands.items()
    }
