"""The noise of a run: what was told or recorded, beside what its plan predicts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from core.burnin.measured.meter_files import read_noise_file
from core.burnin.planned import read_plan
from core.burnin.profile.profile import Criteria, Profile, StageSettings
from core.burnin.record.rows import Outcome, RunDevice, StageStatus
from core.burnin.record.run_facts import NoiseFacts, noise_of, told_noise
from core.burnin.record.store import RunStore
from core.burnin.verdict.noise import (
    MICROPHONE,
    NOT_MEASURED,
    MeasuredNoise,
    measured_noise,
    noise_reasons,
    predicted_noise,
    steady_levels,
)
from core.machine.telemetry.device import Device, DeviceKind
from core.plan.file import dump_build
from core.platform.errors import BadInput
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.prediction import predict
from core.present.report.document import Paragraph
from core.present.report.run_report import run_document
from tests.burnin.begun_run import begun
from tests.burnin.made_run import stage
from tests.present.report.recorded import planned, record_run

IDLE_S, LOAD_S = 60, 360


def quiet_run(store: RunStore, *, simulated: bool = False, noise: bool = True) -> int:
    """A minute at rest at 31 dBA, five of training at 44 dBA, by a microphone."""
    stages = [StageSettings.model_validate({"kind": kind, "seconds": s}) for kind, s in (("idle", 60), ("soak", 300))]
    cpu = Device(id="cpu", kind=DeviceKind.CPU, name="A processor", simulated=simulated)
    with store._db.atomic():
        profile = Profile(name="noise", title="Noise", stages=tuple(stages))
        run_id = begun(store, devices=[RunDevice(cpu, 0, True)], profile=profile, build=dump_build(planned()))
        for second in range(LOAD_S):
            level = 31.0 if second < IDLE_S else 44.0
            store.add_tick(run_id, float(second), {"cpu": {"power_w": 50.0, **({"noise_dba": level} if noise else {})}})
        for number, (start, end) in enumerate(((0, IDLE_S), (IDLE_S, LOAD_S))):
            store.start_stage(run_id, number, float(start), "boot-1")
            store.end_stage(run_id, number, float(end), StageStatus.DONE)
    return run_id


def levels_of(store: RunStore, run_id: int) -> dict[LoadCase, tuple[float, str]]:
    levels = measured_noise(store, run_id, read_plan(store.run(run_id).build))
    return {one.load: (round(one.level_dba, 1), one.origin) for one in levels}


def test_a_microphone_is_read_in_the_steady_part_of_each_load(store: RunStore) -> None:
    run_id = quiet_run(store)
    assert levels_of(store, run_id) == {LoadCase.IDLE: (31.0, MICROPHONE), LoadCase.TRAINING: (44.0, MICROPHONE)}


def test_a_reading_that_was_entered_goes_before_it_and_every_change_stays(store: RunStore) -> None:
    run_id = quiet_run(store)
    store.set_facts(run_id, told_noise(load_dba=50.0))
    store.set_facts(run_id, told_noise(load_dba=51.5, distance_m=0.5))
    assert levels_of(store, run_id)[LoadCase.TRAINING] == (51.5, "entered")
    assert levels_of(store, run_id)[LoadCase.IDLE] == (31.0, MICROPHONE)
    assert [change.value for change in store.fact_changes(run_id) if change.name == "noise_load_dba"] == ["50", "51.5"]


def test_louder_than_predicted_is_a_warning_and_quieter_is_none(store: RunStore) -> None:
    run_id = quiet_run(store, noise=False)
    plan = read_plan(store.run(run_id).build)
    store.set_facts(run_id, told_noise(idle_dba=6.0, load_dba=100.0))
    quiet, loud = noise_reasons(measured_noise(store, run_id, plan))
    assert (quiet.outcome, loud.outcome) == (Outcome.PASS, Outcome.WARN)
    assert "below the" in quiet.text
    assert loud.text.startswith(
        "Noise in training: 100.0\N{NO-BREAK SPACE}dBA at 1\N{NO-BREAK SPACE}m (entered), above the"
    )


def test_the_prediction_is_that_of_the_distance_and_the_room(store: RunStore) -> None:
    run_id = quiet_run(store, noise=False)
    plan = read_plan(store.run(run_id).build)
    highs = []
    for distance_m, background_dba in ((1.0, 20.0), (0.3, 20.0), (0.3, 70.0)):
        store.set_facts(run_id, told_noise(load_dba=44.0, distance_m=distance_m, background_dba=background_dba))
        band = measured_noise(store, run_id, plan)[0].predicted
        highs.append(band.high)
    assert highs[0] < highs[1] < highs[2]


def test_what_nobody_entered_about_the_room_is_as_in_predictions(store: RunStore) -> None:
    run_id = quiet_run(store, noise=False)
    plan, run = planned(), store.run(run_id)
    warm = replace(run, profile=run.profile.model_copy(update={"criteria": Criteria(room_c=31.0)}))
    for facts, setting, conditions in (
        (NoiseFacts(), run, Conditions(distance_m=1.0)),
        (NoiseFacts(background_dba=44.0), run, Conditions(distance_m=1.0, background_dba=44.0)),
        (NoiseFacts(distance_m=0.4), warm, Conditions(distance_m=0.4, room_c=31.0)),
    ):
        expected = predict(plan, conditions)
        assert predicted_noise(plan, setting, facts) == {
            LoadCase.IDLE: expected.noise_idle_in_room, LoadCase.TRAINING: expected.noise_load_in_room,
        }  # fmt: skip
    store.set_facts(run_id, told_noise(load_dba=44.0, idle_dba=30.0))
    levels = measured_noise(store, run_id, plan)
    assert [(one.load, one.distance_m, one.predicted is None) for one in levels] == [
        (LoadCase.IDLE, 1.0, False), (LoadCase.TRAINING, 1.0, False),
    ]  # fmt: skip


def test_without_a_plan_a_level_is_reported_and_not_judged(store: RunStore) -> None:
    run_id = quiet_run(store)
    assert [one.outcome for one in noise_reasons(measured_noise(store, run_id, None))] == [Outcome.PASS] * 2
    assert "predicts" not in measured_noise(store, run_id, None)[0].sentence


def test_simulated_devices_make_no_noise(store: RunStore) -> None:
    run_id = quiet_run(store, simulated=True)
    store.set_facts(run_id, told_noise(load_dba=44.0))
    assert measured_noise(store, run_id, None) == []


NBSP = "\N{NO-BREAK SPACE}"
HEARD = MeasuredNoise(LoadCase.TRAINING, 41.96, 0.5, "entered", Band(36.0, 40.0, 42.0, "dBA"))


@pytest.mark.parametrize(
    ("level_dba", "too_loud", "says"),
    [
        (35.9, False, "below the 36 to 42 dBA that the plan predicts"),
        (36.0, False, "within the 36 to 42 dBA that the plan predicts"),
        (42.0, False, "within the 36 to 42 dBA that the plan predicts"),
        (42.1, True, "above the 36 to 42 dBA that the plan predicts"),
    ],
)
def test_a_level_lies_within_its_band_at_both_ends(level_dba: float, too_loud: bool, says: str) -> None:
    one = replace(HEARD, level_dba=level_dba)
    assert one.too_loud is too_loud
    assert one.sentence == f"Noise in training: {level_dba}{NBSP}dBA at 0.5{NBSP}m (entered), {says}."
    [reason] = noise_reasons([one])
    outcome = Outcome.WARN if too_loud else Outcome.PASS
    assert (reason.outcome, reason.measured, reason.limit, reason.unit, reason.source, reason.about, reason.text) == (
        outcome, level_dba, 42.0, "dBA", "entered", "noise_dba", one.sentence,
    )  # fmt: skip


def test_a_level_without_a_prediction_and_the_values_for_json() -> None:
    alone = replace(HEARD, predicted=None)
    assert alone.sentence == f"Noise in training: 42.0{NBSP}dBA at 0.5{NBSP}m (entered)."
    assert [(one.outcome, one.limit) for one in noise_reasons([alone])] == [(Outcome.PASS, None)]
    common = {"load": "training", "measured_dba": 42.0, "distance_m": 0.5, "origin": "entered", "too_loud": False}
    assert alone.as_dict() == {**common, "predicted": None}
    assert HEARD.as_dict() == {**common, "predicted": HEARD.predicted.as_dict()}


@pytest.mark.parametrize(("kind", "load", "least_s"), [
    ("idle", LoadCase.IDLE, 20.0), ("soak", LoadCase.TRAINING, 300.0), ("gemm", LoadCase.TRAINING, 300.0),
    ("resnet", LoadCase.TRAINING, 300.0), ("vram", None, 20.0), ("whole-system", None, 300.0),
])  # fmt: skip
def test_a_stage_that_is_too_short_or_of_another_load_tells_nothing(
    kind: str, load: LoadCase | None, least_s: float
) -> None:
    times = np.arange(0.0, 400.0)
    quiet = np.full(len(times), 40.0)
    expected = {} if load is None else {load: pytest.approx(40.0)}
    assert steady_levels([stage(0, kind, 10.0, 10.0 + least_s)], times, quiet) == expected
    assert steady_levels([stage(0, kind, 10.0, 9.9 + least_s)], times, quiet) == {}
    assert steady_levels([stage(0, kind, None, 390.0), stage(1, kind, 0.0, None)], times, quiet) == {}


def test_the_last_third_counts_but_for_its_last_two_seconds() -> None:
    times = np.arange(0.0, 100.0)
    levels = np.full(len(times), 90.0)
    levels[70:88] = 40.0  # from 70 s on, until before 88 s
    idle = stage(0, "idle", 30.0, 90.0)
    assert steady_levels([idle], times, levels)[LoadCase.IDLE] == pytest.approx(40.0)
    for second, counts in ((69, False), (70, True), (87, True), (88, False)):
        louder = levels.copy()
        louder[second] = 60.0
        assert (steady_levels([idle], times, louder)[LoadCase.IDLE] > 40.1) is counts


def test_the_longest_stage_with_a_level_counts() -> None:
    times = np.arange(0.0, 200.0)
    levels = np.where(times < 100, 50.0, 30.0)
    short, long = stage(0, "idle", 0.0, 60.0), stage(1, "idle", 100.0, 190.0)
    assert steady_levels([short, long], times, levels) == {LoadCase.IDLE: pytest.approx(30.0)}
    assert steady_levels([long, short], times, np.where(times < 100, 50.0, np.nan)) == {
        LoadCase.IDLE: pytest.approx(50.0)
    }


@pytest.mark.parametrize(
    "readings", [{"idle_dba": 3.0}, {"load_dba": 200.0}, {"distance_m": 0.0}, {"load_dba": float("nan")}]
)
def test_what_no_meter_shows_is_refused(readings: dict[str, float]) -> None:
    with pytest.raises(BadInput, match="cannot be saved"):
        told_noise(**readings)


def test_a_changed_record_shows_nothing_as_measured(store: RunStore) -> None:
    run_id = quiet_run(store, noise=False)
    store.set_facts(run_id, {"noise_load_dba": "loud", "noise_origin": "typed"})
    assert noise_of(store.fact_changes(run_id)).facts.load_dba is None
    assert levels_of(store, run_id) == {}


@pytest.mark.parametrize("heading", ["", "time,level\n"])
@pytest.mark.parametrize("clock", [False, True])
def test_the_file_of_a_meter_is_held_against_the_stages(
    store: RunStore, tmp_path: Path, heading: str, clock: bool
) -> None:
    run_id = quiet_run(store, noise=False)
    start = datetime.fromisoformat(store.run(run_id).started_at)
    rows = [(s, 30.5 if s < IDLE_S else 47.0) for s in range(LOAD_S)]
    lines = [f"{(start + timedelta(seconds=s)).isoformat() if clock else s},{level}" for s, level in rows]
    file = tmp_path / "meter.csv"
    file.write_text(heading + "\n".join(lines), "utf-8")
    assert read_noise_file(file, store, run_id).levels == {"idle_dba": 30.5, "load_dba": 47.0}


def test_numbers_with_a_comma_are_read(store: RunStore, tmp_path: Path) -> None:
    run_id = quiet_run(store, noise=False)
    (tmp_path / "meter.csv").write_text("\n".join(f"{s};30,5" for s in range(IDLE_S)), "utf-8")
    assert read_noise_file(tmp_path / "meter.csv", store, run_id).levels == {"idle_dba": 30.5}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no rows with a time"),
        ("9000,40\n9001,40", "Are its times from"),
        ("1,40\nsoon,41", r"1 of 2 rows cannot be read, the first is line 2: 'soon, 41'"),
        ("1,40\n2", "has no level in the last third"),
        ("1,400", "no column that says it is a level"),
        ("0001-01-01T00:00:00,40", "meter.csv"),
        ("1,inf", "no column that says"),
    ],
)
def test_a_file_that_tells_nothing_says_why(store: RunStore, tmp_path: Path, text: str, why: str) -> None:
    run_id = quiet_run(store, noise=False)
    (tmp_path / "meter.csv").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=why):
        read_noise_file(tmp_path / "meter.csv", store, run_id)


def test_the_report_has_the_levels_or_says_that_nobody_measured(store: RunStore) -> None:
    silent = run_document(store, record_run(store, simulated=False))
    assert NOT_MEASURED in [block.text for block in silent.blocks if isinstance(block, Paragraph)]
    loud = run_document(store, quiet_run(store))
    assert [one["measured_dba"] for one in loud.data["noise"]] == [31.0, 44.0]
