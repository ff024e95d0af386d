"""The verdict: each criterion speaks with its figure, NOT RUN never passes, the worst reason wins; what weighs on the
machine besides its devices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.profile.file import find_profile
from core.burnin.profile.profile import Criteria
from core.burnin.record.rows import (
    Event,
    EventLevel,
    InterruptionKind,
    Outcome,
    Reason,
    ResultStatus,
    RunDevice,
    StageResult,
    StageStatus,
)
from core.burnin.record.samples import COLUMN, Samples
from core.burnin.record.store import RunStore
from core.burnin.verdict import Recorded, judge, worst
from core.burnin.verdict.judge import NOTHING_TESTED, machine_reasons
from core.machine.asbuilt.as_built import AsBuilt, MachineFacts
from core.machine.asbuilt.bus import BusCard, BusCause, LeftOutBy
from core.machine.telemetry.device import Device, DeviceKind
from tests.burnin.begun_run import begun
from tests.burnin.made_run import CARD, FAIL, INCOMPLETE, PASS, PROCESSOR, WARN, run_of, sampled, stage, twin

PROFILE = find_profile("quick-test")
GEMM = next(number for number, stage in enumerate(PROFILE.stages) if stage.kind == "gemm")
IDLE = next(number for number, stage in enumerate(PROFILE.stages) if stage.kind == "idle")


def card(number: int = 0, slowdown_c: float | None = 90.0) -> Device:
    return Device(f"GPU-{number}", DeviceKind.GPU, "Card", temperature_slowdown_c=slowdown_c)


def samples(**metrics: float) -> Samples:
    """Twenty samples, one per second, all alike."""
    return sampled(range(20), **metrics)


def recorded(
    *devices: Device,
    blocks: dict[str, Any] | None = None,
    changed: dict[tuple[int, str], tuple[ResultStatus, str, dict[str, Any]]] | None = None,
    skipped: tuple[int, ...] = (),
) -> Recorded:
    """A run in which all stages passed on all devices, but for what is `changed` or `skipped`."""
    devices, numbers = devices or (card(),), range(len(PROFILE.stages))
    how = {number: StageStatus.SKIPPED if number in skipped else StageStatus.DONE for number in numbers}
    stages = [stage(number, PROFILE.stages[number].kind, 0.0, 20.0, status=how[number]) for number in numbers]
    fine = (ResultStatus.PASSED, "fine", {})
    results = [
        StageResult(number, device.id, *(changed or {}).get((number, device.id), fine))
        for number in numbers
        for device in devices
    ]
    warm = {device.id: samples(temperature_c=60.0) for device in devices}
    return replace(run_of(stages, results, warm | (blocks or {}), devices), profile=PROFILE)


def test_a_clean_run_passes_and_says_what_passed() -> None:
    machine, device = judge(recorded())
    assert (machine.outcome, device.outcome) == (Outcome.PASS, Outcome.PASS)
    assert len(device.reasons) == len(PROFILE.stages)


def test_the_criteria_of_the_profile_decide() -> None:
    strict = Criteria(max_errors=2, margin_warn_c=20, slower_than_best_warn_pct=1, slower_than_best_fail_pct=2)
    block = samples(errors=2.0, temperature_c=75.0)
    run = replace(recorded(blocks={"GPU-0": block}), profile=PROFILE.model_copy(update={"criteria": strict}))
    reasons = judge(run)[1].reasons
    assert not any("wrong results" in reason.text for reason in reasons)
    assert any("came within 15 K" in reason.text for reason in reasons)


@pytest.mark.parametrize(
    ("mask", "outcome"),
    [
        (0x4, Outcome.PASS), (0x1, Outcome.PASS), (0x20, Outcome.FAIL), (0x10, Outcome.WARN), (0x40, Outcome.FAIL),
        (0x44, Outcome.FAIL),
    ],
)  # fmt: skip
def test_throttling_is_read_as_a_bit_mask(mask: int, outcome: Outcome) -> None:
    assert judge(recorded(blocks={"GPU-0": samples(throttle_mask=float(mask))}))[1].outcome is outcome


def test_the_machine_is_as_its_worst_device_and_names_each_the_worst_first() -> None:
    changed = {(IDLE, "GPU-1"): (ResultStatus.FAILED, "It failed.", {"warnings": ["Low."]})}
    low = Reason(Outcome.WARN, "It is warm.")
    machine, passed, failed = judge(recorded(card(0), card(1), changed=changed), [low])
    assert (machine.device_id, machine.outcome, passed.outcome) == ("", Outcome.FAIL, Outcome.PASS)
    assert [(one.outcome, one.text, one.criterion, one.about) for one in machine.reasons] == [
        (Outcome.FAIL, f"{card(1).title}: FAIL", "device", "GPU-1"),
        (Outcome.WARN, "It is warm.", "", ""),
        (Outcome.PASS, f"{card(0).title}: PASS", "device", "GPU-0"),
    ]
    assert [(one.outcome, one.criterion, one.stage) for one in failed.reasons[:2]] == [
        (Outcome.FAIL, "stage", IDLE), (Outcome.WARN, "stage", IDLE),
    ]  # fmt: skip
    assert [one.stage for one in failed.reasons[2:]] == [n for n in range(len(PROFILE.stages)) if n != IDLE]


def test_each_reason_names_the_criterion_that_gave_it() -> None:
    block = samples(temperature_c=88.0, errors=1.0, checks=9.0, throttle_mask=64.0)
    block[:, COLUMN["ecc_uncorrected"]] = np.arange(20)
    rates = {"rates": {"float32": 50.0}}
    changed = {(GEMM, "GPU-0"): (ResultStatus.PASSED, "fine", rates)}
    changed[GEMM, "GPU-1"] = (ResultStatus.PASSED, "fine", {"rates": {"float32": 100.0}})
    run = recorded(card(0), card(1), blocks={"GPU-0": block}, changed=changed)
    xid = Event(1, 5.0, "", "GPU-0", EventLevel.WARN, "xid", "Xid 13")
    reasons = judge(replace(run, events=[xid]))[1].reasons
    assert {(one.criterion, one.unit) for one in reasons if one.outcome is not Outcome.PASS} == {
        ("errors", "errors"), ("counter", ""), ("throttling", "%"), ("heat", "°C"), ("peers", "%"), ("xid", ""),
    }  # fmt: skip


def test_without_a_burned_device_nothing_passes() -> None:
    empty = recorded()
    nobody = Recorded(empty.profile, [], empty.stages, [], {})
    [machine] = judge(nobody)
    assert machine.outcome is Outcome.INCOMPLETE
    assert [(one.outcome, one.text) for one in machine.reasons] == [(Outcome.INCOMPLETE, NOTHING_TESTED)]
    [remarked] = judge(nobody, [Reason(Outcome.INCOMPLETE, "Stopped.")])
    assert [one.text for one in remarked.reasons] == [NOTHING_TESTED, "Stopped."]


@given(st.lists(st.sampled_from(list(Outcome)), min_size=1))
def test_fail_beats_incomplete_beats_warn_beats_pass(outcomes: list[Outcome]) -> None:
    ranked = [Outcome.FAIL, Outcome.INCOMPLETE, Outcome.WARN, Outcome.PASS]
    assert worst(outcomes) is min(outcomes, key=ranked.index)
    assert worst([]) is Outcome.PASS


OTHER = twin(1)
STAGES = [f"Stage {number}" for number in range(len(PROFILE.stages))]


@pytest.fixture
def run(store: RunStore) -> int:
    """One card was burned in; another and the processor only watched."""
    devices = [RunDevice(device, n, burned=device is CARD) for n, device in enumerate((CARD, OTHER, PROCESSOR))]
    return begun(store, devices=devices, stage_titles=STAGES)


def reasons_of(store: RunStore, run: int) -> list[tuple[Any, str]]:
    return [(reason.outcome, reason.text) for reason in machine_reasons(store, run)]


@pytest.mark.parametrize("kind", InterruptionKind)
def test_each_interruption_weighs_as_its_kind(store: RunStore, run: int, kind: InterruptionKind) -> None:
    store.add_interruption(run, kind, 5.0, "It happened.")
    [reason] = machine_reasons(store, run)
    assert (reason.outcome, reason.text, reason.source) == (
        kind.outcome, "It happened.", "recording of the run",
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["plan", "room", "pause", "reset", "lost", "xid", "aer", "mce"])
def test_a_remark_weighs_by_its_level_unless_it_is_of_a_burned_card(store: RunStore, run: int, kind: str) -> None:
    for level in EventLevel:
        store.add_event(run, 1.0, level, kind, f"{level} of the machine.")
        store.add_event(run, 2.0, level, kind, f"{level} beside.", device_id=OTHER.id)
        store.add_event(run, 3.0, level, kind, f"{level} of a stranger.", device_id="GPU-9")
        store.add_event(run, 4.0, level, kind, f"{level} of the card.", device_id=CARD.id)
        store.add_event(run, 5.0, level, "started", f"{level} of another kind.")
    assert reasons_of(store, run) == [
        (WARN, "warn of the machine."), (WARN, f"{OTHER.title}: warn beside."), (WARN, "warn of a stranger."),
        (FAIL, "error of the machine."), (FAIL, f"{OTHER.title}: error beside."), (FAIL, "error of a stranger."),
    ], "in the order in which it was told"  # fmt: skip


def test_the_same_remark_is_reported_once(store: RunStore, run: int) -> None:
    for time_s in (1.0, 2.0):
        store.add_event(run, time_s, EventLevel.WARN, "room", "It is warm.")
    assert reasons_of(store, run) == [(WARN, "It is warm.")]


@pytest.mark.parametrize(
    ("how", "reason", "evidence", "expected"),
    [
        (ResultStatus.PASSED, "Fine.", {}, [(PASS, "Fine.")]),
        (ResultStatus.PASSED, "", {"warnings": ["Low.", "Warm."]}, [(PASS, "passed"), (WARN, "Low."), (WARN, "Warm.")]),
        (ResultStatus.FAILED, "", {}, [(FAIL, "failed")]),
        (ResultStatus.NOT_RUN, "", {}, [(WARN, "not run")]),
        (ResultStatus.STOPPED, "", {}, [(INCOMPLETE, "stopped")]),
        (ResultStatus.STOPPED, "", {"killed_from_outside": True}, [(INCOMPLETE, "stopped")]),
        (ResultStatus.FAILED, "", {"killed_from_outside": True}, [(FAIL, "failed")]),
        (ResultStatus.DIED, "", {}, [(FAIL, "worker died")]),
        (ResultStatus.DIED, "Killed.", {"killed_from_outside": True}, [(INCOMPLETE, "Killed.")]),
    ],
)
def test_a_device_beside_the_burned_ones_counts_for_the_machine(
    store: RunStore, run: int, how: ResultStatus, reason: str, evidence: dict[str, Any], expected: Any
) -> None:
    for device in (PROCESSOR, CARD):
        store.add_result(run, StageResult(1, device.id, how, reason, evidence))
    assert reasons_of(store, run) == [(outcome, f"{PROCESSOR.title}, Stage 1: {text}") for outcome, text in expected]


def test_a_card_on_the_bus_that_nobody_tested_keeps_the_machine_from_passing_unless_it_was_left_out(
    store: RunStore, run: int
) -> None:
    untested = BusCard("0000:41:00.0", "A card", BusCause.NO_DRIVER)
    left_out = BusCard("0000:61:00.0", "A display card", left_out_by=LeftOutBy.OPTION)
    store.set_as_built(run, AsBuilt("2026-01-01T00:00:00Z", MachineFacts(), bus=(untested, left_out)))
    store.add_interruption(run, InterruptionKind.GAP, 5.0, "A gap.")
    first, second, gap = machine_reasons(store, run)
    assert [(one.outcome, one.text, one.about) for one in (first, second)] == [
        (INCOMPLETE, untested.sentence, "0000:41:00.0"), (PASS, left_out.sentence, "0000:61:00.0"),
    ]  # fmt: skip
    assert {(one.source, one.criterion) for one in (first, second)} == {("PCI bus", "bus")}
    assert gap.text == "A gap."


def test_interruptions_come_first_then_remarks_then_the_devices_beside(store: RunStore, run: int) -> None:
    store.add_result(run, StageResult(1, PROCESSOR.id, ResultStatus.PASSED, "Fine."))
    store.add_event(run, 1.0, EventLevel.WARN, "room", "It is warm.")
    store.add_interruption(run, InterruptionKind.GAP, 5.0, "A gap.")
    texts = [text for _, text in reasons_of(store, run)]
    assert texts == ["A gap.", "It is warm.", f"{PROCESSOR.title}, Stage 1: Fine."]
