"""What a build will draw, how loud it will be and what it costs, with bands and reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.build.build import Build
from core.predict.acoustics import words
from core.predict.band import Band, union
from core.predict.components import Component
from core.predict.conditions import Conditions
from core.predict.enclosure import box_of
from core.predict.energy import Energy
from core.predict.excursions.excursions import Excursions, predict_excursions
from core.predict.load import Load
from core.predict.noise import NoiseSource, noise_sources, total_noise, unheard
from core.predict.power import predict_power
from core.predict.price import PriceTotal, price_of
from core.predict.quieter import change_first, shares, tonal_risks
from core.predict.room import in_room
from core.predict.thermal.heat import THROTTLED, Heat, predict_heat
from core.predict.thermal.measured import level_notes

FREE_FIELD = "Noise is free-field: reflections in a small room add several dB. Not calibrated by a measurement."
STEADY = "Power at the wall is steady; peaks of milliseconds stand apart."
NOT_TAKEN_BACK = "Power at the wall is that of GPUs at their limit: those that heat holds back draw less."


@dataclass(frozen=True, slots=True)
class Prediction:
    """Everything predicted of a build. Noise in dBA at the conditions' distance, the machine alone."""

    conditions: Conditions
    components: tuple[Component, ...]
    dc_w: Mapping[Load, Band]
    wall_w: Mapping[Load, Band]
    apparent_va: Mapping[Load, Band]
    current_a: Mapping[Load, Band]
    excursions: Excursions
    """Peaks of milliseconds against what the supplies must bear."""
    sources: tuple[NoiseSource, ...]
    noise_idle: Band
    noise_load: Band
    noise_idle_in_room: Band
    """With the background, and the room's reflections where its volume is known."""
    noise_load_in_room: Band
    heat: Heat
    quieter: tuple[str, ...]
    """What to change first, the most rewarding first."""
    tonal_risks: tuple[str, ...]
    price: PriceTotal
    assumptions: tuple[str, ...]
    missing: tuple[str, ...]
    """Figures ("part-id.field") for which wide defaults stand in."""

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
            "components": [_component(part) for part in self.components],
            "dc_w": _by_load(self.dc_w),
            "wall_w": _by_load(self.wall_w),
            "apparent_va": _by_load(self.apparent_va),
            "current_a": _by_load(self.current_a),
            "excursions": self.excursions.as_dict(),
            "heat_btu_h": self.heat_btu_h.as_dict(),
            "energy_kwh_per_day": self.energy_kwh_per_day.as_dict(),
            "energy_cost_per_day": self.energy_cost_per_day,
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
            "quieter": list(self.quieter),
            "tonal_risks": list(self.tonal_risks),
            "price": self.price.as_dict(),
            "assumptions": list(self.assumptions),
            "missing": list(self.missing),
        }


def predict(build: Build, conditions: Conditions | None = None) -> Prediction:
    """Pure: the same build and conditions give the same prediction, whatever the order of its lines."""
    given = conditions or Conditions()
    power = predict_power(build)
    excursions = predict_excursions(build, power)
    heat = predict_heat(build, given, power)
    sources = noise_sources(build, given, power, heat)
    idle, busy = total_noise(sources, build.calibration.level_db)
    box = box_of(build)
    held = (NOT_TAKEN_BACK,) if any(card.kept_share < THROTTLED for card in heat.cards) else ()
    temperatures = (card.temperature_c for card in heat.cards)
    unknown = tuple(unheard(build))
    others = (excursions.assumptions, level_notes(build) or (FREE_FIELD,), (STEADY,), held, unknown)
    bands = (*power.dc_w.values(), *power.wall_w.values(), idle, busy, heat.case_air_c, *temperatures)
    return Prediction(
        conditions=given,
        components=power.components,
        dc_w=power.dc_w,
        wall_w=power.wall_w,
        apparent_va=power.apparent_va,
        current_a=power.current_a,
        excursions=excursions,
        sources=sources,
        noise_idle=idle,
        noise_load=busy,
        noise_idle_in_room=in_room(idle, box, given),
        noise_load_in_room=in_room(busy, box, given),
        heat=heat,
        quieter=change_first(sources),
        tonal_risks=tonal_risks(build),
        price=price_of(build),
        assumptions=union((*(band.assumptions for band in bands), *others)),
        missing=union((excursions.missing, *(band.missing for band in bands))),
    )


def _component(part: Component) -> dict[str, Any]:
    return {"part": part.part_id, "title": part.title, "count": part.count, "dc_w": _by_load(part.dc_w)}


def _by_load(bands: Mapping[Load, Band]) -> dict[str, Any]:
    return {load.value: band.as_dict() for load, band in bands.items()}
