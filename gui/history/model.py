"""The table of past runs for Qt's views."""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from core.burnin.record.rows import InterruptionKind, RunStatus
from core.language import capital, joined, plain, tr, trc
from gui.burnin.words import clock, device_summary
from gui.history.runs import RunRow
from gui.theme import theme
from gui.widgets.table import TableColumn, TableModel


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
        TableColumn(tr("Profile"), lambda row: row.run.title, sample="Quick test, 100"),
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
