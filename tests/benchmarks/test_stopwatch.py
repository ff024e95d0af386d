"""The stopwatch of the tests: seconds on a machine that has time, none of those in which it stood still."""

import subprocess
import sys
import time

import pytest

from tests.benchmarks.stopwatch import Stopwatch

FROZEN = """
import os, signal, subprocess, sys, time
from tests.benchmarks.stopwatch import Stopwatch

waker = "import os, signal, sys, time; time.sleep(1.5); os.kill(int(sys.argv[1]), signal.SIGCONT)"
subprocess.Popen([sys.executable, "-c", waker, str(os.getpid())])
begun, watch = time.monotonic(), Stopwatch()
time.sleep(0.2)
os.kill(os.getpid(), signal.SIGSTOP)
print(time.monotonic() - begun, watch.seconds)
"""


def test_on_a_machine_with_time_it_is_a_watch() -> None:
    begun_s, watch = time.monotonic(), Stopwatch()
    time.sleep(0.3)
    seconds = watch.seconds
    assert 0.0 < seconds <= time.monotonic() - begun_s


@pytest.mark.skipif(sys.platform == "win32", reason="Windows freezes no process by a signal")
def test_seconds_in_which_nothing_ran_are_not_counted() -> None:
    done = subprocess.run([sys.executable, "-c", FROZEN], capture_output=True, text=True, timeout=60, check=True)
    lasted_s, counted_s = map(float, done.stdout.split())
    assert lasted_s > 1.0
    assert counted_s < lasted_s - 0.8
