"""`--simulate plan` gives the cards of any plan, and they get as warm, draw as much and are as fast as it predicts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.burnin.simulated_plan import with_plan
from core.burnin.verdict.predicted import PlannedRun
from core.loads.simulated.rates import find_model
from core.machine.asbuilt.as_built import AsBuilt, LineState
from core.machine.asbuilt.identities import gpus_of
from core.machine.asbuilt.inspection import hold_against, inspect
from core.machine.telemetry.simulated.simulation import MOST_CARDS, Simulation, parse_simulation
from core.machine.telemetry.simulated.source import SimulatedSource
from core.parts.compute import GpuSpec
from core.plan.build import Build
from core.plan.line import Line
from core.platform.errors import BadInput
from tests.shipped import every_part, templates

CARDS = {part.spec.product: part for part in every_part() if isinstance(part.spec, GpuSpec)}


def simulated(plan: Build, script: str = "") -> Simulation:
    text = with_plan(f"plan,{script}" if script else "plan", plan)
    order = parse_simulation(text or "")
    assert isinstance(order, Simulation)
    return order


def held(plan: Build, source: SimulatedSource) -> AsBuilt:
    return hold_against(plan, inspect(source.devices()))


@pytest.mark.parametrize("template", templates())
def test_the_cards_of_every_template_behave_as_predicted(template: str) -> None:
    plan = templates()[template]
    order = simulated(plan, "room=25")
    source = SimulatedSource(order, clock=None)
    as_built = held(plan, source)
    assert as_built.lines
    assert {line.state for line in as_built.lines} == {LineState.AS_PLANNED}
    assert [card.position for card in as_built.cards] == [model.slot for model in order.models]
    for device in source.devices():
        source.set_activity(device.id, 1.0)
    source.advance(1500)
    planned = PlannedRun(plan, as_built)
    for device in source.devices():
        bands, shown = planned.bands("gemm", device), source.read()[device.id]
        for metric in ("temperature_c", "power_w"):
            if band := bands.get(metric):
                value = shown[metric]
                assert 0.97 * band.low <= value <= 1.03 * band.high, (device.id, metric, value, band)
        assert not int(shown["throttle_mask"] or 0) & ~0x4, "nothing but the power limit holds it"


@pytest.mark.parametrize("product", sorted(CARDS))
def test_any_gpu_of_the_catalogue_can_be_simulated(product: str) -> None:
    plan = Build("Plan", (Line(CARDS[product], 2),))
    order = simulated(plan)
    source = SimulatedSource(order, clock=None)
    spec = CARDS[product].spec
    assert isinstance(spec, GpuSpec)
    assert len(order.models) == 2 * gpus_of(spec)
    assert {line.state for line in held(plan, source).lines} == {LineState.AS_PLANNED}
    for device, model in zip(source.devices(), order.models, strict=True):
        rates = find_model(json.dumps({"title": device.name, **device.simulated_rates}))
        assert rates.title == product
        assert {"float32", "float16", "float64"} <= rates.tflops.keys()
        assert min(rates.tflops.values()) > 0
        assert 0.005 < model.k_per_w < 5
        assert model.idle_w < model.power_limit_w


def test_faults_and_room_are_those_of_the_script() -> None:
    plan = templates()["digits-devbox"]
    order = simulated(plan, "fault=ecc@2:30s,room=31")
    assert order.room_c == 31
    assert [(fault.kind.word, fault.card, fault.at_s) for fault in order.faults] == [("ecc", 2, 30)]
    with pytest.raises(BadInput, match="4 cards, 0 to 3, not 4"):
        simulated(plan, "fault=ecc@4")
    with pytest.raises(BadInput, match="is not a simulation option"):
        simulated(plan, "nonsense=1")


def test_a_power_limit_of_the_plan_holds() -> None:
    plan = templates()["two-rtx-5090-desktop"]
    [line] = [line for line, _ in plan.gpus()]
    limited = plan.with_lines(tuple(replace(one, power_limit_w=400) if one == line else one for one in plan.lines))
    assert {model.power_limit_w for model in simulated(limited).models} == {400}


def test_without_a_plan_or_cards_it_is_refused_and_other_orders_stay() -> None:
    with pytest.raises(BadInput, match="Add --build FILE"):
        with_plan("plan", None)
    with pytest.raises(BadInput, match=f"has 0 GPUs; 1 to {MOST_CARDS}"):
        with_plan("plan", Build("Empty"))
    assert with_plan("4x3090,fault=ecc@2:30s", None) == "4x3090,fault=ecc@2:30s"
    assert with_plan(None, None) is None


def test_a_description_that_is_cut_is_refused_in_words() -> None:
    with pytest.raises(BadInput, match="simulated cards is incomplete"):
        parse_simulation('cards:{"cards": [{"key": 1')
