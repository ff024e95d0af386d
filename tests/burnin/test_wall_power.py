"""The whole machine at the wall beside its prediction: like with like, above and below."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from core.build.file import dump_build
from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import (
    MACHINE,
    Outcome,
    ResultStatus,
    RunDevice,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.record.store import RunStore
from core.burnin.verdict.predicted import PlannedRun
from core.burnin.verdict.recorded import Recorded
from core.burnin.verdict.wall import WallRecord, read_wall, wall_comparison, wall_reasons
from core.certificate.certificate import Agreement, read_certificate
from core.predict.conditions import LoadCase
from core.report.run_report import run_document
from core.telemetry.device import Device, DeviceKind
from core.telemetry.source import CPU_ID
from tests.report.recorded import UUIDS, device, planned, record_run

PLAN = PlannedRun(planned())
TRAINING = PLAN.prediction.wall_w[LoadCase.TRAINING]
SECONDS = np.arange(300.0)


def stage(number: int, kind: str, start_s: float, end_s: float) -> StageRow:
    return StageRow(number, kind, kind, end_s - start_s, StageStatus.DONE, 1.0, start_s, end_s, None)


SOAK, WHOLE = stage(0, "soak", 0.0, 90.0), stage(1, "whole-system", 100.0, 190.0)


@pytest.mark.parametrize(
    ("watts", "outcome", "word"),
    [
        (TRAINING.expected, Outcome.PASS, "within"),
        (1.3 * TRAINING.high, Outcome.WARN, "above"),
        (0.7 * TRAINING.low, Outcome.WARN, "below"),
    ],
)
def test_above_and_below_the_prediction_is_a_warning(tmp_path: Path, watts: float, outcome: Outcome, word: str) -> None:
    with closing(RunStore(tmp_path)) as store:
        run = Recorded.of(store, record_run(store, build=dump_build(planned())))
    [reason] = wall_reasons(
        Recorded(run.profile, run.devices, [SOAK], [], {}, plan=run.plan), WallRecord((SECONDS, np.full(300, watts)))
    )
    assert reason.outcome is outcome
    assert reason.text.startswith("At the wall in soak: ")
    assert f"{word} the" in reason.text


def test_the_soak_is_held_against_training_and_the_whole_system_against_all_of_it() -> None:
    watts = np.where(SECONDS < 100, 1000.0, 1500.0)
    soak = wall_comparison(PLAN, [SOAK, WHOLE], (SECONDS, watts))
    whole = wall_comparison(PLAN, [WHOLE], (SECONDS, watts))
    assert soak is not None
    assert whole is not None
    assert (soak.measured, soak.predicted) == (1000.0, TRAINING)
    assert (whole.measured, whole.predicted) == (1500.0, PLAN.prediction.wall_w[LoadCase.EVERYTHING])


def test_what_is_not_steady_or_has_no_prediction_is_not_compared() -> None:
    watts = np.full(300, 1000.0)
    assert wall_comparison(PLAN, [stage(0, "soak", 0.0, 10.0)], (SECONDS, watts)) is None
    assert wall_comparison(PLAN, [stage(0, "vram", 0.0, 90.0)], (SECONDS, watts)) is None
    assert wall_comparison(PLAN, [SOAK], (SECONDS, np.full(300, np.nan))) is None


def test_certificate_and_report_tell_what_the_meter_told(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        number = record_run(store, build=dump_build(planned()))
        assert {row.title: row for row in read_certificate(store, number).plan}[
            "Power at the wall"
        ].agreement is Agreement.UNKNOWN
        assert "not measured by this run" in str(run_document(store, number).blocks)
        number = measured_run(store, TRAINING.expected)
        assert len(read_wall(store, number).measured[0]) == 60
        row = {row.title: row for row in read_certificate(store, number).plan}["Power at the wall"]
        assert (row.agreement, row.measured) == (Agreement.SAME, f"{TRAINING.expected:.0f}\N{NO-BREAK SPACE}W")
        assert "At the wall in Thermal soak" in str(run_document(store, number).blocks)


def measured_run(store: RunStore, watts: float) -> int:
    """A minute of soak in which the board tells the power at the wall."""
    processor = Device(CPU_ID, DeviceKind.CPU, "Processor")
    soak = StageSettings(kind="soak", seconds=60)
    number = store.create_run(
        title="Soak", profile=Profile(name="soak", title="Soak", stages=(soak,)), stage_titles=("Thermal soak",),
        devices=[RunDevice(device(0), 0, True), RunDevice(processor, 1, False)], boot_id="boot", machine="here",
        version="1", build=dump_build(planned()),
    )  # fmt: skip
    store.start_stage(number, 0, 0.0, "boot")
    for second in range(60):
        store.add_tick(number, float(second), {UUIDS[0]: {"power_w": 300.0}, CPU_ID: {"machine_power_w": watts}})
    store.end_stage(number, 0, 60.0, StageStatus.DONE)
    store.add_result(number, StageResult(0, UUIDS[0], ResultStatus.PASSED, "fine"))
    store.finish(number, [Verdict(id_, Outcome.PASS, ()) for id_ in (MACHINE, UUIDS[0])])
    return number
