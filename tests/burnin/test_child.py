"""A child process: the ladder that ends it, its last words, its log, the signs of life that it hears."""

from __future__ import annotations

import io
import queue
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.burnin.children import child as child_module
from core.burnin.children.child import (
    ABANDON_AFTER_S,
    KILL_AFTER_S,
    LARGEST_BYTES,
    TERMINATE_AFTER_S,
    Child,
    Inbox,
    SignOfLife,
    open_log,
)
from core.platform.errors import EnvironmentProblem
from tests.patience import PATIENCE_S


class StuckProcess:
    """What `Popen` gives for a process that the kernel holds: it takes every signal and ends at none."""

    pid = 4_000_000
    returncode = None

    def __init__(self, *_: Any, **__: Any) -> None:
        self.signals: list[int] = []
        self.stdin, self.stdout = io.StringIO(), io.StringIO()

    def poll(self) -> None:
        return None

    def wait(self) -> int:
        return 0  # only the listening thread asks

    def send_signal(self, number: int) -> None:
        self.signals.append(number)


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Child, StuckProcess, list[float]]:
    process, now = StuckProcess(), [1000.0]
    monkeypatch.setattr(child_module.subprocess, "Popen", lambda *_, **__: process)
    inbox: Inbox = queue.SimpleQueue()
    return Child("worker 1", ["x"], inbox=inbox, log=tmp_path / "x.log", clock=lambda: now[0]), process, now


def test_the_ladder_asks_terminates_kills_and_at_last_leaves_a_process_that_nothing_ends(
    stuck: tuple[Child, StuckProcess, list[float]],
) -> None:
    child, process, now = stuck
    child.advance()
    assert (process.signals, child.stopping) == ([], False)
    child.stop()
    assert process.stdin.closed
    for waited_s, signals in ((0.0, []), (TERMINATE_AFTER_S, [signal.SIGTERM])):
        now[0] = 1000.0 + waited_s
        child.advance()
        assert process.signals == signals
    now[0] = 1000.0 + KILL_AFTER_S
    child.advance()
    child.advance()
    assert process.signals == [signal.SIGTERM, signal.SIGKILL]
    assert child.alive
    now[0] = 1000.0 + ABANDON_AFTER_S
    child.advance()
    assert (child.alive, child.abandoned) == (False, True)
    assert "4000000 does not exit even when killed" in child.ending()


def test_asking_twice_does_not_begin_the_ladder_anew(stuck: tuple[Child, StuckProcess, list[float]]) -> None:
    child, process, now = stuck
    child.stop()
    now[0] += KILL_AFTER_S
    child.stop()
    child.advance()
    assert signal.SIGKILL in process.signals


@pytest.fixture
def run_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Child]:
    """Runs a line of Python as a child."""

    def run(line: str) -> Child:
        (tmp_path / "short_lived.py").write_text(line, encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        inbox: Inbox = queue.SimpleQueue()
        child = Child("a child", ["short_lived"], inbox=inbox, log=tmp_path / "child.log")
        while inbox.get(timeout=PATIENCE_S)[1]["type"] != "ended":
            pass
        child.stop()
        return child

    return run


def test_the_last_words_are_those_of_this_process_and_not_of_one_before(run_module: Callable[[str], Child]) -> None:
    talking = run_module("import sys; print('the card burns', file=sys.stderr); sys.exit(3)")
    assert "exit code 3. Its last output: the card burns" in talking.ending()
    assert "Its last output" not in run_module("raise SystemExit(4)").ending()


def test_a_large_log_is_put_aside_and_one_older_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "runner.log"
    for _ in range(3):
        with open_log(log) as stream:
            stream.write(b"x" * (LARGEST_BYTES + 1))
    assert sorted(path.name for path in log.parent.iterdir()) == ["runner.log", "runner.old.log"]
    assert log.stat().st_size == LARGEST_BYTES + 1


def test_a_log_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        open_log(tmp_path / "logs" / "runner.log")


def test_a_stop_is_noticed_even_before_the_thread_that_gives_the_signs_has_woken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    signs = SignOfLife(lambda: (), lambda: now_s[0], unwatched_s=10.0)
    now_s[0] += 0.25
    assert signs.take_longest_s() == pytest.approx(0.25)
    now_s[0] += 3.0  # the process was stopped; the thread that gives the signs is not started, or has not woken
    assert signs.take_longest_s() == pytest.approx(3.0)
    assert signs.take_longest_s() == 0.0, "told once"
