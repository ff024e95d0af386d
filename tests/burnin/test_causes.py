"""Each cause is told once: what follows from it is folded under it, and no reason is lost or told twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import (
    MACHINE,
    REQUESTED,
    Event,
    EventLevel,
    Outcome,
    Reason,
    ReasonCriterion,
    ResultStatus,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.record.samples import COLUMN
from core.burnin.verdict import Recorded, judge
from core.burnin.verdict.causes import Cause, find_causes
from core.burnin.verdict.codes import CauseKind
from core.machine.telemetry.source import Incident
from tests.burnin.many_cards import card_id, cards
from tests.burnin.test_verdict import GEMM, PROFILE, recorded, samples

LATER = len(PROFILE.stages) - GEMM - 1
LOST = (ResultStatus.FAILED, "The device was lost: fallen off the bus", {})
NOT_RUN = (ResultStatus.NOT_RUN, "The device was lost: fallen off the bus", {})
Changed = dict[tuple[int, str], tuple[ResultStatus, str, dict[str, Any]]]


def timed(run: Recorded) -> Recorded:
    """Its stages one after another, twenty seconds each."""
    stages = [replace(s, title=s.kind, started_s=20.0 * s.number, ended_s=20.0 * s.number + 19.5) for s in run.stages]
    return replace(run, stages=stages)


def causes(run: Recorded, machine: tuple[Reason, ...] = ()) -> list[Cause]:
    return find_causes(run.devices, run.stages, run.results, run.events, judge(run, machine))


def event(kind: str, time_s: float, device: str | None, message: str = "", number: int | None = None) -> Event:
    incident = None if number is None else Incident(kind, message, "nvml", device, xid=number)
    return Event(1, time_s, "", device, EventLevel.ERROR, kind, message, incident)


def eight(changed: Changed | None = None, blocks: dict[str, Any] | None = None) -> Recorded:
    return timed(recorded(*cards(8), changed=changed, blocks=blocks))


def stop_at(time_s: float) -> Reason:
    text = "Stopped by the user."
    return Reason(Outcome.INCOMPLETE, text, criterion=ReasonCriterion.STOP, about=REQUESTED, time_s=time_s)


def test_a_run_that_passed_has_no_cause() -> None:
    assert causes(eight()) == []


def test_those_who_were_stopped_because_of_a_lost_card_stand_under_its_cause() -> None:
    stopped = (ResultStatus.STOPPED, "It was ended because of GPU 1", {"because_of": card_id(1)})
    changed: Changed = {(GEMM, card_id(n)): stopped for n in range(8)} | {(GEMM, card_id(1)): LOST}
    [cause] = causes(replace(eight(changed), events=[event("lost", 20.0 * GEMM + 5, card_id(1))]))
    assert {folded.device_id for folded in cause.folded} == {card_id(n) for n in range(8)}
    assert cause.devices == (card_id(1),)


def test_wrong_results_and_the_stage_that_failed_for_them_are_one_cause() -> None:
    block = samples(temperature_c=60.0, errors=0.0, checks=500.0)
    block[8:, COLUMN["errors"]] = 2.0
    changed: Changed = {(GEMM, card_id(0)): (ResultStatus.FAILED, "2 of 500 are wrong", {"errors": 2})}
    [cause] = causes(eight(changed, {card_id(0): block}))
    assert cause.text == f"GPU 0: 2 wrong results, first at 0:08 during {PROFILE.stages[0].kind}."
    assert len(cause.folded) == 2


def test_a_stop_is_reported_once_for_the_machine_and_not_for_every_device_and_stage() -> None:
    run = eight({(GEMM, card_id(n)): (ResultStatus.STOPPED, "Stopped by the user.", {}) for n in range(8)})
    stages = [
        replace(stage, status=StageStatus.SKIPPED, started_s=stage.started_s if stage.number == GEMM else None)
        if stage.number >= GEMM else stage
        for stage in run.stages
    ]  # fmt: skip
    run = replace(
        run, stages=stages, results=[result for result in run.results if result.number <= GEMM],
    )  # fmt: skip
    [cause] = causes(run, (stop_at(20.0 * GEMM + 3),))
    assert cause.text == f"Stopped by the user at 0:{20 * GEMM + 3} during gemm; {LATER} later stages not run."
    assert (cause.kind, cause.devices, len(cause.folded)) == (CauseKind.STOPPED, (), 1 + 8 * (1 + LATER))


def test_a_long_reason_for_a_stop_stands_after_the_time() -> None:
    text, run = "No telemetry for 10 s. All loads were stopped.", eight()
    [cause] = causes(run, (replace(stop_at(21.0), text=text, about=""),))
    assert cause.text == f"Ended at 0:21 during {run.stages[1].title}; 3 later stages not run: {text}"


def test_causes_are_plain_values_for_json() -> None:
    run = replace(eight(), events=[event("xid", 12.0, card_id(2), "Xid 13", 13)])
    [document] = (cause.as_dict() for cause in causes(run))
    assert (document["kind"], document["outcome"], document["devices"]) == ("xid", "FAIL", (card_id(2),))
    assert document["folded"][0]["text"] == "Xid 13"


def told_by(*verdicts: Verdict, events: tuple[Event, ...] = (), run: Recorded | None = None) -> list[Cause]:
    run = run or eight()
    return find_causes(run.devices, run.stages, run.results, events, verdicts)


def of(number: int, *reasons: Reason) -> Verdict:
    return Verdict(card_id(number), Outcome.FAIL, reasons)


OFF = Reason(Outcome.WARN, "Off.", 350.0, 306.0, "W", criterion=ReasonCriterion.PLAN, about="power_w", stage=GEMM)
HOT = Reason(Outcome.WARN, "It is hot.", criterion=ReasonCriterion.HEAT)


@pytest.mark.parametrize(
    ("watts", "says"),
    [
        ((350.0, 350.4), "GPU 0 and GPU 1: 350 W in"),
        ((350.0, 350.6), "GPU 0 and GPU 1: 350 to 351 W in"),
        ((352.0, 350.0), "GPU 0 and GPU 1: 350 to 352 W in"),
        ((350.0,), "GPU 0: 350 W in"),
    ],
)
def test_figures_of_several_cards_are_reported_as_a_range_where_they_differ(
    watts: tuple[float, ...], says: str
) -> None:
    [cause] = told_by(*(of(number, replace(OFF, measured=watt)) for number, watt in enumerate(watts)))
    assert cause.text.startswith(says)


def test_only_what_is_alike_in_kind_weight_words_and_advice_is_reported_together() -> None:
    first, second = replace(HOT, time_s=70.0), replace(HOT, time_s=30.0, stage=1)
    [cause] = told_by(of(0, first), of(1, second), of(2, HOT))
    assert (cause.text, cause.devices, cause.time_s) == (
        "GPU 0, GPU 1 and GPU 2: It is hot.", (card_id(0), card_id(1), card_id(2)), 30.0,
    )  # fmt: skip
    assert [(one.device_id, one.reason) for one in cause.folded] == [
        (card_id(0), first), (card_id(1), second), (card_id(2), HOT),
    ]  # fmt: skip
    assert "thermal paste" in cause.action
    apart = told_by(of(0, HOT), of(1, replace(HOT, outcome=Outcome.FAIL)), of(2, replace(HOT, text="It is too hot.")))
    assert [one.devices for one in apart] == [(card_id(1),), (card_id(0),), (card_id(2),)]


def test_the_gravest_cause_comes_first_and_of_those_the_earliest() -> None:
    listed = told_by(
        of(0, replace(HOT, time_s=50.0)), of(1, replace(HOT, text="b", time_s=40.0)), of(2, replace(HOT, text="c")),
        of(3, replace(HOT, text="d", outcome=Outcome.INCOMPLETE)), of(4, replace(HOT, text="e", outcome=Outcome.FAIL)),
        of(5, replace(HOT, outcome=Outcome.PASS)),
    )  # fmt: skip
    assert [(one.outcome, one.devices[0]) for one in listed] == [
        (Outcome.FAIL, card_id(4)), (Outcome.INCOMPLETE, card_id(3)),
        (Outcome.WARN, card_id(1)), (Outcome.WARN, card_id(0)), (Outcome.WARN, card_id(2)),
    ]  # fmt: skip


ENDED = Reason(Outcome.INCOMPLETE, "It was ended.", criterion=ReasonCriterion.STAGE, about=card_id(1), stage=GEMM)


def test_a_victim_stands_under_the_first_cause_of_its_culprit_and_by_itself_where_there_is_none() -> None:
    hot, off = replace(HOT, outcome=Outcome.FAIL), replace(OFF, outcome=Outcome.FAIL)
    listed = told_by(of(0, ENDED, HOT), of(1, hot, off))
    assert [(one.kind, one.devices, [folded.device_id for folded in one.folded]) for one in listed] == [
        (CauseKind.HEAT, (card_id(1),), [card_id(1), card_id(0)]),
        (CauseKind.PLAN, (card_id(1),), [card_id(1)]),
        (CauseKind.HEAT, (card_id(0),), [card_id(0)]),
    ]
    [alone] = told_by(of(0, ENDED))
    assert (alone.kind, alone.outcome, alone.text, alone.devices, alone.stage) == (
        CauseKind.STAGE, Outcome.INCOMPLETE, "GPU 0: It was ended.", (card_id(0),), GEMM,
    )  # fmt: skip
    assert [(one.device_id, one.reason) for one in alone.folded] == [(card_id(0), ENDED)]
    [of_a_stranger] = told_by(of(0, replace(ENDED, about="GPU-99")))
    assert of_a_stranger.folded[0].reason.about == "GPU-99"
    of_no_stage = replace(ENDED, criterion=ReasonCriterion.HEAT)
    assert [one.kind for one in told_by(of(0, of_no_stage))] == [CauseKind.HEAT]


def test_the_machines_own_reasons_are_causes_of_their_own_and_its_list_of_devices_is_none() -> None:
    listed = Reason(Outcome.FAIL, "GPU 0: FAIL", criterion=ReasonCriterion.DEVICE, about=card_id(0))
    missing = Reason(Outcome.FAIL, "A planned card is missing.")
    passed = replace(missing, outcome=Outcome.PASS)
    machine = Verdict(MACHINE, Outcome.FAIL, (listed, missing, passed))
    [cause] = told_by(machine)
    assert (cause.kind, cause.outcome, cause.text, cause.devices, cause.action) == (
        CauseKind.MACHINE, Outcome.FAIL, "A planned card is missing.", (), "",
    )  # fmt: skip
    assert [(one.device_id, one.reason) for one in cause.folded] == [(MACHINE, missing)]
    assert cause.as_dict()["folded"][0]["device_id"] is None
    assert machine.own_reasons == [missing, passed]


@pytest.mark.parametrize(
    ("time_s", "stage", "says"),
    [
        (5.0, 0, "Stopped by the user at 0:05 during {0}; 4 later stages not run."),
        (65.0, 3, "Stopped by the user at 1:05 during {3}; 1 later stage not run."),
        (85.0, 4, "Stopped by the user at 1:25 during {4}."),
        (500.0, 5, "Stopped by the user at 8:20."),
    ],
)
def test_a_stop_says_when_where_and_how_much_was_not_run(time_s: float, stage: int, says: str) -> None:
    run = timed(recorded(*cards(2)))
    run = replace(run, stages=run.stages[:5])
    stop, other = stop_at(time_s), Reason(Outcome.WARN, "The clock jumped.")
    listed = told_by(Verdict(MACHINE, Outcome.INCOMPLETE, (other, stop)), run=run)
    assert [(one.kind, one.text) for one in listed] == [
        (CauseKind.STOPPED, says.format(*(row.title for row in run.stages))), (CauseKind.MACHINE, other.text),
    ]  # fmt: skip
    assert (listed[0].stage, listed[0].time_s, listed[0].outcome) == (stage, time_s, Outcome.INCOMPLETE)
    assert listed[0].action == "Resume the run, or burn in again: what did not run was not tested."
    assert [(one.device_id, one.reason) for one in listed[0].folded] == [(MACHINE, stop)]


def test_kinds_are_called_in_json_as_programs_know_them() -> None:
    assert [str(kind) for kind in CauseKind] == [
        "machine", "lost", "dead_worker", "guard", "memory", "wrong_results", "xid", "link", "heat", "slow", "stage",
        "stopped", "plan", "other",
    ]  # fmt: skip


def test_a_device_that_only_watched_has_no_cause_and_events_are_each_devices_own() -> None:
    run = eight()
    watched = replace(run, devices=[replace(run.devices[0], burned=False), *run.devices[1:]])
    assert told_by(of(0, HOT), run=watched) == []
    lost = event("lost", 25.0, card_id(4))
    assert [one.devices for one in told_by(events=(lost,), run=watched)] == [(card_id(4),)]


REASONS = st.builds(
    Reason,
    st.sampled_from(Outcome),
    st.sampled_from(["Short.", "gemm: text", "Clocks"]),
    measured=st.one_of(st.none(), st.floats(0, 100)),
    unit=st.sampled_from(["", "%", "W", "°C", "TFLOPS"]),
    criterion=st.sampled_from(["", *(one for one in ReasonCriterion if one is not ReasonCriterion.DEVICE)]),
    about=st.sampled_from(["", "48", "13", "ecc_uncorrected", "aer_fatal", "HwThermalSlowdown", "GPU-1", "float32"]),
    stage=st.one_of(st.none(), st.integers(0, 4)),
    time_s=st.one_of(st.none(), st.floats(0, 100)),
)
EVENTS = st.builds(event, st.sampled_from(["lost", "died", "guard", "stop"]), st.floats(0, 100),
                   st.sampled_from(["GPU-0", "GPU-1", None]), st.just("Short."))  # fmt: skip


@pytest.mark.parametrize("stopped", [False, True])
@given(own=st.lists(st.lists(REASONS, max_size=6), min_size=3, max_size=3), events=st.lists(EVENTS, max_size=3))
def test_every_reason_that_did_not_pass_is_under_exactly_one_cause(
    stopped: bool, own: list[list[Reason]], events: list[Event]
) -> None:
    stages = [StageRow(n, "gemm", "gemm", 20, StageStatus.DONE, 1.0, 20.0 * n, 20.0 * n + 19, "b") for n in range(5)]
    ids = (MACHINE, card_id(0), card_id(1))
    if stopped:
        own = [[*own[0], stop_at(30.0)], *own[1:]]
    verdicts = [Verdict(device, Outcome.FAIL, tuple(reasons)) for device, reasons in zip(ids, own, strict=True)]
    run = recorded(*cards(2))
    results = [StageResult(n, card_id(0), ResultStatus.PASSED, "") for n in range(5)]
    all_causes = find_causes(run.devices, stages, results, events, verdicts)
    under_causes = Counter((folded.device_id, folded.reason) for cause in all_causes for folded in cause.folded)
    not_passed = Counter((v.device_id, r) for v in verdicts for r in v.reasons if r.outcome is not Outcome.PASS)
    assert under_causes == not_passed
