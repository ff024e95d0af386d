"""A machine that is not the planned one starts no run, until what is missing is accepted by name."""

from pathlib import Path

import pytest

from core.burnin.record.rows import EventLevel
from core.burnin.run.order import BurnOrder
from core.burnin.run.run_setup import arrival_of, require_planned
from core.burnin.stages.preflight import remarks
from core.machine.asbuilt.as_built import AsBuilt, AsBuiltLine, LineState, LineSubject, MachineFacts
from core.machine.telemetry.simulated.card import find_model
from core.machine.telemetry.simulated.source import describe
from core.plan.file import dump_build
from core.platform.errors import EnvironmentProblem
from tests.shipped import templates

PLAN = templates()["two-rtx-5090-desktop"]


def lines(*states: LineState) -> AsBuilt:
    there = {LineState.MISSING: ""}
    lines = tuple(
        AsBuiltLine(LineSubject.CARD, f"PCIE{n}", "RTX A6000", there.get(state, "RTX A5000"), state, None, n)
        for n, state in enumerate(states, 1)
    )
    return AsBuilt("now", MachineFacts(), (), lines)


def test_what_is_missing_and_what_is_wrong_are_named_with_what_to_type() -> None:
    with pytest.raises(EnvironmentProblem) as refused:
        require_planned(lines(LineState.MISSING, LineState.MISSING, LineState.DIFFERENT, LineState.AS_PLANNED))
    assert str(refused.value) == (
        "The machine is not as planned: 2 × RTX A6000 are missing (PCIE1, PCIE2); PCIE3 has RTX "
        "A5000 instead of RTX A6000. Correct it, or accept it by name: --accept 1,2,3"
    )


def test_a_machine_as_planned_and_one_without_plan_start(tmp_path: Path) -> None:
    require_planned(lines(LineState.AS_PLANNED))
    require_planned(arrival_of(BurnOrder(), [], tmp_path))


def test_a_planned_machine_without_cards_is_refused_and_accepted_by_name(tmp_path: Path) -> None:
    order = BurnOrder(build=dump_build(PLAN))
    arrival = arrival_of(order, [], tmp_path)
    with pytest.raises(EnvironmentProblem, match="2 × GeForce RTX 5090 are missing"):
        require_planned(arrival)
    some = order.model_copy(update={"accepted": (arrival.blocking[0].key,)})
    with pytest.raises(EnvironmentProblem, match="GeForce RTX 5090 is missing"):
        require_planned(arrival_of(some, [], tmp_path))
    both = order.model_copy(update={"accepted": tuple(line.key for line in arrival.blocking)})
    require_planned(arrival_of(both, [], tmp_path))


def test_simulated_cards_were_chosen(tmp_path: Path) -> None:
    model = find_model("3090")
    assert model is not None
    arrival = arrival_of(BurnOrder(build=dump_build(PLAN)), [describe(0, model)], tmp_path)
    assert arrival.simulated
    assert arrival.blocking
    require_planned(arrival)


def test_what_was_accepted_warns_and_does_not_fail() -> None:
    assert {level for level, _ in remarks(PLAN, [])} == {EventLevel.ERROR}
    assert {level for level, _ in remarks(PLAN, [], accepted=True)} == {EventLevel.WARN}
