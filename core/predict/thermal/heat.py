"""The steady state of a build under a load: temperatures, fans and watts of cards, air, coolant and processors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import computed_field

from core.parts.vocabulary import Category, GpuCooling
from core.plan.build import Build
from core.plan.line import Card
from core.plan.psus import boxes
from core.platform.json_value import JsonValue, NotInJson, PartId, Thousandths
from core.predict.airflow.airflow import AIR_READS, Airflow, airflow, stream_of
from core.predict.band import Band, Corner, Triple, hot_high
from core.predict.conditions import Conditions, LoadCase
from core.predict.power import PowerDraw
from core.predict.thermal.calibrated import heat_notes, loop_as_measured, stream_as_measured
from core.predict.thermal.coolers import loop_of
from core.predict.thermal.cpu import ProcessorHeat, processor_of
from core.predict.thermal.steady import (
    Air,
    Body,
    CardState,
    SteadyState,
    bodies_of,
    depends_on_a_duct,
    gpu_cards,
    settle,
)
from core.words import tr

HEAT_READS: tuple[str, ...] = (
    *AIR_READS,
    *("psu.efficiency", "psu.efficiency_level", "psu.power_w", "cpu.temperature_max_c"),
    *("cpu_cooler.radiator_mm", "cpu_cooler.thermal_resistance_k_per_w", "gpu.fan_max_rpm", "gpu.fan_stop"),
    *("gpu.noise", "gpu.temperature_target_c", "gpu.thermal_resistance_k_per_w", "gpu.width_slots"),
    "gpu.radiator_mm",
    *("water_block.thermal_resistance_k_per_w", "water_block.width_slots"),
)
"""Figures that the temperatures of the cards come from."""

NOT_ESTABLISHED = tr("Adjacent GPUs heat each other by 0.03 to 0.17 K per watt; measurements do not narrow it down.")
UNPLACED = tr("Cards without a slot are assumed to have no adjacent card.")
THROTTLED = 0.97
"""A card that keeps less of its power than this loses speed that somebody would notice."""
HELD = 0.999
"""A card that draws less than this share of what it asks for is held back by its temperature."""
_NEVER_C = 1000.0
"""Target of a card of which nobody can say how warm it gets: nothing holds it back."""


@dataclass(frozen=True, slots=True)
class CardHeat(JsonValue):
    """One card in its steady state."""

    part_id: PartId
    title: Annotated[str, NotInJson]
    number: int
    slot: int | None
    temperature_c: Band
    inlet_c: Band
    """Air before its fans; coolant, for a card with a water block."""
    fan_share: Band
    """Of full speed; zero without a fan."""
    power_w: Band
    asked_w: Annotated[float, NotInJson]
    """What it would draw if it stayed cool."""
    limit_w: float | None = None
    """Its power limit as set; None where unknown."""
    least_kept_share: Annotated[float, NotInJson] = 1.0
    """Share of its power that the card keeps where all that is unknown falls on the hot side."""

    @property
    def held(self) -> bool:
        """Whether its driver may have to take power back; `kept_share` tells how much is expected."""
        return self.least_kept_share < HELD

    @computed_field
    @property
    def kept_share(self) -> Thousandths:
        """Share of its power that the card keeps; below one the driver takes power back for the temperature."""
        return min(1.0, self.power_w.expected / self.asked_w)


@dataclass(frozen=True, slots=True)
class Heat(JsonValue):
    """The machine in its steady state. `unknown` says of which cards the temperature cannot be predicted, and why."""

    cards: tuple[CardHeat, ...]
    case_air_c: Band
    """Before the cards."""
    coolant_c: Band | None
    cpu_c: Band | None
    """The hottest processor."""
    cpu_w: Band
    """What all processors draw."""
    cpu_asked_w: Annotated[float, NotInJson]
    """What they would draw if they stayed cool."""
    cpu_held: Annotated[bool, NotInJson]
    """Whether they may have to slow down for their temperature."""
    unknown: tuple[str, ...]
    air: Annotated[Airflow, NotInJson]
    """What the fans move."""

    @property
    def hottest(self) -> CardHeat | None:
        """The card that keeps the least of its power, else the warmest."""
        return min(self.cards, key=lambda card: (card.kept_share, -card.temperature_c.expected), default=None)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a steady state is worked out from; `bodies` in the order of `cards`."""

    cards: list[Card]
    bodies: list[Body]
    air: Air
    moved: Airflow
    untold: list[str | None]
    """For each card why nobody can say how warm it gets; None where the model can."""


def setting_of(
    build: Build,
    conditions: Conditions,
    power: PowerDraw,
    cpu_w: float | None = None,
    load: LoadCase = LoadCase.TRAINING,
) -> Setting:
    """Cards in the order of part ids and numbers, and the air around them; `cpu_w` where it was measured.

    `power` says what parts ask for at their limits.
    """
    cards = gpu_cards(build)
    case = build.case
    moved = airflow(build, conditions.fan_share, conditions.altitude_m, load)
    stream = stream_as_measured(stream_of(moved), build.calibration.flow_in(case[0].id) if case else None)
    loop = loop_as_measured(loop_of(moved, conditions.altitude_m), build)
    processor = processor_of(build, power.components, load, conditions.altitude_m)
    if cpu_w is not None:
        processor = ProcessorHeat((cpu_w, cpu_w, cpu_w), processor.left)
    other = _other_heat(build, power, load)
    air = Air(conditions.room_c, conditions.altitude_m, stream, loop, other, processor)
    bodies = bodies_of(build, cards, power, load)
    untold = [_untold(build, card, body, air) for card, body in zip(cards, bodies, strict=True)]
    free = [body if why is None else _unheld(body) for body, why in zip(bodies, untold, strict=True)]
    return Setting(cards, free, air, moved, untold)


def predict_heat(build: Build, conditions: Conditions, power: PowerDraw, load: LoadCase = LoadCase.TRAINING) -> Heat:
    """The steady state under a load, of parts that ask for `power`. Pure.

    Cards stand in the order of part ids and numbers.
    """
    setting = setting_of(build, conditions, power, load=load)
    cards, bodies, air = setting.cards, setting.bodies, setting.air
    stream, loop = air.case, air.loop
    cool, expected, hot = (settle(bodies, air, case) for case in Corner)
    wet = any(body.on_water for body in bodies)
    shared = (*stream.missing, *(loop.missing if wet else ()))
    notes = (*_notes(build, cards, bodies), *heat_notes(build), *(setting.moved.notes if wet else ()))
    limits = {line.part.id: line.limit_w for line, _ in build.gpus()}
    states = (cool, expected, hot)
    air_c = (cool.case_c, expected.case_c, hot.case_c)
    heat_w = air.processor.heat_w
    cpu_w = [state.processor_kept * hot_high(heat_w, case) for case, state in zip(Corner, states, strict=True)]
    return Heat(
        cards=tuple(
            _card(card, body, each, notes, shared, limits[card.part.id])
            for card, body, why, *each in zip(
                cards, bodies, setting.untold, cool.cards, expected.cards, hot.cards, strict=True
            )
            if why is None
        ),
        case_air_c=_band(air_c, "°C", (), stream.missing),
        coolant_c=_coolant(states, setting.moved.notes, loop.missing) if wet else None,
        cpu_c=_cpu(states, air.processor),
        cpu_w=_band(held_power(heat_w, cpu_w), "W", (), ()),
        cpu_asked_w=heat_w[1],
        cpu_held=any(state.processor_kept < HELD for state in states),
        unknown=tuple(dict.fromkeys((*(why for why in setting.untold if why), *_boxed(build), *_modules(build)))),
        air=setting.moved,
    )


def _other_heat(build: Build, power: PowerDraw, load: LoadCase) -> Triple:
    """Heat of all but processors and the GPUs that are cards, W. Modules are among the rest."""
    apart = {card.part.id for card in build.cards() if card.part.category is Category.GPU}
    others = [part for part in power.components if part.category is not Category.CPU]
    rest = [part.dc_w[load] for part in others if part.part_id not in apart]
    return sum(b.low for b in rest), sum(b.expected for b in rest), sum(b.high for b in rest)


def _card(
    card: Card,
    body: Body,
    states: Sequence[CardState],
    notes: tuple[str, ...],
    shared: tuple[str, ...],
    limit_w: float | None,
) -> CardHeat:
    fields = () if body.on_water else body.cooler.missing
    missing = (*(f"{card.part.id}.{field}" for field in fields), *shared)
    drawn = [state.power_w for state in states]
    watts = held_power(body.power_w, drawn)
    return CardHeat(
        part_id=card.part.id,
        title=card.part.title,
        number=card.number,
        slot=card.slot,
        temperature_c=_band([state.chip_c for state in states], "°C", notes, missing),
        inlet_c=_band([state.inlet_c for state in states], "°C", notes, missing),
        fan_share=_band([state.share for state in states], "", notes, missing),
        power_w=_band(watts, "W", notes, missing),
        asked_w=body.power_w[1],
        limit_w=limit_w,
        least_kept_share=min(left / hot_high(body.power_w, case) for case, left in zip(Corner, drawn, strict=True)),
    )


def held_power(demand: Triple, drawn: Sequence[float]) -> Triple:
    """The whole range of what one draws that asks for `demand` and drew so much in the three runs, W.

    A run that did not hold it back says nothing against the upper end of what it asks for.
    """
    free = any(watts >= HELD * hot_high(demand, case) for case, watts in zip(Corner, drawn, strict=True))
    expected = min(demand[1], drawn[1])
    return min(demand[0], *drawn), expected, max(expected, demand[2] if free else min(demand[2], max(drawn)))


def _cpu(states: Sequence[SteadyState], processor: ProcessorHeat) -> Band | None:
    values = [state.processor_c for state in states if state.processor_c is not None]
    return _band(values, "°C", (), processor.missing) if len(values) == len(states) else None


def _unheld(body: Body) -> Body:
    never = (_NEVER_C, _NEVER_C, _NEVER_C)
    return replace(body, cooler=replace(body.cooler, target_c=never))


def _untold(build: Build, card: Card, body: Body, air: Air) -> str | None:
    """Why nobody can say how warm a card gets; None where the model can."""
    if body.on_water:
        none = tr(
            "{part} is water-cooled: its temperature depends on radiators, and none is known.", part=card.part.title
        )
        return none if air.loop.conductance is None else None
    if depends_on_a_duct(build, body.cooler):
        return tr("{part} has no fan: its temperature depends on the duct that is built for it.", part=card.part.title)
    return None


def _boxed(build: Build) -> Iterator[str]:
    for box in boxes(build):
        for title in dict.fromkeys(card.part.title for card in box.cards if card.part.category is Category.GPU):
            yield tr(
                "{part} is in an external box ({box}): its heat stays out of the case; its temperature is not "
                "predicted.",
                part=title,
                box=box.carrier.part.title,
            )


def _modules(build: Build) -> Iterator[str]:
    """GPUs on a baseboard are no cards: their heat counts, their coolers belong to the system."""
    apart = {card.part.id for card in build.cards()}
    for line in sorted(build.of(Category.GPU), key=lambda line: line.part.id):
        if line.part.id not in apart:
            yield tr(
                "{part} is a module: its temperature depends on the system that it is built into.", part=line.part.title
            )


def _notes(build: Build, cards: Sequence[Card], bodies: Sequence[Body]) -> tuple[str, ...]:
    guessed = build.calibration.coupling is None
    coupled = guessed and any(
        body.around.neighbours and not body.on_water and body.cooler.kind is not GpuCooling.HYBRID for body in bodies
    )
    unplaced = len(cards) > 1 and any(card.slot is None for card in cards)
    return (*((NOT_ESTABLISHED,) if coupled else ()), *((UNPLACED,) if unplaced else ()))


def _coolant(settled: Sequence[SteadyState], notes: tuple[str, ...], missing: tuple[str, ...]) -> Band | None:
    values = [state.coolant_c for state in settled if state.coolant_c is not None]
    return _band(values, "°C", notes, missing) if len(values) == len(settled) else None


def _band(values: Sequence[float], unit: str, notes: tuple[str, ...], missing: Sequence[str]) -> Band:
    """What lies around the three runs. A card that is held back draws most in the expected one at times: the ends of
    its watts may lie on one side."""
    return Band(min(values), values[1], max(values), unit, notes, tuple(dict.fromkeys(missing)))
