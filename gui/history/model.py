"""The table of past runs for Qt's views."""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.burnin.record.rows import RunStatus
from core.shown import visible
from gui.burnin.clock import clock
from gui.burnin.run_words import device_summary, interruption_word, outcome_word
from gui.history.runs import RunRow
from gui.theme import theme
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole
RUN_ROLE = Qt.ItemDataRole.UserRole + 1


class Column(IntEnum):
    """Columns of the table."""

    NUMBER = 0
    STARTED = 1
    TITLE = 2
    DEVICES = 3
    DURATION = 4
    VERDICT = 5
    INTERRUPTIONS = 6
    NOTE = 7


class RunsModel(QAbstractTableModel):
    """Replaced as a whole, row by row where the runs stayed the same, so that a selection survives."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[RunRow] = []

    def set_rows(self, rows: list[RunRow]) -> None:
        """Shows these runs."""
        if [row.run.id for row in rows] != [row.run.id for row in self.rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        for number, (old, new) in enumerate(zip(self.rows, rows, strict=True)):
            if old != new:
                self.rows[number] = new
                self.dataChanged.emit(self.index(number, 0), self.index(number, len(Column) - 1))

    def row_of(self, run_id: int) -> int | None:
        """The row of a run."""
        return next((number for number, row in enumerate(self.rows) if row.run.id == run_id), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """One row per run."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """See Column."""
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        return (
            self.tr("Run"),
            self.tr("Started"),
            self.tr("Profile"),
            self.tr("Devices"),
            self.tr("Duration"),
            self.tr("Verdict"),
            self.tr("Interruptions"),
            self.tr("Note"),
        )[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, the verdict's icon, and keys to sort by."""
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.ToolTipRole if column is Column.INTERRUPTIONS:
                return tip("\n".join(one.message for one in row.interruptions))
            case Qt.ItemDataRole.DisplayRole:
                return visible(self._text(row, column))
            case Qt.ItemDataRole.ToolTipRole:
                return tip(self._text(row, column))
            case Qt.ItemDataRole.DecorationRole if column is Column.VERDICT:
                return theme().status_icon(_tone(row))
            case Qt.ItemDataRole.TextAlignmentRole if column in (Column.NUMBER, Column.DURATION):
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case _ if role == SORT_ROLE:
                return self._sort_key(row, column)
            case _ if role == RUN_ROLE:
                return row.run.id
            case _:
                return None

    def _text(self, row: RunRow, column: Column) -> str:
        match column:
            case Column.NUMBER:
                return str(row.run.id)
            case Column.STARTED:
                return f"{datetime.fromisoformat(row.run.started_at).astimezone():%Y-%m-%d %H:%M}"
            case Column.TITLE:
                return row.run.title
            case Column.DEVICES:
                text = device_summary(row.devices)
                return self.tr("{devices} (SIMULATED)").format(devices=text) if row.run.simulated else text
            case Column.DURATION:
                return "–" if row.duration_s is None else clock(row.duration_s)
            case Column.VERDICT:
                return self._verdict(row)
            case Column.INTERRUPTIONS:
                return ", ".join(dict.fromkeys(interruption_word(one.kind) for one in row.interruptions))
            case Column.NOTE:
                return row.run.note

    def _verdict(self, row: RunRow) -> str:
        if row.run.status is RunStatus.RUNNING:
            return self.tr("Running")
        if row.outcome is None:
            return self.tr("Interrupted")
        return outcome_word(row.outcome)

    def _sort_key(self, row: RunRow, column: Column) -> Any:
        match column:
            case Column.NUMBER:
                return row.run.id
            case Column.STARTED:
                return row.run.started_at
            case Column.DURATION:
                return row.duration_s or 0.0
            case _:
                return self._text(row, column)


def _tone(row: RunRow) -> str:
    if row.run.status is RunStatus.RUNNING:
        return "note"
    return "warn" if row.outcome is None else row.outcome.value
