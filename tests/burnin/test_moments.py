"""One fault, one verdict, whatever the moment it strikes: a property over moments.

Each moment is a run of its own on two simulated cards, of which the first is struck; the runs go on at the same time.
"""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder
from tests.burnin.processes import burned, burning_in, check_at_once, child, finished, log_text, outcome, profile_in
from tests.patience import wait_for

pytestmark = pytest.mark.process
SAMPLER, WORKER = "core.machine.telemetry.sampler", "core.loads.worker"
STAGE_S = 4.0
STAGES = ("gemm", "gemm", "collectives")
"""Their ends and beginnings are the moments between two stages; the last one ends the run."""
GUARDS = {"heartbeat_timeout_s": 6, "stalled_after_s": 5, "telemetry_timeout_s": 3, "stagger_s": 0}
ATTEMPTS = 20
"""A blow that came after its stage is not the one that was meant; on a busy machine it is tried again."""
CHECKS_PER_S = 40
"""Of a simulated load: wrong results are ordered by the number of the check."""


class Fault(StrEnum):
    """What strikes the first card, or its sampler."""

    WORKER_KILLED = "worker killed"
    WORKER_FROZEN = "worker frozen"
    SAMPLER_FROZEN = "sampler frozen"
    WRONG_RESULT = "wrong result"


SIGNALS = {
    Fault.WORKER_KILLED: (WORKER, signal.SIGKILL),
    Fault.WORKER_FROZEN: (WORKER, signal.SIGSTOP),
    Fault.SAMPLER_FROZEN: (SAMPLER, signal.SIGSTOP),
}
TOLD = {
    Fault.WORKER_KILLED: "SIGKILL", Fault.WORKER_FROZEN: "frozen from outside", Fault.SAMPLER_FROZEN: "No telemetry",
    Fault.WRONG_RESULT: "wrong",
}  # fmt: skip
MACHINE_AND_FIRST = {
    Fault.WORKER_KILLED: (Outcome.INCOMPLETE, Outcome.INCOMPLETE),
    Fault.WORKER_FROZEN: (Outcome.WARN, Outcome.WARN),
    Fault.SAMPLER_FROZEN: (Outcome.INCOMPLETE, None),
    Fault.WRONG_RESULT: (Outcome.FAIL, Outcome.FAIL),
}
"""The one verdict of each; without telemetry the cards are judged by what was measured of them before."""


@dataclass(frozen=True, slots=True)
class Case:
    """A fault so many seconds after a stage began: 0.2 s is the start of a load, `STAGE_S` falls between two stages."""

    fault: Fault
    stage: int
    after_s: float


MOMENTS = (
    (0, 0.2), (0, STAGE_S / 2), (0, STAGE_S - 0.8), (0, STAGE_S), (1, STAGE_S / 2), (2, 0.2), (2, STAGE_S - 3.0),
    (2, STAGE_S - 0.8),
)  # fmt: skip
LOADING = tuple((stage, after_s) for stage, after_s in MOMENTS if after_s < STAGE_S)
FEW = (
    Case(Fault.WORKER_KILLED, 0, STAGE_S), Case(Fault.WORKER_FROZEN, 0, 0.2),
    Case(Fault.WORKER_FROZEN, 2, STAGE_S - 0.8), Case(Fault.SAMPLER_FROZEN, 2, STAGE_S - 0.8),
    Case(Fault.WRONG_RESULT, 2, STAGE_S - 0.8),
)  # fmt: skip
"""The moments at which one fault once had two verdicts, and a neighbour of each."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that waits for its blow."""

    store: RunStore
    run_id: int
    case: Case


def ordered(folder: Path, case: Case) -> BurnOrder:
    """Wrong results come by themselves, by the number of the check."""
    drill = {"inject": "bitflip", "inject_at": round(CHECKS_PER_S * case.after_s)}
    faulty_stage = case.stage if case.fault is Fault.WRONG_RESULT else None
    stages = [(kind, STAGE_S, drill if number == faulty_stage else {}) for number, kind in enumerate(STAGES)]
    return BurnOrder(profile=profile_in(folder, *stages, **GUARDS), simulate="2x3090")


def has_come(begun: Begun) -> bool:
    """Whether the moment has: by the last tick and the time since, on the clock of the run."""
    stage = begun.store.stages(begun.run_id)[begun.case.stage]
    beat_s = begun.store.beat_s(begun.run_id)
    if stage.status is StageStatus.PENDING or stage.started_s is None or beat_s is None:
        return False
    return last_tick_s(begun) + time.monotonic() - beat_s >= stage.started_s + begun.case.after_s


def last_tick_s(begun: Begun) -> float:
    samples = begun.store.samples(begun.run_id, burned(begun.store, begun.run_id)[0], names=("power_w",))
    return float(samples[-1, 0]) if len(samples) else 0.0


def struck(begun: Begun) -> bool:
    """Strikes at the moment; False where a busy machine has let it pass. Wrong results come by themselves."""
    if begun.case.fault not in SIGNALS:
        return True
    module, number = SIGNALS[begun.case.fault]
    wait_for(lambda: has_come(begun), f"the moment of {begun.case}")
    first = burned(begun.store, begun.run_id)[0]
    process = child(begun.store, begun.run_id, module, first if module == WORKER else "")
    if process is None:
        return False
    process.send_signal(number)
    within = begun.case.after_s < STAGE_S
    return not within or begun.store.stages(begun.run_id)[begun.case.stage].status is StageStatus.RUNNING


def wrong_verdict(one: Begun) -> str | None:
    """What is not as it must be in a run that has ended."""
    store, run_id = one.store, one.run_id
    first, second = burned(store, run_id)
    machine, first_too = MACHINE_AND_FIRST[one.case.fault]
    outcomes = outcome(store, run_id), outcome(store, run_id, first), outcome(store, run_id, second)
    if outcomes[0] is not machine or first_too not in (None, outcomes[1]):
        return f"{outcomes}: {log_text(store, run_id)}"
    if one.case.fault is not Fault.WRONG_RESULT and Outcome.FAIL in outcomes:
        return f"a card is blamed, {outcomes}: {log_text(store, run_id)}"
    if one.case.fault is Fault.WORKER_FROZEN and STAGES[one.case.stage] == "gemm":
        kinds = [interruption.kind for interruption in store.interruptions(run_id)]
        again = "started again for the remaining" in log_text(store, run_id)
        if (outcomes[2], again, InterruptionKind.FROZEN in kinds) != (Outcome.PASS, True, True):
            return f"its load alone was not started again, {outcomes}, {kinds}: {log_text(store, run_id)}"
    if TOLD[one.case.fault] not in log_text(store, run_id).lower() + log_text(store, run_id):
        return f"not told: {log_text(store, run_id)}"
    return None


def wrong_after(folder: Path, case: Case) -> str | None:
    """What is not as it must be after that fault at that moment."""
    for attempt in range(ATTEMPTS):
        place = folder / str(attempt)
        place.mkdir()
        with burning_in(place, ordered(place, case)) as (store, run_id):
            begun = Begun(store, run_id, case)
            if struck(begun):
                wait_for(lambda: finished(store, run_id), f"the verdict of {case}")
                return wrong_verdict(begun)
    return "the machine was too busy to strike in time"


def test_one_fault_has_one_verdict_at_the_moments_where_it_had_two(tmp_path: Path) -> None:
    check_at_once(tmp_path, FEW, wrong_after)


@pytest.mark.soak
@pytest.mark.parametrize("fault", list(Fault))
def test_one_fault_has_one_verdict_whatever_the_moment(tmp_path: Path, fault: Fault) -> None:
    moments = LOADING if fault is Fault.WRONG_RESULT else MOMENTS
    check_at_once(tmp_path, [Case(fault, *moment) for moment in moments], wrong_after)
