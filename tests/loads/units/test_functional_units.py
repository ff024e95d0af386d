"""Special functions, atomics, sorts and copies: every wrong bit is found; what a device lacks is told, not passed."""

import random
from typing import Any

import numpy as np
import pytest
import torch

from core.loads.findings import SEEN, SelfTest
from core.loads.load import LoadStatus
from core.loads.units import load as module
from core.loads.units.computing import Atomics, OperationResult, Operations, SpecialFunctions, UnitOperation
from core.loads.units.contract import FunctionalUnitsParams, UnitEvidence
from core.loads.units.copies import DOWN, UP, WITHIN, CopyEngines
from core.loads.units.load import FunctionalUnitsLoad
from core.loads.words import flip_bit
from tests.loads.conftest import running

CPU = torch.device("cpu")
SIZE = 4096
MADE: dict[str, Any] = {
    "special functions": lambda: SpecialFunctions(CPU, elements=SIZE, seed=1),
    "atomics": lambda: Atomics(CPU, elements=SIZE, seed=1),
}


def prepared(unit: Any) -> Any:
    for _ in unit.prepare():
        pass
    return unit


def untouched(_: torch.Tensor) -> None:
    pass


run = running("functional_units", seconds=0.05, elements=SIZE, copy_mib=1)


@pytest.mark.parametrize("name", MADE)
def test_right_results_are_right_again_and_again(name: str) -> None:
    unit: Operations = prepared(MADE[name]())
    for _ in range(3):
        assert [outcome.problem for outcome in unit.round(untouched)] == [None] * len(unit.operations)


@pytest.mark.parametrize("name", MADE)
def test_any_bit_flipped_in_any_result_is_found_where_it_is(name: str) -> None:
    choose = random.Random(name)
    unit: Operations = prepared(MADE[name]())
    for operation in unit.operations:
        right = operation.compute()
        assert operation.problem(right) is None
        for _ in range(20):
            wrong, element = right.clone(), choose.randrange(right.numel())
            flip_bit(wrong, element, choose.randrange(8 * wrong.element_size()))
            message = operation.problem(wrong)
            assert message.startswith(f"1 result is wrong (number {element}:"), f"{operation.name}: {message}"


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 1.001])
def test_a_special_function_that_is_always_wrong_is_found_by_the_host(wrong: float) -> None:
    answer = np.ones(8)
    result = torch.tensor([1.0] * 7 + [wrong])
    operation = UnitOperation("exp", lambda: result, answer, 0, allowed=np.full(8, 1e-6))
    assert operation.problem(result) is not None
    assert operation.problem(torch.ones(8)) is None


def test_a_result_within_the_rounding_must_then_repeat_bit_for_bit() -> None:
    operation = UnitOperation("exp", lambda: torch.ones(8), np.ones(8), 0, allowed=np.full(8, 1e-6))
    nearly = torch.nextafter(torch.ones(8), torch.tensor(2.0))
    assert operation.problem(nearly) is None
    assert operation.problem(torch.ones(8)) == "8 results are wrong (number 0: 1 instead of 1.00000012)"


# -- copies -----------------------------------------------------------------------------------------------------------


def engines() -> CopyEngines:
    made: CopyEngines = prepared(CopyEngines(CPU, 2**16, seed=3))
    return made


def test_three_copies_a_round_arrive_with_contents_that_change() -> None:
    copies = engines()
    for _ in range(3):
        outcomes = list(copies.round(untouched))
        assert [outcome.operation for outcome in outcomes] == [UP, DOWN, WITHIN]
        assert [outcome.problem for outcome in outcomes] == [None] * 3
        assert all(outcome.busy_s > 0 and outcome.moved_bytes >= 2**16 for outcome in outcomes)


@pytest.mark.parametrize(("side", "wrong"), [("_on_device", {DOWN, WITHIN}), ("_on_host", {UP})])
def test_a_source_that_changed_is_found_where_it_arrives(side: str, wrong: set[str]) -> None:
    copies = engines()
    flip_bit(getattr(copies, side)[0], 100, 63)
    faulty = {outcome.operation for _ in range(2) for outcome in copies.round(untouched) if outcome.problem}
    assert faulty == wrong


def test_a_copy_that_does_not_happen_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    copies = engines()
    list(copies.round(untouched))
    monkeypatch.setattr(CopyEngines, "_queue", lambda *_: None)
    assert all(outcome.problem for outcome in copies.round(untouched))


def test_the_place_of_a_wrong_word_is_reported() -> None:
    copies = engines()
    [up, *_] = copies.round(lambda result: flip_bit(result, 100, 5))
    assert up.problem == "1 word arrived corrupted, the first at byte 800"


def test_the_check_of_copies_is_tried() -> None:
    self_test = SelfTest()
    list(engines().try_checks(self_test))
    assert self_test.evidence() == {"corrupted transfer": SEEN}


# -- the load ---------------------------------------------------------------------------------------------------------


def test_a_cpu_passes_what_it_has_and_says_what_it_lacks(channel: Any) -> None:
    ending = run(channel)
    assert ending.status is LoadStatus.PASSED, ending.reason
    units = ending.evidence.as_dict()["units"]
    assert {name: entry["status"] for name, entry in units.items()} == {
        "special functions": "passed", "atomics and shared memory": "passed", "copy engines": "not_run",
        "video encoder and decoder": "not_run",
    }  # fmt: skip
    assert units["copy engines"]["reason"] == "A CPU has no copy engines."
    assert "NOT RUN: copy engines: A CPU has no copy engines." in ending.reason
    assert ending.evidence.as_dict()["checks"] == sum(entry.get("checks", 0) for entry in units.values()) > 10


@pytest.mark.parametrize("inject", FunctionalUnitsParams.injectable)
def test_a_fault_made_on_purpose_fails_every_unit_that_ran(channel: Any, inject: str) -> None:
    ending = run(channel, inject=inject)
    assert ending.status is LoadStatus.FAILED
    assert "on purpose" in ending.reason
    ran = [entry for entry in ending.evidence.as_dict()["units"].values() if entry["status"] != "not_run"]
    assert [entry["status"] for entry in ran] == ["failed", "failed"]
    assert all("wrong" in entry["reason"] for entry in ran)
    assert ending.evidence.as_dict()["injected_on_purpose"]["times"] == ending.evidence.as_dict()["errors"]


def test_a_unit_whose_turn_did_not_come_leaves_the_load_not_run() -> None:
    load = FunctionalUnitsLoad(FunctionalUnitsParams(elements=SIZE), CPU)
    steps = load.steps(60)
    while not load.finish().evidence.as_dict()["checks"]:
        next(steps)
    ending = load.finish()
    assert (ending.status, ending.reason) == (
        LoadStatus.NOT_RUN,
        "Ended before the turn of atomics and shared memory, copy engines, video encoder and decoder.",
    ) or ending.reason == "Ended before the turn of atomics and shared memory."  # fmt: skip


def test_a_unit_that_turns_out_to_be_unusable_leaves_its_time_to_the_others(
    channel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        raise module.EnvironmentProblem("This card has none.")

    monkeypatch.setattr(SpecialFunctions, "prepare", refuse)
    ending = run(channel)
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.as_dict()["units"]["special functions"] == {
        "status": "not_run",
        "reason": "This card has none.",
    }


def test_the_first_wrong_result_is_the_reason_of_its_entry() -> None:
    entry = module.UnitEntry()
    for problem in (None, "first", "second"):
        entry.add(OperationResult("sort", 0.5, 10**9, problem))
    assert entry.evidence() == UnitEvidence(
        status="failed", reason="sort: first", checks=3, errors=2, bandwidth_gbps=2.0
    )
