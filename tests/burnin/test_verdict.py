"""The verdict: each criterion speaks with its figure, NOT RUN never passes, the worst reason wins."""

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
    Outcome,
    Reason,
    ResultStatus,
    RunDevice,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.record.samples import COLUMN
from core.burnin.verdict import Recorded, judge, worst
from core.burnin.verdict.judge import NOTHING_TESTED
from core.telemetry.device import Device, DeviceKind

PROFILE = find_profile("quick-test")
GEMM = next(number for number, stage in enumerate(PROFILE.stages) if stage.kind == "gemm")
IDLE = next(number for number, stage in enumerate(PROFILE.stages) if stage.kind == "idle")


def card(number: int = 0, slowdown_c: float | None = 90.0) -> Device:
    return Device(f"GPU-{number}", DeviceKind.GPU, "Card", temperature_slowdown_c=slowdown_c)


def samples(**metrics: float) -> np.ndarray[Any, Any]:
    """Twenty samples, one per second, all alike."""
    block = np.full((20, 1 + len(COLUMN)), np.nan)
    block[:, 0] = np.arange(20)
    for name, value in metrics.items():
        block[:, COLUMN[name]] = value
    return block


def recorded(
    *devices: Device,
    blocks: dict[str, Any] | None = None,
    changed: dict[tuple[int, str], tuple[ResultStatus, str, dict[str, Any]]] | None = None,
    skipped: tuple[int, ...] = (),
) -> Recorded:
    """A run in which all stages passed on all devices, but for what is `changed` or `skipped`."""
    devices = devices or (card(),)
    fine = (ResultStatus.PASSED, "fine", {})
    return Recorded(
        profile=PROFILE,
        devices=[RunDevice(device, position, burned=True) for position, device in enumerate(devices)],
        stages=[
            StageRow(
                number, stage.kind, stage.kind, stage.seconds,
                StageStatus.SKIPPED if number in skipped else StageStatus.DONE, 1.0, 0.0, 20.0, "boot",
            )
            for number, stage in enumerate(PROFILE.stages)
        ],
        results=[
            StageResult(number, device.id, *(changed or {}).get((number, device.id), fine))
            for number in range(len(PROFILE.stages))
            for device in devices
        ],
        samples={device.id: (blocks or {}).get(device.id, samples(temperature_c=60.0)) for device in devices},
    )  # fmt: skip


def verdict_on(device_id: str, verdicts: list[Verdict]) -> Verdict:
    return next(verdict for verdict in verdicts if verdict.device_id == device_id)


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
        (0x4, Outcome.PASS),
        (0x1, Outcome.PASS),
        (0x20, Outcome.FAIL),
        (0x10, Outcome.WARN),
        (0x40, Outcome.FAIL),
        (0x44, Outcome.FAIL),
    ],
)
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
