"""Single freezes of runner, sampler and worker, alone and in pairs: verdict, cause and seal are true in every case.

Two simulated cards in each run, one freeze in each. What is asserted holds also where the machine of the test stands
still by itself meanwhile: that may only add to what is on record.
"""

from __future__ import annotations

import contextlib
import re
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, ResultStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.launch import BurnOrder, start_run
from core.burnin.run.pauses import EXPLAINED_FROM_S
from core.burnin.sealing import SealState, check_run
from tests.burnin.processes import burned, burning, child, family, finished, outcome, said
from tests.patience import PATIENCE_S

RUNNER, SAMPLER, WORKER = "runner", "sampler", "worker"
ALL_VICTIMS = ((RUNNER,), (SAMPLER,), (WORKER,), (RUNNER, SAMPLER), (RUNNER, WORKER), (SAMPLER, WORKER))
ALL_SECONDS = (1.2, 1.6, 1.75, 2.05, 2.6, 3.5, 4.5, 6.0)
FEW = (((RUNNER,), 1.75), ((RUNNER,), 6.0), ((RUNNER, SAMPLER), 2.6), ((WORKER,), 2.6), ((SAMPLER,), 6.0),
       ((RUNNER, WORKER), 6.0))  # fmt: skip
"""One of each kind of outcome; all of them in `make soak`."""
LENGTHS = re.compile(r"([\w ]+?) for ([0-9.]+) s")
PROFILE = """
name = "one"
title = "One"
[[stages]]
kind = "gemm"
seconds = 12
[guards]
telemetry_timeout_s = 60
heartbeat_timeout_s = 60
stalled_after_s = 50
stagger_s = 0
"""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A run, who of it was frozen, and for how long it was at least."""

    store: RunStore
    run_id: int
    victims: tuple[str, ...]
    seconds: float


def wait_for(condition: object, what: str) -> None:
    assert callable(condition)
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for: {what}"
        time.sleep(0.05)


def process_of(store: RunStore, run_id: int, victim: str) -> psutil.Process:
    if victim == RUNNER:
        return family(store, run_id)[0]
    module, word = ("core.telemetry.sampler", "") if victim == SAMPLER else (
        "core.loads.worker", burned(store, run_id)[0]
    )  # fmt: skip
    found = child(store, run_id, module, word)
    assert found is not None
    return found


@contextlib.contextmanager
def all_frozen(folder: Path, cases: Sequence[tuple[tuple[str, ...], float]]) -> Iterator[list[Frozen]]:
    """A run for each case, all at the same time; each is frozen once it burns, and woken after its time."""
    begun: list[tuple[RunStore, int]] = []
    try:
        for number, _ in enumerate(cases):
            place = folder / str(number)
            place.mkdir()
            (place / "one.toml").write_text(PROFILE, "utf-8")
            run_id = start_run(place, BurnOrder(profile=str(place / "one.toml"), simulate="2x3090"))
            begun.append((RunStore(place), run_id))
            wait_for(lambda store=begun[-1][0], run_id=run_id: burning(store, run_id, 2), "throughput of both")
            freeze(*begun[-1], *cases[number])
        for store, run_id in begun:
            wait_for(lambda store=store, run_id=run_id: finished(store, run_id), "the verdict")
        yield [Frozen(*run, *case) for run, case in zip(begun, cases, strict=True)]
    finally:
        for store, run_id in begun:
            for process in family(store, run_id):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            store.close()


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
    found = [float(lasted) for what, lasted in LENGTHS.findall(said(frozen.store, frozen.run_id))
             if any(word in what for word in words)]  # fmt: skip
    return max(found, default=0.0)


def check(frozen: Frozen) -> None:
    store, run_id = frozen.store, frozen.run_id
    told, interruptions = said(store, run_id), store.interruptions(run_id)
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
        assert longest(frozen, "runner froze", "runner stood still") >= least_s, told
        assert longest(frozen, "whole machine") < least_s, "the machine went on: other processes of the run did"
        if frozen.seconds >= EXPLAINED_FROM_S:
            assert max(one.lasted_s or 0.0 for one in interruptions if one.kind is InterruptionKind.FROZEN) >= least_s
    else:
        for victim in frozen.victims:
            assert f"{victim} was frozen" in told or f"ts {victim} (process" in told or "stood still" in told, told
        assert interruptions


def strike(folder: Path, cases: Sequence[tuple[tuple[str, ...], float]]) -> None:
    wrong = {}
    with all_frozen(folder, cases) as runs:
        for run in runs:
            try:
                check(run)
            except AssertionError as error:
                wrong[run.victims, run.seconds] = f"{error}\n{said(run.store, run.run_id)}"
    assert wrong == {}, "\n\n".join(f"{case}: {text}" for case, text in wrong.items())


@pytest.mark.process
def test_a_freeze_is_on_record_with_its_length_and_cause_and_costs_no_stage(tmp_path: Path) -> None:
    strike(tmp_path, FEW)


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.parametrize("victims", ALL_VICTIMS, ids=" and ".join)
def test_freezes_of_all_lengths_and_victims(tmp_path: Path, victims: tuple[str, ...]) -> None:
    strike(tmp_path, [(victims, seconds) for seconds in ALL_SECONDS])
