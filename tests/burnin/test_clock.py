"""The wall clock is set back and forth while a run goes on: nothing but its stamps moves."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.burnin.record import linked_store
from core.burnin.record import store as store_module
from core.burnin.record.rows import EventLevel, InterruptionKind, Outcome, RunDevice, RunStatus, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.follow import silent_s
from core.burnin.run.machine import WallClock
from core.machine.telemetry.device import Device, DeviceKind
from tests.burnin.begun_run import begun
from tests.burnin.processes import Start, WriteProfile, burned, finished, log_text, outcome
from tests.patience import wait_for

CARD = Device("SIM-0", DeviceKind.GPU, "RTX 3090", simulated=True)
JUMPS = st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=8)
"""By how many seconds the clock is set at each step: up to three years, either way."""


@dataclass
class Clock:
    """A wall clock that somebody sets."""

    now: datetime = datetime(2026, 5, 1, tzinfo=UTC)

    def stamp(self) -> str:
        return self.now.isoformat(timespec="milliseconds")

    def pass_and_jump(self, seconds: float, jump_s: float) -> None:
        self.now += timedelta(seconds=seconds + jump_s)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    set_by_somebody = Clock()
    for module in (store_module, linked_store):
        monkeypatch.setattr(module, "utc_now", set_by_somebody.stamp)
    return set_by_somebody


def new_run(store: RunStore) -> int:
    return begun(store, devices=[RunDevice(CARD, 0, True)], runner_pid=1)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(jumps=JUMPS)
def test_order_and_durations_are_those_of_the_monotonic_clock(store: RunStore, clock: Clock, jumps: list[int]) -> None:
    run_id = new_run(store)
    for second, jump_s in enumerate(jumps, start=1):
        clock.pass_and_jump(1.0, jump_s)
        store.add_tick(run_id, float(second), {CARD.id: {"power_w": 300.0}})
        store.add_event(run_id, float(second), EventLevel.INFO, "note", "x")
    store.finish(run_id, [Verdict("", Outcome.PASS, ())])
    times = [event.time_s for event in store.events(run_id)]
    assert times == sorted(times)
    assert store.wall_s(run_id) == store.last_time_s(run_id) == len(jumps)
    assert store.last_at(run_id) == clock.stamp()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(jumps=JUMPS, same_boot=st.booleans())
def test_a_pause_is_never_negative(store: RunStore, clock: Clock, jumps: list[int], same_boot: bool) -> None:
    run_id = new_run(store)
    for pid, jump_s in enumerate(jumps):
        clock.pass_and_jump(1.0, jump_s)
        store.add_tick(run_id, store.last_time_s(run_id) + 1, {CARD.id: {"power_w": 300.0}})
        store.add_event(run_id, store.last_time_s(run_id), EventLevel.INFO, "note", "x")
        store.mark_interrupted(run_id, InterruptionKind.KILLED, "Its runner ended unexpectedly.")
        assert silent_s(store, store.run(run_id)) is None
        store.set_runner(run_id, pid, "boot" if same_boot else f"boot {pid}")
    pauses = [one for one in store.interruptions(run_id) if one.kind is InterruptionKind.RESUMED]
    assert len(pauses) == len(jumps)
    for pause in pauses:
        assert pause.lasted_s is None or pause.lasted_s >= 0
        assert ("unknown time" in pause.message) == (pause.lasted_s is None)
        assert not same_boot or (pause.lasted_s is not None and pause.lasted_s < 60)
    store.finish(run_id, [])
    wall_s = store.wall_s(run_id)
    assert wall_s is None or wall_s >= store.last_time_s(run_id)


def test_a_jump_is_reported_once_with_its_length_and_a_slow_correction_is_not() -> None:
    wall, boot, monotonic = [1000.0], [50.0], [50.0]
    clock = WallClock(lambda: wall[0], lambda: monotonic[0], lambda: boot[0])

    def go_on(seconds: float, *, set_by_s: float = 0.0, asleep_s: float = 0.0) -> None:
        monotonic[0] += seconds
        boot[0] += seconds + asleep_s
        wall[0] += seconds + asleep_s + set_by_s

    for _ in range(100):
        go_on(1.0, set_by_s=0.001)
        assert clock.take_jump() is None
    for jump_s, words in ((-3600.0, "set back by 1 h"), (7200.0, "set ahead by 2 h")):
        go_on(1.0, set_by_s=jump_s)
        jump = clock.take_jump()
        assert jump is not None
        assert words in jump
        assert clock.take_jump() is None
    go_on(1.0, asleep_s=600.0)
    assert clock.take_jump() is None, "a machine that slept has the right time"
    assert clock.take_sleep_s() == pytest.approx(600.0)
    assert clock.take_sleep_s() is None


CLOCK_THAT_JUMPS = """
import sys
if "core.burnin.run.runner" in sys.orig_argv:
    import datetime, time
    real = time.time
    shift = lambda: (-7200.0, 0.0, 86400.0)[int(time.monotonic()) % 3]
    time.time = lambda: real() + shift()
    class Jumping(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.fromtimestamp(time.time(), tz)
    from core.burnin.record import linked_store, store
    store.datetime = linked_store.datetime = Jumping
"""
"""The clock of the runner is another one in each second."""


@pytest.mark.process
def test_a_run_whose_clock_jumps_every_second_is_measured_and_judged_as_ever(
    start: Start, store: RunStore, write_profile: WriteProfile, sabotage: Callable[[str], None],
    tmp_path: Path,
) -> None:  # fmt: skip
    sabotage(CLOCK_THAT_JUMPS)
    run_id = start(write_profile(("idle", 1.0, {}), ("gemm", 3.0, {})), simulate="1x3090")
    silences = []
    wait_for(lambda: silences.append(silent_s(store, store.run(run_id))) or finished(store, run_id), "the verdict")
    assert set(silences) == {None}, "no runner that answers is called silent"
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    assert "The clock of the machine was set" in log_text(store, run_id)
    times = [event.time_s for event in store.events(run_id)]
    assert times == sorted(times)
    samples_s = store.samples(run_id, burned(store, run_id)[0])[:, 0]
    assert all(later > earlier for earlier, later in itertools.pairwise(samples_s))
    wall_s = store.wall_s(run_id)
    assert wall_s is not None
    assert 4.0 <= wall_s < 3600.0, "none of the jumps"
    assert store.run(run_id).status is RunStatus.FINISHED
