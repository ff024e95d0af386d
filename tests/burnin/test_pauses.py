"""Who stood still, the runner alone or the whole machine; and that whatever lasted a second is on record."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.children.child import NOTED_S
from core.burnin.profile.profile import Guards, OwnLimit
from core.burnin.record.rows import EventLevel, InterruptionKind, Outcome
from core.burnin.run.order import BurnOrder
from core.burnin.run.pauses import EXPLAINED_FROM_S, SAMPLER, TELLS_WITHIN_S, Pauses, Standstill, Standstills
from core.loads.dead_man import LEAST_WITHIN_S, STOP_SHARE, WITHIN_S
from core.machine.telemetry.device import Device, DeviceKind
from tests.burnin.processes import WriteProfile, burning, burning_in, family, finished, log_text, outcome
from tests.patience import wait_for

BEGUN_S, ENDED_S = 100.0, 106.0
GPU, OTHER = "GPU-0", "GPU-1"


@pytest.fixture
def standstills() -> Standstills:
    """Of a runner that has just woken."""
    noted = Standstills()
    noted.take(SAMPLER, BEGUN_S - 0.4)
    noted.note(BEGUN_S, ENDED_S, loaded=True, witnesses=[SAMPLER])
    return noted


@pytest.mark.parametrize(
    ("measured_s", "alone"),
    [
        ([BEGUN_S + 0.6, BEGUN_S + 1.6, BEGUN_S + 2.6], True),
        ([BEGUN_S + 1.6, BEGUN_S + 3.6], True),  # a slow driver
        ([ENDED_S], False),
        ([BEGUN_S - 0.2, ENDED_S + 1], False),
        ([None, "soon", ENDED_S + 1], False),
        ([BEGUN_S + 0.7, ENDED_S - 0.8], False),  # before it fell asleep, and when it woke before the runner
    ],
)
def test_what_the_sampler_measured_meanwhile_decides(
    standstills: Standstills, measured_s: list[object], alone: bool
) -> None:
    answers = [standstills.take(SAMPLER, stamp) for stamp in measured_s]
    assert answers[:-1] == [None] * (len(answers) - 1)
    assert answers[-1] == Standstill(BEGUN_S, ENDED_S, loaded=True, alone=alone)
    assert standstills.take(SAMPLER, ENDED_S + 2) is None, "each is told once"
    assert standstills.as_told() is None


@given(
    asleep=st.tuples(st.floats(0, 0.39), st.floats(0, 0.39)),
    lasted_s=st.floats(2, 20),
    first_s=st.floats(0, 1),
    frozen=st.sets(st.sampled_from([SAMPLER, GPU, OTHER])),
)
def test_whoever_falls_asleep_first_and_wakes_last(
    asleep: tuple[float, float], lasted_s: float, first_s: float, frozen: set[str]
) -> None:
    """A sampler and two workers, each of which went on or stood still with the runner: up to 0.4 s apart at both ends.

    One that went on is proof that the machine did.
    """
    noted = Standstills()
    from_s, until_s = BEGUN_S + asleep[0], BEGUN_S + lasted_s - asleep[1]
    stamps = []
    for witness, every_s in ((SAMPLER, 1.0), (GPU, 0.5), (OTHER, 0.5)):
        own = [BEGUN_S - 1 + first_s * every_s + tick * every_s for tick in range(round(24 / every_s))]
        heard = [stamp for stamp in own if witness not in frozen or not from_s < stamp < until_s]
        stamps += [(stamp, witness) for stamp in (*heard, *([until_s] if witness in frozen else []))]
    before = [one for one in stamps if one[0] <= BEGUN_S]
    for stamp, witness in sorted(before):
        noted.take(witness, stamp)
    noted.note(BEGUN_S, BEGUN_S + lasted_s, loaded=True, witnesses=[SAMPLER, GPU, OTHER])
    answers = [noted.take(witness, stamp) for stamp, witness in sorted(set(stamps) - set(before))]
    alone = len(frozen) < 3
    assert list(filter(None, answers)) == [Standstill(BEGUN_S, BEGUN_S + lasted_s, loaded=True, alone=alone)]


def test_a_sampler_that_was_frozen_with_the_runner_does_not_make_it_the_whole_machine() -> None:
    noted = Standstills()
    for witness in (SAMPLER, GPU):
        noted.take(witness, BEGUN_S - 0.3)
    noted.note(BEGUN_S, ENDED_S, loaded=True, witnesses=[SAMPLER, GPU])
    assert noted.take(SAMPLER, ENDED_S + 0.1) is None, "the worker has not spoken yet"
    assert noted.ran() == Standstill(BEGUN_S, ENDED_S, loaded=True, alone=True), "its load ended unsupervised"


def test_a_worker_that_has_ended_is_waited_for_no_more() -> None:
    noted = Standstills()
    noted.note(BEGUN_S, ENDED_S, loaded=True, witnesses=[SAMPLER, GPU])
    assert noted.take(SAMPLER, ENDED_S + 0.1) is None
    assert noted.leave(GPU) == Standstill(BEGUN_S, ENDED_S, loaded=True, alone=False)


def test_those_who_spoke_decide_and_without_a_word_the_worse_is_assumed(standstills: Standstills) -> None:
    assert standstills.overdue(ENDED_S + TELLS_WITHIN_S - 0.1) is None
    assert standstills.overdue(ENDED_S + TELLS_WITHIN_S + 0.1) == Standstill(BEGUN_S, ENDED_S, loaded=True, alone=True)
    standstills.note(200.0, 203.0, loaded=False, witnesses=[SAMPLER, GPU])
    standstills.take(SAMPLER, 203.1)
    assert standstills.as_told() == Standstill(200.0, 203.0, loaded=False, alone=False)


def test_two_in_a_row_are_one_and_loads_may_have_run_in_either(standstills: Standstills) -> None:
    standstills.note(ENDED_S + 0.1, ENDED_S + 4, loaded=False, witnesses=[SAMPLER])
    standstill = standstills.take(SAMPLER, ENDED_S + 4)
    assert standstill == Standstill(BEGUN_S, ENDED_S + 4, loaded=True, alone=False)


@pytest.mark.process
def test_on_a_machine_that_stood_still_the_loads_go_on_and_no_card_is_blamed(
    write_profile: WriteProfile, tmp_path: Path
) -> None:
    profile = write_profile(("gemm", 10.0, {}), telemetry_timeout_s=3, heartbeat_timeout_s=3, stalled_after_s=2)

    def stand_still(seconds: float) -> tuple[str, list[InterruptionKind], Outcome]:
        """What is told and recorded of a run whose processes all stood still for so long, and its verdict."""
        folder = tmp_path / f"{seconds}"
        folder.mkdir()
        with burning_in(folder, BurnOrder(profile=profile, simulate="2x3090")) as (store, run_id):
            wait_for(lambda: burning(store, run_id, 2), "throughput of both")
            processes = family(store, run_id)
            for process in processes:
                process.suspend()
            time.sleep(seconds)
            for process in reversed(processes):
                process.resume()
            wait_for(lambda: finished(store, run_id), "the verdict")
            kinds = [one.kind for one in store.interruptions(run_id)]
            return log_text(store, run_id), kinds, outcome(store, run_id)

    with ThreadPoolExecutor(2) as pool:  # both at the same time
        short, long = pool.map(stand_still, (3.0, 6.5))
    assert "The whole machine froze" in short[0]
    assert short[1:] == ([], Outcome.PASS), short
    assert "The whole machine froze" in long[0]
    assert long[1:] == ([InterruptionKind.GAP], Outcome.WARN), long


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

    def run_s(self, monotonic_s: float) -> float:
        return monotonic_s - STARTED_S

    @property
    def text(self) -> str:
        return " ".join([*(text for _, text in self.events), *(text for _, _, text in self.interruptions)])


class Frozen:
    """A runner that wakes after so many seconds, beside a sampler and a load that went on or stood still as well."""

    def __init__(self, patch: pytest.MonkeyPatch, seconds: float, guards: Guards | None = None) -> None:
        self.record: Any = Record()
        self.guards = guards or Guards()
        self.woke_s = STARTED_S + 20.0 + seconds
        patch.setattr(time, "monotonic", lambda: self.woke_s)
        self.pauses = Pauses(self.record, self.guards)
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
    assert f"{seconds:.1f} s" in run.record.text
    assert ("whole machine" in run.record.text) is (not alone and seconds >= EXPLAINED_FROM_S)
    assert [lasted_s >= seconds - 0.1 for _, lasted_s, _ in run.record.interruptions] in ([], [True])
    if alone and seconds >= EXPLAINED_FROM_S:
        assert [kind for kind, _, _ in run.record.interruptions] == [InterruptionKind.FROZEN]
        assert "The runner froze" in run.record.text


@pytest.mark.parametrize("seconds", [2.6, 6.0, 20.0])
def test_a_sampler_that_froze_with_the_runner_does_not_make_it_the_whole_machine(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Frozen(monkeypatch, seconds)
    run.reports(SAMPLER, frozen=True, every_s=1.0)
    run.reports(CARD.id, frozen=False, every_s=0.5)
    assert "The runner froze" in run.record.text
    assert "whole machine" not in run.record.text


@given(st.floats(0.0, 1.9), st.floats(2, 10))
def test_a_load_that_was_left_alone_always_leaves_an_interruption(seconds: float, limit_s: float) -> None:
    """However short the runner stood still by its own clock, and however near the limit of a guard is."""
    with pytest.MonkeyPatch.context() as patch:
        run = Frozen(patch, seconds, Guards(telemetry_timeout_s=limit_s))
        run.left_alone()
        run.left_alone()
    assert [kind for kind, _, _ in run.record.interruptions] == [InterruptionKind.FROZEN]
    assert "Card heard nothing from the runner" in run.record.text


def test_a_wait_for_the_disk_is_no_freeze(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Frozen(monkeypatch, 0.0)
    run.pauses.take_turn(7.0, 0.3, loaded=True, witnesses=[SAMPLER])
    assert [kind for kind, _, _ in run.record.interruptions] == [InterruptionKind.GAP]
    assert "waited 7 s for the disk" in run.record.text


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
