"""A recorded run as measurements: the steady end of its load, by device, and simulated ones marked."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from core.burnin.measured.run import measured_run
from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import RunDevice, StageStatus
from core.burnin.record.store import RunStore
from core.cli.app import app
from core.lab.calibrate.fit import calibrate
from core.lab.calibrate.measurements import last_window
from core.machine.telemetry.device import Device, DeviceKind
from core.plan.build import Build
from core.plan.file import load_build, save_build
from core.platform.errors import BadInput
from core.predict.prediction import predict
from tests.lab.calibrate.benches import ROOM_C, machine
from tests.present.report.recorded import device, record_run

STEP_S = 10
LOAD_S = 2400
PRODUCT = {"product": "GeForce RTX 3090"}


def record(store: RunStore, *, simulated: bool = False, seconds: int = LOAD_S, rising_k: float = 0.0) -> int:
    """Two GPUs and the processor: idle, then a load until they are steady, then rest."""
    stages = (("idle", 0, 60), ("gemm", 60, 60 + seconds // 2), ("transformer", 60 + seconds // 2, 60 + seconds))
    stages = (*stages, ("cooldown", 60 + seconds, 120 + seconds))
    settings = [StageSettings.model_validate({"kind": kind, "seconds": end - start}) for kind, start, end in stages]
    profile = Profile(name="long", title="Long", description="Long enough.", stages=tuple(settings))
    cpu = Device(id="cpu", kind=DeviceKind.CPU, name="CPU", simulated=simulated)
    gpus = [device(1, simulated=simulated), device(0, simulated=simulated)]
    devices = [*(replace(gpu, index=place) for place, gpu in enumerate(gpus)), cpu]
    rows = [RunDevice(one, place, one.kind is DeviceKind.GPU) for place, one in enumerate(devices)]
    run_id = store.create_run(
        title="Long", profile=profile, devices=rows, stage_titles=[kind for kind, *_ in stages], boot_id="b",
        machine="tower-7", version="0.1.0",
    )  # fmt: skip
    for number, (_, start, end) in enumerate(stages):
        store.start_stage(run_id, number, float(start), "b")
        store.end_stage(run_id, number, float(end), StageStatus.DONE)
    for second in range(0, 120 + seconds, STEP_S):
        busy = 60 <= second < 60 + seconds
        store.add_tick(run_id, float(second), {one.id: _sample(one, second, busy, rising_k) for one in devices})
    return run_id


def _sample(one: Device, second: int, busy: bool, rising_k: float) -> dict[str, float | None]:
    if one.kind is DeviceKind.CPU:
        return {"temperature_c": 55.0, "power_w": 80.0}
    bus = 0 if one.bus_id == "0000:41:00.0" else 1
    warm = 1 - np.exp(-(second - 60) / 120) if busy else 0.0
    return {
        "temperature_c": round(35 + (40 - 5 * bus) * warm + rising_k * second / 600),
        "power_w": 250.0 - bus if busy else 25.0,
        "fan_pct": 70.0 if busy else 30.0,
    }


def test_the_means_of_the_last_ten_minutes_under_load_are_taken(store: RunStore) -> None:
    measurements = measured_run(store, record(store), machine((1, 3), **PRODUCT), slots=(3, 1))
    assert [(card.slot, card.temperature_c, card.power_w, card.fan_share) for card in measurements.cards] == [
        (3, pytest.approx(75), pytest.approx(250), pytest.approx(0.7)),
        (1, pytest.approx(70), pytest.approx(249), pytest.approx(0.7)),
    ], "by the order of bus ids"
    assert measurements.minutes == pytest.approx(LOAD_S / 60, abs=0.5)
    assert all(abs(card.drift_k) < 0.1 for card in measurements.cards)
    assert (measurements.run, measurements.by, measurements.simulated) == ("run 1", "tower-7", False)
    assert measurements.cpu.power_w == pytest.approx(80)


def test_gpus_of_another_name_than_the_build_has_in_their_slots_are_remarked_upon(store: RunStore) -> None:
    run_id = record(store)
    same, other = machine((1, 3), **PRODUCT), machine((1, 3), product="GeForce GTX 1080 Ti")
    assert measured_run(store, run_id, same, slots=(1, 3)).doubts == ()
    doubts = measured_run(store, run_id, other, slots=(1, 3)).doubts
    assert len(doubts) == 2
    assert "slot 1 of the build has GeForce GTX 1080 Ti" in doubts[0]
    measurements = replace(measured_run(store, run_id, other, slots=(1, 3)), room_c=ROOM_C)
    assert set(doubts) <= set(calibrate(other, measurements).remarks)


def test_without_slots_the_cards_are_found_by_the_name_of_their_product(store: RunStore) -> None:
    measurements = measured_run(store, record(store), machine((1, 3), **PRODUCT))
    assert {(card.part_id, card.slot) for card in measurements.cards} == {("gpu", None)}


def test_a_run_that_still_warms_is_not_steady(store: RunStore) -> None:
    build = machine((1, 3), **PRODUCT)
    measurements = measured_run(store, record(store, rising_k=1.0), build)
    assert all(card.drift_k > 0.5 for card in measurements.cards)
    assert not calibrate(build, replace(measurements, room_c=ROOM_C)).calibration


@pytest.mark.parametrize("seconds", [4, 60, 400])
def test_a_short_run_is_not_steady(store: RunStore, seconds: int) -> None:
    build = machine((1, 3), **PRODUCT)
    measurements = measured_run(store, record(store, seconds=seconds), build)
    assert not calibrate(build, replace(measurements, room_c=ROOM_C)).calibration


@pytest.mark.parametrize("simulated", [False, True])
def test_a_recorded_run_calibrates_by_the_command_and_a_simulated_one_only_when_asked_for(
    store: RunStore, filled_folder: Path, tmp_path: Path, simulated: bool
) -> None:
    shutil.copytree(filled_folder, tmp_path, dirs_exist_ok=True)
    save_build(machine((1, 3), **PRODUCT), tmp_path / "mine.rig.json")
    run_id, out = record(store, simulated=simulated), tmp_path / "calibrated.rig.json"
    store.close()
    words = ["calibrate", str(tmp_path / "mine.rig.json"), "--run", str(run_id), "--slots", "1,3", "--room", "24"]
    words += ["--sound", "60", "--distance", "0.5", "--background", "30", "-o", str(out), "--data-dir", str(tmp_path)]
    plain = CliRunner().invoke(app, words)
    if simulated:
        assert isinstance(plain.exception, BadInput)
        assert "is simulated: it has no measurements" in str(plain.exception)
        assert not out.exists()
        plain = CliRunner().invoke(app, [*words, "--allow-simulated"])
    assert plain.exit_code == 0, plain.output
    assert ("SIMULATED, not measured" in plain.output) == simulated
    after = load_build(out, lambda _: None)
    assert after.calibration.simulated == simulated
    assert after.calibration.resistance_of("gpu") is not None
    assert after.calibration.level_db is not None, "the sound is that of the same run"
    notes = [note for note in predict(after).assumptions if "calibrated by run 1" in note]
    assert len(notes) == 2
    assert all(("SIMULATED" in note) == simulated for note in notes)


@pytest.mark.parametrize(
    ("build", "slots", "sentence"),
    [
        (machine((1, 3)), (), "they cannot be matched by name"),
        (machine((1, 3), **PRODUCT), (1, 2, 3), "names 3 slots for the 2 GPUs"),
    ],
)
def test_devices_that_cannot_be_identified_are_asked_for(
    store: RunStore, build: Build, slots: tuple[int, ...], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        measured_run(store, record(store, seconds=100), build, slots=slots)


def test_the_short_run_with_a_lost_device_of_the_report_tests_is_refused(store: RunStore) -> None:
    build = machine((1, 3), **PRODUCT)
    measurements = measured_run(store, record_run(store), build, allow_simulated=True)
    outcome = calibrate(build, replace(measurements, room_c=ROOM_C))
    assert not outcome.calibration
    assert "was not steady" in outcome.refusals[0]


def test_a_window_needs_samples_nearly_throughout() -> None:
    time_s = np.arange(0.0, 1000.0, 10.0)
    values = 50 + 0.001 * time_s
    whole = last_window(time_s, values, 990)
    assert (whole.mean, whole.drift) == (pytest.approx(50.695, abs=0.01), pytest.approx(0.6, abs=0.01))
    assert last_window(time_s, np.where(time_s > 600, values, np.nan), 990) is None
    assert last_window(time_s[:0], values[:0], 990) is None
