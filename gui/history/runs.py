"""Past runs as rows of a table. Qt-free; read beside the window."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.burnin.record.rows import MACHINE, Interruption, Outcome, Run
from core.burnin.record.store import RunStore


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as the table shows it."""

    run: Run
    devices: tuple[str, ...]
    """Names of the devices that carried loads."""
    duration_s: float | None
    """From start to end, pauses included; None while it goes on."""
    outcome: Outcome | None
    """None while it goes on, or after an interruption that nobody closed."""
    interruptions: tuple[Interruption, ...] = ()
    """What it was not spared, oldest first."""


def read_runs(data_dir: Path) -> list[RunRow]:
    """All runs, newest first. Raises EnvironmentProblem."""
    with closing(RunStore(data_dir)) as store:
        return [_row(store, run) for run in store.runs()]


def set_note(data_dir: Path, run_id: int, note: str) -> None:
    """Keeps the user's remark on a run."""
    with closing(RunStore(data_dir)) as store:
        store.set_note(run_id, note)


def delete_run(data_dir: Path, run_id: int) -> None:
    """Forgets a run and everything recorded of it."""
    with closing(RunStore(data_dir)) as store:
        store.delete(run_id)


def _row(store: RunStore, run: Run) -> RunRow:
    outcomes = {verdict.device_id: verdict.outcome for verdict in store.verdicts(run.id)}
    names = tuple(
        row.device.name.removeprefix("NVIDIA ").removeprefix("GeForce ") for row in store.devices(run.id) if row.burned
    )
    return RunRow(run, names, store.wall_s(run.id), outcomes.get(MACHINE), tuple(store.interruptions(run.id)))
