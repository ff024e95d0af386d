"""The log of a run: its events as a table model, and the view with its filter."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSortFilterProxyModel, Qt, Slot
from PySide6.QtWidgets import QComboBox, QHeaderView, QLineEdit, QTableView, QWidget

from core.burnin.record.rows import Event, EventLevel
from core.words import tr, trc
from gui.burnin.recording import Recording
from gui.burnin.words import clock
from gui.widgets.form import column_of, row_of
from gui.widgets.table import Index, TableColumn, TableModel
from gui.widgets.theme import theme
from gui.widgets.views import line_rows


class EventModel(TableModel[Event]):
    """Events in the order in which they came; only grows until another run is shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(self._device), lambda event: event.id, parent)
        self._recording: Recording | None = None

    def set_recording(self, recording: Recording | None) -> None:
        """The events of another run."""
        self._recording = recording
        self.show_rows(recording.events if recording else ())

    def refresh(self) -> None:
        """Adds what is new."""
        if self._recording is not None:
            self.add_rows(self._recording.events[len(self.all_rows) :])

    def _device(self, event: Event) -> str:
        record = self._recording.device(event.device_id) if self._recording else None
        return record.label if record else (event.device_id or "")


def _columns(device: Callable[[Event], str]) -> tuple[TableColumn[Event], ...]:
    """Time, level, device and text; the tooltip of a time is that of the wall clock."""
    right = Qt.AlignmentFlag.AlignRight
    return (
        TableColumn(
            tr("Time"), lambda event: clock(event.time_s), sample="000:00:00", side=right, tip=lambda event: event.at
        ),
        TableColumn(
            trc("event", "Level"),
            lambda event: event.level.label,
            sample="mWarningmm",
            icon=lambda event: theme().status_icon(event.level),
        ),
        TableColumn(tr("Device"), device, sample="mGPU 00m"),
        TableColumn(tr("What happened"), lambda event: event.message),
    )


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
        loud = levels.index(source.rows[row].level) >= levels.index(self._least)
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
        header.setSectionResizeMode(len(self.model.columns) - 1, QHeaderView.ResizeMode.Stretch)
        for number, column in enumerate(self.model.columns):
            if column.sample:
                self.table.setColumnWidth(number, self.fontMetrics().horizontalAdvance(column.sample) + 12)
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
        column_of(row_of(self._level, (self._search, 1)), (self.table, 1), into=self, spacing=4)
