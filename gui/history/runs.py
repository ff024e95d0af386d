"""Past runs as rows of a table, read beside the window."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QObject, Qt

from core.burnin.record.origin import DeletedRun, absence_sentence
from core.burnin.record.rows import MACHINE, Interruption, InterruptionKind, Outcome, Run, RunStatus
from core.burnin.record.store import RunStore, in_store
from core.burnin.sealing import is_relabelled
from core.platform.foreign import Unreadable, read_json
from core.words import capital, joined, plain, tr, trc
from gui.burnin.words import clock, device_summary
from gui.widgets.table import TableColumn, TableModel
from gui.widgets.theme import theme


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
    return in_store(data_dir, _past)


def _past(store: RunStore) -> PastRuns:
    rows = [_row(store, run) for run in store.runs()]
    problems = (*map(absence_sentence, store.absent()), *store.unreadable_runs().values())
    return PastRuns(rows, problems, tuple(store.deleted_runs()))


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
        build = read_json(text) if text else None
    except Unreadable:
        return ""
    return str(build.get("name", "")) if isinstance(build, dict) else ""


class RunColumn(IntEnum):
    """Columns of the table."""

    NUMBER = 0
    STARTED = 1
    TITLE = 2
    BUILD = 3
    DEVICES = 4
    DURATION = 5
    VERDICT = 6
    FAILED = 7
    INTERRUPTIONS = 8
    NOTE = 9


class RunsModel(TableModel[RunRow]):
    """Replaced as a whole, or in place where the runs stayed the same, so that a selection survives."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(), lambda row: row.run.id, parent)


def _columns() -> tuple[TableColumn[RunRow], ...]:
    """In the order of `RunColumn`."""
    right = Qt.AlignmentFlag.AlignRight
    return (
        TableColumn(
            tr("Run"),
            lambda row: str(row.run.id),
            sample=tr("Run {number}", number="000"),
            side=right,
            order=lambda row: row.run.id,
        ),
        TableColumn(
            tr("Started"),
            lambda row: f"{datetime.fromisoformat(row.run.started_at).astimezone():%Y-%m-%d %H:%M}",
            sample="0000-00-00 00:00",
            order=lambda row: row.run.started_at,
        ),
        TableColumn(tr("Profile"), lambda row: row.run.title, sample="Every check once, 100"),
        TableColumn(tr("Build"), lambda row: row.build, sample="Six RTX 3090, quiet"),
        TableColumn(tr("Devices"), _devices, sample=tr("{devices} (SIMULATED)", devices="8 × RTX 3090")),
        TableColumn(
            tr("Duration"),
            lambda row: "–" if row.duration_s is None else clock(row.duration_s),
            meaning=tr("As recorded, without the pauses of a resumed run"),
            sample=plain("{head} m", head=tr("Duration")),
            side=right,
            order=lambda row: row.duration_s or 0.0,
        ),
        TableColumn(
            tr("Verdict"),
            _verdict,
            sample=plain("m {words}", words=tr("Passed with warnings")),
            icon=lambda row: theme().status_icon(_tone(row)),
        ),
        TableColumn(
            tr("Failed"),
            lambda row: joined(row.failed, ", "),
            meaning=tr("The cards that failed"),
            sample=max("GPU 0, GPU 1", plain("{head} m", head=tr("Failed")), key=len),
        ),
        TableColumn(
            tr("Interruptions"),
            lambda row: joined(dict.fromkeys(one.kind.label for one in row.interruptions), ", "),
            sample=joined((one.label for one in (InterruptionKind.RESET, InterruptionKind.RESUMED)), ", "),
            tip=lambda row: "\n".join(one.message for one in row.interruptions),
        ),
        TableColumn(trc("of a run", "Note"), lambda row: row.run.note),
    )


def _devices(row: RunRow) -> str:
    text = device_summary(row.devices)
    return tr("{devices} (SIMULATED)", devices=text) if row.run.simulated else text


def _verdict(row: RunRow) -> str:
    if row.run.status is RunStatus.RUNNING:
        return capital(row.run.status.label)
    if row.changed:
        return tr("CHANGED")
    if row.run.imported:
        return capital(RunStatus.IMPORTED.label)
    if row.outcome is None:
        return capital(RunStatus.INTERRUPTED.label)
    return row.outcome.label


def _tone(row: RunRow) -> str:
    if row.run.status is RunStatus.RUNNING:
        return "note"
    if row.changed:
        return "fail"
    if row.run.imported:
        return "note"
    return "warn" if row.outcome is None else row.outcome.value
