"""The seal of a run: whatever of its record is changed is found and named, and what interrupted it is part of it."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.reader import FILE
from core.burnin.record.rows import InterruptionKind, StageStatus
from core.burnin.record.sample_table import FOLDED_TICKS
from core.burnin.record.store import RunStore
from core.burnin.sealing import SealState, change_lines, check_run, finish_sealed, seal_run, unsigned_sentence
from core.platform.errors import BadInput
from core.platform.processes import PASSPHRASE_VARIABLE
from core.seal.keys import own_public_key, set_passphrase
from tests.burnin.test_store import CARD, CPU
from tests.burnin.test_store import record_run as begin_run
from tests.present.report.recorded import UUIDS, record_run, verdicts
from tests.seal.changes import change_a_row

SAMPLE, ALL = 40, 1000


def lines(store: RunStore, run_id: int) -> list[str]:
    return change_lines(store, run_id, check_run(store, run_id).changes)


def write(store: RunStore, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(store.path)) as db, db:
        assert db.execute(sql, values).rowcount == 1


def test_a_run_that_nobody_changed_is_intact(store: RunStore, sealed_run: int) -> None:
    assert check_run(store, sealed_run).state is SealState.INTACT


def test_a_note_may_be_written_later(store: RunStore, sealed_run: int) -> None:
    store.set_note(sealed_run, "sold")
    assert check_run(store, sealed_run).state is SealState.INTACT


def found_changes(folder: Path, original: Path, seeds: range) -> list[tuple[object, ...]]:
    """Of that many single changes those that were not found."""
    missed = []
    for seed in seeds:
        target = folder / str(seed)
        shutil.copytree(original, target)
        what = change_a_row(target / FILE, random.Random(seed))
        with closing(RunStore(target)) as store:
            if check_run(store, 1).state is not SealState.CHANGED:
                missed.append((seed, *what))
        shutil.rmtree(target)
    return missed


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    with closing(RunStore(folder)) as store:
        seal_run(store, record_run(store))
    return folder


def test_a_changed_byte_of_the_recording_is_found(tmp_path: Path, original: Path) -> None:
    assert found_changes(tmp_path, original, range(SAMPLE)) == []


@pytest.mark.soak
def test_every_changed_byte_of_the_recording_is_found(tmp_path: Path, original: Path) -> None:
    assert found_changes(tmp_path, original, range(SAMPLE, SAMPLE + ALL)) == []


def test_a_changed_sample_is_named_with_its_metric_and_moment(store: RunStore) -> None:
    run_id = begin_run(store)
    for tick in range(FOLDED_TICKS + 10):
        store.add_tick(run_id, float(tick), {CARD.id: {"power_w": 100.0 + tick % 7 / 3, "loss": tick / 9}})
    finish_sealed(store, run_id, list)
    with closing(sqlite3.connect(store.path)) as db, db:
        (data,) = db.execute("SELECT data FROM chunks WHERE metric = 'loss'").fetchone()
        assert data[:2] == b"f-"
        at = 2 + 4 * 130
        db.execute("UPDATE chunks SET data = ? WHERE metric = 'loss'", (data[:at] + b"\x01" + data[at + 1 :],))
    assert lines(store, run_id) == [f"Samples of {CARD.title}: loss at 0:02:10 was changed."]


def test_events_verdicts_and_serials_are_named(store: RunStore, sealed_run: int) -> None:
    write(store, "UPDATE events SET message = 'nothing happened' WHERE id = 2")
    write(store, "UPDATE verdicts SET outcome = 'PASS' WHERE device_id = ?", UUIDS[1])
    write(store, "DELETE FROM events WHERE id = 3")
    text = " ".join(lines(store, sealed_run))
    assert "Event 2 was changed in message." in text
    assert "Event 3 was removed." in text
    assert "was changed in outcome." in text


def test_samples_that_are_changed_while_the_run_goes_on_are_reported_for_good(store: RunStore) -> None:
    run_id = begin_run(store)
    for tick in range(5):
        store.add_tick(run_id, float(tick), {CARD.id: {"power_w": 100.0}, CPU.id: {"power_w": 50.0}})
    write(store, "UPDATE samples SET metrics = '{\"power_w\": 10.0}' WHERE device_id = ? AND time_s = 2.0", CARD.id)
    finish_sealed(store, run_id, list)
    check = check_run(store, run_id)
    assert check.seal is not None
    assert (check.state, check.seal.statement["interruptions"]) == (SealState.INTACT, ["changed"])


def test_another_process_continues_the_chain(store: RunStore, tmp_path: Path) -> None:
    run_id = begin_run(store)
    for tick in range(5):
        store.add_tick(run_id, float(tick), {CARD.id: {"power_w": 100.0}})
    with closing(RunStore(tmp_path)) as second:
        second.mark_interrupted(run_id, InterruptionKind.KILLED, "Its runner was killed.")
        second.set_runner(run_id, 1, "boot")
        second.add_tick(run_id, 9.0, {CARD.id: {"power_w": 101.0}})
        finish_sealed(second, run_id, list)
        check = check_run(second, run_id)
        assert check.state is SealState.INTACT
    assert check.seal is not None
    assert check.seal.statement["interruptions"] == ["killed", "resumed"]


def test_a_run_that_was_recorded_before_there_were_chains_is_not_sealed(store: RunStore) -> None:
    run_id = record_run(store)
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("DELETE FROM links")
    assert check_run(store, run_id).state is SealState.NOT_SEALED
    assert seal_run(store, run_id) is None


def test_a_key_with_a_passphrase_signs_later(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    set_passphrase(store.path.parent, "secret", before=None)
    run_id = begin_run(store)
    finish_sealed(store, run_id, lambda: verdicts(simulated=True)[:1])
    assert check_run(store, run_id).state is SealState.UNSIGNED
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "wrong")
    with pytest.raises(BadInput, match="Wrong passphrase"):
        seal_run(store, run_id)
    seal_run(store, run_id, "secret")
    assert check_run(store, run_id).state is SealState.INTACT


def test_no_key_is_made_where_the_recording_was_moved_away(tmp_path: Path) -> None:
    """Neither at a place that is empty now, nor beside the recording that somebody began there meanwhile."""
    place = tmp_path / "here"
    place.mkdir()
    with closing(RunStore(place)) as store:
        first, second = begin_run(store), begin_run(store)
        place.rename(tmp_path / "moved")
        place.mkdir()
        finish_sealed(store, first, list)
        with closing(RunStore(place)):
            finish_sealed(store, second, list)
        for run_id in (first, second):
            assert check_run(store, run_id).state is SealState.UNSIGNED
    assert not list(tmp_path.rglob("seal-key*"))
    with closing(RunStore(tmp_path / "moved")) as store:
        seal_run(store, first)
        assert check_run(store, first).state is SealState.INTACT


def test_a_run_without_signature_says_why_and_what_to_do(store: RunStore) -> None:
    run_id = begin_run(store)
    assert unsigned_sentence(store, store.run(run_id)) == ""
    set_passphrase(store.path.parent, "secret", before=None)
    finish_sealed(store, run_id, list)
    sentence = unsigned_sentence(store, store.run(run_id))
    assert "key has a passphrase" in sentence
    assert f"rigwright seal {run_id}" in sentence
    set_passphrase(store.path.parent, "", before="secret")
    assert "could not be used when it ended" in unsigned_sentence(store, store.run(run_id))
    seal_run(store, run_id)
    assert unsigned_sentence(store, store.run(run_id)) == ""
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("DELETE FROM links")
        db.execute("DELETE FROM seals")
    assert unsigned_sentence(store, store.run(run_id)) == ""


def test_an_unknown_key_is_reported_and_a_given_one_is_trusted(
    store: RunStore, sealed_run: int, tmp_path: Path
) -> None:
    key = own_public_key(tmp_path)
    assert key is not None
    for file in tmp_path.glob("seal-key*"):
        file.unlink()
    assert check_run(store, sealed_run).state is SealState.UNKNOWN_KEY
    assert check_run(store, sealed_run, [key]).state is SealState.INTACT


def test_a_run_that_was_changed_before_it_was_signed_is_not_sealed(store: RunStore) -> None:
    run_id = record_run(store)
    write(store, "UPDATE results SET reason = 'all well' WHERE number = 2 AND device_id = ?", UUIDS[1])
    with pytest.raises(BadInput, match="not sealed"):
        seal_run(store, run_id)


def test_a_run_that_goes_on_is_not_sealed(store: RunStore) -> None:
    with pytest.raises(BadInput, match="no verdict yet"):
        seal_run(store, begin_run(store))


def test_a_run_that_is_resumed_after_its_end_is_sealed_anew(store: RunStore, sealed_run: int, tmp_path: Path) -> None:
    before = check_run(store, sealed_run).head
    with closing(RunStore(tmp_path)) as second:
        second.set_runner(sealed_run, 1, "boot-2")
        assert second.seal(sealed_run) is None
        second.add_tick(sealed_run, 130.0, {UUIDS[0]: {"power_w": 99.0}})
        finish_sealed(second, sealed_run, lambda: verdicts(simulated=True))
    check = check_run(store, sealed_run)
    assert (check.state, check.head != before) == (SealState.INTACT, True)
    assert check.seal is not None
    assert check.seal.statement["interruptions"] == ["resumed"]


def test_a_tick_that_could_not_be_written_is_no_change(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = begin_run(store)
    store.add_tick(run_id, 1.0, {CARD.id: {"power_w": 100.0}})
    with monkeypatch.context() as patch:
        patch.setattr(RunStore, "_beat", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.add_tick(run_id, 2.0, {CARD.id: {"power_w": 100.0}})
    store.add_tick(run_id, 3.0, {CARD.id: {"power_w": 100.0}})
    finish_sealed(store, run_id, list)
    assert store.interruptions(run_id) == []


def test_a_run_that_was_cut_off_is_not_signed_whatever_became_of_it(store: RunStore, tmp_path: Path) -> None:
    def is_whole() -> bool:
        check = check_run(store, run_id)
        return (check.state, check.changes) == (SealState.UNSIGNED, ())

    run_id = begin_run(store)
    assert is_whole()
    store.end_stage(run_id, 0, 5.0, StageStatus.SKIPPED)
    store.start_stage(run_id, 1, 5.0, "boot")
    store.add_tick(run_id, 6, {CARD.id: {"power_w": 100.0}}, stage=(1, 0.25))
    assert is_whole()
    with closing(RunStore(tmp_path)) as viewer:
        viewer.mark_interrupted(run_id, InterruptionKind.KILLED, "Its runner was killed.")
    store = RunStore(tmp_path)  # the one that began it knows nothing of the viewer's entry, and is dead
    assert is_whole()
    store.set_runner(run_id, 1, "boot-2")
    store.start_stage(run_id, 1, 8.0, "boot-2")
    assert is_whole()
    store.cut_short(run_id, 9.0, "The disk is full.")
    assert is_whole()
    store.close()
