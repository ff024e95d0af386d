"""Runs that ended without a verdict: what happened, and how to close them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.burnin.lock import runner_alive
from core.burnin.machine import boot_id
from core.burnin.machine_reasons import machine_reasons
from core.burnin.record import EventLevel, Outcome, Reason, Run, RunStatus, StageRow, StageStatus, Verdict
from core.burnin.store import RunStore
from core.burnin.verdict import Recorded, judge
from core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Interruption:
    """An interrupted run, and in a sentence what became of it."""

    run_id: int
    sentence: str


def find_interrupted(store: RunStore, data_dir: Path) -> list[Interruption]:
    """All runs without a verdict whose runner is gone, newest first; marks them as interrupted.

    Cheap enough for a timer: the lock is asked only when some run claims to be running.
    """
    runs = store.runs()
    if any(run.status is RunStatus.RUNNING for run in runs) and not runner_alive(data_dir):
        for run in runs:
            if run.status is RunStatus.RUNNING:
                store.mark_interrupted(run.id)
        runs = store.runs()
    return [
        Interruption(run.id, explain(run, store.stages(run.id), store.last_time_s(run.id)))
        for run in runs
        if run.status is RunStatus.INTERRUPTED
    ]


def explain(run: Run, stages: list[StageRow], last_s: float) -> str:
    """What happened to an interrupted run, from its last words, its journal and the machine's boot id."""
    during = next((stage for stage in stages if stage.status is StageStatus.RUNNING), None)
    where = f"during {during.title}" if during else "between two stages"
    if run.cut_short:
        cause = run.cut_short
    elif run.boot_id != boot_id():
        cause = "The machine was reset or switched off."
    else:
        cause = f"Its runner (process {run.runner_pid}) ended unexpectedly."
    return (
        f"Run {run.id} was interrupted {where}, {last_s:.0f} s after its start. {cause} "
        "Everything recorded until then is kept."
    )


def close_run(store: RunStore, run_id: int) -> list[Verdict]:
    """Judges what an interrupted run recorded; it is INCOMPLETE at best. Raises BadInput for other runs."""
    run = store.run(run_id)
    if run.status is not RunStatus.INTERRUPTED:
        raise BadInput(f"Run {run_id} was not interrupted; it is {run.status}.")
    sentence = explain(run, store.stages(run_id), store.last_time_s(run_id))
    reasons = [*machine_reasons(store, run_id), Reason(Outcome.INCOMPLETE, sentence)]
    verdicts = judge(Recorded.of(store, run_id), reasons)
    store.add_event(run_id, store.last_time_s(run_id), EventLevel.ERROR, "interrupted", sentence)
    store.finish(run_id, verdicts)
    return verdicts
