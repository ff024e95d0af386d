"""A data folder that is full, damaged, newer, read-only or oddly named: a sentence each, and nothing lost."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.guards.rounds import RESERVE_BYTES, DiskReserve
from core.burnin.record.reader import FILE
from core.burnin.record.rows import Outcome, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from core.burnin.run.recovery import close_run, find_interrupted
from core.platform.errors import EnvironmentProblem, ExitCode, RigwrightError
from tests.burnin.processes import LONG, SHORT, WriteProfile, burned, burning, family, outcome, running
from tests.patience import wait_for

pytestmark = pytest.mark.process


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MB."""
    place = tmp_path / "small disk"
    place.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "none", str(place)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("only root can mount a small disk; test_store fills a database instead")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> None:
    """Leaves not a byte."""
    with (place / "filler").open("ab", buffering=0) as filler:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while filler.write(b"x" * size):
                    pass
            except OSError:
                continue


def test_a_full_disk_stops_the_loads_and_the_next_start_says_so(small_disk: Path, write_profile: WriteProfile) -> None:
    run_id = start_run(small_disk, BurnOrder(profile=write_profile(*LONG, free_disk_mb=0), simulate="2x3090"))
    with closing(RunStore(small_disk)) as store:
        wait_for(lambda: burning(store, run_id, 2), "throughput of both")
        runner, *children = family(store, run_id)
        before = {device_id: store.samples(run_id, device_id) for device_id in burned(store, run_id)}
        fill(small_disk)
        try:
            wait_for(lambda: store.run(run_id).status is RunStatus.INTERRUPTED, "last words")
            wait_for(lambda: not any(map(running, children)), "the end of the loads")
            wait_for(lambda: not running(runner), "the end of the runner")
        finally:
            for process in (runner, *children):
                if running(process):
                    process.kill()
        for device_id, block in before.items():
            assert (store.samples(run_id, device_id)[: len(block), 0] == block[:, 0]).all()
        interrupted = find_interrupted(store, small_disk)
        assert [interruption.run_id for interruption in interrupted] == [run_id]
        assert "the disk is full" in interrupted[0].sentence
    assert "the disk is full" in (small_disk / "logs" / "runner.log").read_text(encoding="utf-8")
    fill(small_disk)
    with pytest.raises(RigwrightError, match=r"no room|full|cannot be written") as refused:
        start_run(small_disk, BurnOrder(profile=write_profile(*SHORT, free_disk_mb=0), simulate="1x3090"))
    assert refused.value.exit_code is ExitCode.ENVIRONMENT
    (small_disk / "filler").unlink()
    with closing(RunStore(small_disk)) as store:
        assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


def test_too_little_room_is_refused_before_anything_is_recorded(
    tmp_path: Path, write_profile: WriteProfile, store: RunStore
) -> None:
    with pytest.raises(RigwrightError, match="nearly full"):
        start_run(tmp_path, BurnOrder(profile=write_profile(*SHORT, free_disk_mb=1e12), simulate="1x3090"))
    assert store.runs() == []


def test_the_reserve_is_taken_once_and_given_up(tmp_path: Path) -> None:
    reserve = DiskReserve(tmp_path)
    reserve.take()
    reserve.take()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == RESERVE_BYTES
    reserve.give_up()
    reserve.give_up()
    assert list(tmp_path.iterdir()) == []


def damage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 300)


def make_newer(path: Path) -> None:
    RunStore(path.parent).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE _sqlite_migrations SET name = 'm999_later' WHERE name = 'm001_first_schema'")
        db.commit()


@pytest.mark.parametrize(("spoil", "says"), [(damage, "damaged"), (make_newer, "newer Rigwright")])
def test_a_recording_that_cannot_be_used_is_refused_in_a_sentence_and_left_as_it_is(
    tmp_path: Path,
    write_profile: WriteProfile,
    spoil,
    says: str,  # type: ignore[no-untyped-def]
) -> None:
    spoil(tmp_path / FILE)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(RigwrightError, match=says) as refused:
        start_run(tmp_path, BurnOrder(profile=write_profile(*SHORT), simulate="1x3090"))
    assert refused.value.exit_code is ExitCode.ENVIRONMENT
    assert (tmp_path / FILE).read_bytes() == before


def test_a_read_only_folder_is_a_sentence(small_disk: Path, write_profile: WriteProfile) -> None:
    RunStore(small_disk).close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(EnvironmentProblem, match=r"the disk is read-only|permissions"):
        start_run(small_disk, BurnOrder(profile=write_profile(*SHORT), simulate="1x3090"))


def test_a_folder_with_spaces_chinese_and_a_long_path_is_a_folder(tmp_path: Path, write_profile: WriteProfile) -> None:
    place = tmp_path / "我的 数据 & more" / ("long" * 50)
    place /= "p" * (470 - len(str(place)))  # SQLite takes 512 bytes
    place.mkdir(parents=True)
    run_id = start_run(place, BurnOrder(profile=write_profile(("gemm", 1.0, {})), simulate="1x3090"))
    with closing(RunStore(place)) as store:
        wait_for(lambda: store.run(run_id).status is RunStatus.FINISHED, "the verdict")
        assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
