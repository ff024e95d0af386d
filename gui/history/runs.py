"""Past runs as rows of a table, read beside the window."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QObject, Qt

from core.burnin.record.origin import DeletedRun, absence_sentence
from core.burnin.record.rows import InterruptionKind, UnreadableRecord
from core.burnin.record.store import RunStore, in_store
from core.present.report.run_list import RunLine, marked_simulated
from core.words import joined, plain, tr, trc
from gui.burnin.words import clock, device_summary
from gui.widgets.table import TableColumn, TableModel
from gui.widgets.theme import theme


@dataclass(frozen=True, slots=True)
class PastRuns:
    """All runs, newest first, and those that no row can show."""

    rows: list[RunLine]
    problems: tuple[str, ...] = ()
    """A sentence for each run that is missing, different from what a later one names, or not readable."""
    deleted: tuple[DeletedRun, ...] = ()
    """Newest first."""


def read_runs(data_dir: Path) -> list[RunLine]:
    """All runs that can be read, newest first. Raises EnvironmentProblem."""
    return read_past(data_dir).rows


def read_past(data_dir: Path) -> PastRuns:
    """Everything that is left of runs. Raises EnvironmentProblem."""
    return in_store(data_dir, _past)


def _past(store: RunStore) -> PastRuns:
    """A run of which a row is damaged is told of, and takes no other off the list."""
    rows: list[RunLine] = []
    problems = [*map(absence_sentence, store.absent()), *store.unreadable_runs().values()]
    for run in store.runs():
        try:
            rows.append(RunLine.read(store, run))
        except UnreadableRecord as problem:
            problems.append(str(problem))
    return PastRuns(rows, tuple(problems), tuple(store.deleted_runs()))


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


class RunsModel(TableModel[RunLine]):
    """Replaced as a whole, or in place where the runs stayed the same, so that a selection survives."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(), lambda row: row.run.id, parent)


def _columns() -> tuple[TableColumn[RunLine], ...]:
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
        TableColumn(tr("Devices"), _devices, sample=tr("{words} (SIMULATED)", words="8 × RTX 3090")),
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
            lambda row: row.badge.word,
            sample=plain("m {words}", words=tr("INTERRUPTED")),
            icon=lambda row: theme().status_icon(row.badge.tone.value),
        ),
        TableColumn(
            tr("Failed"),
            lambda row: joined(row.failed, ", "),
            meaning=tr("The cards that failed"),
            sample=max("GPU 0, GPU 1", plain("{head} m", head=tr("Failed")), key=len),
        ),
        TableColumn(
            tr("Interruptions"),
            lambda row: row.interruption_words,
            sample=joined((one.label for one in (InterruptionKind.RESET, InterruptionKind.RESUMED)), ", "),
            tip=lambda row: "\n".join(one.message for one in row.interruptions),
        ),
        TableColumn(trc("of a run", "Note"), lambda row: row.run.note),
    )


def _devices(row: RunLine) -> str:
    return marked_simulated(device_summary(row.devices), row.run)
