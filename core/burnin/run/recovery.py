"""Runs that ended without a verdict: the last words of their runner, what happened, and how to close them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from core.burnin.record.rows import (
    MACHINE,
    EventLevel,
    InterruptionKind,
    Outcome,
    Reason,
    ReasonCriterion,
    Run,
    RunStatus,
    StageRow,
    StageStatus,
    UnreadableRecord,
    Verdict,
)
from core.burnin.record.store import RunStore
from core.burnin.run.follow import runner_lives
from core.burnin.run.lock import runner_alive
from core.burnin.run.machine import boot_of, last_sign_of_life
from core.burnin.sealing import finish_sealed
from core.burnin.verdict import Recorded, judge
from core.burnin.verdict.judge import machine_reasons, measured_reasons
from core.platform.errors import BadInput, EnvironmentProblem, RigwrightError
from core.platform.paths import private_dir, runtime_dir
from core.platform.protocol import decode, encodable
from core.platform.whole_file import NEW_FILE
from core.words import joined, spoken, tr

LAST_WORDS_BYTES = 10_000
_LAST_WORDS = "gave-up"


def leave_last_words(data_dir: Path, run_id: int, cause: str) -> bool:
    """Keeps the sentence in the first place that takes it; False where none does."""
    words = json.dumps({"type": _LAST_WORDS, "run": run_id, "pid": os.getpid(), "cause": encodable(cause)}).encode()
    for path in _places_of_last_words(data_dir, run_id):
        with suppress(OSError):
            path.unlink(missing_ok=True)
            with os.fdopen(os.open(path, NEW_FILE, 0o600), "wb") as stream:
                stream.write(words)
                stream.flush()
                os.fsync(stream.fileno())
            return True
    return False


def take_last_words(data_dir: Path, run_id: int, pid: int | None) -> str | None:
    """What the runner with this process id left, once; None where it left nothing."""
    for path in _places_of_last_words(data_dir, run_id):
        with suppress(OSError):
            with path.open("rb") as stream:
                words = decode(stream.read(LAST_WORDS_BYTES).decode("utf-8", errors="replace"))
            path.unlink()
            if words and words["type"] == _LAST_WORDS and (words.get("run"), words.get("pid")) == (run_id, pid):
                return cause if isinstance(cause := words.get("cause"), str) else None
    return None


def _places_of_last_words(data_dir: Path, run_id: int) -> Iterator[Path]:
    """First beside the recording; on a disk that takes nothing any more in the user's runtime folder, which mostly lies
    in memory.
    """
    yield data_dir / "logs" / f"run-{run_id}" / f"{_LAST_WORDS}.json"
    folder = sha256(os.fsencode(data_dir.absolute())).hexdigest()[:16]
    with suppress(RigwrightError, OSError):
        yield private_dir(runtime_dir() / _LAST_WORDS) / f"{folder}-{run_id}.json"


RESET = tr("The machine was reset or switched off.")
ASK = tr("Check the PSU, its cables and the circuit; the system journal may say more.")
OUTLIVED = timedelta(seconds=60)
"""An earlier boot that wrote its journal for longer than this after the run's last record did not end with the run."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """An interrupted run, and in a sentence what became of it."""

    run_id: int
    sentence: str


def find_interrupted(store: RunStore, data_dir: Path) -> list[Interrupted]:
    """All runs without a verdict whose runner is gone, newest first; marks them as interrupted.

    Cheap enough for a timer: the lock is asked only when some run claims to be running.
    """
    runs = store.runs()
    if any(run.status is RunStatus.RUNNING for run in runs) and not _runner_alive(store, data_dir):
        mark_interrupted(store, data_dir)
        runs = store.runs()
    return [Interrupted(run.id, _explained(store, run)) for run in runs if run.status is RunStatus.INTERRUPTED]


def _runner_alive(store: RunStore, data_dir: Path) -> bool:
    """Raises RecordingMoved where the folder was moved away: its lock tells nothing then, and would be made anew."""
    store.require_in_place()
    try:
        return runner_alive(data_dir)
    except EnvironmentProblem:
        store.require_in_place()
        raise


def newest_interrupted(data_dir: Path) -> int | None:
    """The newest run that broke off and was neither resumed nor closed since."""
    with closing(RunStore(data_dir)) as store:
        interrupted = find_interrupted(store, data_dir)
    return interrupted[0].run_id if interrupted else None


def _explained(store: RunStore, run: Run) -> str:
    """In a sentence, also where its record is damaged: that is no reason to tell of no run."""
    try:
        return explain(run, store.stages(run.id), store.last_time_s(run.id))
    except UnreadableRecord as problem:
        return tr("Run {run_id} was interrupted. {problem}.", run_id=run.id, problem=problem.sentence)


def mark_interrupted(store: RunStore, data_dir: Path) -> None:
    """Puts on record what became of runs that claim to be running although no runner lives.

    A reset is told as long as the boot has just changed: whoever looks first finds it, and it stays on record.
    """
    for run in store.runs():
        if run.status is RunStatus.RUNNING and not runner_lives(store, run.id):
            if _was_reset(store, run, data_dir):
                store.mark_interrupted(run.id, InterruptionKind.RESET, RESET, _reset(store, run))
            elif cause := take_last_words(data_dir, run.id, run.runner_pid):
                store.mark_interrupted(run.id, InterruptionKind.GAVE_UP, cause)
            else:
                cause = _unexpected(run)
                fields = {"where": _where(store.stages(run.id)), "seconds": store.last_time_s(run.id), "cause": cause}
                text = tr("Interrupted {where}, {seconds:.0f} s after the run's start. {cause}", **fields)
                store.mark_interrupted(run.id, InterruptionKind.KILLED, cause, text)


def _reset(store: RunStore, run: Run) -> str:
    fields = {"where": _where(store.stages(run.id)), "seconds": store.last_time_s(run.id)}
    text = tr("The machine was reset {where} ({seconds:.0f} s after the run's start).", **fields)
    return joined([text, tr("SIMULATED: the power was cut.") if run.simulated else ASK])


def _unexpected(run: Run) -> str:
    return tr("Its runner (process {pid}) ended unexpectedly.", pid=run.runner_pid)


def explain(run: Run, stages: list[StageRow], last_s: float) -> str:
    """What happened to an interrupted run, from what was put on record about it."""
    cause = run.cut_short or _unexpected(run)
    fields = {"run_id": run.id, "where": _where(stages), "seconds": last_s, "cause": cause}
    return tr(
        "Run {run_id} was interrupted {where}, {seconds:.0f} s after its start. {cause} "
        "Everything recorded until then is kept.",
        **fields,
    )


def _was_reset(store: RunStore, run: Run, data_dir: Path) -> bool:
    """Whether this is another boot, and the journal does not tell that the earlier one outlived the run."""
    if run.boot_id == boot_of(data_dir, simulated=run.simulated):
        return False
    lived_until = None if run.simulated else last_sign_of_life(run.boot_id)
    if lived_until is None:
        return True
    return lived_until < datetime.fromisoformat(store.last_at(run.id)) + OUTLIVED


def _where(stages: list[StageRow]) -> str:
    during = next((stage for stage in stages if stage.status is StageStatus.RUNNING), None)
    return tr("during {stage}", stage=during.title) if during else tr("between two stages")


def stopped_s(verdicts: Sequence[Verdict]) -> float | None:
    """When a finished run was stopped before its end, so that it can be resumed; None for any other.

    A run that was ended because a device had to be spared (FAIL) does not go on.
    """
    reasons = (reason for verdict in verdicts if verdict.device_id == MACHINE for reason in verdict.reasons)
    stops = (one for one in reasons if one.criterion == ReasonCriterion.STOP and one.outcome is Outcome.INCOMPLETE)
    return next((stop.time_s for stop in stops), None)


def close_run(store: RunStore, run_id: int) -> list[Verdict]:
    """Judges what an interrupted run recorded; it is INCOMPLETE at best. Raises BadInput for other runs."""
    store.require_measured(run_id)
    run = store.run(run_id)
    if run.status is not RunStatus.INTERRUPTED:
        raise BadInput(tr("Run {run_id} was not interrupted; it is {status}.", run_id=run_id, status=run.status.label))
    with spoken("en"):  # as in the runner: every figure and word of a record is written so
        sentence = explain(store.run(run_id), store.stages(run_id), store.last_time_s(run_id))
        store.add_event(run_id, store.last_time_s(run_id), EventLevel.ERROR, "interrupted", sentence)
        cut = Reason(Outcome.INCOMPLETE, sentence, criterion=ReasonCriterion.INTERRUPTION)
        finish_sealed(store, run_id, lambda: judged(store, run_id, [cut]))
    return store.verdicts(run_id)


def judged(store: RunStore, run_id: int, why_ended: Sequence[Reason]) -> list[Verdict]:
    """The verdicts on what is recorded of a run that has ended; `why_ended` is why it did so before its time."""
    recorded = Recorded.of(store, run_id)
    return judge(recorded, [*machine_reasons(store, run_id), *measured_reasons(store, run_id, recorded), *why_ended])
