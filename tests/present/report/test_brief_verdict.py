"""The verdict in brief: a cause, and under it the reasons that its own sentence does not tell."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from core.burnin.record.rows import MACHINE, Outcome, Reason, ReasonCriterion, RunDevice, Verdict
from core.burnin.record.store import RunStore
from core.machine.telemetry.xid import xid
from core.present.report.document import Words
from core.present.report.recorded_run import RecordedRun
from core.present.report.run_verdict import brief_blocks
from core.present.report.terminal import print_blocks
from core.words import tr
from tests.burnin.begun_run import begun
from tests.present.report.recorded import TITLES, UUIDS, device, record_run

FAIL, WARN = Outcome.FAIL, Outcome.WARN
PENDING = Reason(FAIL, "A page waits.", criterion=ReasonCriterion.COUNTER, about="remap_pending")
MISSED = Reason(FAIL, "The plan is missed.", criterion=ReasonCriterion.PLAN)
HOT = Reason(FAIL, "It is hot.", criterion=ReasonCriterion.HEAT)
ABOVE = Reason(WARN, "Above the plan.", criterion=ReasonCriterion.PLAN, about="temperature_c")
STAGE = Reason(FAIL, "Verified GEMM: it failed.", criterion=ReasonCriterion.STAGE, stage=2)
VICTIM = Reason(FAIL, "It was ended with it.", criterion=ReasonCriterion.STAGE, about=UUIDS[1], stage=2)
COUNTED = Reason(FAIL, "Errors.", measured=2.0, criterion=ReasonCriterion.COUNTER, about="ecc_uncorrected")
XID = Reason(FAIL, xid(79).sentence, criterion=ReasonCriterion.XID, about="79")
XIDS = replace(XID, text="It came 3 times.")
UNKNOWN_XID = Reason(FAIL, "The driver complains.", criterion=ReasonCriterion.XID)
STOP = Reason(Outcome.INCOMPLETE, "No telemetry for 10 s.", criterion=ReasonCriterion.STOP, time_s=30.0)


def under_causes(store: RunStore, *reasons: Reason, other: tuple[Reason, ...] = ()) -> list[str]:
    """What stands under each cause. `reasons` are of the machine and GPU 1, `other` of GPU 0."""
    run_id = record_run(store, verdict=False)
    of_machine = tuple(reason for reason in reasons if reason.criterion == ReasonCriterion.STOP)
    of_card = tuple(reason for reason in reasons if reason not in of_machine)
    judged = ((MACHINE, of_machine), (UUIDS[0], other), (UUIDS[1], of_card))
    store.finish(run_id, [Verdict(device_id, FAIL, against) for device_id, against in judged])
    blocks = list(brief_blocks(RecordedRun.read(store, run_id)))
    return [cell.below for row in blocks[1].rows for cell in row if isinstance(cell, Words)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("reasons", "below"),
    [
        ((PENDING,), [""]),
        ((COUNTED,), ["GPU 1: Errors."]),
        ((MISSED,), [""]),
        ((HOT, ABOVE), ["GPU 1: Above the plan."]),
        ((STAGE,), [""]),
        ((XID,), [""]),
        ((XIDS,), ["GPU 1: It came 3 times."]),
        ((UNKNOWN_XID,), [""]),
        ((STOP,), [""]),
    ],
)
def test_a_cause_is_not_repeated_under_itself(store: RunStore, reasons: tuple[Reason, ...], below: list[str]) -> None:
    assert under_causes(store, *reasons) == below


def test_who_was_stopped_with_a_card_stands_under_its_cause_and_the_cause_once(store: RunStore) -> None:
    assert under_causes(store, STAGE, other=(VICTIM,)) == ["GPU 0: It was ended with it."]
    assert under_causes(store, other=(VICTIM,)) == [""], "by itself where the other has no cause"


def test_what_several_stages_have_in_common_is_reported_stage_by_stage(store: RunStore) -> None:
    first, second = (
        Reason(
            FAIL,
            tr("{stage}: {finding}", stage=TITLES[number], finding="It failed."),
            criterion=ReasonCriterion.STAGE,
            stage=number,
        )
        for number in (2, 3)
    )
    assert under_causes(store, first, second) == [
        "GPU 1: Verified GEMM: It failed.\nGPU 1: Transformer training: It failed."
    ]


def test_a_run_without_a_tested_device_has_no_list_of_devices(store: RunStore) -> None:
    run_id = begun(store, devices=[RunDevice(device(0), 0, False)])
    store.finish(run_id, [Verdict(MACHINE, FAIL, (Reason(FAIL, "No device."),))])
    out = StringIO()
    print_blocks(Console(file=out, width=200), brief_blocks(RecordedRun.read(store, run_id)))
    assert "No device." in out.getvalue()
    assert "None." not in out.getvalue()
