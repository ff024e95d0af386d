"""Temperatures of cards, case air, coolant and processors in steady training, each as a band."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.build.build import Build, Card
from core.parts.specs import CpuCoolerSpec
from core.parts.vocabulary import Category, CoolerKind
from core.predict.airflow.airflow import Airflow, airflow
from core.predict.band import Band
from core.predict.components import Component
from core.predict.conditions import Conditions
from core.predict.load import Load
from core.predict.power import Power
from core.predict.thermal.bodies import bodies_of, depends_on_a_duct, gpu_cards
from core.predict.thermal.case_air import stream_of
from core.predict.thermal.cpu import cpu_temperature
from core.predict.thermal.measured import heat_notes, loop_as_measured, stream_as_measured
from core.predict.thermal.spread import Case, Triple
from core.predict.thermal.steady import Air, Body, Settled, State, settle
from core.predict.thermal.water import loop_of

NOT_ESTABLISHED = "Cards side by side warm each other by 0.03 to 0.17 K per watt; measured machines do not pin it down."
UNPLACED = "Cards without a slot are taken to stand alone."
THROTTLED = 0.97
"""A card that keeps less of its power than this loses speed that somebody would notice."""
_LIQUID = (CoolerKind.AIO, CoolerKind.BLOCK)
_CPU_HEAT_LEFT: Triple = (0.1, 0.4, 1.0)
"""Share of the processor's heat that a liquid cooler leaves in the case; all of it if its radiator blows inwards."""


@dataclass(frozen=True, slots=True)
class CardHeat:
    """One card in steady training."""

    part_id: str
    title: str
    number: int
    slot: int | None
    temperature_c: Band
    inlet_c: Band
    """Air before its fans; coolant, for a card with a water block."""
    fan_share: Band
    """Of full speed; zero without a fan."""
    power_w: Band
    asked_w: float
    """What it would draw if it stayed cool."""

    @property
    def kept_share(self) -> float:
        """Share of its power that the card keeps; below one the driver takes power back for the temperature."""
        return min(1.0, self.power_w.expected / self.asked_w)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "part": self.part_id,
            "number": self.number,
            "slot": self.slot,
            "temperature_c": self.temperature_c.as_dict(),
            "inlet_c": self.inlet_c.as_dict(),
            "fan_share": self.fan_share.as_dict(),
            "power_w": self.power_w.as_dict(),
            "kept_share": round(self.kept_share, 3),
        }


@dataclass(frozen=True, slots=True)
class Heat:
    """The machine in steady training. `unknown` says of which cards the temperature cannot be predicted, and why."""

    cards: tuple[CardHeat, ...]
    case_air_c: Band
    """Before the cards."""
    coolant_c: Band | None
    cpu_c: Band | None
    unknown: tuple[str, ...]
    air: Airflow
    """What the fans move."""

    @property
    def hottest(self) -> CardHeat | None:
        """The card that keeps the least of its power, else the warmest."""
        return min(self.cards, key=lambda card: (card.kept_share, -card.temperature_c.expected), default=None)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "cards": [card.as_dict() for card in self.cards],
            "case_air_c": self.case_air_c.as_dict(),
            "coolant_c": self.coolant_c.as_dict() if self.coolant_c else None,
            "cpu_c": self.cpu_c.as_dict() if self.cpu_c else None,
            "unknown": list(self.unknown),
        }


@dataclass(frozen=True, slots=True)
class Setting:
    """What a steady state is worked out from; `bodies` in the order of `cards`."""

    cards: list[Card]
    bodies: list[Body]
    air: Air
    moved: Airflow


def setting_of(build: Build, conditions: Conditions, power: Power, cpu_w: float | None = None) -> Setting:
    """Cards in the order of part ids and numbers, and the air around them; `cpu_w` where it was measured."""
    cards = gpu_cards(build)
    case = build.case
    moved = airflow(build, conditions.fan_share, conditions.altitude_m)
    stream = stream_as_measured(stream_of(moved), build.calibration.flow_in(case[0].id) if case else None)
    loop = loop_as_measured(loop_of(moved, conditions.altitude_m), build)
    air = Air(conditions.room_c, conditions.altitude_m, stream, loop, _other_heat(build, cards, power, cpu_w))
    return Setting(cards, bodies_of(build, cards, power), air, moved)


def predict_heat(build: Build, conditions: Conditions, power: Power) -> Heat:
    """Pure. Cards stand in the order of part ids and numbers."""
    setting = setting_of(build, conditions, power)
    cards, bodies, air = setting.cards, setting.bodies, setting.air
    stream, loop = air.case, air.loop
    cool, expected, hot = (settle(bodies, air, case) for case in Case)
    wet = any(body.on_water for body in bodies)
    shared = (*stream.missing, *(loop.missing if wet else ()))
    notes = (*_notes(build, cards, bodies), *heat_notes(build), *(setting.moved.notes if wet else ()))
    untold = [_untold(build, card, body, air) for card, body in zip(cards, bodies, strict=True)]
    air_c = (cool.case_c, expected.case_c, hot.case_c)
    return Heat(
        cards=tuple(
            _card(card, body, states, notes, shared)
            for card, body, why, *states in zip(
                cards, bodies, untold, cool.cards, expected.cards, hot.cards, strict=True
            )
            if why is None
        ),
        case_air_c=_band(air_c, "C", (), stream.missing),
        coolant_c=_coolant((cool, expected, hot), setting.moved.notes, loop.missing) if wet else None,
        cpu_c=cpu_temperature(build, air_c, conditions.altitude_m),
        unknown=tuple(dict.fromkeys((*(why for why in untold if why), *_modules(build, cards)))),
        air=setting.moved,
    )


def _other_heat(build: Build, cards: Sequence[Card], power: Power, cpu_w: float | None) -> Triple:
    """Heat of all but the GPUs that are cards, W: what stays of it in the case. Modules are among the rest."""
    of = {line.part.id: line.part.category for line in build.lines}
    apart = {card.part.id for card in cards}
    cpu = [part for part in power.components if of[part.part_id] is Category.CPU]
    rest = [part for part in power.components if of[part.part_id] is not Category.CPU and part.part_id not in apart]
    liquid = any(isinstance(s := line.part.spec, CpuCoolerSpec) and s.kind in _LIQUID for line in build.lines)
    left = _CPU_HEAT_LEFT if liquid else (1.0, 1.0, 1.0)
    low, middle, high = (
        share * (_watts(cpu, place) if cpu_w is None else cpu_w) + _watts(rest, place)
        for place, share in zip(("low", "expected", "high"), left, strict=True)
    )
    return low, middle, high


def _watts(parts: Sequence[Component], place: str) -> float:
    return float(sum(getattr(part.dc_w[Load.TRAINING], place) for part in parts))


def _card(card: Card, body: Body, states: Sequence[State], notes: tuple[str, ...], shared: tuple[str, ...]) -> CardHeat:
    fields = () if body.on_water else body.cooler.missing
    missing = (*(f"{card.part.id}.{field}" for field in fields), *shared)
    return CardHeat(
        part_id=card.part.id,
        title=card.part.title,
        number=card.number,
        slot=card.slot,
        temperature_c=_band([state.chip_c for state in states], "C", notes, missing),
        inlet_c=_band([state.inlet_c for state in states], "C", notes, missing),
        fan_share=_band([state.share for state in states], "", notes, missing),
        power_w=_band([state.power_w for state in states], "W", notes, missing),
        asked_w=body.power_w[1],
    )


def _untold(build: Build, card: Card, body: Body, air: Air) -> str | None:
    """Why nobody can say how warm a card gets; None where the model can."""
    if body.on_water:
        none = f"{card.part.title} is cooled by water: its temperature depends on radiators, and none is known."
        return none if air.loop.conductance is None else None
    if depends_on_a_duct(build, body.cooler):
        return f"{card.part.title} has no fan: its temperature depends on the duct that is built for it."
    return None


def _modules(build: Build, cards: Sequence[Card]) -> Iterator[str]:
    """GPUs on a baseboard are no cards: their heat counts, their coolers belong to the system."""
    apart = {card.part.id for card in cards}
    for line in sorted(build.of(Category.GPU), key=lambda line: line.part.id):
        if line.part.id not in apart:
            yield f"{line.part.title} is a module: its temperature depends on the system that it sits in."


def _notes(build: Build, cards: Sequence[Card], bodies: Sequence[Body]) -> tuple[str, ...]:
    guessed = build.calibration.coupling is None
    coupled = guessed and any(body.around.neighbours and not body.on_water for body in bodies)
    unplaced = len(cards) > 1 and any(card.slot is None for card in cards)
    return (*((NOT_ESTABLISHED,) if coupled else ()), *((UNPLACED,) if unplaced else ()))


def _coolant(settled: Sequence[Settled], notes: tuple[str, ...], missing: tuple[str, ...]) -> Band | None:
    values = [state.coolant_c for state in settled if state.coolant_c is not None]
    return _band(values, "C", notes, missing) if len(values) == len(settled) else None


def _band(values: Sequence[float], unit: str, notes: tuple[str, ...], missing: Sequence[str]) -> Band:
    """What lies around the three runs. A card that is held back draws most in the expected one at times: the ends of
    its watts may lie on one side."""
    return Band(min(values), values[1], max(values), unit, notes, tuple(dict.fromkeys(missing)))
