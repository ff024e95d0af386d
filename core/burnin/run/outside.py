"""A run as it is seen from outside its runner: whether that still answers, and how a run is ended that does not."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import suppress

import psutil

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import InterruptionKind, Run, RunStatus
from core.burnin.record.store import RUNNER, RunStore
from core.burnin.run.machine import boot_of
from core.platform.processes import ProcessMark, is_alive
from core.words import duration, listed, tr, trn

NO_ANSWER_S = 5.0
"""A runner gives a sign of life every second; a slow disk may hold it up for some."""
LOADS_OF_SILENT = tr("If it is frozen, its loads have ended by themselves.")
"""A runner that another program keeps from its recording is silent, too, and guards its loads."""
TERMINATE_WITHIN_S = 6.0
"""A runner that is told to end stops its loads, judges the run and ends within this."""
KILL_WITHIN_S = 5.0


def runner_lives(store: RunReader, run_id: int) -> bool:
    """Whether the recorded runner of a run still is a process of this machine, frozen or not."""
    return any(role == RUNNER and is_alive(mark) for mark, role in store.processes(run_id))


def silent_s(store: RunReader, run: Run) -> float | None:
    """For how long the runner of a run that goes on has not answered; None where it does, or nobody can tell.

    The signs of life are on the monotonic clock of the machine, so that no wall clock that is set back or forth counts.
    """
    beat_s = store.beat_s(run.id)
    if run.status is not RunStatus.RUNNING or beat_s is None:
        return None
    if run.boot_id != boot_of(store.path.parent, simulated=run.simulated):
        return None
    silent = time.monotonic() - beat_s
    return silent if silent >= NO_ANSWER_S else None


def no_answer(run: Run, seconds: float) -> str:
    """The sentence for a runner that has been silent for so long."""
    fields = {"run_id": run.id, "runner_pid": run.runner_pid, "silence": duration(seconds)}
    return tr("The runner of run {run_id} (process {runner_pid}) has not answered for {silence}.", **fields)


def not_ended(left: list[int]) -> str:
    """The sentence for processes that did not even end when they were killed."""
    return trn(
        "Process {processes} did not exit even when killed: a driver is hung. Restart the machine.",
        "Processes {processes} did not exit even when killed: a driver is hung. Restart the machine.",
        processes=listed([str(pid) for pid in left]),
        count=len(left),
    )


def end_from_outside(store: RunStore, run_id: int) -> list[int]:
    """Ends all processes of a run by themselves: told to end first, killed then. Returns ids of those that remain.

    Only processes that are still the recorded ones are touched, each told by its start time: no id that another process
    has taken over since is hit. What was going on stays on record. Takes seconds.
    """
    run = store.run(run_id)
    family = _family([mark for mark, _ in store.processes(run_id)])
    for process in family:
        _signal(process, signal.SIGTERM)
        if sys.platform != "win32":
            _signal(process, signal.SIGCONT)  # a frozen process can only end by itself once it runs again
    _, left = psutil.wait_procs(family, timeout=TERMINATE_WITHIN_S)
    for process in left:
        with suppress(psutil.Error):
            process.kill()
    _, left = psutil.wait_procs(left, timeout=KILL_WITHIN_S)
    if store.run(run_id).status is RunStatus.RUNNING:
        cause = tr(
            "Its runner (process {runner_pid}) did not answer and was ended from outside.", runner_pid=run.runner_pid
        )
        store.mark_interrupted(run_id, InterruptionKind.ENDED_FROM_OUTSIDE, cause)
    return [process.pid for process in left]


def _family(marks: list[ProcessMark]) -> list[psutil.Process]:
    """The recorded processes that still are those, and all their children; each once."""
    family: dict[int, psutil.Process] = {}
    for mark in marks:
        with suppress(psutil.Error):
            if is_alive(mark):
                process = psutil.Process(mark.pid)
                family |= {one.pid: one for one in (process, *process.children(recursive=True))}
    return list(family.values())


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    """psutil looks at the start time again before it signals."""
    with suppress(psutil.Error):
        process.send_signal(number)
