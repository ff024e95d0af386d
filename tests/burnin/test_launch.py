"""Starting the runner: the terminal's Ctrl-C is for the viewer, whenever it comes."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import psutil
import pytest

from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run import launch
from core.burnin.run.launch import BurnOrder, start_run
from core.processes import own_environment

pytestmark = pytest.mark.process


def test_an_interrupt_at_the_moment_of_the_start_does_not_reach_the_runner(
    monkeypatch: pytest.MonkeyPatch, store: RunStore, write_profile: Callable[..., str], tmp_path: Path
) -> None:
    spawn = launch._spawn

    def spawn_and_interrupt(command: list[str], log: IO[bytes], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        process = spawn(command, log, environment)
        process.send_signal(signal.SIGINT)
        return process

    monkeypatch.setattr(launch, "_spawn", spawn_and_interrupt)
    profile = write_profile(("preflight", 30.0, {}))
    run_id = start_run(tmp_path, BurnOrder(profile=profile, simulate="1x3090"))
    try:
        assert store.run(run_id).status is RunStatus.RUNNING
        assert "The system told" not in " ".join(event.message for event in store.events(run_id))
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(store.run(run_id).runner_pid).kill()


def test_interrupts_are_held_back_for_the_start_alone(tmp_path: Path) -> None:
    before: Any = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with (tmp_path / "log").open("wb") as log:
        process = launch._spawn(["true"], log, own_environment())
    process.communicate()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
