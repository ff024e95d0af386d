"""How each stage ended, as a reason: every way to end, its outcome and its words; wrong results at what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from core.burnin.profile.criteria import Criteria
from core.burnin.record.rows import ResultStatus, StageStatus
from core.burnin.verdict.stages import error_reasons, stage_reasons
from core.telemetry.device import Device
from tests.burnin.made_run import (
    CARD,
    FAIL,
    INCOMPLETE,
    PASS,
    PROCESSOR,
    WARN,
    ended,
    figures,
    run_of,
    sampled,
    stage,
    twin,
)

PASSED, FAILED, DIED, STOPPED, NOT_RUN = (
    ResultStatus.PASSED, ResultStatus.FAILED, ResultStatus.DIED, ResultStatus.STOPPED, ResultStatus.NOT_RUN,
)  # fmt: skip
NEEDS = {"needs": "a GPU"}


def told_of(
    how: ResultStatus | None = None,
    why: str = "",
    evidence: dict[str, Any] | None = None,
    *,
    device: Device = CARD,
    devices: tuple[Device, ...] = (),
    kind: str = "gemm",
    **other: Any,
) -> Any:
    results = [] if how is None else [ended(2, how, why, device, **(evidence or {}))]
    run = run_of([stage(2, kind, **other)], results, devices=devices or (device,))
    reasons = list(stage_reasons(run, device))
    assert {one.stage for one in reasons} == {2}
    return [(one.outcome, one.text) for one in reasons]


@pytest.mark.parametrize(
    ("how", "why", "evidence", "expected"),
    [
        (PASSED, "All well.", {}, (PASS, "gemm: All well.")),
        (PASSED, "", {}, (PASS, "gemm: passed")),
        (FAILED, "2 are wrong.", {}, (FAIL, "gemm: 2 are wrong.")),
        (DIED, "", {}, (FAIL, "gemm: worker died")),
        (DIED, "Killed.", {"killed_from_outside": True}, (INCOMPLETE, "gemm: Killed.")),
        (STOPPED, "", {}, (INCOMPLETE, "gemm: stopped")),
        (NOT_RUN, "No driver.", {}, (INCOMPLETE, "gemm: No driver.")),
        (None, "", {}, (INCOMPLETE, "gemm did not end.")),
    ],
)
def test_a_stage_that_is_over_is_told_by_how_it_ended(how: Any, why: str, evidence: Any, expected: Any) -> None:
    assert told_of(how, why, evidence) == [expected]


@pytest.mark.parametrize(
    ("status", "started_s", "word"),
    [
        (StageStatus.SKIPPED, None, "was skipped"), (StageStatus.SKIPPED, 0.0, "was cut short"),
        (StageStatus.RUNNING, 0.0, "did not end"), (StageStatus.PENDING, None, "did not end"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("result", "outcome", "because"),
    [
        ((), INCOMPLETE, "."),
        ((PASSED, "All well."), INCOMPLETE, "."),
        ((STOPPED, "By the user."), INCOMPLETE, ": By the user."),
        ((FAILED, "2 are wrong."), FAIL, ": 2 are wrong."),
        ((FAILED, ""), FAIL, "."),
        ((DIED, "Killed."), FAIL, ": Killed."),
    ],
)
def test_a_stage_that_is_not_over_never_passes_and_says_why_where_it_is_known(
    status: Any, started_s: float | None, word: str, result: Any, outcome: Any, because: str
) -> None:
    assert told_of(*result, status=status, started_s=started_s) == [(outcome, f"gemm {word}{because}")]


@pytest.mark.parametrize(
    ("kind", "evidence", "outcome"),
    [
        ("gemm", {}, INCOMPLETE), ("gemm", NEEDS, WARN), ("idle", {}, WARN), ("idle", NEEDS, WARN),
        ("of another version", {}, INCOMPLETE), ("of another version", NEEDS, INCOMPLETE),
    ],
)  # fmt: skip
def test_a_load_that_did_not_run_is_incomplete_and_an_observation_warns(kind: str, evidence: Any, outcome: Any) -> None:
    assert told_of(NOT_RUN, "Why.", evidence, device=PROCESSOR, kind=kind) == [(outcome, f"{kind}: Why.")]


def test_what_a_device_cannot_prove_passes_on_gpus_and_beside_them_and_not_on_a_cpu_alone() -> None:
    applies_not = [(PASS, "gemm: NOT RUN, not applicable here. It needs two.")]
    assert told_of(NOT_RUN, "It needs two.", NEEDS) == applies_not
    assert told_of(NOT_RUN, "It needs two.", NEEDS, device=PROCESSOR, devices=(PROCESSOR, CARD)) == applies_not
    assert told_of(NOT_RUN, "It needs two.", NEEDS, device=PROCESSOR) == [(WARN, "gemm: It needs two.")]
    assert told_of(STOPPED, "It needs two.", NEEDS) == [(INCOMPLETE, "gemm: It needs two.")]
    skipped = {"status": StageStatus.SKIPPED, "started_s": None}
    assert told_of(NOT_RUN, "It needs two.", NEEDS, **skipped) == applies_not


def test_each_warning_follows_the_stage_and_what_ended_it_for_another_names_that() -> None:
    warned = {"warnings": ["The limit is low.", "It shrank."]}
    assert told_of(PASSED, "Fine.", warned) == [
        (PASS, "gemm: Fine."), (WARN, "gemm: The limit is low."), (WARN, "gemm: It shrank."),
    ]  # fmt: skip
    assert told_of(PASSED, "Fine.", warned, status=StageStatus.RUNNING) == [(INCOMPLETE, "gemm did not end.")]
    for status in (StageStatus.DONE, StageStatus.SKIPPED):
        stages = [stage(0, "gemm", status=status), stage(1, "gemm", status=status)]
        run = run_of(stages, [ended(0, STOPPED, "x", because_of="GPU-1")])
        assert [one.about for one in stage_reasons(run, CARD)] == ["GPU-1", ""]


@pytest.mark.parametrize(
    ("errors", "checks", "allowed", "expected"),
    [
        ([0.0, 0.0, 0.0], 9.0, 0, None),
        ([0.0, 1.0, 1.0], 9.0, 0, (1.0, 0, 11.0, "1 wrong result in 9 comparisons.")),
        ([0.0, 1.0, 1.0], 1.0, 0, (1.0, 0, 11.0, "1 wrong result in 1 comparison.")),
        ([1.0, 2.0, 4.0], 9.0, 0, (4.0, 0, 10.0, "4 wrong results in 9 comparisons.")),
        ([1.0, 2.0, 2.0], 9.0, 2, None),
        ([1.0, 2.0, 3.0], 9.0, 2, (3.0, 2, 12.0, "3 wrong results in 9 comparisons.")),
        ([float("nan"), 1.0, float("nan")], float("nan"), 0, (1.0, 0, 11.0, "1 wrong result in 0 comparisons.")),
        ([float("nan")] * 3, 9.0, 0, None),
    ],
)
def test_wrong_results_beyond_what_is_allowed_fail_with_the_moment_of_the_first(
    errors: list[float], checks: float, allowed: int, expected: Any
) -> None:
    samples = sampled([10.0, 11.0, 12.0], errors=errors, checks=[0.0, checks, 0.0])
    run = run_of(samples=samples, criteria=Criteria(max_errors=allowed), devices=[CARD, twin(1)])
    reasons = list(error_reasons(run, CARD))
    if expected is None:
        assert reasons == []
        return
    worst, limit, time_s, says = expected
    assert figures(reasons) == [(FAIL, worst, limit, "errors")]
    assert [(one.text, one.time_s) for one in reasons] == [(says, time_s)]
    assert list(error_reasons(run, twin(1))) == []
