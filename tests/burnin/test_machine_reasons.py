"""What the verdict on the machine rests on besides its devices: every row of the record that counts, and none other."""

from __future__ import annotations

from typing import Any

import pytest

from core.asbuilt.as_built import AsBuilt, MachineFacts
from core.asbuilt.bus import BusCard, BusCause, LeftOutBy
from core.burnin.profile.file import find_profile
from core.burnin.record.rows import EventLevel, InterruptionKind, ResultStatus, RunDevice, StageResult
from core.burnin.record.store import RunStore
from core.burnin.verdict.machine_reasons import machine_reasons
from tests.burnin.made_run import CARD, FAIL, INCOMPLETE, PASS, PROCESSOR, WARN, twin

OTHER = twin(1)
PROFILE = find_profile("quick-test")
STAGES = [f"Stage {number}" for number in range(len(PROFILE.stages))]


@pytest.fixture
def run(store: RunStore) -> int:
    """One card was burned in; another and the processor only watched."""
    devices = [RunDevice(device, n, burned=device is CARD) for n, device in enumerate((CARD, OTHER, PROCESSOR))]
    return store.create_run(
        title="x", profile=PROFILE, devices=devices, stage_titles=STAGES, boot_id="b", machine="here", version="1"
    )


def told(store: RunStore, run: int) -> list[tuple[Any, str]]:
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
    assert told(store, run) == [
        (WARN, "warn of the machine."), (WARN, f"{OTHER.title}: warn beside."), (WARN, "warn of a stranger."),
        (FAIL, "error of the machine."), (FAIL, f"{OTHER.title}: error beside."), (FAIL, "error of a stranger."),
    ], "in the order in which it was told"  # fmt: skip


def test_the_same_remark_is_told_once(store: RunStore, run: int) -> None:
    for time_s in (1.0, 2.0):
        store.add_event(run, time_s, EventLevel.WARN, "room", "It is warm.")
    assert told(store, run) == [(WARN, "It is warm.")]


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
    assert told(store, run) == [(outcome, f"{PROCESSOR.title}, Stage 1: {text}") for outcome, text in expected]


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
    assert [text for _, text in told(store, run)] == ["A gap.", "It is warm.", f"{PROCESSOR.title}, Stage 1: Fine."]
