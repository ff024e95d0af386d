"""What a wall meter read during a run counts in its verdict, stands in its chain, and is shown; a file attached later
is shown beside and changes nothing.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from core.burnin.guards.device import DeviceGuards
from core.burnin.measured.meter_files import facts_of_run, phases_of
from core.burnin.planned import read_plan
from core.burnin.profile.profile import Guards, OwnLimit
from core.burnin.record.rows import InterruptionKind, Outcome, Reason
from core.burnin.record.run_facts import WallFacts, wall_of
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, choose_devices
from core.burnin.run.recovery import close_run
from core.burnin.run.run_setup import require_wall_meter
from core.burnin.sealing import SealState, change_lines, check_run, seal_run
from core.burnin.verdict.predicted import PlannedRun
from core.burnin.verdict.recorded import Recorded
from core.burnin.verdict.wall import MeasuredWall, WallRecord, highest_minute_w, measured_wall, read_wall, wall_reasons
from core.machine.tables.wall_columns import WallForm
from core.machine.tables.wall_table import read_wall_table
from core.machine.telemetry.metrics import WALL
from core.machine.telemetry.source import WALL_ID
from core.plan.file import dump_build
from core.platform.errors import BadInput, EnvironmentProblem
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.power import drawn_at_the_wall, left_of_circuits_w, supplied_w
from core.present.certificate.certificate import Agreement, read_certificate
from core.present.report.run_report import run_document
from tests.burnin.made_run import run_of, stage
from tests.burnin.metered_run import END_S, IDLE_S, METER, PROCESSOR, Read, metered_run
from tests.burnin.test_store import CARD
from tests.present.report.recorded import planned, record_run

PLAN = PlannedRun(planned())
IDLE_W, TRAINING_W = (PLAN.prediction.wall_w[load].expected for load in (LoadCase.IDLE, LoadCase.TRAINING))


def steps(idle_w: float = IDLE_W, load_w: float = TRAINING_W) -> Read:
    return lambda second: idle_w if second <= IDLE_S else load_w


def reasons_of(store: RunStore, number: int) -> list[Reason]:
    return list(wall_reasons(Recorded.of(store, number), read_wall(store, number)))


def test_idle_and_load_are_held_against_plan_circuit_and_what_the_devices_report(store: RunStore) -> None:
    reasons = reasons_of(store, metered_run(store, steps()))
    assert [reason.outcome for reason in reasons] == [Outcome.PASS] * 4
    idle, soak, circuit, beside = reasons
    assert (idle.measured, idle.stage) == (pytest.approx(IDLE_W, abs=0.1), 0)
    assert (soak.measured, soak.stage) == (pytest.approx(TRAINING_W, abs=0.1), 1)
    assert circuit.limit == round(left_of_circuits_w(PLAN.plan), 1)
    assert circuit.source == PLAN.plan.circuit.source
    assert (beside.limit, beside.source) == (350.0, "APC Smart-UPS 3000, office@rack, ups.realpower")
    assert f"{TRAINING_W - 350:.0f} W are left" in beside.text
    assert {reason.about for reason in reasons} == {"machine_power_w"}


def test_beyond_circuit_and_psus_is_a_warning_with_its_source(store: RunStore) -> None:
    left_w = left_of_circuits_w(PLAN.plan)
    rated_w = supplied_w(PLAN.plan)
    assert rated_w is not None
    most_w = drawn_at_the_wall(PLAN.plan, Band(rated_w, rated_w, rated_w, "W")).expected
    over = max(left_w, most_w) + 200.0
    warned = [r for r in reasons_of(store, metered_run(store, steps(load_w=over))) if r.outcome is Outcome.WARN]
    figures = [(reason.measured, reason.limit) for reason in warned if reason.stage is None]
    assert figures == [(round(over, 1), round(left_w, 1)), (round(over, 1), round(most_w, 1))]
    assert [reason.source for reason in warned if reason.stage is None] == [
        PLAN.plan.circuit.source, "rating of the planned PSUs",
    ]  # fmt: skip


def test_a_meter_that_tells_less_than_the_cards_does_not_measure_the_whole_machine(store: RunStore) -> None:
    *_, last = reasons_of(store, metered_run(store, steps(100.0, 200.0), plan=False))
    assert (last.outcome, last.measured, last.limit) == (Outcome.WARN, 200.0, 350.0)
    assert "less than the 350 W that GPUs and CPU report" in last.text


def test_without_plan_and_power_of_the_devices_the_figure_itself_is_reported(store: RunStore) -> None:
    [reason] = reasons_of(store, metered_run(store, steps(100.0, 200.0), plan=False, card_w=0.0, cpu_w=0.0))
    assert (reason.outcome, reason.measured, reason.limit) == (Outcome.PASS, 200.0, None)
    assert reason.text == "Thermal soak: 200 W at the wall; no device reports its own power."


def test_before_the_first_sample_a_meter_has_failed_to_tell_nothing() -> None:
    nothing = np.empty(0)
    assert list(wall_reasons(run_of([stage(0, "idle")]), WallRecord((nothing, nothing), METER))) == []


@pytest.mark.parametrize(
    ("read", "says"),
    [
        (lambda second: None if second > 70 else 500.0, "told nothing for 89 of 101 samples of Thermal soak"),
        (lambda second: None if second < 30 else 500.0, "told nothing for 30 of 61 samples of Idle baseline"),
        (lambda _: None, "told nothing for 61 of 61 samples of Idle baseline"),
    ],
)
def test_what_the_meter_did_not_report_is_not_run_and_nothing_else_is_said(
    store: RunStore, read: Read, says: str
) -> None:
    [reason] = reasons_of(store, metered_run(store, read))
    assert (reason.outcome, reason.measured) == (Outcome.WARN, None)
    assert reason.text.startswith("Power at the wall: NOT RUN.")
    assert says.replace("101", "100").replace("61", "60") in reason.text or says in reason.text


def test_a_meter_that_told_nothing_is_not_run_though_no_stage_was_long_enough_to_compare() -> None:
    times = np.arange(60.0)
    silent = WallRecord((times, np.full(60, np.nan)), METER)
    [reason] = wall_reasons(run_of([stage(0, "vram", 0.0, 60.0)]), silent)
    assert (reason.outcome, reason.text) == (
        Outcome.WARN, "Power at the wall: NOT RUN. The wall meter told nothing; see the events.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("watts", "sentence"),
    [
        (399.0, "399 W, below the 400 to 500 W predicted (plug.csv)."),
        (400.0, "400 W, within the 400 to 500 W predicted (plug.csv)."),
        (501.0, "501 W, above the 400 to 500 W predicted (plug.csv)."),
    ],
)
def test_a_figure_at_the_wall_is_told_with_its_place_in_the_prediction(watts: float, sentence: str) -> None:
    predicted = MeasuredWall(LoadCase.TRAINING, watts, "plug.csv", True, Band(400.0, 450.0, 500.0, "W"))
    alone = replace(predicted, predicted=None)
    assert predicted.sentence.replace("\xa0", " ") == f"At the wall in training: {sentence}"
    assert (alone.place, alone.sentence.replace("\xa0", " ")) == (
        "", f"At the wall in training: {watts:.0f} W (plug.csv).",
    )  # fmt: skip


def test_the_highest_minute_is_no_peak_and_needs_a_minute() -> None:
    times = np.arange(120.0)
    watts = np.full(120, 500.0)
    watts[60] = 5000.0
    assert highest_minute_w(times, watts) == pytest.approx(500 + 4500 / 60)
    assert highest_minute_w(times[:40], watts[:40]) is None
    assert highest_minute_w(times, np.full(120, np.nan)) is None


def test_a_limit_of_the_profile_on_the_wall_ends_the_loads() -> None:
    """The profile owns it, and a run that breaches it fails."""
    limit = OwnLimit(metric="machine_power_w", above=2000.0, for_s=5, device="wall")
    guards = Guards(limits=(limit,))
    of_meter, of_cpu = (DeviceGuards(device, guards, under_test=False) for device in (METER, PROCESSOR))
    breaches = [of_meter.breach(float(second), {"machine_power_w": 2100.0}) for second in range(8)]
    assert "Machine power was above 2000 W for" in (breaches[-1] or "")
    assert not any(of_cpu.breach(float(second), {"machine_power_w": 2100.0}) for second in range(8))


def test_an_edited_reading_of_the_meter_is_noticed_by_the_seal(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        number = metered_run(store, steps())
        seal_run(store, number)
        assert check_run(store, number).state is SealState.INTACT
        where = "device_id = ? AND metric = ?"
        [(data,)] = store._db.execute(f"SELECT data FROM chunks WHERE {where}", (WALL_ID, WALL)).fetchall()
    with closing(sqlite3.connect(store.path)) as db, db:
        edited = data[:-1] + bytes([data[-1] ^ 1])
        assert db.execute(f"UPDATE chunks SET data = ? WHERE {where}", (edited, WALL_ID, WALL)).rowcount == 1
    with closing(RunStore(tmp_path)) as store:
        check = check_run(store, number)
        assert check.state is SealState.CHANGED
        assert any("APC Smart-UPS 3000" in line for line in change_lines(store, number, check.changes))


def test_a_run_that_is_closed_by_hand_is_judged_by_what_the_meter_told_too(store: RunStore) -> None:
    number = metered_run(store, steps(load_w=2 * TRAINING_W), over=False)
    store.mark_interrupted(number, InterruptionKind.KILLED, "killed")
    machine = close_run(store, number)[0]
    assert any(r.about == "machine_power_w" and r.outcome is Outcome.WARN for r in machine.reasons)


def test_the_meter_is_never_burned_in_and_one_that_cannot_be_read_refuses_the_run() -> None:
    assert choose_devices([CARD, PROCESSOR, METER], ()) == [CARD]
    with pytest.raises(BadInput, match="matches no device"):
        choose_devices([CARD, PROCESSOR, METER], ("wall",))
    require_wall_meter([CARD, METER])
    with pytest.raises(EnvironmentProblem, match="To run without it, leave out --wall"):
        require_wall_meter([replace(METER, detail={"problem": "It cannot be reached."})])


def test_a_simulation_has_no_wall_and_an_address_is_checked_before_anything_starts() -> None:
    with pytest.raises(BadInput, match="A simulated run draws no power"):
        BurnOrder(wall="nut:office", simulate="3090").validate_words()
    with pytest.raises(BadInput, match="is no wall meter"):
        BurnOrder(wall="office").validate_words()
    BurnOrder(wall="nut:office@rack").validate_words()


# -- a file that is attached afterwards --------------------------------------------------------------------------------


def meter_file(folder: Path, start: datetime, idle_w: float, load_w: float, *, step_s: int = 5) -> Path:
    path = folder / "plug.csv"
    rows = (
        f"{start + timedelta(seconds=s):%Y-%m-%d %H:%M:%S},{idle_w if s < IDLE_S else load_w}"
        for s in range(-30, END_S + 30, step_s)
    )
    path.write_text("\n".join(["Time,Power (W)", *rows]) + "\n")
    return path


def started(store: RunStore, number: int) -> datetime:
    return datetime.fromisoformat(store.run(number).started_at).astimezone()


def test_a_file_is_held_against_the_stages_by_its_clock(store: RunStore, tmp_path: Path) -> None:
    number = metered_run(store, lambda _: None)
    path = meter_file(tmp_path, started(store, number), 95.0, 480.0)
    facts = facts_of_run(path, read_wall_table(path), store, number)
    assert (facts.idle_w, facts.load_w, facts.load) == (95.0, 480.0, LoadCase.TRAINING)
    assert (facts.file, facts.sha256) == ("plug.csv", sha256(path.read_bytes()).hexdigest())
    assert (facts.column, facts.form) == ("Power (W)", "power")


def test_times_that_do_not_meet_the_run_are_said_with_both_spans_and_can_be_shifted(
    store: RunStore, tmp_path: Path
) -> None:
    number = metered_run(store, lambda _: None)
    path = meter_file(tmp_path, started(store, number) - timedelta(hours=2), 95.0, 480.0)
    table = read_wall_table(path)
    with pytest.raises(BadInput, match=r"plug.csv tells of 20\d\d-.* run 1 went from 20\d\d-.*--offset"):
        facts_of_run(path, table, store, number)
    assert facts_of_run(path, table, store, number, 7200.0).load_w == 480.0


def test_seconds_of_the_run_need_no_clock(store: RunStore, tmp_path: Path) -> None:
    number = metered_run(store, lambda _: None)
    path = tmp_path / "seconds.csv"
    path.write_text("seconds,W\n" + "".join(f"{s},{95 if s < IDLE_S else 480}\n" for s in range(END_S)))
    facts = facts_of_run(path, read_wall_table(path), store, number)
    assert (facts.idle_w, facts.load_w) == (95.0, 480.0)


def test_rows_too_far_apart_for_the_stages_are_refused(store: RunStore, tmp_path: Path) -> None:
    number = metered_run(store, lambda _: None)
    path = meter_file(tmp_path, started(store, number), 95.0, 480.0, step_s=60)
    with pytest.raises(BadInput, match=r"covers no steady part.*60 s apart"):
        facts_of_run(path, read_wall_table(path), store, number)


def test_clock_times_of_an_interrupted_run_are_refused(store: RunStore, tmp_path: Path) -> None:
    number = metered_run(store, lambda _: None)
    store.add_interruption(number, InterruptionKind.KILLED, 10.0, "killed")
    path = meter_file(tmp_path, started(store, number), 95.0, 480.0)
    with pytest.raises(BadInput, match="was interrupted"):
        facts_of_run(path, read_wall_table(path), store, number)


def test_what_is_attached_is_a_fact_beside_a_sealed_verdict(store: RunStore, tmp_path: Path) -> None:
    number = metered_run(store, steps())
    seal_run(store, number)
    before = store.verdicts(number)
    path = meter_file(tmp_path, started(store, number), 95.0, 3 * TRAINING_W)
    store.set_facts(number, facts_of_run(path, read_wall_table(path), store, number).changes())
    assert check_run(store, number).state is SealState.INTACT
    assert store.verdicts(number) == before
    walls = measured_wall(store, number, read_plan(store.run(number).build))
    assert [(wall.load, wall.attached) for wall in walls] == [
        (LoadCase.IDLE, False), (LoadCase.TRAINING, False), (LoadCase.IDLE, True), (LoadCase.TRAINING, True),
    ]  # fmt: skip
    assert "above the" in walls[-1].sentence
    assert walls[-1].origin == "plug.csv, Power (W)"
    wall_facts = json.loads(json.dumps(run_document(store, number).data["wall"]))
    assert wall_facts[-1]["file_sha256"] == sha256(path.read_bytes()).hexdigest()
    assert wall_facts[-1]["attached_at"]
    blocks = str(run_document(store, number).blocks)
    assert "The verdict does not count it." in blocks
    assert sha256(path.read_bytes()).hexdigest() in blocks
    certificate = read_certificate(store, number)
    assert [(row.title, row.agreement) for row in certificate.plan if "at the wall" in row.title] == [
        ("Power at the wall", Agreement.SAME),
        ("Power at the wall when idle, plug.csv", Agreement.NOTED),
        ("Power at the wall, plug.csv", Agreement.NOTED),
    ]
    assert [change.name for change in certificate.told_later] == ["wall_idle_w", "wall_load_w"]


def test_a_newer_file_takes_the_place_of_an_older_and_changed_facts_are_not_shown(store: RunStore) -> None:
    number = metered_run(store, lambda _: None)
    store.set_facts(number, WallFacts(idle_w=90.0, load_w=400.0, load=LoadCase.TRAINING, file="a.csv").changes())
    store.set_facts(number, WallFacts(load_w=500.0, load=LoadCase.EVERYTHING, file="b.csv").changes())
    facts = wall_of(store.fact_changes(number))
    assert (facts.idle_w, facts.load_w, facts.load, facts.file) == (None, 500.0, LoadCase.EVERYTHING, "b.csv")
    store.set_facts(number, {"wall_load_w": "-3"})
    assert wall_of(store.fact_changes(number)) is None


def test_a_file_alone_tells_its_own_steady_phases(tmp_path: Path) -> None:
    path = tmp_path / "alone.csv"
    shape = [95.0] * 300 + list(np.linspace(95, 480, 40)) + [480.0] * 600 + [300.0] * 20 + [96.0] * 120
    path.write_text("seconds,W\n" + "".join(f"{s},{w:.1f}\n" for s, w in enumerate(shape)))
    table = read_wall_table(path)
    assert table.form is WallForm.POWER
    phases = phases_of(path, table)
    assert (phases.idle_w, phases.load_w) == (pytest.approx(95.1, abs=0.5), pytest.approx(480.0, abs=1.0))
    path.write_text("seconds,W\n" + "".join(f"{s},480\n" for s in range(300)))
    assert phases_of(path, read_wall_table(path)).idle_w is None


def test_certificate_and_report_tell_what_the_meter_told(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        number = record_run(store, build=dump_build(planned()))
        assert {row.title: row for row in read_certificate(store, number).plan}[
            "Power at the wall"
        ].agreement is Agreement.UNKNOWN
        assert "not measured by this run" in str(run_document(store, number).blocks)
        number = metered_run(store, steps(), meter=False)
        assert len(read_wall(store, number).measured[0]) == END_S
        row = {row.title: row for row in read_certificate(store, number).plan}["Power at the wall"]
        assert (row.agreement, row.measured) == (Agreement.SAME, f"{TRAINING_W:.0f}\N{NO-BREAK SPACE}W")
        assert "At the wall in Thermal soak" in str(run_document(store, number).blocks)
