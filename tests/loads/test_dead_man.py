"""Loads whose supervisor gives no sign of life end by themselves; slow ones of a living supervisor do not."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from core.loads.dead_man import EXIT_CODE, LEAST_WITHIN_S, STOP_SHARE, DeadMan, excused
from core.loads.evidence import RunEvidence
from core.loads.load import Ending, Load, LoadStatus, StepReport, StopCause
from core.loads.loop import Loop, Totals
from core.processes import own_python
from core.protocol import ALIVE, ALIVE_EVERY_S

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
    ended: list[float] = []
    ending = run(
        Steps(0.01), channel, DeadMan(lambda: time.monotonic() - heard_s, EXIT_AFTER_S, end=lambda: ended.append(1.0))
    )
    assert (ending.status, ending.stop) == (LoadStatus.STOPPED, StopCause.UNSUPERVISED)
    assert ending.evidence.as_dict() == {"checks": 7}
    assert STOP_AFTER_S <= time.monotonic() - heard_s < EXIT_AFTER_S + 1.0
    assert not ended


def test_a_load_that_does_not_stop_ends_with_its_process() -> None:
    heard_s = time.monotonic()
    ended = threading.Event()
    with DeadMan(lambda: time.monotonic() - heard_s, EXIT_AFTER_S, end=ended.set):
        assert ended.wait(EXIT_AFTER_S + 3.0)
    assert time.monotonic() - heard_s >= EXIT_AFTER_S


class Frozen(DeadMan):
    """A switch in a process that is frozen for so long, during its first look."""

    def __init__(self, frozen_s: float, end: threading.Event) -> None:
        self._began_s = self._heard_s = time.monotonic()
        self._freeze_s = frozen_s
        super().__init__(self._silence, EXIT_AFTER_S, end=end.set)

    def _silence(self) -> float:
        freeze_s, self._freeze_s = self._freeze_s, 0.0
        time.sleep(freeze_s)
        return time.monotonic() - self._heard_s


def test_silence_while_the_process_itself_was_frozen_counts_for_nothing() -> None:
    """The supervisor may have been frozen with it, and has its own time to give the next sign."""
    ended = threading.Event()
    frozen_s = EXIT_AFTER_S + 0.5
    with Frozen(frozen_s, ended) as switch:
        time.sleep(frozen_s + STOP_AFTER_S / 2)
        assert not switch.stops
        assert ended.wait(EXIT_AFTER_S + 3.0), "but a supervisor that stays silent is gone"


def test_a_switch_that_is_disarmed_ends_nothing() -> None:
    ended = threading.Event()
    with DeadMan(lambda: 0.0, end=ended.set):
        pass
    assert not ended.wait(0.3)


@pytest.mark.process
@pytest.mark.parametrize("beating", [True, False])
def test_a_worker_without_signs_of_life_is_idle_within_two_seconds_and_with_them_works_on(beating: bool) -> None:
    worker = started("-m", "core.loads.worker", "--device", "SIM:01", "--kind", "gpu", "--simulated", "RTX 3090")
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        assert "ready" in worker.stdout.readline()
        worker.stdin.write('{"type": "start", "load": "gemm", "seconds": 60, "params": {}, "dead_man": 2.0}\n')
        worker.stdin.flush()
        began_s = time.monotonic()
        done: list[tuple[float, str]] = []
        reader = threading.Thread(target=_read, args=(worker, done), daemon=True)
        reader.start()
        while time.monotonic() - began_s < EXIT_AFTER_S + 2.0 and not done:
            if beating:
                worker.stdin.write(f'{{"type": "{ALIVE}"}}\n')
                worker.stdin.flush()
            time.sleep(ALIVE_EVERY_S)
        if beating:
            assert not done
        else:
            assert '"stop":"unsupervised"' in done[0][1]
            assert done[0][0] - began_s <= EXIT_AFTER_S + 0.5
    finally:
        worker.kill()
        reader.join()
        end(worker)


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(own_python(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def _read(worker: subprocess.Popen[str], done: list[tuple[float, str]]) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        if '"done"' in line:
            done.append((time.monotonic(), line))


@pytest.mark.process
def test_a_worker_whose_reports_nobody_reads_ends_with_its_process() -> None:
    """The supervisor is frozen and its pipe is full: the worker hangs in its report, and its load must end."""
    code = (
        "import threading, time\n"
        "from core.loads.dead_man import DeadMan\n"
        "from core.protocol import open_channel\n"
        "channel = open_channel()\n"
        "with DeadMan(lambda: channel.silent_s, 2.0):\n"
        "    while True: channel.send('progress', filler='x' * 4096)\n"
    )
    stuck = started("-c", code)
    try:
        assert stuck.wait(EXIT_AFTER_S + 10.0) == EXIT_CODE
    finally:
        end(stuck)


@pytest.mark.process
def test_a_frozen_process_is_told_from_a_busy_one() -> None:
    from core.processes import is_alive, is_stopped, mark_of

    process = subprocess.Popen(own_python("-c", "import time; time.sleep(60)"))
    try:
        mark = mark_of(process.pid)
        assert mark is not None
        assert is_alive(mark)
        assert not is_stopped(process.pid)
        os.kill(process.pid, signal.SIGSTOP)
        deadline = time.monotonic() + 5
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
