"""A recording that another program holds, and one that was removed, moved or replaced under the runner."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record import patient_store
from core.burnin.record.patient_store import PATIENCE_S, RETRY_EVERY_S, PatientStore
from core.burnin.record.reader import FILE, RecordingMoved
from core.burnin.record.rows import EventLevel, InterruptionKind, ResultStatus, RunStatus, StageResult, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower, silent_s
from core.burnin.run.machine import boot_id
from core.burnin.run.recovery import close_run, find_interrupted, leave_last_words, take_last_words
from core.burnin.sealing import SealState, check_run, finish_sealed
from core.platform.database import DatabaseLocked
from tests.burnin.begun_run import CARD, begun


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[PatientStore]:
    """The runner's connection, while loads run."""
    with closing(PatientStore(tmp_path)) as opened:
        opened.hurry()
        yield opened


@pytest.fixture
def holder(tmp_path: Path, patient: PatientStore) -> Iterator[sqlite3.Connection]:
    """Another program that can hold it."""
    del patient
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        yield other


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now_s = [1000.0]
    monkeypatch.setattr(patient_store.time, "monotonic", lambda: now_s[0])
    return now_s


def record(patient: PatientStore, run_id: int) -> list[tuple[float, str]]:
    """A bit of everything that a run writes while it goes on."""
    patient.start_stage(run_id, 0, 1.0, boot_id())
    for second in range(1, 9):
        patient.add_tick(run_id, float(second), {CARD.id: {"power_w": 100.0 + second}})
        patient.add_event(run_id, float(second), EventLevel.INFO, "note", f"second {second}")
    patient.add_interruption(run_id, InterruptionKind.GAP, 8.0, "a gap", lasted_s=1.0)
    patient.add_result(run_id, StageResult(0, CARD.id, ResultStatus.PASSED, "fine"))
    patient.end_stage(run_id, 0, 8.0, StageStatus.DONE)
    return [(float(second), f"second {second}") for second in range(1, 9)]


def test_what_is_recorded_while_another_program_holds_the_file_is_written_in_its_order_when_it_is_free(
    patient: PatientStore, holder: sqlite3.Connection, clock: list[float], store: RunStore
) -> None:
    run_id = begun(patient)
    holder.execute("BEGIN IMMEDIATE")
    messages = record(patient, run_id)
    assert (patient.behind, store.events(run_id)) == (True, [])
    clock[0] += 8.0
    assert patient.held_s == 8.0
    holder.execute("ROLLBACK")
    patient.catch_up()
    assert (patient.behind, patient.held_s, patient.take_was_held_s(), patient.take_was_held_s()) == (False, 0, 8.0, 0)
    assert [(one.time_s, one.message) for one in store.events(run_id) if one.kind == "note"] == messages
    assert store.samples(run_id, CARD.id)[:, 0].tolist() == [float(second) for second in range(1, 9)]
    assert store.stages(run_id)[0].status is StageStatus.DONE
    assert [one.kind for one in store.interruptions(run_id)] == [InterruptionKind.GAP]
    patient.wait()
    finish_sealed(patient, run_id, list)
    assert check_run(store, run_id).state is SealState.INTACT


def test_a_held_recording_is_tried_again_now_and_then_and_holds_up_nobody(
    patient: PatientStore, holder: sqlite3.Connection, clock: list[float], store: RunStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    run_id = begun(store)
    holder.execute("BEGIN IMMEDIATE")
    tried: list[float] = []
    write = RunStore.add_event

    def counted(*arguments: object, **named: object) -> None:
        tried.append(clock[0])
        write(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(RunStore, "add_event", counted)
    for number in range(100):
        patient.add_event(run_id, float(number), EventLevel.INFO, "note", "x")
    assert len(tried) == 1
    clock[0] += RETRY_EVERY_S
    patient.catch_up()
    assert len(tried) == 2


def test_a_run_whose_recording_stays_held_gives_up_by_the_same_error_as_ever(
    patient: PatientStore, holder: sqlite3.Connection, store: RunStore
) -> None:
    run_id = begun(store)
    holder.execute("BEGIN IMMEDIATE")
    patient.add_event(run_id, 1.0, EventLevel.INFO, "note", "x")
    with pytest.raises(DatabaseLocked, match="another program holds"):
        patient.wait(0.01)
    assert PATIENCE_S >= 120


# -- moved ------------------------------------------------------------------------------------------------------------


def remove(path: Path) -> None:
    path.unlink()


def remove_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def move_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def replace(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


@pytest.mark.parametrize("spoil", [remove, remove_folder, move_folder, replace])
def test_a_recording_that_is_not_in_its_place_any_more_is_noticed_by_runner_and_viewers(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with closing(RunStore(folder)) as store:
        follower = Follower(store, begun(store))
        store.require_in_place()
        follower.poll()
        spoil(store.path)
        for look in (store.require_in_place, follower.poll):
            with pytest.raises(RecordingMoved, match="removed, moved or replaced"):
                look()


# -- last words, and the first --------------------------------------------------------------------------------------


def test_why_a_runner_gave_up_whose_disk_took_nothing_is_told_by_whoever_looks_next(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = begun(store, boot_id())
    store.add_tick(run_id, 12.0, {CARD.id: {"power_w": 50.0}})
    monkeypatch.setattr("os.getpid", lambda: store.run(run_id).runner_pid)
    cause = "/data/runs.sqlite: the database could not be used: disk I/O error."
    assert leave_last_words(tmp_path, run_id, cause)
    assert cause in find_interrupted(store, tmp_path)[0].sentence
    assert store.run(run_id).cut_short == cause
    assert [one.kind for one in store.interruptions(run_id)] == [InterruptionKind.GAVE_UP]
    assert close_run(store, run_id)
    assert take_last_words(tmp_path, run_id, store.run(run_id).runner_pid) is None, "once"


def test_last_words_of_another_runner_are_not_those_of_this_one(store: RunStore, tmp_path: Path) -> None:
    run_id = begun(store, boot_id())
    assert leave_last_words(tmp_path, run_id, "a disk")
    assert take_last_words(tmp_path, run_id, 1) is None


def test_a_runner_that_takes_up_a_run_has_given_a_sign_of_life(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = begun(store, boot_id())
    store.mark_interrupted(run_id, InterruptionKind.KILLED, "gone")
    later_s = time.monotonic() + 600
    monkeypatch.setattr(time, "monotonic", lambda: later_s)
    store.set_runner(run_id, 7, boot_id())
    assert store.run(run_id).status is RunStatus.RUNNING
    assert silent_s(store, store.run(run_id)) is None, "nobody says that it answers again"
