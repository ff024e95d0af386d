"""A terminal that watches says when the runner falls silent, once, and when it answers again."""

import io
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from rich.live import Live

from core.burnin.profile.file import find_profile
from core.burnin.record.rows import RunDevice
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower
from core.burnin.run.machine import boot_of
from core.cli.follow import TerminalRunView
from core.telemetry.device import Device, DeviceKind


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    profile = find_profile("quick-test")
    with closing(RunStore(tmp_path)) as store:
        run_id = store.create_run(
            title="x", profile=profile, devices=[RunDevice(Device("cpu", DeviceKind.CPU, "A processor"), 0, True)],
            stage_titles=[stage.kind for stage in profile.stages], boot_id=boot_of(tmp_path, simulated=False),
            machine="m", version="v", runner_pid=4711,
        )  # fmt: skip
        with store._db.atomic():
            store._db.execute("UPDATE beats SET monotonic_s = ?", (time.monotonic() - 12.0,))
        yield Follower(store, run_id)


@pytest.mark.parametrize("terminal", [True, False])
def test_silence_is_told_with_what_can_be_done_about_it(follower: Follower, terminal: bool) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=terminal, width=200, _environ={"TERM": "xterm"})
    silent = follower.poll()
    assert silent.silent_s == pytest.approx(12.0, abs=1.0)
    view = TerminalRunView(follower)
    with Live(console=console, transient=True, auto_refresh=False) as live:
        for seconds in (12.0, 13.0, 14.0):
            view.take(replace(silent, silent_s=seconds), live)
        while_silent = shown.getvalue()
        view.take(replace(silent, silent_s=None), live)
    assert "The runner of run 1 (process 4711) has not answered for 12 s." in while_silent
    assert "End it with: rigwright stop 1" in while_silent
    assert ("for 14 s" in while_silent) == terminal, "a log has the sentence once, a terminal the seconds as they pass"
    assert "The runner of run 1 answers again." in shown.getvalue()
