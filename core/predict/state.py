"""The operating point: one steady state of a machine under a load, from which every page takes its figures.

Each card draws what its limit *and* its temperature leave it, its fans turn as its own curve asks, case air, coolant
and processors are as warm as those watts make them, and what the wall delivers follows from the same watts. What all
parts would draw at their limits stays apart: that is the electrical worst case of `core.predict.power`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.platform.json_value import JsonValue, in_json
from core.predict.band import Band, total
from core.predict.components import Component, summed
from core.predict.conditions import Conditions, LoadCase
from core.predict.power import TRAINING_ASSUMPTION, PowerDraw, apparent_of, current_of, drawn_at_the_wall, supplied_w
from core.predict.thermal.heat import CardHeat, Heat, predict_heat


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
