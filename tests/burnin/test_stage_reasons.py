"""How each stage ended, as a reason; wrong results at what is allowed; simulated faults that never showed."""

from __future__ import annotations

from typing import Any

import pytest

from core.burnin.profile.profile import Criteria
from core.burnin.record.rows import Event, EventLevel, Outcome, Reason, ResultStatus, StageStatus, Verdict
from core.burnin.verdict import judge
from core.burnin.verdict.judge import error_reasons, stage_reasons
from core.machine.telemetry.device import Device
from core.machine.telemetry.simulated.simulation import parse_simulation
from core.machine.telemetry.simulated.source import SimulatedSource
from core.machine.telemetry.source import Incident
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
def test_a_stage_that_is_over_is_judged_by_how_it_ended(how: Any, why: str, evidence: Any, expected: Any) -> None:
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


CARDS = [twin(number, simulated=True) for number in range(2)]
NEVER_BEGAN = "The simulated fault {} never began: the run ended before. Let it begin earlier, or run longer."
UNSEEN = "No check found the simulated fault {}. Let it begin earlier, or run longer."
NEVER_SHOWED = "The simulated fault {} never showed. Let it begin earlier, or run longer."


def drill(words: str, number: int, kind: str = "drill") -> Event:
    incident = Incident("drill", "It begins.", "simulated", CARDS[number].id, severity=words)
    return Event(1, 8.0, "", CARDS[number].id, EventLevel.INFO, kind, "It begins.", incident)


def judged(
    simulate: str | None, *events: Event, warned: int | None = None, machine: Any = (), devices: Any = CARDS
) -> list[Verdict]:
    """Two simulated cards on which all went well, but for a warning on one of them."""
    results = [
        ended(0, device=card, **({"warnings": ["Low."]} if n == warned else {})) for n, card in enumerate(devices)
    ]
    return judge(run_of([stage(0, "gemm")], results, devices=devices, simulate=simulate, events=events), machine)


def drills(verdict: Verdict) -> list[str]:
    reasons = [one for one in verdict.reasons if one.criterion == "drill"]
    assert all(one.outcome is INCOMPLETE for one in reasons)
    return [one.text for one in reasons]


def test_a_fault_that_never_began_leaves_its_card_incomplete_and_no_other() -> None:
    machine, well, faulty = judged("2x3090,fault=ecc@1:8s")
    assert (machine.outcome, well.outcome, faulty.outcome) == (INCOMPLETE, PASS, INCOMPLETE)
    assert (drills(well), drills(faulty)) == ([], [NEVER_BEGAN.format("ecc:8s")])
    assert faulty.reasons[0].criterion == "drill", "what keeps it from passing comes first"
    for other in (drill("ecc:8s", 0), drill("ecc:9s", 1), drill("ecc:8s", 1, "xid")):
        assert drills(judged("2x3090,fault=ecc@1:8s", other)[2]) == [NEVER_BEGAN.format("ecc:8s")]
    nameless = Event(1, 8.0, "", CARDS[1].id, EventLevel.INFO, "drill", "It begins.")
    assert drills(judged("2x3090,fault=ecc@1:8s", nameless)[2]) == [NEVER_BEGAN.format("ecc:8s")]


def test_a_fault_that_began_and_that_no_check_found_leaves_its_card_incomplete() -> None:
    machine, well, faulty = judged("2x3090,fault=ecc@1:8s", drill("ecc:8s", 1))
    assert (machine.outcome, well.outcome, faulty.outcome) == (INCOMPLETE, PASS, INCOMPLETE)
    assert (drills(well), drills(faulty)) == ([], [UNSEEN.format("ecc:8s")])
    from_the_start = judged("2x3090,fault=slow30@1")
    assert [drills(one) for one in from_the_start[1:]] == [[], [UNSEEN.format("slow30:0s")]]
    everywhere = judged("2x3090,fault=slow30@all")
    assert [drills(one) for one in everywhere[1:]] == [[UNSEEN.format("slow30:0s")]] * 2


@pytest.mark.parametrize("machine", [(), (Reason(Outcome.PASS, "Resumed."),)], ids=["nothing", "a remark"])
def test_a_card_with_which_something_was_found_wrong_has_shown_its_fault(machine: Any) -> None:
    _, well, faulty = judged("2x3090,fault=ecc@1:8s", drill("ecc:8s", 1), warned=1, machine=machine)
    assert (well.outcome, faulty.outcome, drills(faulty)) == (PASS, WARN, [])
    _, _, elsewhere = judged("2x3090,fault=ecc@1:8s", drill("ecc:8s", 1), warned=0, machine=machine)
    assert (elsewhere.outcome, drills(elsewhere)) == (INCOMPLETE, [UNSEEN.format("ecc:8s")])


def test_what_was_found_wrong_with_the_machine_shows_every_fault() -> None:
    lost = [Reason(Outcome.WARN, "The power went.")]
    machine, well, faulty = judged("2x3090,fault=ecc@1:8s", drill("ecc:8s", 1), machine=lost)
    assert (machine.outcome, well.outcome, faulty.outcome, drills(faulty)) == (WARN, PASS, PASS, [])


def test_a_fault_of_the_machine_that_never_showed_leaves_the_machine_incomplete() -> None:
    machine, *cards = judged("2x3090,fault=psu:5s")
    assert (machine.outcome, [card.outcome for card in cards]) == (INCOMPLETE, [PASS, PASS])
    assert [one.text for one in machine.reasons if one.outcome is INCOMPLETE] == [NEVER_SHOWED.format("psu:5s")]
    assert len(machine.reasons) == 3, "each device is named once"
    machine, *_ = judged("2x3090,fault=psu:5s", warned=0)
    assert machine.outcome is WARN
    assert not any("never showed" in one.text for one in machine.reasons)


def test_one_of_two_faults_of_a_card_came() -> None:
    _, faulty, _ = judged("2x3090,fault=fan@0:8s,fault=ecc@0:1h", drill("fan:8s", 0))
    assert (faulty.outcome, drills(faulty)) == (INCOMPLETE, [NEVER_BEGAN.format("ecc:3600s")])


def test_without_a_fault_without_a_simulation_and_on_real_cards_nothing_is_missed() -> None:
    for simulate in (None, "2x3090", "no simulation at all", "replay:gone.jsonl"):
        assert [one.outcome for one in judged(simulate)] == [PASS] * 3
    real = [twin(number) for number in range(2)]
    assert [one.outcome for one in judged("2x3090,fault=ecc@1:8s", devices=real)] == [PASS] * 3


@pytest.mark.parametrize(
    ("fault", "words"), [("ecc@1:5s", "ecc:5s"), ("xid79@1:5s", "xid79:5s"), ("fan@all:5s", "fan:5s")]
)
def test_a_timed_fault_tells_when_it_begins(fault: str, words: str) -> None:
    order = parse_simulation(f"2x3090,fault={fault}")
    source = SimulatedSource(order, clock=None)  # type: ignore[arg-type]
    incidents: list[Incident] = []
    source.listen(incidents.append)
    source.advance(4.0)
    assert [one for one in incidents if one.kind == "drill"] == []
    source.advance(2.0)
    begun = [one for one in incidents if one.kind == "drill"]
    assert {one.severity for one in begun} == {words}
    assert len(begun) == (2 if "@all" in fault else 1)
