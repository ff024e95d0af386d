"""The log of a run: its events as a table model, and the view with its filter."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Slot,
)
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QHeaderView, QLineEdit, QTableView, QVBoxLayout, QWidget

from core.burnin.record.rows import Event, EventLevel
from core.language import tr, trc
from core.shown import visible
from gui.burnin.recording import Recording
from gui.burnin.words import clock
from gui.theme import theme
from gui.units import local
from gui.widgets.text import tip
from gui.widgets.views import line_rows

Index = QModelIndex | QPersistentModelIndex


class EventColumn(IntEnum):
    """Columns of the log."""

    TIME = 0
    LEVEL = 1
    DEVICE = 2
    TEXT = 3


class EventModel(QAbstractTableModel):
    """Events in the order in which they came; only grows until another run is shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._recording: Recording | None = None
        self._events: list[Event] = []

    def set_recording(self, recording: Recording | None) -> None:
        """The events of another run."""
        self.beginResetModel()
        self._recording = recording
        self._events = list(recording.events) if recording else []
        self.endResetModel()

    def refresh(self) -> None:
        """Adds what is new."""
        known, news = len(self._events), self._recording.events[len(self._events) :] if self._recording else []
        if news:
            self.beginInsertRows(QModelIndex(), known, known + len(news) - 1)
            self._events.extend(news)
            self.endInsertRows()

    def level(self, row: int) -> EventLevel:
        """The level of the event in a row."""
        return self._events[row].level

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """One row per event."""
        return 0 if parent.isValid() else len(self._events)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Time, level, device, text."""
        return 0 if parent.isValid() else len(EventColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        return (tr("Time"), trc("event", "Level"), tr("Device"), tr("What happened"))[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, icon of the level, and the wall clock as tooltip of the time."""
        if not index.isValid():
            return None
        event, column = self._events[index.row()], EventColumn(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return visible(local(self._text(event, column)))
            case Qt.ItemDataRole.DecorationRole if column is EventColumn.LEVEL:
                return theme().status_icon(event.level)
            case Qt.ItemDataRole.ToolTipRole:
                return tip(event.at if column is EventColumn.TIME else self._text(event, column))
            case Qt.ItemDataRole.TextAlignmentRole if column is EventColumn.TIME:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case _:
                return None

    def _text(self, event: Event, column: EventColumn) -> str:
        match column:
            case EventColumn.TIME:
                return clock(event.time_s)
            case EventColumn.LEVEL:
                return event.level.label
            case EventColumn.DEVICE:
                record = self._recording.device(event.device_id) if self._recording else None
                return record.label if record else (event.device_id or "")
            case EventColumn.TEXT:
                return event.message


class EventFilter(QSortFilterProxyModel):
    """Only events of at least a level that contain a text."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._least = EventLevel.INFO
        self.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterKeyColumn(-1)

    def set_least(self, level: EventLevel) -> None:
        """Hides what is less loud."""
        self._least = level
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """By level and text."""
        source = self.sourceModel()
        assert isinstance(source, EventModel)
        levels = list(EventLevel)
        loud = levels.index(source.level(row)) >= levels.index(self._least)
        return loud and super().filterAcceptsRow(row, parent)


class EventLog(QWidget):
    """The table with a field to search and a choice of level; stays at the newest event if it was there."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = EventModel(self)
        self.filter = EventFilter(self)
        self.filter.setSourceModel(self.model)
        self.table = QTableView(self)
        self._search = QLineEdit(self)
        self._level = QComboBox(self)
        self._arrange()
        self._search.textChanged.connect(self.filter.setFilterFixedString)
        self._level.currentIndexChanged.connect(self._choose_level)
        theme().changed.connect(self.table.viewport().update)

    def set_recording(self, recording: Recording | None) -> None:
        """The events of another run."""
        self.model.set_recording(recording)
        self.table.scrollToBottom()

    @Slot()
    def refresh(self) -> None:
        """Adds what is new."""
        bar = self.table.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self.model.refresh()
        if at_end:
            self.table.scrollToBottom()

    @Slot(int)
    def _choose_level(self, index: int) -> None:
        self.filter.set_least(EventLevel(self._level.itemData(index)))

    def _arrange(self) -> None:
        self.table.setModel(self.filter)
        self.table.setAccessibleName(tr("Events"))
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setMinimumSectionSize(0)
        line_rows(self.table, 4)
        self.table.setMinimumHeight(3 * self.fontMetrics().height())
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(EventColumn.TEXT, QHeaderView.ResizeMode.Stretch)
        for column, sample in (
            (EventColumn.TIME, "000:00:00"),
            (EventColumn.LEVEL, "mWarningmm"),
            (EventColumn.DEVICE, "mGPU 00m"),
        ):
            self.table.setColumnWidth(column, self.fontMetrics().horizontalAdvance(sample) + 12)
        self._search.setPlaceholderText(tr("Filter events"))
        self._search.setAccessibleName(tr("Filter events"))
        self._search.setClearButtonEnabled(True)
        self._level.setAccessibleName(tr("Minimum level"))
        for text, level in (
            (tr("All events"), EventLevel.INFO),
            (tr("Warnings and errors"), EventLevel.WARN),
            (tr("Errors only"), EventLevel.ERROR),
        ):
            self._level.addItem(text, level.value)
        tools = QHBoxLayout()
        tools.addWidget(self._level)
        tools.addWidget(self._search, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(tools)
        layout.addWidget(self.table, 1)
