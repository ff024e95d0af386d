"""Loads whose supervisor gives no sign of life end by themselves; slow ones of a living supervisor do not."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from math import ceil
from typing import Any

import psutil
import pytest

from core.loads.dead_man import EXIT_CODE, LEAST_WITHIN_S, STOP_SHARE, DeadMan, excused
from core.loads.evidence import RunEvidence
from core.loads.load import Ending, Load, LoadStatus, StepReport, StopCause
from core.loads.loop import HEARTBEAT_S, Loop, Totals
from core.platform.processes import own_python
from core.platform.protocol import ALIVE, ALIVE_EVERY_S
from tests.patience import PATIENCE_S

EXIT_AFTER_S, STOP_AFTER_S = LEAST_WITHIN_S, STOP_SHARE * LEAST_WITHIN_S


@pytest.mark.parametrize(
    ("silent_s", "since_s", "before_s", "counts_s"),
    [
        (0.4, 0.1, 0.0, 0.4),  # an ordinary silence
        (3.4, 3.1, 0.0, 0.3),  # stood still after a silence of 0.3 s
        (0.8, 0.6, 0.0, 0.2),  # stood still for a moment
        (3.05, 3.1, 0.0, 0.0),  # the last sign came between the last look and the standstill
        (3.05, 3.1, 2.0, 0.0),  # and an earlier standstill is over with that sign
        (3.5, 0.1, 3.1, 0.4),  # the next look after a standstill
        (6.5, 3.0, 3.1, 0.4),  # one standstill after the other
        (0.05, 0.1, 3.1, 0.05),  # the supervisor has woken
    ],
)
def test_silence_while_this_process_stood_still_does_not_count(
    silent_s: float, since_s: float, before_s: float, counts_s: float
) -> None:
    assert silent_s - excused(silent_s, since_s, before_s) == pytest.approx(counts_s)


@pytest.fixture(autouse=True)
def clock() -> None:
    """The switch waits in a thread of its own, on the clock of the machine."""


class Steps(Load):
    """Steps of so many seconds, without end."""

    def __init__(self, each_s: float) -> None:
        self.each_s = each_s

    def steps(self, seconds: float) -> Iterator[StepReport]:
        while True:
            time.sleep(self.each_s)
            yield StepReport(checks=1)

    def finish(self) -> Ending:
        return Ending(LoadStatus.PASSED, "", RunEvidence(checks=7))

    def shrink(self) -> bool:
        return False


def run(load: Load, channel: object, dead_man: DeadMan) -> Ending:
    return Loop(load, channel, seconds=60, totals=Totals(), dead_man=dead_man).run()  # type: ignore[arg-type]


def test_a_load_stops_in_good_order_when_nothing_comes_any_more(channel: object) -> None:
    heard_s = time.monotonic()
    ending = run(Steps(0.01), channel, DeadMan(lambda: time.monotonic() - heard_s, EXIT_AFTER_S, end=lambda: None))
    assert (ending.status, ending.stop) == (LoadStatus.STOPPED, StopCause.UNSUPERVISED)
    assert ending.evidence.as_dict() == {"checks": 7}
    assert time.monotonic() - heard_s >= STOP_AFTER_S


def test_a_load_that_does_not_stop_ends_with_its_process() -> None:
    heard_s = time.monotonic()
    ended = threading.Event()
    with DeadMan(lambda: time.monotonic() - heard_s, EXIT_AFTER_S, end=ended.set):
        assert ended.wait(PATIENCE_S)
    assert time.monotonic() - heard_s >= EXIT_AFTER_S


class Looks:
    """In place of the pause between two looks: on a clock of its own, each lasts as long as it is told to."""

    def __init__(self, pauses_s: Iterable[float], monkeypatch: pytest.MonkeyPatch) -> None:
        self._pauses_s, self.now_s = iter(pauses_s), 0.0
        monkeypatch.setattr("core.loads.dead_man.time.monotonic", lambda: self.now_s)

    def wait(self, _timeout_s: float) -> bool:
        pause_s = next(self._pauses_s, None)
        self.now_s += pause_s or 0.0
        return pause_s is None


def test_silence_while_the_process_itself_was_frozen_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The supervisor may have been frozen with it, and has its own time to give the next sign."""
    freeze_s = EXIT_AFTER_S + 0.5

    def after(pauses_s: list[float]) -> tuple[bool, bool]:
        looks, ended = Looks(pauses_s, monkeypatch), threading.Event()
        switch = DeadMan(lambda: looks.now_s, EXIT_AFTER_S, end=ended.set)
        switch._disarmed = looks  # type: ignore[assignment]
        switch._look()
        return switch.stops, ended.is_set()

    assert after([freeze_s, *[0.1] * int(10 * STOP_AFTER_S / 2)]) == (False, False)
    assert after([freeze_s, *[0.1] * int(10 * STOP_AFTER_S + 1)]) == (True, False), "but a silent supervisor is gone"
    assert after([freeze_s, *[0.1] * int(10 * EXIT_AFTER_S + 1)]) == (True, True)
    assert after([0.1] * int(10 * EXIT_AFTER_S + 1)) == (True, True)


def test_a_switch_that_is_disarmed_ends_nothing() -> None:
    ended = threading.Event()
    with DeadMan(lambda: 0.0, end=ended.set):
        pass
    assert not ended.wait(0.3)


@pytest.mark.process
def test_a_worker_works_on_with_signs_of_life_and_stops_without(start_worker: Callable[..., Any]) -> None:
    worker = start_worker("--device", "SIM:01", "--kind", "gpu", "--simulated", "RTX 3090")
    worker.next("ready")
    worker.send("start", load="gemm", seconds=3600, params={}, dead_man=EXIT_AFTER_S)
    over = threading.Event()

    def beat() -> None:
        while not over.wait(ALIVE_EVERY_S / 2):
            worker.send(ALIVE)

    beating = threading.Thread(target=beat, daemon=True)
    beating.start()
    for _ in range(ceil(2 * EXIT_AFTER_S / HEARTBEAT_S)):
        worker.next("progress")
    over.set()
    beating.join()
    assert worker.next("done")["stop"] == StopCause.UNSUPERVISED
    worker.send(ALIVE)
    assert worker.run("gemm", 0.1)["status"] == "passed", "the process itself lives on"


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(own_python(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.mark.process
def test_a_worker_whose_reports_nobody_reads_ends_with_its_process() -> None:
    """The supervisor is frozen and its pipe is full: the worker hangs in its report, and its load must end."""
    code = (
        "import threading, time\n"
        "from core.loads.dead_man import DeadMan\n"
        "from core.platform.protocol import open_channel\n"
        "channel = open_channel()\n"
        "with DeadMan(lambda: channel.silent_s, 2.0):\n"
        "    while True: channel.send('progress', filler='x' * 4096)\n"
    )
    stuck = started("-c", code)
    try:
        assert stuck.wait(PATIENCE_S) == EXIT_CODE
    finally:
        end(stuck)


@pytest.mark.process
def test_a_frozen_process_is_told_from_a_busy_one() -> None:
    from core.platform.processes import is_alive, is_stopped, mark_of

    process = subprocess.Popen(own_python("-c", "import time; time.sleep(600)"))
    try:
        mark = mark_of(process.pid)
        assert mark is not None
        assert is_alive(mark)
        assert not is_stopped(process.pid)
        os.kill(process.pid, signal.SIGSTOP)
        deadline = time.monotonic() + PATIENCE_S
        while not is_stopped(process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert is_stopped(process.pid)
        assert is_alive(mark)
    finally:
        process.kill()
        process.wait()
    assert mark_of(process.pid) is None
    assert not is_alive(mark)
    assert not psutil.pid_exists(process.pid)
