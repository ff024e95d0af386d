"""The power fails while a run is recorded: whatever of the writes reached the disk, the recording opens and is whole.

What SQLite has flushed when a write returns stays (synchronous = full). What it was writing then may be there in part,
torn within a page, or as garbage. Three moments differ: a write into the write-ahead log, the copying of that log into
the database, and the first write into a log that is begun anew.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.burnin.record.reader import FILE
from core.burnin.record.rows import EventLevel, InterruptionKind, ResultStatus, RunDevice, StageResult, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.recovery import close_run, find_interrupted
from core.machine.telemetry.device import Device, DeviceKind
from core.parts.catalogue import FILE as CATALOGUE_FILE
from core.parts.catalogue import Catalogue
from core.parts.part import Origin, Part, Source
from core.parts.specs import GpuSpec
from tests.burnin.begun_run import begun

CARDS = [Device(f"SIM-{number}", DeviceKind.GPU, "RTX 3090", simulated=True) for number in range(2)]
WAL_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
"""Of a write-ahead log and of each page in it (SQLite, "The Write-Ahead Log", file format section 4)."""
SECTOR_BYTES = 512
SECONDS = 12


@dataclass(frozen=True, slots=True)
class Disk:
    """What lies on it: the database and its log."""

    database: bytes
    log: bytes

    def open(self, folder: Path, name: str = FILE) -> Path:
        """The machine has started again; the index of the log, which lies in memory, is gone."""
        folder.mkdir()
        (folder / name).write_bytes(self.database)
        (folder / f"{name}-wal").write_bytes(self.log)
        return folder


@dataclass(frozen=True, slots=True)
class Promise:
    """What the store had said to be written when its log was so long."""

    log_bytes: int
    time_s: float
    events: int
    results: int
    interruptions: int


def read(folder: Path, name: str = FILE) -> Disk:
    log = folder / f"{name}-wal"
    return Disk((folder / name).read_bytes(), log.read_bytes() if log.exists() else b"")


def begin(store: RunStore) -> int:
    return begun(store, devices=[RunDevice(card, place, True) for place, card in enumerate(CARDS)], runner_pid=1)


def record(store: RunStore, run_id: int, from_s: int, to_s: int) -> Iterator[Promise]:
    """As a runner does: a tick a second, events, a result, an interruption. Yields after each write has returned."""

    def promise() -> Promise:
        size = (store.path.parent / f"{FILE}-wal").stat().st_size
        counts = (len(rows) for rows in (store.events(run_id), store.results(run_id), store.interruptions(run_id)))
        return Promise(size, store.last_time_s(run_id), *counts)

    for second in range(from_s, to_s):
        if second == from_s:
            store.start_stage(run_id, 0, float(second), "boot")
            yield promise()
        rows = {card.id: {"power_w": 300.0 + second, "temperature_c": 60.0} for card in CARDS}
        store.add_tick(run_id, float(second), rows, stage=(0, second / to_s))
        yield promise()
        if second % 3 == 0:
            store.add_event(run_id, float(second), EventLevel.INFO, "note", f"second {second}")
            yield promise()
        if second % 5 == 0:
            store.add_interruption(run_id, InterruptionKind.GAP, float(second), "x" * 200, lasted_s=2.0)
            yield promise()
    store.end_stage(run_id, 0, float(to_s), StageStatus.DONE)
    store.add_result(run_id, StageResult(0, CARDS[0].id, ResultStatus.PASSED, "", {"checks": to_s}))
    yield promise()


def check(folder: Path, promise: Promise | None) -> None:
    """The recording opens, is sound, holds what was promised and can be judged; a tick is for all devices or none."""
    with closing(RunStore(folder)) as store:
        assert store._db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert store._db.execute("PRAGMA foreign_key_check").fetchall() == []
        runs = store.runs()
        assert store.unreadable_runs() == {}
        assert runs or promise is None
        for run in runs:
            times = [store.samples(run.id, card.id, names=("power_w",))[:, 0].tolist() for card in CARDS]
            assert times[0] == times[1] == sorted(times[0])
            assert times[0] == [float(second) for second in range(len(times[0]))], "no second is missing in between"
            assert len(store.stages(run.id)) == len(run.profile.stages)
            if promise is not None:
                assert store.last_time_s(run.id) >= promise.time_s, "at most what was not yet acknowledged is lost"
                assert len(store.events(run.id)) >= promise.events
                assert len(store.results(run.id)) >= promise.results
                assert len(store.interruptions(run.id)) >= promise.interruptions
            find_interrupted(store, folder)
            close_run(store, run.id)


def page_bytes(log: bytes) -> int:
    return int(struct.unpack(">I", log[8:12])[0])


def cuts(log: bytes, chance: random.Random) -> Iterator[int]:
    """Every third page boundary of the log, and a place within the page after it."""
    frame = FRAME_HEADER_BYTES + page_bytes(log)
    for start in range(WAL_HEADER_BYTES, len(log), 3 * frame):
        yield start
        yield min(start + chance.randrange(1, frame), len(log))


def test_a_write_that_has_returned_lies_on_the_disk(store: RunStore) -> None:
    """What all the others rest on: the log is flushed at each commit (2 is `full`)."""
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._db.journal_mode == "wal"


@pytest.mark.parametrize("rest", ["nothing", "zeros", "garbage"])
def test_the_log_is_cut_at_any_byte(tmp_path: Path, rest: str) -> None:
    chance = random.Random(7)
    with closing(RunStore(tmp_path)) as store:
        store._db.execute("PRAGMA wal_autocheckpoint = 0")
        run_id = begin(store)
        promises = list(record(store, run_id, 0, SECONDS))
        disk = read(tmp_path)
    assert promises[-1].log_bytes == len(disk.log)
    places = list(cuts(disk.log, chance))
    assert len(places) > len(promises) > SECONDS
    for number, cut in enumerate(places):
        lost = len(disk.log) - cut
        tail = {"nothing": b"", "zeros": bytes(lost), "garbage": chance.randbytes(lost)}[rest]
        held = [promise for promise in promises if promise.log_bytes <= cut]
        check(Disk(disk.database, disk.log[:cut] + tail).open(tmp_path / f"cut-{number}"), held[-1] if held else None)


def test_pages_that_reached_the_disk_in_any_order_are_not_taken_for_a_write(tmp_path: Path) -> None:
    """The last pages of the log are there, those before them are not."""
    chance = random.Random(8)
    with closing(RunStore(tmp_path)) as store:
        store._db.execute("PRAGMA wal_autocheckpoint = 0")
        run_id = begin(store)
        *_, last = record(store, run_id, 0, SECONDS)
        before = read(tmp_path)
        store.add_tick(run_id, float(SECONDS), {card.id: {"power_w": 1.0} for card in CARDS})
        after = read(tmp_path)
    sectors = range(len(before.log), len(after.log), SECTOR_BYTES)
    for number in range(12):
        log = bytearray(before.log) + bytes(len(after.log) - len(before.log))
        for at in chance.sample(sectors, k=chance.randrange(len(sectors))):
            log[at : at + SECTOR_BYTES] = after.log[at : at + SECTOR_BYTES]
        check(Disk(after.database, bytes(log)).open(tmp_path / f"order-{number}"), last)


def test_the_log_is_being_copied_into_the_database(tmp_path: Path) -> None:
    """Any of the pages are new, old, or new in part: the log has them all until the database is flushed."""
    chance = random.Random(9)
    with closing(RunStore(tmp_path)) as store:
        store._db.execute("PRAGMA wal_autocheckpoint = 0")
        run_id = begin(store)
        *_, last = record(store, run_id, 0, SECONDS)
        before = read(tmp_path)
        assert store._db.execute("PRAGMA wal_checkpoint(passive)").fetchone()[0] == 0
        after = read(tmp_path)
    assert after.database != before.database
    assert after.log == before.log
    sectors = range(0, len(after.database), SECTOR_BYTES)
    for number in range(16):
        database = bytearray(before.database.ljust(len(after.database) if number % 2 else 0, b"\0"))
        for at in sorted(chance.sample(sectors, k=chance.randrange(len(sectors)))):
            if at < len(database):
                database[at : at + SECTOR_BYTES] = after.database[at : at + SECTOR_BYTES]
        check(Disk(bytes(database), after.log).open(tmp_path / f"copied-{number}"), last)


def test_a_log_is_begun_anew_over_the_old_one(tmp_path: Path) -> None:
    chance = random.Random(10)
    with closing(RunStore(tmp_path)) as store:
        store._db.execute("PRAGMA wal_autocheckpoint = 0")
        run_id = begin(store)
        *_, last = record(store, run_id, 0, SECONDS)
        store._db.execute("PRAGMA wal_checkpoint(full)")
        before = read(tmp_path)
        store.add_tick(run_id, float(SECONDS), {card.id: {"power_w": 1.0} for card in CARDS})
        after = read(tmp_path)
    assert after.log != before.log
    assert len(after.log) == len(before.log), "the file is written over, not cut"
    for number in range(16):
        cut = chance.randrange(len(after.log) // 4) if number else 16
        check(Disk(after.database, after.log[:cut] + before.log[cut:]).open(tmp_path / f"anew-{number}"), last)


def test_parts_of_ones_own_survive_as_well(tmp_path: Path) -> None:
    chance = random.Random(11)
    (tmp_path / "shipped").mkdir()
    sizes = []
    with closing(Catalogue(tmp_path, shipped=tmp_path / "shipped")) as catalogue:
        catalogue._db.execute("PRAGMA wal_autocheckpoint = 0")
        for number in range(6):
            spec = GpuSpec(product="GeForce RTX 4090", length_mm=300)
            source = Source(title="Measured myself")
            catalogue.save_user_part(Part(id=f"own-{number}", maker="Own", name="Card", spec=spec, sources=(source,)))
            sizes.append((tmp_path / f"{CATALOGUE_FILE}-wal").stat().st_size)
        disk = read(tmp_path, CATALOGUE_FILE)
    for number, cut in enumerate(cuts(disk.log, chance)):
        folder = Disk(disk.database, disk.log[:cut]).open(tmp_path / f"cut-{number}", CATALOGUE_FILE)
        with closing(Catalogue(folder, shipped=tmp_path / "shipped")) as catalogue:
            assert catalogue._db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            count = len(list(catalogue.parts(origin=Origin.USER)))
            assert count >= sum(size <= cut for size in sizes)
