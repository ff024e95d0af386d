"""Runner, sampler and worker, killed or frozen, in several kinds of stages: the record stays true to the last second.

Two simulated cards in each run; the runs of one kind of stage go on at the same time. Viewers and ranks are struck in
test_kill_ranks_and_viewers; tests/benchmarks measures how soon real loads end.
"""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, RunStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import end_from_outside, silent_s
from core.burnin.run.order import BurnOrder
from core.burnin.run.recovery import close_run, find_interrupted
from core.burnin.stages.registry import BY_KIND
from core.loads.dead_man import WITHIN_S
from tests.burnin.processes import burning_in, check_at_once, child, family, log_text, profile_in, running
from tests.patience import wait_for

FEW_STAGES = ("idle", "gemm", "collectives")
"""One that only watches, one of each device for itself, one of all together; the others in `make soak`."""
ALL_STAGES = ("preflight", "known-answer", "vram", "bandwidth", "host-link", "functional-units", "p2p", "soak",
              "resnet", "transformer", "data-parallel", "transients", "whole-system", "replay", "cooldown")  # fmt: skip
LASTING = {"known-answer": {"iterations": 1_000_000}}
"""What makes a stage last that else ends when it has done its work."""
RUNNER, SAMPLER, WORKER = "core.burnin.run.runner", "core.machine.telemetry.sampler", "core.loads.worker"
KILL, STOP, WAKE = signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT
BLOWS = tuple((victim, number) for victim in (RUNNER, SAMPLER, WORKER) for number in (KILL, STOP, WAKE))
"""What befalls whom: killed, frozen for good, or frozen for a while and woken.
A stage that only watches has no worker."""
GUARDS = {"heartbeat_timeout_s": 6, "stalled_after_s": 5, "telemetry_timeout_s": 4, "stagger_s": 0}
Blow = tuple[str, signal.Signals]


@dataclass(frozen=True, slots=True)
class Struck:
    """A run whose victim was struck in its stage; `victim` is a worker's device, the first of two."""

    store: RunStore
    folder: Path
    run_id: int
    devices: tuple[str, ...]
    struck_s: float
    """The last sample before the blow."""
    processes: tuple[psutil.Process, ...]
    victim: psutil.Process


def under_way(store: RunStore, run_id: int) -> bool:
    """Whether the stage runs and two samples of it are on record."""
    stage = store.stages(run_id)[0]
    return stage.status is StageStatus.RUNNING and store.last_time_s(run_id) >= (stage.started_s or 0.0) + 2


def strike(store: RunStore, folder: Path, run_id: int, blow: Blow) -> Struck:
    victim, number = blow
    devices = tuple(row.device.id for row in store.devices(run_id) if row.burned)
    processes = tuple(family(store, run_id))
    process = processes[0] if victim == RUNNER else child(store, run_id, victim, devices[0] if victim == WORKER else "")
    assert process is not None
    struck_s = store.last_time_s(run_id)
    process.send_signal(STOP if number == WAKE else number)
    return Struck(store, folder, run_id, devices, struck_s, processes, process)


def noticed(blow: Blow, struck: Struck) -> bool:
    """Whether one that is frozen for a while may wake: what its freeze must lead to has come."""
    if blow == (RUNNER, WAKE):  # longer than its loads go on without it
        return (silent_s(struck.store, struck.store.run(struck.run_id)) or 0.0) > WITHIN_S + 1
    if blow == (WORKER, WAKE):
        return "frozen from outside" in log_text(struck.store, struck.run_id)
    return blow != (SAMPLER, WAKE) or struck.store.last_time_s(struck.run_id) >= struck.struck_s + 3


def wake(blow: Blow, struck: Struck) -> None:
    """Those that were frozen for a while run again; one that was ended meanwhile stays gone."""
    if blow[1] == WAKE:
        with contextlib.suppress(psutil.NoSuchProcess):
            struck.victim.send_signal(WAKE)


def wrong_after(kind: str, folder: Path, blow: Blow) -> str | None:
    """What is not as it must be in a run of its own after that blow."""
    order = BurnOrder(profile=profile_in(folder, (kind, 300, LASTING.get(kind, {})), **GUARDS), simulate="2x3090")
    with burning_in(folder, order) as (store, run_id):
        try:
            wait_for(lambda: under_way(store, run_id), f"{kind} under way")
            struck = strike(store, folder, run_id, blow)
            wait_for(lambda: noticed(blow, struck), f"time to wake of {blow}")
            wake(blow, struck)
            check(blow, kind, struck)
        except AssertionError as error:
            return f"{error}: {log_text(store, run_id)}"
    return None


def ends(struck: Struck) -> dict[str, Outcome]:
    """The outcomes once there is a verdict."""
    wait_for(lambda: struck.store.run(struck.run_id).status is RunStatus.FINISHED, "the verdict")
    return {verdict.device_id: verdict.outcome for verdict in struck.store.verdicts(struck.run_id)}


def goes_on(struck: Struck) -> None:
    """Both cards are measured again after the blow; then the user ends the run."""
    after_s = struck.store.last_time_s(struck.run_id)
    for device_id in struck.devices:
        sampled = lambda device_id=device_id: len(struck.store.samples(struck.run_id, device_id, after_s))  # noqa: E731
        wait_for(sampled, f"samples of {device_id} after the blow")
    struck.store.request(struck.run_id, "stop")
    assert ends(struck)[""] is Outcome.INCOMPLETE


def check_runner_killed(struck: Struck) -> None:
    wait_for(lambda: not any(map(running, struck.processes)), "the end of all processes")
    for device_id in struck.devices:
        times = struck.store.samples(struck.run_id, device_id)[:, 0]
        assert times[-1] >= struck.struck_s, "what was on record stays"
        assert (times[1:] > times[:-1]).all()
    [interruption] = find_interrupted(struck.store, struck.folder)
    assert interruption.run_id == struck.run_id
    assert "ended unexpectedly" in interruption.sentence
    assert close_run(struck.store, struck.run_id)[0].outcome is Outcome.INCOMPLETE


def check_runner_frozen(struck: Struck) -> None:
    """It is told to be silent, and a stop from anywhere ends it."""
    run = struck.store.run(struck.run_id)
    wait_for(lambda: silent_s(struck.store, run), "word of the silent runner")
    assert end_from_outside(struck.store, struck.run_id) == []
    assert not any(map(running, struck.processes))
    if struck.store.run(struck.run_id).status is RunStatus.INTERRUPTED:
        close_run(struck.store, struck.run_id)
    assert ends(struck)[""] is Outcome.INCOMPLETE
    assert struck.store.interruptions(struck.run_id) or "The runner froze" in log_text(struck.store, struck.run_id)


def check(blow: Blow, kind: str, struck: Struck) -> None:
    match blow:
        case (str(victim), signal.SIGKILL) if victim == RUNNER:
            check_runner_killed(struck)
        case (str(victim), signal.SIGSTOP) if victim == RUNNER:
            check_runner_frozen(struck)
        case (str(victim), _) if victim == RUNNER and not BY_KIND[kind].load:
            wait_for(lambda: "while no load ran" in log_text(struck.store, struck.run_id), "word of the freeze")
            kinds = {one.kind for one in struck.store.interruptions(struck.run_id)}
            assert kinds <= {InterruptionKind.GAP}, "a freeze of more than some seconds is a remark"
            goes_on(struck)
        case (str(victim), _) if victim == RUNNER:
            interruptions = wait_for(lambda: struck.store.interruptions(struck.run_id), "the record of the freeze")
            assert [one.kind for one in interruptions] == [InterruptionKind.FROZEN]
            wait_for(lambda: "started again" in log_text(struck.store, struck.run_id), "the loads' new start")
            assert "No telemetry" not in log_text(struck.store, struck.run_id), (
                "it stood still longer than any guard waits"
            )
            struck.store.request(struck.run_id, "stop")  # a load stage has ended by itself
            assert ends(struck)[""] is Outcome.INCOMPLETE
        case (str(victim), signal.SIGKILL) if victim == SAMPLER:
            goes_on(struck)
            assert "The sampler died" in log_text(struck.store, struck.run_id)
        case (str(victim), signal.SIGSTOP) if victim == SAMPLER:
            assert ends(struck)[""] is Outcome.INCOMPLETE
            assert "No telemetry" in log_text(struck.store, struck.run_id)
        case (str(victim), _) if victim == SAMPLER:
            struck.store.request(struck.run_id, "stop")
            assert ends(struck)[""] is Outcome.INCOMPLETE
        case (_, signal.SIGKILL):
            wait_for(lambda: "died" in log_text(struck.store, struck.run_id), "the news of the worker's death")
            struck.store.request(struck.run_id, "skip")
            assert ends(struck)[struck.devices[0]] is Outcome.INCOMPLETE
            assert "SIGKILL" in log_text(struck.store, struck.run_id)
        case _:
            wait_for(lambda: "frozen from outside" in log_text(struck.store, struck.run_id), "the news of the freeze")
            struck.store.request(struck.run_id, "skip")
            assert ends(struck)[struck.devices[0]] is Outcome.INCOMPLETE


def strike_all(folder: Path, kind: str) -> None:
    blows = [(victim, number) for victim, number in BLOWS if victim != WORKER or BY_KIND[kind].load]
    check_at_once(folder, blows, partial(wrong_after, kind))


@pytest.mark.process
@pytest.mark.parametrize("kind", FEW_STAGES)
def test_no_death_in_a_run_falsifies_its_record(tmp_path: Path, kind: str) -> None:
    strike_all(tmp_path, kind)


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.parametrize("kind", ALL_STAGES)
def test_no_death_in_any_other_stage_falsifies_its_record(tmp_path: Path, kind: str) -> None:
    strike_all(tmp_path, kind)
