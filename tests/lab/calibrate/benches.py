"""Machines, and what would be measured on them if the model held with known factors."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.lab.calibrate.bench import NEVER_C
from core.lab.calibrate.measurements import MeasuredCard, Measurements
from core.plan.build import Build
from core.plan.calibration import NOTHING, Calibration, Factor, Offset
from core.plan.edits import AddPart, PlaceCards, RemovePart
from core.predict.band import Corner
from core.predict.conditions import Conditions
from core.predict.power import predict_power
from core.predict.thermal.heat import setting_of
from core.predict.thermal.steady import SteadyState, settle
from tests.rules.machines import good_build, part, slot, with_line

ROOM_C = 24.0
CLOSE = (1, 3, 5)
"""Slots of cards of two slots without a gap."""


def machine(slots: tuple[int, ...] = CLOSE, cooling: str = "open_air", **changes: Any) -> Build:
    """Cards of 300 W on a board of eight slots, in a tower."""
    board = part("motherboard", slots=[slot(position) for position in range(1, 9)])
    card = part("gpu", **({"cooling": cooling, "thermal_resistance_k_per_w": None} | changes))
    build = RemovePart("gpu").apply(with_line(good_build(), board))
    return PlaceCards(card.id, slots).apply(AddPart(card, len(slots)).apply(build))


def truth(
    resistance: float = 1.0, later_k: float = 0.0, coupling: float = 1.0, flow: float = 1.0, part_id: str = "gpu"
) -> Calibration:
    """How a machine really is."""
    return Calibration(
        run="the truth",
        resistance=((part_id, Factor(resistance, 0)),),
        fans_later_k=((part_id, Offset(later_k, 0)),),
        coupling=Factor(coupling, 0),
        flow=Factor(flow, 0),
        flow_case="case",
    )


def wet_machine(slots: tuple[int, ...] = (1, 3), stated: float | None = None) -> Build:
    """Such cards under blocks of the build, in a loop with a radiator."""
    build = with_line(machine(slots), part("water_block", thermal_resistance_k_per_w=stated), len(slots))
    return with_line(with_line(build, part("radiator"), 2), part("fan"), 6)


def settled(build: Build, real: Calibration, watts: Sequence[float], altitude_m: float = 0.0) -> SteadyState:
    """The machine as it really is, drawing these watts."""
    build = replace(build, calibration=real)
    setting = setting_of(build, Conditions(room_c=ROOM_C, altitude_m=altitude_m), predict_power(build))
    bodies = [
        replace(body, power_w=(power, power, power), cooler=replace(body.cooler, target_c=NEVER_C))
        for body, power in zip(setting.bodies, watts, strict=True)
    ]
    return settle(bodies, setting.air, Corner.EXPECTED)


def measured(
    build: Build, real: Calibration = NOTHING, watts: Sequence[float] = (200, 180, 210), **changes: Any
) -> Measurements:
    """A full set of measurements without an error; cards in the order of their slots."""
    state = settled(build, real, watts, changes.get("altitude_m", 0.0))
    slots = [card.slot for card in build.cards() if card.part.id != "nic"]
    cards = tuple(
        MeasuredCard(card.chip_c, card.power_w, 0.1, slot=slot, fan_share=card.share)
        for card, slot in zip(state.cards, slots, strict=True)
    )
    state_fields: dict[str, Any] = {"cards": cards, "minutes": 45, "room_c": ROOM_C, "case_air_c": state.case_c}
    state_fields["coolant_c"] = state.coolant_c if any(card.share == 0 for card in state.cards) else None
    return Measurements(run="run 7", on="2026-03-01", by="tower", **(state_fields | changes))


def with_cards(measurements: Measurements, **changes: Any) -> Measurements:
    """The same with one figure of every card changed."""
    return replace(measurements, cards=tuple(replace(card, **changes) for card in measurements.cards))
