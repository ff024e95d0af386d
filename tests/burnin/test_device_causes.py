"""Which reasons of a device belong together: each rule by itself, with what it takes, what it leaves, and its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.burnin.profile.profile import COUNTER_LIMITS
from core.burnin.record.rows import Event, EventLevel, Outcome, Reason, ReasonCriterion, ResultStatus, StageRow
from core.burnin.verdict.codes import ACTIONS, CauseKind
from core.burnin.verdict.device_causes import DeviceCause, DeviceRecord, about, moment, stage_at
from core.machine.telemetry.xid import xid
from core.words import tr
from tests.burnin.made_run import CARD, FAIL, INCOMPLETE, PASS, WARN, ended, stage

MEMORY, LINK, XID, HEAT, SLOW = (
    CauseKind.MEMORY, CauseKind.LINK, CauseKind.XID, CauseKind.HEAT, CauseKind.SLOW,
)  # fmt: skip
STAGE, PLAN, OTHER, WRONG = CauseKind.STAGE, CauseKind.PLAN, CauseKind.OTHER, CauseKind.WRONG_RESULTS
STAGES = [stage(0, "gemm", 10.0, 100.0), stage(1, "vram", 110.0, 200.0), stage(2, "soak", 210.0, 300.0)]
RATES = {"rates": {"float32": 10.0, "tf32": 20.0}}


def because(criterion: ReasonCriterion, text: str = "It is so.", outcome: Outcome = FAIL, **other: Any) -> Reason:
    return Reason(outcome, text, criterion=criterion, **other)


def event(kind: str, time_s: float, message: str = "Gone.", level: EventLevel = EventLevel.ERROR) -> Event:
    return Event(1, time_s, "", CARD.id, level, kind, message)


def folded(
    *reasons: Reason,
    events: Sequence[Event] = (),
    stages: Sequence[StageRow] = STAGES,
    results: Any = (),
    stopped_in: int | None = None,
) -> tuple[list[DeviceCause], tuple[Reason, ...]]:
    record = DeviceRecord(stages, {result.number: result for result in results}, events, reasons)
    return record.causes(stopped_in)


def causes(*reasons: Reason, **other: Any) -> list[DeviceCause]:
    all_causes, left = folded(*reasons, **other)
    assert left == ()
    return all_causes


def kinds(*reasons: Reason, **other: Any) -> list[tuple[CauseKind, int]]:
    """Of each cause, with how many reasons it took."""
    return [(cause.kind, len(cause.reasons)) for cause in causes(*reasons, **other)]


OF_MEMORY = {
    "ecc_uncorrected", "ecc_corrected", "sram_uncorrected", "sram_worn", "remap_pending", "remap_failed",
    "remapped_uncorrected", "remapped_corrected", "retired_uncorrected", "retired_corrected", "retire_pending",
}  # fmt: skip
OF_LINKS = {
    "pcie_replays", "aer_correctable", "aer_nonfatal", "aer_fatal", "nvlink_replays", "nvlink_recoveries", "nvlink_crc",
}  # fmt: skip


@pytest.mark.parametrize("limit", COUNTER_LIMITS, ids=lambda limit: limit.metric)
def test_every_counter_is_reported_under_its_cause(limit: Any) -> None:
    kind = MEMORY if limit.metric in OF_MEMORY else LINK if limit.metric in OF_LINKS else OTHER
    assert kinds(because(ReasonCriterion.COUNTER, about=limit.metric)) == [(kind, 1)]
    assert kinds(because(ReasonCriterion.XID, about=limit.metric)) == [(XID, 1)]


@pytest.mark.parametrize("number", ["48", "63", "64", "92", "94", "95", "140", "171", "172", "13", "79", "74"])
def test_an_xid_of_memory_is_a_memory_error(number: str) -> None:
    expected = XID if number in ("13", "79", "74") else MEMORY
    assert kinds(because(ReasonCriterion.XID, about=number)) == [(expected, 1)]
    assert kinds(because(ReasonCriterion.COUNTER, about=number)) == [(OTHER, 1)]


@pytest.mark.parametrize(
    ("criterion", "kind"),
    [
        (ReasonCriterion.LINK, LINK), (ReasonCriterion.NVLINK, LINK), (ReasonCriterion.TOGETHER, LINK),
        (ReasonCriterion.HEAT, HEAT), (ReasonCriterion.PEERS, SLOW), (ReasonCriterion.ERRORS, WRONG),
        (ReasonCriterion.STAGE, STAGE), (ReasonCriterion.PLAN, PLAN), (ReasonCriterion.SPEED, OTHER),
        (ReasonCriterion.THROTTLING, OTHER), (ReasonCriterion.REPLAY, OTHER), (ReasonCriterion.POWER, OTHER),
    ],
)  # fmt: skip
def test_a_reason_alone_is_reported_under_the_cause_of_its_criterion(
    criterion: ReasonCriterion, kind: CauseKind
) -> None:
    [cause] = causes(because(criterion, outcome=WARN))
    assert (cause.kind, cause.outcome, cause.action) == (kind, WARN, ACTIONS.get(kind, ""))
    if kind is not SLOW and kind is not WRONG:
        assert cause.what == "It is so."


@pytest.mark.parametrize(
    ("count", "words"), [(1.0, "1 uncorrectable memory error"), (2.0, "2 uncorrectable memory errors")]
)
def test_memory_errors_are_told_by_their_count_and_first_moment_before_what_came_of_them(
    count: float, words: str
) -> None:
    pending = because(ReasonCriterion.COUNTER, "Pending.", WARN, about="remap_pending", time_s=20.0)
    errors = because(ReasonCriterion.COUNTER, "Errors.", WARN, about="ecc_uncorrected", measured=count, time_s=130.0)
    [cause] = causes(pending, errors, because(ReasonCriterion.XID, "Xid 48", FAIL, about="48"))
    assert (cause.what, cause.outcome, cause.time_s, cause.stage) == (
        f"{words}, first at 0:20 during gemm", FAIL, 20.0, 0,
    )  # fmt: skip
    assert [one.text for one in cause.reasons] == ["Xid 48", "Pending.", "Errors."], "the gravest first"
    [cause] = causes(pending, because(ReasonCriterion.XID, "Xid 63.", FAIL, about="63"))
    assert cause.what == "Xid 63, first at 0:20 during gemm", "without a count the gravest tells"


def test_wrong_results_take_the_stages_that_failed_for_them() -> None:
    counted = because(ReasonCriterion.ERRORS, measured=2.0, time_s=30.0)
    of_stage = [because(ReasonCriterion.STAGE, f"{n} failed", stage=n) for n in range(3)]
    warned = because(ReasonCriterion.STAGE, "low", WARN, stage=0)
    nowhere = because(ReasonCriterion.STAGE, "nowhere")
    of_another = because(ReasonCriterion.HEAT, stage=0)
    assert kinds(counted, of_another, results=[ended(0, errors=2)]) == [(WRONG, 1), (HEAT, 1)]
    assert kinds(counted, nowhere, results=[ended(1, errors=2)]) == [(WRONG, 1), (STAGE, 1)]
    results = [ended(0, errors=2), ended(1, errors=0), ended(2)]
    [wrong, *stages] = causes(counted, *of_stage, warned, nowhere, results=results)
    assert (wrong.kind, wrong.what, wrong.reasons) == (
        WRONG, "2 wrong results, first at 0:30 during gemm", (counted, of_stage[0]),
    )  # fmt: skip
    assert [cause.kind for cause in stages] == [STAGE] * 4
    [one] = causes(replace(counted, measured=1.0, time_s=None))
    assert (one.what, one.time_s, one.stage) == ("1 wrong result", None, None)
    assert kinds(of_stage[0], results=results) == [(STAGE, 1)], "without a count it is the stage that failed"


def test_the_gravest_and_then_the_first_xid_tells_with_its_action() -> None:
    thirteen, warned = (because(ReasonCriterion.XID, f"Xid {n}", about=str(n)) for n in (13, 45))
    reasons = (
        replace(warned, outcome=WARN, time_s=5.0),
        replace(thirteen, time_s=90.0),
        replace(thirteen, about="31", time_s=50.0),
    )
    [cause] = causes(*reasons)
    assert (cause.kind, cause.outcome, len(cause.reasons), cause.time_s) == (XID, FAIL, 3, 5.0)
    assert cause.what == f"Xid 31: {xid(31).title}, first at 0:50 during gemm"
    assert cause.action == xid(31).action != ""
    [nameless] = causes(because(ReasonCriterion.XID, "Something.", about=""))
    assert (nameless.what, nameless.action) == ("Something.", "")
    for at_s in (0.5, 50.0):
        [unknown] = causes(replace(thirteen, about="31", time_s=at_s), replace(thirteen, time_s=None))
        assert unknown.what == f"Xid 13: {xid(13).title}", "one without a moment came before"


def peers(slower_pct: float | None, name: str = "float32") -> Reason:
    return because(ReasonCriterion.PEERS, f"{name} is slow.", measured=slower_pct, about=name)


def gbps(measured: float | None, limit: float | None = 20.0, about: str = "to_host") -> Reason:
    return because(ReasonCriterion.LINK, "Slow link.", measured=measured, limit=limit, about=about)


BOTH = (peers(10.0), peers(30.0, "tf32"))
"""A card that is slower in both of its measurements, by 20 % in the middle."""


@pytest.mark.parametrize(
    ("link", "of_its_own"),
    [
        (gbps(16.0), False), (gbps(15.9), True), (gbps(19.9), False), (gbps(20.0), True), (gbps(None), True),
        (gbps(16.0, None), True), (gbps(16.0, about="pcie_lanes"), True),
        (replace(gbps(16.0), criterion=ReasonCriterion.NVLINK), True),
    ],
)  # fmt: skip
def test_a_link_that_is_no_slower_than_its_card_is_none_of_its_own(link: Reason, of_its_own: bool) -> None:
    measured = [ended(0, **RATES)]
    expected = [(LINK, 1), (SLOW, 2)] if of_its_own else [(SLOW, 3)]
    assert kinds(*BOTH, link, results=measured) == expected
    assert kinds(BOTH[0], link, results=measured) == [(LINK, 1), (SLOW, 1)], "it is not slower in all work"
    assert kinds(link, results=measured) == [(LINK, 1)]


@pytest.mark.parametrize(
    ("reasons", "results", "says"),
    [
        (BOTH, [ended(0, **RATES)], "is 20 % slower than the best card of its model in all work"),
        (BOTH[1:], [ended(0, **RATES)], "is 30 % slower than the best card of its model in 1 of 2 measurements"),
        (BOTH, [ended(0, **RATES), ended(2, **RATES)], "is 20 % slower than the best card of its model in 2 of 4 mea"),
        (BOTH[:1], [ended(0, rates={"float32": 1.0})], "is 10 % slower than the best card of its model in 1 of 1 mea"),
        ((peers(None),), [ended(0, **RATES)], "is 0 % slower than the best card of its model in 1 of 2 measurements"),
    ],
)
def test_a_slow_card_says_in_how_much_of_its_work(reasons: Any, results: Any, says: str) -> None:
    [cause] = causes(*reasons, results=results)
    assert cause.what.startswith(says)
    assert (cause.kind, cause.colon) == (SLOW, False)
    between = [stage(0, "host-link"), *STAGES[1:]]
    [elsewhere] = causes(peers(10.0), stages=between, results=[ended(0, **RATES), ended(1, rates={"copy": 1.0})])
    assert elsewhere.what.endswith("in 1 of 1 measurement"), "what the slot decides is no measurement of the card"


def test_what_a_slow_card_takes_is_of_speed_alone() -> None:
    speed = because(ReasonCriterion.SPEED)
    rate, watts = (because(ReasonCriterion.PLAN, about=about) for about in ("bfloat16", "power_w"))
    assert kinds(peers(10.0), speed, rate, watts) == [(SLOW, 3), (PLAN, 1)]
    assert kinds(speed, rate) == [(PLAN, 1), (OTHER, 1)]


def throttled(reason: str, share_pct: float | None = 12.34) -> Reason:
    return because(ReasonCriterion.THROTTLING, "Held back.", measured=share_pct, about=reason)


HOT = because(ReasonCriterion.HEAT, "It came near.", WARN)
TOO_HOT = "too hot: clocks were held back for 12 % of the time under load"


@pytest.mark.parametrize(
    ("reasons", "expected", "what"),
    [
        ((throttled("HwThermalSlowdown"),), [(HEAT, 1)], TOO_HOT),
        ((throttled("SwThermalSlowdown"), throttled("HwThermalSlowdown", 3.0), HOT), [(HEAT, 3)], TOO_HOT),
        ((throttled("SwThermalSlowdown"), throttled("HwSlowdown", 50.0)), [(HEAT, 2)], TOO_HOT),
        ((throttled("SwThermalSlowdown"), throttled("SyncBoost", 50.0)), [(HEAT, 1), (OTHER, 1)], TOO_HOT),
        ((throttled("HwSlowdown"),), [(OTHER, 1)], "Held back."),
        ((throttled("HwSlowdown"), HOT), [(HEAT, 1), (OTHER, 1)], "It came near."),
        ((throttled("SwThermalSlowdown", None),), [(HEAT, 1)], TOO_HOT.replace("12", "0")),
        ((HOT, because(ReasonCriterion.HEAT, "Memory.", FAIL)), [(HEAT, 2)], "Memory."),
    ],
)
def test_heat_is_what_is_hot_or_throttles_for_it(reasons: Any, expected: Any, what: str) -> None:
    assert kinds(*reasons) == expected
    assert causes(*reasons)[0].what == what


def test_a_card_that_throttles_is_slow_and_hotter_than_planned_for_it_and_one_that_is_hot_is_not_slow_for_it() -> None:
    celsius = because(ReasonCriterion.PLAN, about="temperature_c")
    slow = [because(one) for one in (ReasonCriterion.PEERS, ReasonCriterion.SPEED, ReasonCriterion.PLAN)]
    assert kinds(throttled("SwThermalSlowdown"), celsius, *slow) == [(HEAT, 5)]
    assert kinds(HOT, celsius, *slow) == [(HEAT, 2), (SLOW, 2), (PLAN, 1)]
    assert kinds(celsius, *slow[1:]) == [(PLAN, 1), (PLAN, 1), (OTHER, 1)]


def test_what_is_said_alike_of_several_stages_is_said_once_with_their_number() -> None:
    def of(number: int | None, finding: str, outcome: Outcome = WARN) -> Reason:
        title = "nowhere" if number is None else STAGES[number].title
        text = tr("{stage}: {finding}", stage=title, finding=finding)
        return because(ReasonCriterion.STAGE, text, outcome, stage=number)

    alike = causes(of(0, "Low."), of(1, "Low."), of(2, "Low."), of(1, "Low.", FAIL), of(None, "Low."))
    assert [(cause.outcome, cause.what, len(cause.reasons), cause.stage) for cause in alike] == [
        (FAIL, "vram: Low.", 1, 1), (WARN, "4 stages: Low", 4, 0),
    ]  # fmt: skip
    told_by_itself = because(ReasonCriterion.STAGE, "nowhere: Low.", WARN)
    assert [cause.what for cause in causes(told_by_itself, of(0, "Low."))] == ["nowhere: Low.", "gemm: Low."]


@pytest.mark.parametrize(
    ("changed", "what", "figure"),
    [
        ({}, "W in gemm, above the plan's predicted maximum of 300 W", 350.0),
        ({"measured": 300.0}, "W in gemm, below the plan's predicted minimum of 300 W", 300.0),
        ({"measured": 250.0}, "W in gemm, below the plan's predicted minimum of 300 W", 250.0),
        ({"about": "tf32", "unit": "TFLOPS"}, "TFLOPS tf32 in gemm, above the plan's predicted maximum of 300 TFLOPS",
         350.0),
        ({"stage": None}, "It is so.", None), ({"stage": 9}, "It is so.", None),
        ({"measured": None}, "It is so.", None), ({"limit": None}, "It is so.", None),
    ],
)  # fmt: skip
def test_each_figure_off_the_plan_is_told_by_itself_with_its_end_of_the_band(
    changed: dict[str, Any], what: str, figure: float | None
) -> None:
    off = because(ReasonCriterion.PLAN, outcome=WARN, measured=350.0, limit=300.0, unit="W", about="power_w", stage=0)
    all_causes = causes(replace(off, **changed), off)
    assert [(cause.what, cause.figure) for cause in all_causes] == [
        (what, figure), ("W in gemm, above the plan's predicted maximum of 300 W", 350.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "what", "colon"),
    [
        ("lost", "lost at 2:00 during vram", False),
        ("died", "worker died at 2:00 during vram", True),
        ("guard", "stopped at 2:00 during vram: Too hot", False),
    ],
)
def test_a_device_that_left_takes_all_that_follows_and_leaves_what_came_before(
    kind: str, what: str, colon: bool
) -> None:
    at_s = 120.0
    follows = [
        because(ReasonCriterion.HEAT, time_s=at_s - 5.0), because(ReasonCriterion.XID, time_s=at_s, about="79"),
        because(ReasonCriterion.STAGE, stage=1), because(ReasonCriterion.STAGE, stage=2),
    ]  # fmt: skip
    before = [
        because(ReasonCriterion.HEAT, time_s=at_s - 5.1), because(ReasonCriterion.STAGE, stage=0),
        because(ReasonCriterion.REPLAY), because(ReasonCriterion.COUNTER, time_s=at_s - 50.0, stage=2),
    ]  # fmt: skip
    events = [event("xid", 1.0), event("lost", 2.0, level=EventLevel.WARN), event(kind, at_s, "Too hot.")]
    for not_run, later in (([], ""), ([2], "; 1 later stage not run"), ([1, 2], "; 1 later stage not run")):
        results = [ended(n, ResultStatus.NOT_RUN) for n in not_run]
        [left, *others] = causes(*before, *follows, events=events, results=results)
        assert (left.kind.value, left.what, left.colon) == (
            {"died": "dead_worker"}.get(kind, kind), what + later, colon,
        )  # fmt: skip
        assert (left.time_s, left.stage, left.outcome, left.action) == (at_s, 1, FAIL, ACTIONS[left.kind])
        assert (left.reasons, len(others)) == (tuple(follows), len(before))
    [early] = causes(events=[event(kind, 50.0, "Too hot.")], results=[ended(n, ResultStatus.NOT_RUN) for n in (1, 2)])
    assert early.what.endswith("; 2 later stages not run")
    assert early.outcome is FAIL, "before there is a verdict"


def test_a_loss_tells_more_than_a_death_before_it_and_else_the_first_event_counts() -> None:
    died, lost = event("died", 50.0), event("lost", 120.0)
    assert [cause.what for cause in causes(events=[died, lost])] == ["lost at 2:00 during vram"]
    both = causes(events=[died, event("guard", 60.0)])
    assert [cause.what for cause in both] == ["worker died at 0:50 during gemm"]
    after, stage_cause = causes(because(ReasonCriterion.STAGE, stage=2), events=[event("lost", 400.0)])
    assert (after.what, after.stage, after.reasons) == ("lost at 6:40", None, ()), "it was over by then"
    assert stage_cause.kind is STAGE


def test_what_was_not_reached_is_left_to_the_stop_of_the_run() -> None:
    stages = [because(ReasonCriterion.STAGE, f"{n}", INCOMPLETE, stage=n) for n in range(3)]
    others = [
        because(ReasonCriterion.STAGE, "failed", FAIL, stage=2), because(ReasonCriterion.STAGE, "none", INCOMPLETE),
        because(ReasonCriterion.HEAT, "hot", INCOMPLETE, stage=2),
    ]  # fmt: skip
    all_causes, left = folded(*stages, *others, stopped_in=1)
    assert left == (stages[1], stages[2])
    assert {reason.text for cause in all_causes for reason in cause.reasons} == {"0", "failed", "none", "hot"}
    all_causes, left = folded(*stages, events=[event("lost", 120.0)], stopped_in=1)
    assert (left, all_causes[0].reasons) == ((), (stages[1], stages[2])), "a loss takes them first"


@pytest.mark.parametrize(
    ("time_s", "number"),
    [(None, None), (0.0, 0), (100.0, 0), (100.1, 1), (200.0, 1), (205.0, 2), (300.0, 2), (300.1, None)],
)
def test_a_moment_belongs_to_the_stage_that_went_on_or_to_the_next(time_s: float | None, number: int | None) -> None:
    at = stage_at(STAGES, time_s)
    assert (at and at.number) == number
    going_on = [stage(0, "gemm", 10.0, None), stage(1, "vram", None, None)]
    at = stage_at(going_on, 999.0)
    assert at is going_on[0]
    assert stage_at([stage(0, "gemm", None, 50.0), stage(1, "vram", 60.0, 70.0)], 40.0) is not None
    assert moment(STAGES, 40.0) == "0:40 during gemm"
    assert moment(STAGES, 400.0) == "6:40"


def test_a_cause_stands_after_its_devices_with_its_figure_a_colon_or_a_blank() -> None:
    cause = DeviceCause(HEAT, "hot.", (), FAIL)
    assert cause.as_text("GPU 0", "") == about("GPU 0", "hot.") == "GPU 0: hot."
    assert cause.as_text("GPU 0 and GPU 1", "350 to 351") == "GPU 0 and GPU 1: 350 to 351 hot.."
    assert replace(cause, what="is slow", colon=False).as_text("GPU 0", "") == "GPU 0 is slow."


def test_a_cause_is_as_grave_as_its_gravest_reason_and_as_early_as_its_first() -> None:
    for outcomes, gravest in (((WARN, INCOMPLETE), INCOMPLETE), ((INCOMPLETE, FAIL), FAIL), ((PASS, WARN), WARN)):
        reasons = [because(ReasonCriterion.HEAT, outcome=outcome, stage=n + 1) for n, outcome in enumerate(outcomes)]
        [cause] = causes(*reasons)
        assert (cause.outcome, cause.stage, cause.time_s) == (gravest, 1, None)
    [timed] = causes(
        because(ReasonCriterion.HEAT, stage=2, time_s=130.0), because(ReasonCriterion.HEAT, stage=2, time_s=150.0)
    )
    assert (timed.time_s, timed.stage) == (130.0, 1)
    [after_all] = causes(because(ReasonCriterion.HEAT, stage=2, time_s=999.0))
    assert (after_all.time_s, after_all.stage) == (999.0, 2)
