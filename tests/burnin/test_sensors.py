"""What the runner knows of the sensors: old readings are not new ones, and silence is told per device."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import Any

import pytest

from core.burnin.children import sensors as module
from core.burnin.children.child import LOOK_EVERY_S
from core.burnin.children.sensors import DETECT_WITHIN_S, HUNG_AFTER_S, MOST_REPLACED, STALE_S, Sensors
from core.platform.errors import EnvironmentProblem


class FakeSampler:
    """Says nothing by itself."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.killed = False

    def kill(self) -> None:
        self.killed = True


class Clock:
    """Stands still until told otherwise."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "Child", FakeSampler)
    return clock


@pytest.fixture
def sensors(clock: Clock, tmp_path: Path) -> Sensors:
    return Sensors(None, inbox=queue.SimpleQueue(), log=tmp_path / "sampler.log")


def test_a_device_that_is_missing_or_empty_falls_silent_while_the_others_are_heard(
    sensors: Sensors, clock: Clock
) -> None:
    sensors.take({"a": {"power_w": 1.0}, "b": {"power_w": 1.0}, "c": {"power_w": 1.0}})
    clock.now += 5
    sensors.take({"a": {"power_w": 2.0}, "b": {"power_w": None}})
    assert sensors.silent_s() == 0
    assert [sensors.device_silent_s(name) for name in "abcd"] == [0, 5, 5, 5]
    assert sensors.fresh("a") == {"power_w": 2.0}
    assert sensors.fresh("b") == {}


def test_readings_grow_old_but_silence_is_not_counted_while_the_runner_stood_still(
    sensors: Sensors, clock: Clock
) -> None:
    sensors.take({"a": {"power_w": 1.0}})
    clock.now += 15
    sensors.excuse(15)
    assert (sensors.silent_s(), sensors.device_silent_s("a")) == (0, 0)
    assert sensors.fresh("a") == {}
    clock.now += STALE_S
    assert sensors.silent_s() == STALE_S


def test_what_was_counted_joins_the_newest_readings_and_makes_them_no_younger(sensors: Sensors, clock: Clock) -> None:
    sensors.take({"a": {"power_w": 1.0, "ecc_uncorrected": 0.0}})
    clock.now += 2
    sensors.take_counts({"a": {"ecc_uncorrected": 2.0}, "unheard": {"ecc_uncorrected": 1.0}})
    assert sensors.fresh("a") == {"power_w": 1.0, "ecc_uncorrected": 2.0}
    assert sensors.fresh("unheard") == {}
    clock.now += 1
    assert sensors.fresh("a") == {}


def test_a_sampler_is_replaced_a_few_times_and_the_silence_goes_on_counting(sensors: Sensors, clock: Clock) -> None:
    sensors.take({"a": {"power_w": 1.0}})
    first: Any = sensors.sampler
    clock.now += 6
    assert sensors.replace()
    assert sensors.sampler is not first
    assert first.killed
    assert sensors.silent_s() == 6, "the guard stops the loads where the new one does not answer either"
    assert [sensors.replace() for _ in range(MOST_REPLACED)] == [True] * (MOST_REPLACED - 1) + [False]


def test_a_sampler_hangs_that_has_told_nothing_for_seconds_and_a_new_one_has_the_time_that_a_start_takes(
    sensors: Sensors, clock: Clock
) -> None:
    sensors.take({"a": {"power_w": 1.0}})
    clock.now += HUNG_AFTER_S - 0.1
    assert not sensors.hangs
    clock.now += 0.2
    assert sensors.hangs
    sensors.excuse(1.0)  # of which the runner did not run
    assert not sensors.hangs
    clock.now += 1.0
    sensors.replace()
    clock.now += DETECT_WITHIN_S - 0.1
    assert not sensors.hangs
    clock.now += 0.2
    assert sensors.hangs
    sensors.replace()
    clock.now += 2 * DETECT_WITHIN_S
    assert not sensors.hangs, "no third one"


def test_a_freeze_of_the_sampler_is_reported_when_it_wakes(sensors: Sensors) -> None:
    sampler: Any = sensors.sampler
    freezes_s = []
    for tick, frozen in enumerate([False, True, True, True, True, True, False, False]):
        sampler.frozen = frozen
        freezes_s.append(sensors.look_for_freeze(tick * LOOK_EVERY_S))
    assert freezes_s == [None] * 6 + [6 * LOOK_EVERY_S, None]


def test_a_sampler_that_never_answers_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Child", FakeSampler)
    monkeypatch.setattr(module, "DETECT_WITHIN_S", 0.05)
    sensors = Sensors(None, inbox=queue.SimpleQueue(), log=tmp_path / "sampler.log")
    with pytest.raises(EnvironmentProblem, match="did not answer"):
        sensors.wait_for_devices(lambda: False)
    assert sensors.sampler.killed  # type: ignore[attr-defined]
