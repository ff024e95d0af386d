"""A run that its user shortened: what had no time is told once, and warns of nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, Result, ResultStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder
from core.burnin.stages.loading import LoadStage, lack_of_time
from core.burnin.stages.registry import BY_KIND
from core.report.document import KeyValues
from core.report.run_report import run_document
from tests.burnin.processes import Start, WaitFor, WriteProfile, finished, outcome

LEFT_OUT = {"left_out": ["wave of 10 s", "step to 25 %"]}
FEWER = {"asked_for": 20, "products": {"float32": 20, "float64": 3}}


@pytest.mark.parametrize(
    ("evidence", "named"),
    [
        (LEFT_OUT, ["wave of 10 s, step to 25 %"]),
        (FEWER, ["float64"]),
        ({"left_out": [], "products": 800}, []),
        ({"asked_for": 2, "products": {"float32": 2}}, []),
    ],
    ids=["waves", "products", "a load with room for all", "as many as asked for"],
)
def test_what_had_no_time_is_read_from_the_evidence(evidence: dict[str, Any], named: list[str]) -> None:
    told = list(lack_of_time(evidence))
    assert len(told) == len(named)
    assert all(name in text for name, text in zip(named, told, strict=True))


def taken(evidence: dict[str, Any], status: ResultStatus, *, shortened: bool) -> list[str]:
    """The warnings with which a stage records the result of a load."""
    recorded: list[Result] = []
    context: Any = SimpleNamespace(
        run=SimpleNamespace(shortened=shortened), record=lambda _device_id, result: recorded.append(result)
    )
    stage = BY_KIND["transients"]
    assert isinstance(stage, LoadStage)
    stage.take(context, "GPU-1", (status, "", evidence))
    return list(recorded[0][2].get("warnings", []))


@pytest.mark.parametrize("shortened", [True, False])
def test_only_a_stage_with_all_its_time_warns_of_what_had_none(shortened: bool) -> None:
    assert len(taken(LEFT_OUT, ResultStatus.PASSED, shortened=shortened)) == (0 if shortened else 1)
    assert taken(LEFT_OUT | {"warnings": ["warm"]}, ResultStatus.PASSED, shortened=True) == ["warm"]
    assert taken(LEFT_OUT, ResultStatus.STOPPED, shortened=shortened) == []


@pytest.mark.process
@pytest.mark.parametrize("minutes", [0.1, None], ids=["shortened", "as planned"])
def test_a_shortened_run_can_pass_and_says_what_it_is(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, minutes: float | None
) -> None:
    """Without the minutes the profile is as short, and its author has left no room for a wave."""
    stages = (("preflight", 1.0, {}), ("transients", 20.0 if minutes else 4.0, {"steps_pct": "50"}))
    run_id = start(write_profile(*stages), simulate="1x3090", minutes=minutes)
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert [stage.status for stage in store.stages(run_id)] == [StageStatus.DONE] * 2
    [transients] = [result for result in store.results(run_id) if result.number == 1]
    assert transients.evidence["left_out"]
    found = [one.message for one in store.interruptions(run_id) if one.kind is InterruptionKind.SHORTENED]
    facts = next(dict(block.rows) for block in run_document(store, run_id).blocks if isinstance(block, KeyValues))
    if minutes:
        reasons = [
            reason for one in store.verdicts(run_id) for reason in one.reasons if reason.outcome is not Outcome.PASS
        ]
        assert [reason.text for reason in reasons] == []
        assert len(found) == 1
        assert found[0] == store.shortened(run_id)
        assert facts["Shortened"] == found[0]
    else:
        assert outcome(store, run_id) is Outcome.WARN
        assert (found, "Shortened" in facts) == ([], False)


def test_only_less_time_than_the_stages_take_is_shorter() -> None:
    full = BurnOrder(profile="every-check").full_seconds
    for minutes, shorter in ((full / 60, False), (full / 60 + 1, False), (full / 60 - 1, True)):
        order = BurnOrder(profile="every-check", minutes=minutes)
        assert (order.full_seconds - order.wanted_profile().seconds > 1) is shorter
