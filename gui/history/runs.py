"""Past runs as rows of a table. Qt-free; read beside the window."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.burnin.record.origin import DeletedRun, absence_sentence
from core.burnin.record.rows import MACHINE, Interruption, Outcome, Run, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.sealing import is_relabelled
from core.foreign import Unreadable, read_json


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as the table shows it."""

    run: Run
    devices: tuple[str, ...]
    """Names of the devices that carried loads."""
    duration_s: float | None
    """As recorded: without the pauses of a run that was resumed. None while it goes on."""
    outcome: Outcome | None
    """None while it goes on, or after an interruption that nobody closed; and of one that was changed since."""
    build: str = ""
    """Name of the plan that it is compared with."""
    failed: tuple[str, ...] = ()
    """The cards that failed, in short."""
    interruptions: tuple[Interruption, ...] = ()
    """What it was not spared, oldest first."""
    changed: bool = False
    """Whether it says another verdict than its seal."""


@dataclass(frozen=True, slots=True)
class PastRuns:
    """All runs, newest first, and those that no row can show."""

    rows: list[RunRow]
    problems: tuple[str, ...] = ()
    """A sentence for each run that is missing, different from what a later one names, or not readable."""
    deleted: tuple[DeletedRun, ...] = ()
    """Newest first."""


def read_runs(data_dir: Path) -> list[RunRow]:
    """All runs that can be read, newest first. Raises EnvironmentProblem."""
    return read_past(data_dir).rows


def read_past(data_dir: Path) -> PastRuns:
    """Everything that is left of runs. Raises EnvironmentProblem."""
    with closing(RunStore(data_dir)) as store:
        rows = [_row(store, run) for run in store.runs()]
        problems = (*map(absence_sentence, store.absent()), *store.unreadable_runs().values())
        return PastRuns(rows, problems, tuple(store.deleted_runs()))


def set_note(data_dir: Path, run_id: int, note: str) -> None:
    """Keeps the user's remark on a run."""
    with closing(RunStore(data_dir)) as store:
        store.set_note(run_id, note)


def delete_run(data_dir: Path, run_id: int) -> None:
    """Forgets a run and everything recorded of it."""
    with closing(RunStore(data_dir)) as store:
        store.delete(run_id)


def _row(store: RunStore, run: Run) -> RunRow:
    changed = is_relabelled(store, run.id)
    outcomes = {} if changed else {verdict.device_id: verdict.outcome for verdict in store.verdicts(run.id)}
    burned = [row.device for row in store.devices(run.id) if row.burned]
    names = tuple(device.name.removeprefix("NVIDIA ").removeprefix("GeForce ") for device in burned)
    failed = tuple(device.label for device in burned if outcomes.get(device.id) is Outcome.FAIL)
    duration_s = None if run.status is RunStatus.RUNNING else store.last_time_s(run.id)
    interruptions = tuple(store.interruptions(run.id))
    plan, outcome = _build_name(run.build), outcomes.get(MACHINE)
    return RunRow(run, names, duration_s, outcome, plan, failed, interruptions, changed)


@lru_cache(maxsize=64)
def _build_name(text: str | None) -> str:
    """Read as JSON alone: to know its parts would take the catalogue."""
    try:
        found = read_json(text) if text else None
    except Unreadable:
        return ""
    return str(found.get("name", "")) if isinstance(found, dict) else ""
