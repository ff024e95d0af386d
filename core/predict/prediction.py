"""What a build will draw and how loud it will be, with bands and reasons.

Every page takes its figures from an operating point: one steady state of the machine under a load. Each card draws what
its limit *and* its temperature leave it, its fans turn as its own curve asks, case air, coolant and processors are as
warm as those watts make them, and what the wall delivers follows from the same watts. What all parts would draw at
their limits stays apart: that is the electrical worst case of `core.predict.power`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.platform.json_value import JsonValue, in_json
from core.predict.band import Band, total, union
from core.predict.components import Component, summed
from core.predict.conditions import ByLoad, Conditions, LoadCase
from core.predict.cost import Energy
from core.predict.excursions import Excursions, predict_excursions
from core.predict.noise.acoustics import box_of, in_room, words
from core.predict.noise.noise import NoiseSource, change_first, noise_sources, shares, tonal_risks, total_noise, unheard
from core.predict.power import (
    TRAINING_ASSUMPTION,
    BoxDraw,
    Electrical,
    PowerDraw,
    SupplyLoad,
    apparent_of,
    box_load,
    circuit_load,
    current_of,
    drawn_at_the_wall,
    predict_power,
    psu_load,
    supplied_w,
)
from core.predict.power_limit import ThrottledLine, throttled_lines
from core.predict.thermal.calibrated import level_notes
from core.predict.thermal.heat import CardHeat, Heat, predict_heat
from core.words import tr


@dataclass(frozen=True, slots=True)
class OperatingPoint(JsonValue):
    """Steady figures that belong together. `heat` has each card's watts, chip, inlet and fans, air, coolant and CPU."""

    load: LoadCase
    heat: Heat
    part_w: Mapping[str, Band]
    """By part id what all parts of a line draw, in external boxes, too, W."""
    dc_w: Band
    wall_w: Band
    apparent_va: Band
    current_a: Band
    psu_load: Band | None
    """DC power over what the PSUs can deliver at these mains, 0 to 1 and more; None without a PSU of known power."""

    @property
    def cards(self) -> tuple[CardHeat, ...]:
        """In the order of part ids and numbers, as far as their temperature is predicted."""
        return self.heat.cards

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = ("dc_w", "wall_w", "apparent_va", "current_a", "psu_load")
        return {name: in_json(getattr(self, name)) for name in names} | self.heat.as_dict()


def operating_point(build: Build, conditions: Conditions, limits: PowerDraw, load: LoadCase) -> OperatingPoint:
    """Where the machine settles under a load. Pure; `limits` says what its parts draw at their limits."""
    heat = predict_heat(build, conditions, limits, load)
    part_w = {part.part_id: _drawn(part, heat, load, part.count) for part in limits.components}
    dc_w = summed(
        (part.category, _drawn(part, heat, load, part.count - part.in_boxes) if part.in_boxes else part_w[part.part_id])
        for part in limits.components
    )
    if load is LoadCase.TRAINING:
        dc_w = dc_w.noting([TRAINING_ASSUMPTION])
    wall_w = limits.with_boxes(drawn_at_the_wall(build, dc_w), load)
    apparent_va = apparent_of(build, wall_w, dc_w)
    output_w = supplied_w(build)
    psu_load = dc_w.times(1 / output_w).measured_in("") if output_w else None
    return OperatingPoint(load, heat, part_w, dc_w, wall_w, apparent_va, current_of(build, apparent_va), psu_load)


def _drawn(part: Component, heat: Heat, load: LoadCase, count: int) -> Band:
    """What so many of a line ask for, less what temperatures take back of those in the machine."""
    demand = part.dc_w[load] if count == part.count else part.dc_w[load].times(count / part.count)
    if part.category is Category.CPU and heat.cpu_held:
        return heat.cpu_w.times(demand.expected / heat.cpu_asked_w).noting(demand.assumptions, demand.missing)
    if part.category is not Category.GPU:
        return demand
    cards = [card for card in heat.cards if card.part_id == part.part_id]
    if not any(card.held for card in cards):
        return demand
    rest = demand.times((count - len(cards)) / count)
    return total([*(card.power_w for card in cards), rest], "W").noting(demand.assumptions, demand.missing)


FREE_FIELD = tr("Noise is free-field: reflections in a small room add several dB. Not calibrated by a measurement.")
CPU_TRAINING_TITLE, CPU_BUSY_TITLE = tr("CPU, in training"), tr("CPU, with CPUs and GPUs busy at once")
"""What temperatures of the hottest processor are called."""
STEADY = tr("Wall power is steady; millisecond peaks are listed separately.")


@dataclass(frozen=True)
class Prediction:
    """Everything predicted of a build, worked out when first asked for; a pure function of build and conditions.

    Each load has one operating point, and power, temperature, fans and noise are read off it. Noise in dBA at the
    conditions' distance, the machine alone.
    """

    build: Build
    conditions: Conditions

    @cached_property
    def limits(self) -> PowerDraw:
        """What busy parts draw at their limits, heat left out of account."""
        return predict_power(self.build)

    @property
    def worst_case(self) -> Electrical:
        """The electrical worst case: CPU and GPU at their limits at once."""
        return self.limits.worst_case

    @cached_property
    def at_limits(self) -> Mapping[LoadCase, Electrical]:
        """The cases of `psu_load` and `circuit_load`: training where heat takes something back of it, and the worst."""
        held = self.dc_w[LoadCase.TRAINING].expected != self.limits.dc_w[LoadCase.TRAINING].expected
        loads = (LoadCase.TRAINING, LoadCase.EVERYTHING) if held else (LoadCase.EVERYTHING,)
        return {load: self.limits.electrical(load) for load in loads}

    @cached_property
    def psu_load(self) -> SupplyLoad | None:
        """What all PSUs together must bear; None without one of known power."""
        return psu_load(self.build, self.limits)

    @cached_property
    def circuit_load(self) -> SupplyLoad:
        """What the circuits must bear."""
        return circuit_load(self.build, self.limits)

    def at(self, load: LoadCase) -> OperatingPoint:
        """The steady state under a load."""
        point = self._points.get(load)
        if point is None:
            point = self._points[load] = operating_point(self.build, self.conditions, self.limits, load)
        return point

    @cached_property
    def _points(self) -> dict[LoadCase, OperatingPoint]:
        return {}

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """Every line that draws power, in the order of part ids, with what it draws in each steady state."""
        return tuple(replace(part, dc_w=ByLoad(partial(self._part_w, part.part_id))) for part in self.limits.components)

    def _part_w(self, part_id: str, load: LoadCase) -> Band:
        return self.at(load).part_w[part_id]

    @cached_property
    def dc_w(self) -> Mapping[LoadCase, Band]:
        """What all parts draw from the PSUs."""
        return ByLoad(lambda load: self.at(load).dc_w)

    @cached_property
    def wall_w(self) -> Mapping[LoadCase, Band]:
        """What the PSUs draw from the wall."""
        return ByLoad(lambda load: self.at(load).wall_w)

    @cached_property
    def apparent_va(self) -> Mapping[LoadCase, Band]:
        """The same with its reactive share."""
        return ByLoad(lambda load: self.at(load).apparent_va)

    @cached_property
    def current_a(self) -> Mapping[LoadCase, Band]:
        """What flows through the cords."""
        return ByLoad(lambda load: self.at(load).current_a)

    @property
    def heat(self) -> Heat:
        """Temperatures, fans and watts in training."""
        return self.at(LoadCase.TRAINING).heat

    @property
    def cpu_busy_c(self) -> Band | None:
        """The hottest processor with all cores busy beside busy GPUs, C."""
        return self.at(LoadCase.EVERYTHING).heat.cpu_c

    @cached_property
    def throttled(self) -> tuple[ThrottledLine, ...]:
        """The lines of cards that heat keeps below their limit in training, and the speed that is left."""
        return throttled_lines(self.build, self.heat)

    @cached_property
    def excursions(self) -> Excursions:
        """Peaks of milliseconds against what the PSUs can bear."""
        return predict_excursions(self.build, self.limits)

    @cached_property
    def sources(self) -> tuple[NoiseSource, ...]:
        """What makes the noise, the loudest in training first."""
        return noise_sources(self.build, self.conditions, self.dc_w, self.heat)

    @cached_property
    def _levels(self) -> tuple[Band, Band]:
        return total_noise(self.sources, self.build.calibration.level_db)

    @property
    def noise_idle(self) -> Band:
        """The machine alone, free field."""
        return self._levels[0]

    @property
    def noise_load(self) -> Band:
        """The same in training."""
        return self._levels[1]

    @property
    def noise_idle_in_room(self) -> Band:
        """With the background, and the room's reflections where its volume is known."""
        return in_room(self.noise_idle, box_of(self.build), self.conditions)

    @property
    def noise_load_in_room(self) -> Band:
        """The same in training."""
        return in_room(self.noise_load, box_of(self.build), self.conditions)

    @property
    def quieter(self) -> tuple[str, ...]:
        """What to change first, the most rewarding first."""
        return change_first(self.sources)

    @property
    def tonal_risks(self) -> tuple[str, ...]:
        """Sources with a tone that stands out."""
        return tonal_risks(self.build)

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """What all of it rests on."""
        free_field = level_notes(self.build) or (FREE_FIELD,)
        others = (self.excursions.assumptions, free_field, (STEADY,), tuple(unheard(self.build)))
        return union((*(band.assumptions for band in self._bands), *others))

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Figures ("part-id.field") for which wide defaults stand in."""
        return union((self.excursions.missing, *(band.missing for band in self._bands)))

    @property
    def _bands(self) -> tuple[Band, ...]:
        power, heat = self.limits, self.heat
        temperatures = (card.temperature_c for card in heat.cards)
        electrical = (*power.dc_w.values(), *power.wall_w.values(), self.wall_w[LoadCase.TRAINING])
        return (*electrical, self.noise_idle, self.noise_load, heat.case_air_c, *temperatures)

    @property
    def noise_idle_word(self) -> str:
        """The machine's idle level in a word."""
        return words(self.noise_idle.expected)

    @property
    def noise_load_word(self) -> str:
        """The machine's level in training in a word."""
        return words(self.noise_load.expected)

    @property
    def energy(self) -> Energy:
        """Energy, money and heat of the conditions' load without a pause: training, unless another was asked for."""
        return Energy(self.wall_w[self.conditions.load], self.conditions.tariff_per_kwh)

    @property
    def heat_btu_h(self) -> Band:
        """What the room must get rid of under that load, BTU/h."""
        return self.energy.heat_btu_h

    @property
    def energy_kwh_per_day(self) -> Band:
        """Under that load day and night."""
        return self.energy.kwh(24)

    @property
    def energy_cost_per_day(self) -> float | None:
        """The same in the tariff's currency; None without a tariff."""
        tariff = self.conditions.tariff_per_kwh
        return None if tariff is None else self.energy_kwh_per_day.expected * tariff

    def as_dict(self) -> dict[str, Any]:
        """For JSON; keys are stable."""
        return {
            **asdict(self.conditions),
            **self._json_of("components", "dc_w", "wall_w", "apparent_va", "current_a"),
            "at_limits": in_json({"dc_w": self.limits.dc_w, "wall_w": self.limits.wall_w}),
            "electrical_worst_case": self.worst_case.as_dict(),
            **self._json_of("psu_load", "circuit_load"),
            "boxes": [_box(drawn) for drawn in self.limits.boxes],
            "operating_points": {load.value: self.at(load).as_dict() for load in LoadCase},
            **self._json_of("throttled", "excursions", "heat_btu_h", "energy_kwh_per_day", "energy_cost_per_day"),
            "energy": self.energy.as_dict(),
            "noise_idle_dba": self.noise_idle.as_dict() | {"word": self.noise_idle_word},
            "noise_load_dba": self.noise_load.as_dict() | {"word": self.noise_load_word},
            "noise_idle_in_room_dba": self.noise_idle_in_room.as_dict(),
            "noise_load_in_room_dba": self.noise_load_in_room.as_dict(),
            "heat": self.heat.as_dict(),
            "air": self.heat.air.as_dict(),
            "noise_sources": [
                source.as_dict() | {"share": round(share, 4)}
                for source, share in zip(self.sources, shares(self.sources), strict=True)
            ],
            **self._json_of("quieter", "tonal_risks", "assumptions", "missing"),
        }

    def _json_of(self, *names: str) -> dict[str, Any]:
        return {name: in_json(getattr(self, name)) for name in names}


def predict(build: Build, conditions: Conditions | None = None) -> Prediction:
    """Pure: the same build and conditions give the same prediction, whatever the order of its lines."""
    return Prediction(build, conditions or Conditions())


def _box(drawn: BoxDraw) -> dict[str, Any]:
    load = box_load(drawn)
    return {
        "carrier": drawn.box.carrier.number,
        "part": drawn.box.carrier.part.id,
        "dc_w": in_json(drawn.dc_w),
        "wall_w": in_json(drawn.wall_w),
        "psu_load": load.as_dict() if load else None,
    }
