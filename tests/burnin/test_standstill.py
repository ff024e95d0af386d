"""Who stood still, the runner alone or the whole machine, is told by what the sampler measured meanwhile."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import InterruptionKind, Outcome
from core.burnin.record.store import RunStore
from core.burnin.run.standstill import TELLS_WITHIN_S, Standstill, Standstills
from tests.burnin.processes import Start, WaitFor, WriteProfile, burning, family, finished, outcome, said

BEGUN_S, ENDED_S = 100.0, 106.0
SAMPLER, CARD, OTHER = "sampler", "GPU-0", "GPU-1"


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
    told = [standstills.take(SAMPLER, stamp) for stamp in measured_s]
    assert told[:-1] == [None] * (len(told) - 1)
    assert told[-1] == Standstill(BEGUN_S, ENDED_S, loaded=True, alone=alone)
    assert standstills.take(SAMPLER, ENDED_S + 2) is None, "each is told once"
    assert standstills.at_the_end() is None


@given(
    asleep=st.tuples(st.floats(0, 0.39), st.floats(0, 0.39)),
    lasted_s=st.floats(2, 20),
    first_s=st.floats(0, 1),
    frozen=st.sets(st.sampled_from([SAMPLER, CARD, OTHER])),
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
    for witness, every_s in ((SAMPLER, 1.0), (CARD, 0.5), (OTHER, 0.5)):
        own = [BEGUN_S - 1 + first_s * every_s + tick * every_s for tick in range(round(24 / every_s))]
        kept = [stamp for stamp in own if witness not in frozen or not from_s < stamp < until_s]
        stamps += [(stamp, witness) for stamp in (*kept, *([until_s] if witness in frozen else []))]
    before = [one for one in stamps if one[0] <= BEGUN_S]
    for stamp, witness in sorted(before):
        noted.take(witness, stamp)
    noted.note(BEGUN_S, BEGUN_S + lasted_s, loaded=True, witnesses=[SAMPLER, CARD, OTHER])
    told = [found for stamp, witness in sorted(set(stamps) - set(before)) if (found := noted.take(witness, stamp))]
    alone = len(frozen) < 3
    assert told == [Standstill(BEGUN_S, BEGUN_S + lasted_s, loaded=True, alone=alone)]


def test_a_sampler_that_was_frozen_with_the_runner_does_not_make_it_the_whole_machine() -> None:
    noted = Standstills()
    for witness in (SAMPLER, CARD):
        noted.take(witness, BEGUN_S - 0.3)
    noted.note(BEGUN_S, ENDED_S, loaded=True, witnesses=[SAMPLER, CARD])
    assert noted.take(SAMPLER, ENDED_S + 0.1) is None, "the worker has not spoken yet"
    assert noted.ran() == Standstill(BEGUN_S, ENDED_S, loaded=True, alone=True), "its load ended unsupervised"


def test_a_worker_that_has_ended_is_waited_for_no_more() -> None:
    noted = Standstills()
    noted.note(BEGUN_S, ENDED_S, loaded=True, witnesses=[SAMPLER, CARD])
    assert noted.take(SAMPLER, ENDED_S + 0.1) is None
    assert noted.leave(CARD) == Standstill(BEGUN_S, ENDED_S, loaded=True, alone=False)


def test_those_who_spoke_decide_and_without_a_word_the_worse_is_assumed(standstills: Standstills) -> None:
    assert standstills.overdue(ENDED_S + TELLS_WITHIN_S - 0.1) is None
    assert standstills.overdue(ENDED_S + TELLS_WITHIN_S + 0.1) == Standstill(BEGUN_S, ENDED_S, loaded=True, alone=True)
    standstills.note(200.0, 203.0, loaded=False, witnesses=[SAMPLER, CARD])
    standstills.take(SAMPLER, 203.1)
    assert standstills.at_the_end() == Standstill(200.0, 203.0, loaded=False, alone=False)


def test_two_in_a_row_are_one_and_loads_may_have_run_in_either(standstills: Standstills) -> None:
    standstills.note(ENDED_S + 0.1, ENDED_S + 4, loaded=False, witnesses=[SAMPLER])
    told = standstills.take(SAMPLER, ENDED_S + 4)
    assert told == Standstill(BEGUN_S, ENDED_S + 4, loaded=True, alone=False)


@pytest.mark.process
@pytest.mark.parametrize(("seconds", "remarked"), [(3.0, []), (6.5, [InterruptionKind.GAP])])
def test_on_a_machine_that_stood_still_the_loads_go_on_and_no_card_is_blamed(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor,
    seconds: float, remarked: list[InterruptionKind],
) -> None:  # fmt: skip
    profile = write_profile(("gemm", 12.0, {}), telemetry_timeout_s=3, heartbeat_timeout_s=3, stalled_after_s=2)
    run_id = start(profile, simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both")
    processes = family(store, run_id)
    for process in processes:
        process.suspend()
    time.sleep(seconds)
    for process in reversed(processes):
        process.resume()
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert "The whole machine froze" in said(store, run_id)
    assert [one.kind for one in store.interruptions(run_id)] == remarked
    assert outcome(store, run_id) is (Outcome.WARN if remarked else Outcome.PASS), store.verdicts(run_id)
