"""The page of past runs: a table above, the chosen run below, as it looked while it went on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QItemSelection, QSize, QSortFilterProxyModel, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QInputDialog,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.burnin.record.rows import RunStatus
from gui.background import run_in_background
from gui.burnin.attach import close_interrupted, export_run
from gui.burnin.recording import Changed
from gui.burnin.run_view import RunView
from gui.history.model import Column, RunsModel
from gui.history.runs import RunRow, delete_run, read_runs, set_note
from gui.theme import theme
from gui.widgets import messages
from gui.widgets.empty import EmptyState
from gui.widgets.table import SORT_ROLE
from gui.widgets.views import quiet_selection

REFRESH_MS = 5000


class RunsPage(QWidget):
    """Everything that was recorded on this machine."""

    resume_wanted = Signal(int)
    """The user wants an interrupted run to go on; the burn-in page does that."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self._reading = False
        self.model = RunsModel(self)
        self.sorted = QSortFilterProxyModel(self)
        self.table = QTableView(self)
        self.search = QLineEdit(self)
        self.view = RunView(data_dir, self)
        self.report = QPushButton(self.tr("Report…"), self)
        self.note = QPushButton(self.tr("Edit note…"), self)
        self.delete = QPushButton(self.tr("Delete…"), self)
        self._below = QStackedWidget(self)
        self._hint = EmptyState("", (), self)
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH_MS)
        self._arrange_table()
        self._arrange()
        self._connect()
        self._show_buttons()

    def showEvent(self, event: QShowEvent) -> None:
        """Reads the runs, and again while the page is seen."""
        super().showEvent(event)
        self._timer.start()
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys of the run that is shown work wherever the focus is."""
        if not self.view.take_key(event):
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """An unseen page reads nothing."""
        super().hideEvent(event)
        self._timer.stop()

    @Slot()
    def refresh(self) -> None:
        """Reads the runs anew."""
        if not self._reading:
            self._reading = True
            run_in_background(self, lambda: read_runs(self._data_dir), self._show_runs, self._not_read)

    def selected_run(self) -> int | None:
        """The run that is chosen in the table."""
        row = self._selected_row()
        return None if row is None else row.run.id

    def select_run(self, run_id: int) -> None:
        """Chooses a run in the table."""
        row = self.model.row_of(run_id)
        if row is not None:
            index = self.sorted.mapFromSource(self.model.index(row, 0))
            self.table.selectRow(index.row())
            self.table.scrollTo(index)

    # -- what can be done -----------------------------------------------------------------------------------------

    @Slot()
    def export_report(self) -> None:
        """Writes the report of the chosen run."""
        run_id = self.selected_run()
        if run_id is not None:
            export_run(self, self._data_dir, run_id)

    @Slot()
    def edit_note(self) -> None:
        """Changes the remark on the chosen run."""
        row = self._selected_row()
        if row is None:
            return
        run_id = row.run.id
        text, given = QInputDialog.getMultiLineText(
            self, self.tr("Note"), self.tr("Note on run {number}").format(number=run_id), row.run.note
        )
        if given:
            self._do(lambda: set_note(self._data_dir, run_id, text.strip()))

    @Slot()
    def delete_selected(self) -> None:
        """Forgets the chosen run after a question; a run that goes on cannot be deleted."""
        row = self._selected_row()
        if row is None or row.run.status is RunStatus.RUNNING:
            return
        run_id = row.run.id
        question = self.tr("Delete run {number}?").format(number=run_id)
        detail = self.tr("Its samples, events and verdict are lost. This cannot be undone.")
        if messages.ask(self, question, detail, [("delete", self.tr("Delete the run"))]) != "delete":
            return
        self.view.clear()
        self._do(lambda: delete_run(self._data_dir, run_id))

    @Slot()
    def close_run(self) -> None:
        """Judges the interrupted run that is chosen."""
        run_id = self.selected_run()
        if run_id is not None:
            self._do(lambda: close_interrupted(self._data_dir, run_id))

    @Slot()
    def _resume(self) -> None:
        run_id = self.selected_run()
        if run_id is not None:
            self.resume_wanted.emit(run_id)

    def _do(self, work: Callable[[], None]) -> None:
        run_in_background(self, work, lambda _: self.refresh())

    # -- what is shown --------------------------------------------------------------------------------------------

    def _show_runs(self, rows: list[RunRow]) -> None:
        self._reading = False
        chosen = self.selected_run()
        self.model.show_rows(rows)
        if chosen is not None and self.selected_run() is None:
            self.select_run(chosen)
        if self.selected_run() is None:
            self.view.clear()
        self._show_buttons()

    def _not_read(self, error: Exception) -> None:
        self._reading = False
        self._timer.stop()
        messages.show_error(self, error)

    @Slot(QItemSelection, QItemSelection)
    def _chosen(self, *_: QItemSelection) -> None:
        run_id = self.selected_run()
        if run_id is not None:
            self.view.open(run_id)
        self._show_buttons()

    @Slot(Changed)
    def _run_changed(self, changed: Changed) -> None:
        if changed & Changed.RUN:
            self.refresh()

    @Slot()
    def _show_buttons(self) -> None:
        row = self._selected_row()
        self.report.setEnabled(row is not None)
        self.note.setEnabled(row is not None)
        self.delete.setEnabled(row is not None and row.run.status is not RunStatus.RUNNING)
        self._below.setCurrentWidget(self._hint if row is None else self.view)
        self._hint.set_sentence(
            self.tr("Choose a run to see its charts, events and verdict.")
            if self.model.rows
            else self.tr("Runs will be listed here. Start the first on the Burn-in page.")
        )

    def _selected_row(self) -> RunRow | None:
        rows = self.table.selectionModel().selectedRows()
        return self.model.row(self.sorted.mapToSource(rows[0])) if rows else None

    def _connect(self) -> None:
        self.table.selectionModel().selectionChanged.connect(self._chosen)
        self.search.textChanged.connect(self.sorted.setFilterFixedString)
        self.report.clicked.connect(self.export_report)
        self.note.clicked.connect(self.edit_note)
        self.delete.clicked.connect(self.delete_selected)
        self.view.changed.connect(self._run_changed)
        self.view.banner.report_wanted.connect(self.export_report)
        self.view.banner.close_wanted.connect(self.close_run)
        self.view.banner.resume_wanted.connect(self._resume)
        self._timer.timeout.connect(self.refresh)
        QShortcut(
            QKeySequence(QKeySequence.StandardKey.Delete),
            self.table,
            self.delete_selected,
            context=Qt.ShortcutContext.WidgetShortcut,
        )
        theme().changed.connect(self.table.viewport().update)

    def _arrange_table(self) -> None:
        self.sorted.setSourceModel(self.model)
        self.sorted.setSortRole(SORT_ROLE)
        self.sorted.setFilterKeyColumn(-1)
        self.sorted.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.table.setModel(self.sorted)
        self.table.setAccessibleName(self.tr("Past runs"))
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(Column.NUMBER, Qt.SortOrder.DescendingOrder)
        self.table.setShowGrid(False)
        quiet_selection(self.table)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setIconSize(QSize(16, 16))
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(Column.NOTE, QHeaderView.ResizeMode.Stretch)
        for number, column in enumerate(self.model.columns):
            if column.sample:
                self.table.setColumnWidth(number, self.fontMetrics().horizontalAdvance(column.sample) + 16)

    def _arrange(self) -> None:
        self.search.setPlaceholderText(self.tr("Find a run"))
        self.search.setAccessibleName(self.tr("Find a run"))
        self.search.setClearButtonEnabled(True)
        self._below.addWidget(self._hint)
        self._below.addWidget(self.view)
        tools = QHBoxLayout()
        tools.addWidget(self.search, 1)
        for button in (self.report, self.note, self.delete):
            tools.addWidget(button)
        above = QWidget(self)
        column = QVBoxLayout(above)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(tools)
        column.addWidget(self.table, 1)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(above)
        splitter.addWidget(self._below)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([150, 650])
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(splitter)
