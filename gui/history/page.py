"""The page of past runs: a table above, the chosen run below, as it looked while it went on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QSize, QSortFilterProxyModel, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QInputDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableView,
    QWidget,
)

from core.burnin.record.origin import deletion_words
from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore, in_store
from core.burnin.run.recovery import close_run
from core.present.report.run_list import RunLine
from core.words import joined, plain, tr, trc
from gui.burnin.export_run import export_run
from gui.burnin.recording import Changed
from gui.burnin.run.run_view import RunView
from gui.history.certificate_menu import CertificateMenu
from gui.history.compare_view import CompareView
from gui.history.comparison import FEWEST, MOST
from gui.history.import_log import ask_for_tool_log
from gui.history.runs import PastRuns, RunColumn, RunsModel, read_past
from gui.widgets import messages
from gui.widgets.background import run_in_background
from gui.widgets.banner import Banner
from gui.widgets.empty import EmptyState
from gui.widgets.form import column_of, row_of
from gui.widgets.table import SORT_ROLE
from gui.widgets.text import ElidedLabel, tip
from gui.widgets.theme import theme
from gui.widgets.views import line_rows, quiet_selection

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
        self.report = QPushButton(tr("Report…"), self)
        self.certificate = CertificateMenu(data_dir, self.selected_run, self)
        self.import_log = QPushButton(tr("Import log…"), self)
        self.note = QPushButton(tr("Edit note…"), self)
        self.delete = QPushButton(tr("Delete…"), self)
        self.undo_delete = QPushButton(tr("Undo delete"), self)
        self.comparison = CompareView(data_dir, self)
        self._deleted: list[int] = []
        """Runs that are gone from the list; from the disk when the window is closed, so that they can come back."""
        self._rows: list[RunLine] = []
        self.problems = Banner(self)
        self.deleted_runs = ElidedLabel("", self)
        self._imported_run: int | None = None
        """A run that was just imported, to be chosen once it is listed."""
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
            run_in_background(self, lambda: read_past(self._data_dir), self._show_past, self._not_read)

    def selected_run(self) -> int | None:
        """The run that is chosen in the table."""
        row = self._selected_row()
        return None if row is None else row.run.id

    def select_run(self, run_id: int, *, beside: bool = False) -> None:
        """Chooses a run in the table, alone or beside those that are chosen."""
        row = self.model.row_of(run_id)
        if row is not None:
            index = self.sorted.mapFromSource(self.model.index(row, 0))
            select = QItemSelectionModel.SelectionFlag
            how = select.Select | select.Rows | (select.NoUpdate if beside else select.Clear)
            self.table.selectionModel().select(index, how)
            self.table.scrollTo(index)

    # -- what can be done -----------------------------------------------------------------------------------------

    @Slot()
    def export_report(self) -> None:
        """Writes the report of the chosen run."""
        run_id = self.selected_run()
        if run_id is not None:
            export_run(self, self._data_dir, run_id)

    @Slot()
    def import_tool_log(self) -> None:
        """Opens a log of another tool as a recording."""
        ask_for_tool_log(self, self._data_dir, self._imported)

    def _imported(self, run_id: int) -> None:
        self._imported_run = run_id
        self.refresh()

    @Slot()
    def edit_note(self) -> None:
        """Changes the remark on the chosen run."""
        row = self._selected_row()
        if row is None:
            return
        run_id = row.run.id
        dialog = QInputDialog(self)
        dialog.setWindowTitle(trc("of a run", "Note"))
        dialog.setLabelText(tr("Note on run {number}", number=run_id))
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setTextValue(row.run.note)
        for field in dialog.findChildren(QPlainTextEdit):
            field.setTabChangesFocus(True)  # else the keyboard would not come to the buttons
        if dialog.exec() == QInputDialog.DialogCode.Accepted:
            text = dialog.textValue().strip()
            self._do(lambda store: store.set_note(run_id, text))
        dialog.deleteLater()

    @Slot()
    def delete_selected(self) -> None:
        """Takes the chosen runs off the list after a question; a run that goes on cannot be deleted."""
        chosen = [row.run.id for row in self._selected_rows() if row.run.status is not RunStatus.RUNNING]
        if not chosen:
            return
        one, several = tr("Delete run {number}?", number=chosen[0]), tr("Delete {count} runs?", count=len(chosen))
        question = one if len(chosen) == 1 else several
        detail = tr("Samples, events and verdict are deleted. Undo delete restores them until the window is closed.")
        verb = tr("Delete the run") if len(chosen) == 1 else tr("Delete the runs")
        if messages.ask(self, question, detail, [("delete", verb)], careful=True) != "delete":
            return
        self._deleted += chosen
        self.view.clear()
        self.comparison.forget()
        self._show_runs(self._rows)

    @Slot()
    def bring_back(self) -> None:
        """Undoes the last deletion."""
        if self._deleted:
            brought = self._deleted.pop()
            self._show_runs(self._rows)
            self.table.clearSelection()
            self.select_run(brought)

    def finish_deletions(self) -> None:
        """The window is being closed: what was deleted goes from the disk."""
        for run_id in self._deleted:
            in_store(self._data_dir, partial(RunStore.delete, run_id=run_id))
        self._deleted.clear()

    @Slot()
    def close_run(self) -> None:
        """Judges the interrupted run that is chosen."""
        run_id = self.selected_run()
        if run_id is not None:
            self._do(lambda store: close_run(store, run_id))

    @Slot()
    def _resume(self) -> None:
        run_id = self.selected_run()
        if run_id is not None:
            self.resume_wanted.emit(run_id)

    def _do(self, work: Callable[[RunStore], object]) -> None:
        run_in_background(self, lambda: in_store(self._data_dir, work), lambda _: self.refresh())

    # -- what is shown --------------------------------------------------------------------------------------------

    def _show_past(self, past: PastRuns) -> None:
        self._reading = False
        self.problems.say(joined(past.problems))
        numbers = joined((str(one.run_id) for one in past.deleted), ", ")
        details = (plain("{run}: {words}", run=one.run_id, words=deletion_words(one)) for one in past.deleted)
        self.deleted_runs.setText(tr("Deleted runs: {numbers}", numbers=numbers) if numbers else "")
        self.deleted_runs.setToolTip(tip("\n".join(details)))
        self.deleted_runs.setVisible(bool(numbers))
        self._show_runs(past.rows)

    def _show_runs(self, rows: list[RunLine]) -> None:
        self._rows = rows
        chosen = [row.run.id for row in self._selected_rows()]
        self.model.show_rows([row for row in rows if row.run.id not in self._deleted])
        if not self._selected_rows():
            for run_id in chosen:
                self.select_run(run_id, beside=True)
        if self._imported_run is not None:
            self.select_run(self._imported_run)
            self._imported_run = None
        if not self._selected_rows():
            self.view.clear()
        self._show_buttons()

    def _not_read(self, error: Exception) -> None:
        self._reading = False
        self._timer.stop()
        messages.show_error(self, error)

    @Slot(QItemSelection, QItemSelection)
    def _chosen(self, *_: QItemSelection) -> None:
        chosen = tuple(sorted(row.run.id for row in self._selected_rows()))
        if FEWEST <= len(chosen) <= MOST:
            self.comparison.compare(chosen)
        elif len(chosen) == 1:
            self.view.open(chosen[0])
        self._show_buttons()

    @Slot(Changed)
    def _run_changed(self, changed: Changed) -> None:
        if changed & Changed.RUN:
            self.refresh()

    @Slot()
    def _show_buttons(self) -> None:
        rows = self._selected_rows()
        row = rows[0] if len(rows) == 1 else None
        judged = row is not None and not row.run.imported
        self.report.setEnabled(judged)
        self.certificate.setEnabled(judged)
        self.note.setEnabled(row is not None)
        self.delete.setEnabled(any(row.run.status is not RunStatus.RUNNING for row in rows))
        self.undo_delete.setVisible(bool(self._deleted))
        self._below.setCurrentWidget(self._seen(len(rows)))
        if len(rows) > MOST:
            hint = tr("{chosen} runs are chosen; at most {most} can be compared.", chosen=len(rows), most=MOST)
            self._hint.set_sentence(hint)
        elif self.model.rows:
            hint = tr("Choose a run to see its charts, events and verdict, or two to eight to compare them.")
            self._hint.set_sentence(hint)
        else:
            self._hint.set_sentence(tr("Runs will be listed here. Start the first on the Burn-in page."))

    def _seen(self, chosen: int) -> QWidget:
        """What is shown below the table for so many chosen runs."""
        if chosen == 1:
            return self.view
        return self.comparison if FEWEST <= chosen <= MOST else self._hint

    def _selected_row(self) -> RunLine | None:
        """The only run that is chosen."""
        rows = self._selected_rows()
        return rows[0] if len(rows) == 1 else None

    def _selected_rows(self) -> list[RunLine]:
        rows = (self.model.row(self.sorted.mapToSource(index)) for index in self.table.selectionModel().selectedRows())
        return [row for row in rows if row is not None]

    def _connect(self) -> None:
        self.table.selectionModel().selectionChanged.connect(self._chosen)
        self.search.textChanged.connect(self.sorted.setFilterFixedString)
        self.report.clicked.connect(self.export_report)
        self.import_log.clicked.connect(self.import_tool_log)
        self.note.clicked.connect(self.edit_note)
        self.delete.clicked.connect(self.delete_selected)
        self.undo_delete.clicked.connect(self.bring_back)
        self.view.changed.connect(self._run_changed)
        self.view.banner.report_wanted.connect(self.export_report)
        self.view.banner.close_wanted.connect(self.close_run)
        self.view.banner.resume_wanted.connect(self._resume)
        self._timer.timeout.connect(self.refresh)
        key, here = QKeySequence(QKeySequence.StandardKey.Delete), Qt.ShortcutContext.WidgetShortcut
        QShortcut(key, self.table, self.delete_selected, context=here)
        theme().changed.connect(self.table.viewport().update)

    def _arrange_table(self) -> None:
        self.sorted.setSourceModel(self.model)
        self.sorted.setSortRole(SORT_ROLE)
        self.sorted.setFilterKeyColumn(-1)
        self.sorted.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.table.setModel(self.sorted)
        self.table.setAccessibleName(tr("Past runs"))
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(RunColumn.NUMBER, Qt.SortOrder.DescendingOrder)
        self.table.setShowGrid(False)
        quiet_selection(self.table)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.table.setIconSize(QSize(16, 16))
        self.table.verticalHeader().hide()
        line_rows(self.table, 6)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(RunColumn.NOTE, QHeaderView.ResizeMode.Stretch)
        for number, column in enumerate(self.model.columns):
            if column.sample:
                self.table.setColumnWidth(number, self.fontMetrics().horizontalAdvance(column.sample) + 16)

    def _arrange(self) -> None:
        self.search.setPlaceholderText(tr("Find a run"))
        self.search.setAccessibleName(tr("Find a run"))
        self.search.setClearButtonEnabled(True)
        self._below.addWidget(self._hint)
        self._below.addWidget(self.view)
        self._below.addWidget(self.comparison)
        self.import_log.setToolTip(tr("Opens a log of nvidia-smi, dcgmi, an exporter, HWiNFO or GPU-Z, not judged"))
        of_run = (self.report, self.certificate, self.note, self.undo_delete, self.delete)
        above = QWidget(self)
        tools = row_of((self.search, 1), self.import_log, *of_run)
        column_of(tools, self.problems, (self.table, 1), self.deleted_runs, into=above)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(above)
        splitter.addWidget(self._below)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([150, 650])
        splitter.setChildrenCollapsible(False)
        column_of(splitter, into=self, margins=(8, 8, 8, 8))
