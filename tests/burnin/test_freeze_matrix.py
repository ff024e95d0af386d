"""Single freezes of runner, sampler and worker, alone and in pairs: verdict, cause and seal are true in every case.

Two simulated cards in each run, one freeze in each. What is asserted holds also where the machine of the test stands
still by itself meanwhile: that may only add to what is on record.
"""

from __future__ import annotations

import contextlib
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, ResultStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder
from core.burnin.run.pauses import EXPLAINED_FROM_S
from core.burnin.sealing import SealState, check_run
from core.loads.dead_man import WITHIN_S
from tests.burnin.processes import (
    burned,
    burning,
    burning_in,
    check_at_once,
    child,
    family,
    finished,
    log_text,
    outcome,
    profile_in,
)
from tests.patience import wait_for

RUNNER, SAMPLER, WORKER = "runner", "sampler", "worker"
ALL_VICTIMS = ((RUNNER,), (SAMPLER,), (WORKER,), (RUNNER, SAMPLER), (RUNNER, WORKER), (SAMPLER, WORKER))
ALL_SECONDS = (1.2, 1.6, 1.75, 2.05, 2.6, 3.5, 4.5, 6.0)
FEW = (((RUNNER,), 1.75), ((RUNNER,), 6.0), ((RUNNER, SAMPLER), 2.6), ((WORKER,), 2.6), ((SAMPLER,), 6.0),
       ((RUNNER, WORKER), 6.0))  # fmt: skip
"""One of each kind of outcome; all of them in `make soak`."""
LENGTHS = re.compile(r"([\w ]+?) for ([0-9.]+) s")
GUARDS = {"telemetry_timeout_s": 60, "heartbeat_timeout_s": 60, "stalled_after_s": 50, "stagger_s": 0}


@dataclass(frozen=True, slots=True)
class Frozen:
    """A run, who of it was frozen, and for how long it was at least."""

    store: RunStore
    run_id: int
    victims: tuple[str, ...]
    seconds: float


def process_of(store: RunStore, run_id: int, victim: str) -> psutil.Process:
    if victim == RUNNER:
        return family(store, run_id)[0]
    module, word = ("core.machine.telemetry.sampler", "") if victim == SAMPLER else (
        "core.loads.worker", burned(store, run_id)[0]
    )  # fmt: skip
    process = child(store, run_id, module, word)
    assert process is not None
    return process


def wrong_after(folder: Path, case: tuple[tuple[str, ...], float]) -> str | None:
    """What is not as it must be in a run that was frozen once it burned, and woken after its time."""
    order = BurnOrder(profile=profile_in(folder, ("gemm", 12.0, {}), **GUARDS), simulate="2x3090")
    with burning_in(folder, order) as (store, run_id):
        try:
            wait_for(lambda: burning(store, run_id, 2), "throughput of both")
            freeze(store, run_id, *case)
            wait_for(lambda: finished(store, run_id), "the verdict")
            check(Frozen(store, run_id, *case))
        except AssertionError as error:
            return f"{error}\n{log_text(store, run_id)}"
    return None


def freeze(store: RunStore, run_id: int, victims: tuple[str, ...], seconds: float) -> None:
    processes = [process_of(store, run_id, victim) for victim in victims]
    for process in processes:
        process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)


def longest(frozen: Frozen, *words: str) -> float:
    """Of the times that are on record with any of these words, s."""
    lengths_s = [float(seconds) for what, seconds in LENGTHS.findall(log_text(frozen.store, frozen.run_id))
             if any(word in what for word in words)]  # fmt: skip
    return max(lengths_s, default=0.0)


def check(frozen: Frozen) -> None:
    store, run_id = frozen.store, frozen.run_id
    text, interruptions = log_text(store, run_id), store.interruptions(run_id)
    assert check_run(store, run_id).state is SealState.INTACT
    verdict, results = outcome(store, run_id), store.results(run_id)
    assert verdict is not Outcome.FAIL, "no card is blamed"
    assert verdict is not Outcome.PASS or not interruptions, "an interruption is no pass"
    assert {result.status for result in results} <= {ResultStatus.PASSED, ResultStatus.STOPPED}, results
    whole = all(result.status is ResultStatus.PASSED for result in results)
    assert (verdict is Outcome.INCOMPLETE) is not whole, "all planned time was run, or it is incomplete"
    assert store.stages(run_id)[0].status is StageStatus.DONE
    assert whole, "a freeze of seconds costs no stage"
    least_s = frozen.seconds - 0.1
    if RUNNER in frozen.victims:
        assert longest(frozen, "runner froze", "runner stood still") >= least_s, text
        assert longest(frozen, "whole machine") < least_s, "the machine went on: other processes of the run did"
        if WORKER not in frozen.victims and frozen.seconds > WITHIN_S + 0.5:  # longer than a load goes on alone
            assert "started again for the remaining" in text
            assert outcome(store, run_id, burned(store, run_id)[0]) is Outcome.WARN
        if frozen.seconds >= EXPLAINED_FROM_S:
            assert max(one.lasted_s or 0.0 for one in interruptions if one.kind is InterruptionKind.FROZEN) >= least_s
    else:
        for victim in frozen.victims:
            assert f"{victim} was frozen" in text or f"ts {victim} (process" in text or "stood still" in text, text
        assert interruptions


@pytest.mark.process
def test_a_freeze_is_on_record_with_its_length_and_cause_and_costs_no_stage(tmp_path: Path) -> None:
    check_at_once(tmp_path, FEW, wrong_after)


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.parametrize("victims", ALL_VICTIMS, ids=" and ".join)
def test_freezes_of_all_lengths_and_victims(tmp_path: Path, victims: tuple[str, ...]) -> None:
    check_at_once(tmp_path, [(victims, seconds) for seconds in ALL_SECONDS], wrong_after)
