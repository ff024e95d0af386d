"""The recording: what is written is read back, a follower gets it once, what a user tells of a run is kept."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlite_utils import Database

from core.burnin.profile.file import find_profile
from core.burnin.record.reader import FILE
from core.burnin.record.rows import (
    MACHINE,
    EventLevel,
    InterruptionKind,
    Outcome,
    Reason,
    ResultStatus,
    RunDevice,
    RunStatus,
    StageResult,
    StageStatus,
    UnreadableRecord,
    Verdict,
)
from core.burnin.record.run_facts import RunFacts, told_facts
from core.burnin.record.samples import COLUMN
from core.burnin.record.schema import migrations
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower
from core.burnin.sealing import SealState, check_run, seal_run
from core.cli.commands.runs import runs
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.source import Incident
from core.platform.errors import BadInput
from tests.burnin.begun_run import begun
from tests.burnin.many_cards import begun_with, card_id
from tests.patience import PATIENCE_S
from tests.present.report.recorded import record_run as finished_run

CARD = Device("SIM-0", DeviceKind.GPU, "Card", simulated=True, detail={"note": "模拟"})
CPU = Device("cpu", DeviceKind.CPU, "Processor")


def record_run(store: RunStore) -> int:
    devices = [RunDevice(CARD, 0, burned=True), RunDevice(CPU, 1, burned=False)]
    return begun(store, devices=devices, build='{"name": "plan"}')


def test_a_run_is_read_back_as_it_was_recorded(store: RunStore) -> None:
    run_id = record_run(store)
    run = store.run(run_id)
    assert (run.status, run.simulated, run.build) == (RunStatus.RUNNING, True, '{"name": "plan"}')
    assert run.profile == find_profile("quick-test")
    assert [row.device for row in store.devices(run_id)] == [CARD, CPU]
    assert {stage.status for stage in store.stages(run_id)} == {StageStatus.PENDING}


def test_a_follower_gets_every_sample_and_event_exactly_once(store: RunStore) -> None:
    run_id = record_run(store)
    follower = Follower(store, run_id)
    times: list[float] = []
    events: list[str] = []
    for tick in range(10):
        store.add_tick(run_id, float(tick), {CARD.id: {"power_w": 100.0 + tick}})
        store.add_event(run_id, float(tick), EventLevel.INFO, "tick", str(tick))
        if tick % 3 == 0:
            update = follower.poll()
            times += update.samples[CARD.id][:, 0].tolist()
            events += [event.message for event in update.events]
    update = follower.poll()
    times += update.samples.get(CARD.id, np.empty((0, 1)))[:, 0].tolist()
    events += [event.message for event in update.events]
    assert times == [float(tick) for tick in range(10)]
    assert events == [str(tick) for tick in range(10)]
    assert follower.poll().samples == {}


def test_an_unmeasured_metric_is_not_a_number_and_never_zero(store: RunStore) -> None:
    run_id = record_run(store)
    store.add_tick(run_id, 1.0, {CARD.id: {"power_w": 0.0, "temperature_c": None}})
    block = store.samples(run_id, CARD.id)
    assert block[0, COLUMN["power_w"]] == 0.0
    assert np.isnan(block[0, COLUMN["temperature_c"]])


def test_stages_results_and_verdicts_are_kept(store: RunStore) -> None:
    run_id = record_run(store)
    store.start_stage(run_id, 2, 10.0, "boot-2")
    store.add_tick(run_id, 11.0, {}, stage=(2, 0.25))
    assert store.stages(run_id)[2].fraction == 0.25
    result = StageResult(2, CARD.id, ResultStatus.FAILED, "wrong", {"errors": 3})
    store.add_result(run_id, result)
    store.end_stage(run_id, 2, 20.0, StageStatus.DONE)
    verdict = Verdict("", Outcome.FAIL, (Reason(Outcome.FAIL, "wrong", 3, 0, "errors"),))
    store.finish(run_id, [verdict])
    stage = store.stages(run_id)[2]
    assert (stage.status, stage.started_s, stage.ended_s, stage.boot_id) == (StageStatus.DONE, 10.0, 20.0, "boot-2")
    assert store.results(run_id) == [result]
    assert store.verdicts(run_id) == [verdict]
    assert store.run(run_id).status is RunStatus.FINISHED


def test_a_request_is_pending_until_it_is_answered(store: RunStore) -> None:
    run_id = record_run(store)
    number = store.request(run_id, "mark", "fan noise changed")
    assert [(request.kind, request.argument) for request in store.pending_requests(run_id)] == [
        ("mark", "fan noise changed")
    ]
    store.answer(number, "done")
    assert store.pending_requests(run_id) == []


def test_the_runner_that_reads_before_it_writes_is_not_locked_out_by_a_viewer(store: RunStore) -> None:
    """The head of a chain is read first: a viewer that asks for a stop at that moment waits its turn."""
    run_id = record_run(store)

    def ask() -> None:
        with closing(RunStore(store.path.parent)) as viewer:
            viewer.request(run_id, "stop")

    with ThreadPoolExecutor() as pool, store.one_commit():
        store.run(run_id)
        answer = pool.submit(ask)
        with suppress(TimeoutError):
            answer.result(timeout=0.5)
        store.add_event(run_id, 1.0, EventLevel.INFO, "note", "written after it was read")
    answer.result(timeout=PATIENCE_S)
    assert [request.kind for request in store.pending_requests(run_id)] == ["stop"]
    assert [event.message for event in store.events(run_id)][-1] == "written after it was read"


def test_deleting_a_run_forgets_all_of_it_and_nothing_else(store: RunStore) -> None:
    first, second = record_run(store), record_run(store)
    for run_id in (first, second):
        store.add_tick(run_id, 1.0, {CARD.id: {"power_w": 1.0}})
        store.add_event(run_id, 1.0, EventLevel.INFO, "x", "y")
    store.delete(first)
    assert [run.id for run in store.runs()] == [second]
    assert len(store.samples(first, CARD.id)) == 0
    assert len(store.samples(second, CARD.id)) == 1


@pytest.mark.parametrize("ask", [lambda s: s.run(99), lambda s: s.request(99, "stop")])
def test_a_run_that_does_not_exist_is_refused_in_a_sentence(store: RunStore, ask) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadInput, match="There is no run 99"):
        ask(store)


def test_a_full_disk_is_a_sentence_and_keeps_what_was_recorded(store: RunStore) -> None:
    from core.platform.errors import EnvironmentProblem

    run_id = record_run(store)
    store.add_tick(run_id, 0.0, {CARD.id: {"power_w": 1.0}})
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(EnvironmentProblem, match="disk is full"):
        for tick in range(1, 100_000):
            store.add_tick(run_id, float(tick), {CARD.id: {"power_w": 1.0}})
    samples = store.samples(run_id, CARD.id)
    assert len(samples) >= 1
    assert samples[:, 0].tolist() == [float(tick) for tick in range(len(samples))]


@pytest.mark.parametrize(
    ("status", "evidence", "stays"),
    [
        (ResultStatus.FAILED, {}, True),
        (ResultStatus.DIED, {"killed_from_outside": False}, True),
        (ResultStatus.DIED, {}, True),
        (ResultStatus.DIED, {"killed_from_outside": True}, False),
        (ResultStatus.STOPPED, {}, False),
    ],
)
def test_a_failure_stays_when_a_resumed_run_repeats_the_stage(
    store: RunStore, status: ResultStatus, evidence: dict[str, Any], stays: bool
) -> None:
    run_id = record_run(store)
    for one, details in ((ResultStatus.STOPPED, {}), (status, evidence), (ResultStatus.PASSED, {})):
        store.add_result(run_id, StageResult(2, CARD.id, one, one, details))
    assert [result.status for result in store.results(run_id)] == [status if stays else ResultStatus.PASSED]


def test_an_interrupted_run_ended_with_its_last_record_and_not_when_that_was_noticed(store: RunStore) -> None:
    run_id = record_run(store)
    store.add_event(run_id, 5.0, EventLevel.INFO, "stage", "x")
    store.add_tick(run_id, 3605.0, {CARD.id: {"power_w": 1.0}})
    store.mark_interrupted(run_id, InterruptionKind.KILLED, "It ended.")
    event_at = datetime.fromisoformat(store.events(run_id)[0].at)
    ended_at = datetime.fromisoformat(store.run(run_id).ended_at or "")
    assert ended_at - event_at == timedelta(hours=1)


def test_a_runner_that_gives_up_says_why_and_a_resumed_run_forgets_it(store: RunStore) -> None:
    run_id = record_run(store)
    store.cut_short(run_id, 8.0, "The disk is full.")
    run = store.run(run_id)
    assert (run.status, run.cut_short) == (RunStatus.INTERRUPTED, "The disk is full.")
    assert [event.message for event in store.events(run_id)] == ["The disk is full."]
    store.set_runner(run_id, 1, "boot")
    run = store.run(run_id)
    assert (run.status, run.cut_short, run.ended_at) == (RunStatus.RUNNING, None, None)


def begin_before(step: str, old: Database) -> None:
    """The recording of a program that did not know this step yet, with one run."""
    migrations.apply(old, stop_before=step)
    old.execute(
        "INSERT INTO runs (title, status, profile, started_at, boot_id, machine, simulated, version)"
        " VALUES ('old', 'finished', ?, '2026-01-01', 'b', 'm', 0, '0')",
        (find_profile("quick-test").model_dump_json(),),
    )
    old.conn.commit()


def test_a_recording_of_the_first_schema_is_upgraded_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    with closing(Database(tmp_path / FILE)) as old:
        begin_before("m002_why_a_run_was_cut_short", old)
    with closing(RunStore(tmp_path)) as store:
        assert [(run.title, run.cut_short) for run in store.runs()] == [("old", None)]


@pytest.mark.parametrize(
    ("kind", "level", "message", "incident"),
    [
        ("xid", "error", "Xid 79: gone. Check it.", Incident("xid", "Xid 79: gone. Check it.", "", "GPU-1", 79)),
        ("xid", "error", "of no number", None),
        ("aer", "warn", "PCIe error: receiver", Incident("aer", "receiver", "", "GPU-1", severity="correctable")),
        ("aer", "error", "PCIe error: fatal", Incident("aer", "fatal", "", "GPU-1")),
        ("mce", "error", "Machine check: bank 3", Incident("mce", "bank 3", "", "GPU-1", severity="fatal")),
        ("mce", "warn", "Machine check: bank 3", Incident("mce", "bank 3", "", "GPU-1", severity="correctable")),
        ("lost", "error", "Xid 79 is no incident here", None),
    ],
)
def test_what_the_driver_told_in_earlier_recordings_is_read_into_fields(
    tmp_path: Path, kind: str, level: str, message: str, incident: Incident | None
) -> None:
    with closing(Database(tmp_path / FILE)) as old:
        begin_before("m005_incidents", old)
        old.execute(
            "INSERT INTO events (run_id, time_s, at, device_id, level, kind, message) VALUES (1, 2.0, '', ?, ?, ?, ?)",
            ("GPU-1", level, kind, message),
        )
        old.conn.commit()
    with closing(RunStore(tmp_path)) as store:
        assert [(event.message, event.incident) for event in store.events(1)] == [(message, incident)]


def test_a_run_of_a_newer_program_is_read_without_what_this_one_does_not_know(store: RunStore) -> None:
    run_id = record_run(store)
    run = store.run(run_id)
    profile = json.loads(run.profile.model_dump_json())
    profile["mood"], profile["guards"]["wind_mps"], profile["stages"][0]["colour"] = "calm", 3, "red"
    info = CARD.as_dict() | {"smell": "none"}
    store._db.execute("UPDATE runs SET profile = ?", (json.dumps(profile),))
    store._db.execute("UPDATE devices SET info = ? WHERE device_id = ?", (json.dumps(info), CARD.id))
    assert store.runs() == [run]
    assert [row.device for row in store.devices(run_id)] == [CARD, CPU]


@pytest.mark.parametrize(
    ("table", "column", "stored"),
    [
        ("runs", "profile", "{"), ("runs", "profile", "{}"), ("runs", "status", "asleep"),
        ("verdicts", "reasons", "[5]"), ("verdicts", "outcome", "MAYBE"), ("devices", "info", '{"kind": "cat"}'),
        ("devices", "info", "5"), ("stages", "status", "asleep"),
    ],
)  # fmt: skip
def test_a_damaged_record_is_reported_and_hides_no_other_run(
    store: RunStore, tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str, column: str, stored: str
) -> None:
    damaged, good = record_run(store), record_run(store)
    for run_id in (damaged, good):
        store.finish(run_id, [Verdict("machine", Outcome.PASS, ())])
    with closing(Database(tmp_path / FILE)) as db:
        where = "id" if table == "runs" else "run_id"
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {where} = ?", (stored, damaged))
        db.conn.commit()
    assert good in [run.id for run in store.runs()]
    assert (damaged in store.unreadable_runs()) == (table == "runs")
    with pytest.raises(UnreadableRecord, match=f"of run {damaged} cannot be read: .*forget {damaged}"):
        _read_all(store, damaged)
    for as_json in (False, True):
        runs(tmp_path, as_json)
    assert f"{damaged}" in capsys.readouterr().out
    store.delete(damaged)
    assert [run.id for run in store.runs()] == [good]


def _read_all(store: RunStore, run_id: int) -> None:
    store.run(run_id)
    store.verdicts(run_id)
    store.devices(run_id)
    store.stages(run_id)


def test_the_list_reports_an_interruption_and_how_to_go_on(
    store: RunStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = record_run(store)
    runs(tmp_path, as_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert row["interruption"].startswith(f"Run {run_id} was interrupted")
    runs(tmp_path, as_json=False)
    assert f"rigwright burn --resume {run_id};" in " ".join(capsys.readouterr().out.split())


def test_verdicts_come_in_the_order_of_the_devices(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        number = begun_with(store, 12)
        store.finish(number, [Verdict(one, Outcome.PASS, ()) for one in (MACHINE, *sorted(map(card_id, range(12))))])
        ids = [verdict.device_id for verdict in store.verdicts(number)]
    assert ids == [MACHINE, *map(card_id, range(12))]


def test_every_change_of_a_fact_stays_on_record(store: RunStore) -> None:
    run_id = finished_run(store)
    store.set_facts(run_id, told_facts(customer="A lab", room_temperature_c=23.5))
    store.set_facts(run_id, told_facts(customer="B lab", room_temperature_c=23.5))
    assert store.facts(run_id) == RunFacts(customer="B lab", room_temperature_c="23.5")
    changes = [(change.name, change.value) for change in store.fact_changes(run_id)]
    assert changes == [("customer", "A lab"), ("room_temperature_c", "23.5"), ("customer", "B lab")]


def test_facts_are_no_part_of_the_sealed_record(store: RunStore) -> None:
    run_id = finished_run(store)
    seal_run(store, run_id)
    store.set_facts(run_id, told_facts(order="4711"))
    assert check_run(store, run_id).state is SealState.INTACT


def test_a_fact_that_is_too_long_or_no_figure_is_refused() -> None:
    with pytest.raises(BadInput, match="customer cannot be saved"):
        told_facts(customer="x" * 201)
    with pytest.raises(BadInput, match="room temperature cannot be saved"):
        told_facts(room_temperature_c="warm")
