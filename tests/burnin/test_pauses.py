"""Whatever lasted a second is on record: a freeze of the runner of any length, alone or not, and who it was."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.children.freeze import NOTED_S
from core.burnin.profile.profile import Guards, OwnLimit
from core.burnin.record.rows import EventLevel, InterruptionKind, Outcome
from core.burnin.run.pauses import EXPLAINED_FROM_S, SAMPLER, Pauses
from core.loads.dead_man import LEAST_WITHIN_S, STOP_SHARE, WITHIN_S
from core.telemetry.device import Device, DeviceKind

CARD = Device("GPU-0", DeviceKind.GPU, "Card")
STARTED_S = 1000.0


class Record:
    """Keeps what is put on record."""

    def __init__(self) -> None:
        self.events: list[tuple[EventLevel, str]] = []
        self.interruptions: list[tuple[InterruptionKind, float, str]] = []

    def event(self, level: EventLevel, kind: str, text: str, device_id: str | None = None) -> None:
        del kind, device_id
        self.events.append((level, text))

    def interrupt(self, kind: InterruptionKind, lasted_s: float, text: str, *, at_s: float | None = None) -> None:
        del at_s
        self.interruptions.append((kind, lasted_s, text))

    @property
    def told(self) -> str:
        return " ".join([*(text for _, text in self.events), *(text for _, _, text in self.interruptions)])


class Frozen:
    """A runner that wakes after so many seconds, beside a sampler and a load that went on or stood still as well."""

    def __init__(self, patch: pytest.MonkeyPatch, seconds: float, guards: Guards | None = None) -> None:
        self.record, self.guards = Record(), guards or Guards()
        self.woke_s = STARTED_S + 20.0 + seconds
        patch.setattr(time, "monotonic", lambda: self.woke_s)
        self.pauses = Pauses(self.record, self.guards, lambda monotonic_s: monotonic_s - STARTED_S)
        self.begun_s = self.woke_s - seconds
        for witness in (SAMPLER, CARD.id):
            self.pauses.take_stamp(witness, self.begun_s - 0.2)
        self.pauses.take_turn(seconds, seconds, loaded=True, witnesses=[SAMPLER, CARD.id])

    def reports(self, witness: str, *, frozen: bool, every_s: float) -> None:
        """What waited in the line, and the first report after."""
        stamp_s = self.begun_s - 0.2 + every_s
        while not frozen and stamp_s < self.woke_s:
            self.pauses.take_stamp(witness, stamp_s)
            stamp_s += every_s
        self.pauses.take_stamp(witness, self.woke_s + 0.1)

    def left_alone(self) -> None:
        """The load ended itself."""
        device: Any = SimpleNamespace(device=CARD, loading=False, interrupted=True)
        self.pauses.take_report(device, {"type": "done"}, was_loading=True)


@given(st.floats(NOTED_S, 30), st.booleans())
def test_a_freeze_of_the_runner_is_on_record_whatever_its_length(seconds: float, alone: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        run = Frozen(patch, seconds)
        run.reports(SAMPLER, frozen=not alone, every_s=1.0)
        if alone and seconds > STOP_SHARE * run.guards.unsupervised_s:
            run.left_alone()
        run.reports(CARD.id, frozen=not alone, every_s=0.5)
        run.pauses.end()
    assert f"{seconds:.1f} s" in run.record.told
    assert ("whole machine" in run.record.told) is (not alone and seconds >= EXPLAINED_FROM_S)
    assert [lasted_s >= seconds - 0.1 for _, lasted_s, _ in run.record.interruptions] in ([], [True])
    if alone and seconds >= EXPLAINED_FROM_S:
        assert [kind for kind, _, _ in run.record.interruptions] == [InterruptionKind.FROZEN]
        assert "The runner froze" in run.record.told


@pytest.mark.parametrize("seconds", [2.6, 6.0, 20.0])
def test_a_sampler_that_froze_with_the_runner_does_not_make_it_the_whole_machine(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Frozen(monkeypatch, seconds)
    run.reports(SAMPLER, frozen=True, every_s=1.0)
    run.reports(CARD.id, frozen=False, every_s=0.5)
    assert "The runner froze" in run.record.told
    assert "whole machine" not in run.record.told


@given(st.floats(0.0, 1.9), st.floats(2, 10))
def test_a_load_that_was_left_alone_always_leaves_an_interruption(seconds: float, limit_s: float) -> None:
    """However short the runner stood still by its own clock, and however near the limit of a guard is."""
    with pytest.MonkeyPatch.context() as patch:
        run = Frozen(patch, seconds, Guards(telemetry_timeout_s=limit_s))
        run.left_alone()
        run.left_alone()
    assert [kind for kind, _, _ in run.record.interruptions] == [InterruptionKind.FROZEN]
    assert "Card heard nothing from the runner" in run.record.told


def test_a_wait_for_the_disk_is_no_freeze(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Frozen(monkeypatch, 0.0)
    run.pauses.take_turn(7.0, 0.3, loaded=True, witnesses=[SAMPLER])
    assert [kind for kind, _, _ in run.record.interruptions] == [InterruptionKind.GAP]
    assert "waited 7 s for the disk" in run.record.told


def test_a_freeze_warns_by_itself_and_what_it_cost_is_judged_by_the_results() -> None:
    assert InterruptionKind.FROZEN.outcome is Outcome.WARN
    assert InterruptionKind.SUSPENDED.outcome is Outcome.INCOMPLETE


@pytest.mark.parametrize(
    ("guards", "seconds"),
    [
        (Guards(), WITHIN_S),
        (Guards(telemetry_timeout_s=60, temperature_for_s=60), WITHIN_S),
        (Guards(telemetry_timeout_s=3), 3.0),
        (Guards(temperature_for_s=2.5), 2.5),
        (Guards(limits=(OwnLimit(metric="power_w", above=400, for_s=4),)), 4.0),
        (Guards(temperature_for_s=0.5), LEAST_WITHIN_S),
    ],
)
def test_a_load_goes_on_alone_for_no_longer_than_any_guard_waits(guards: Guards, seconds: float) -> None:
    assert guards.unsupervised_s == seconds
