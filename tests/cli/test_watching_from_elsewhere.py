"""A run is watched from two terminals at once, and stopped from a third; both say its verdict.

Which run is meant where none is named: the one that goes on, also where a newer one is on record.
"""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import RunDevice
from core.burnin.record.store import RunStore
from core.burnin.run.lock import take_runner_lock
from core.cli.recorded_run import run_number, tell_interrupted
from core.machine.telemetry.device import Device, DeviceKind
from tests.burnin.begun_run import begun
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process


def start(data: Path, *words: str) -> subprocess.Popen[str]:
    """A command that goes on while the test does."""
    return subprocess.Popen(
        [sys.executable, "-m", "core.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RIGWRIGHT_DATA_DIR": str(data)},
    )


def test_two_watch_a_third_stops(rigwright: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    burn = start(data, "burn", "--simulate", "6x3090", "--build", "six-rtx-3090-quiet")
    assert burn.stderr is not None
    while "Preflight started" not in burn.stderr.readline():
        assert burn.poll() is None
    watchers = [start(data, "watch"), start(data, "watch", "1", "--json")]
    for watcher in watchers:
        assert watcher.poll() is None
    assert rigwright("stop").returncode == 0
    text, document = (watcher.communicate(timeout=PATIENCE_S)[0] for watcher in watchers)
    assert "INCOMPLETE" in text
    assert json.loads(document)["status"] == "finished"
    burn.communicate(timeout=PATIENCE_S)
    assert [process.returncode for process in (burn, *watchers)] == [4, 4, 4]
    assert rigwright("watch").returncode == 4  # a finished run shows how it ended

    written = tmp_path / "run.json", tmp_path / "run.html", tmp_path / "run.pdf"
    ended = rigwright("report", "1", *(word for path in written for word in ("-o", str(path))))
    assert ended.returncode == 0, ended.stderr
    assert [path for path in written if str(path) not in ended.stdout] == []
    assert "Six RTX 3090, quiet" in written[0].read_text(encoding="utf-8")


def on_record(store: RunStore) -> int:
    return begun(store, devices=[RunDevice(Device("GPU-1", DeviceKind.GPU, "Card"), 0, burned=True)])


def test_a_resumed_run_goes_on_although_a_newer_one_has_ended(rigwright: Any, data_dir: Path) -> None:
    store = RunStore(data_dir)
    resumed, newer = on_record(store), on_record(store)
    store.finish(newer, [])
    store.start_stage(resumed, 0, 1.0, "boot")
    lock = take_runner_lock(data_dir)
    try:
        document = json.loads(rigwright("status", "--json").stdout)
        assert (document["run"], document["status"]) == (resumed, "running")
        assert f"Run {resumed} is running" in rigwright("status").stdout
        assert run_number(data_dir, None) == resumed
    finally:
        lock.release()
        store.close()
    document = json.loads(rigwright("status", "--json").stdout)
    assert (document["run"], document["status"]) == (newer, "finished")
    assert run_number(data_dir, None) == newer


def test_what_cannot_be_skipped_is_refused(rigwright: Any, data_dir: Path) -> None:
    store = RunStore(data_dir)
    run_id = on_record(store)
    lock = take_runner_lock(data_dir)
    try:
        refused = rigwright("skip")
        assert refused.returncode == 2
        assert "none of its stages is running" in refused.stderr
        assert store.pending_requests(run_id) == []
        store.start_stage(run_id, 0, 1.0, "boot")
        assert rigwright("skip").returncode == 0
        assert [request.kind for request in store.pending_requests(run_id)] == ["skip"]
    finally:
        lock.release()
        store.close()


def test_a_new_run_tells_of_one_that_broke_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tell_interrupted(tmp_path)
    with closing(RunStore(tmp_path)) as store:
        number = on_record(store)
    assert capsys.readouterr().err == ""
    tell_interrupted(tmp_path)
    text = " ".join(capsys.readouterr().err.split())
    assert text.startswith(f"Run {number} was interrupted and has no verdict; a new run starts now. Resume the earlier")
    assert f"rigwright burn --resume {number} --data-dir" in text
