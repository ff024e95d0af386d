"""The open build beside up to three others: figures and parts in columns, differences marked, lines taken over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Slot
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QHeaderView,
    QMenu,
    QPushButton,
    QTableView,
    QWidget,
)

from core.assessment import Assessment
from core.parts.price_guide import PriceGuide
from core.plan.build import Build
from core.plan.file import FindPart, load_build
from core.plan.file_name import SUFFIX
from core.plan.templates import all_templates
from core.predict.conditions import Conditions
from core.present.share.comparison import MOST, ComparedParts, ComparedRow, Comparison, compare, take
from core.words import tr, visible
from gui.planner.document import PlanDocument
from gui.widgets import files, messages
from gui.widgets.background import run_in_background
from gui.widgets.context import belongs_to
from gui.widgets.empty import EmptyState
from gui.widgets.form import column_of, row_of
from gui.widgets.table import Index, Role, TableColumn, TableModel
from gui.widgets.text import Sentence, bold
from gui.widgets.theme import theme
from gui.widgets.views import open_at, quiet_selection


class CompareDialog(QDialog):
    """The first column is the open build and follows its edits; the others are files or templates."""

    def __init__(self, document: PlanDocument, find_part: FindPart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._find_part = find_part
        self._others: list[Build] = []
        self._shown: Comparison | None = None
        self._builds: tuple[Build, ...] = ()
        self.model = CompareModel(self)
        self.table = QTableView(self)
        self.add_file = QAction(tr("From a &file…"), self)
        self.add = QPushButton(tr("&Add build"), self)
        self.remove = QPushButton(tr("&Remove column"), self)
        self.differences = QCheckBox(tr("&Only differences"), self)
        self.take = QPushButton(tr("Use &this line"), self)
        self.hint = Sentence("", self)
        self.empty = EmptyState(tr("Compare this build with others, column by column."), [], self)
        self.setWindowTitle(tr("Compare builds"))
        open_at(self, 1100, 680)
        belongs_to(self, "sharing")
        self._arrange()
        self._connect()
        self._refresh()

    def add_build(self, build: Build) -> None:
        """A further column, at most four in all."""
        if len(self._others) < MOST - 1:
            self._others.append(build)
            self._refresh()

    @property
    def comparison(self) -> Comparison | None:
        """What is shown; None until there are two builds and they are predicted."""
        return self._shown

    # -- what the user does ---------------------------------------------------------------------------------------

    @Slot()
    def _ask_for_file(self) -> None:
        folder = self._document.path.parent if self._document.path else Path.home()
        filters = tr("Builds (*{suffix});;All files (*)", suffix=SUFFIX)
        path = files.file_to_open(self, tr("Compare with"), folder, filters)
        if path is not None:
            self._add_path(path)

    def _add_path(self, path: Path, _checked: bool = False) -> None:
        messages.succeeds(self, lambda: self.add_build(load_build(path, self._find_part)))

    @Slot()
    def _remove_column(self) -> None:
        column = self._column()
        if column:
            del self._others[column - 1]
            self._refresh()

    @Slot()
    def _take_line(self) -> None:
        column, row = self._column(), self.model.parts_row(self.table.currentIndex())
        edit = take(row, 0, column) if row is not None and column else None
        if edit is not None:
            self._document.try_edit(edit)

    def _column(self) -> int:
        """The build whose cell is chosen; 0: the open one, or none."""
        return max(0, self.table.currentIndex().column() - 1)

    # -- inside ---------------------------------------------------------------------------------------------------

    @Slot()
    def _refresh(self) -> None:
        """Predicts beside the window; of changes that follow each other fast, the last counts."""
        builds = (self._document.build, *self._others)
        self.add.setEnabled(len(builds) < MOST)
        several = len(builds) > 1
        self.empty.setVisible(not several)
        self.table.setVisible(several)
        if several and builds != self._builds:
            self._builds = builds
            terms = self._document.conditions, self._document.guide_of(*builds)
            run_in_background(self, partial(_compared, builds, *terms), self._show)
        elif not several:
            self._builds, self._shown = (), None
        self._offer()

    def _show(self, answer: tuple[tuple[Build, ...], Comparison]) -> None:
        builds, comparison = answer
        if builds == self._builds:
            self._shown = comparison
            self.model.show_comparison(comparison, only_differences=self.differences.isChecked())
            self._offer()

    @Slot()
    def _narrow(self) -> None:
        if self._shown is not None:
            self.model.show_comparison(self._shown, only_differences=self.differences.isChecked())

    @Slot()
    def _offer(self) -> None:
        """What can be done with the chosen cell."""
        column, row = self._column(), self.model.parts_row(self.table.currentIndex())
        possible = bool(column) and row is not None and take(row, 0, column) is not None
        self.remove.setEnabled(bool(column) and not self.table.isHidden())
        self.take.setEnabled(possible)
        if possible:
            self.hint.setText(tr("Enter copies the chosen line into {name}.", name=self._document.build.name))
        else:
            self.hint.setText(tr("Bold is the best of a row. Choose a part of another build to use it here."))

    def _arrange(self) -> None:
        menu = QMenu(self.add)
        menu.addAction(self.add_file)
        menu.addSeparator()
        for template in all_templates():
            action = QAction(visible(template.title).replace("&", "&&"), menu)
            action.setToolTip(template.purpose)
            action.triggered.connect(partial(self._add_path, template.path))
            menu.addAction(action)
        self.add.setMenu(menu)
        for button in (self.add, self.remove, self.take):
            button.setAutoDefault(False)  # else Enter in the table takes a line over and opens the menu, too
        self.table.setModel(self.model)
        self.table.setAccessibleName(tr("Builds side by side"))
        self.table.setWordWrap(True)
        self.table.verticalHeader().hide()
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        quiet_selection(self.table)
        top = row_of(self.add, self.remove, self.differences, 1, self.take)
        column_of(top, (self.table, 1), (self.empty, 1), self.hint, into=self, margins=None)

    def _connect(self) -> None:
        self.add_file.triggered.connect(self._ask_for_file)
        self.remove.clicked.connect(self._remove_column)
        self.take.clicked.connect(self._take_line)
        self.differences.toggled.connect(self._narrow)
        self.table.activated.connect(self._activated)
        self.table.selectionModel().currentChanged.connect(self._offer)
        self.model.modelReset.connect(self._fit)
        self._document.changed.connect(self._refresh)
        self._document.refused.connect(self.hint.setText)

    @Slot(QModelIndex)
    def _activated(self, _index: QModelIndex) -> None:
        self._take_line()

    @Slot()
    def _fit(self) -> None:
        """The names of the rows as wide as they are, the builds share what is left."""
        header = self.table.horizontalHeader()
        for column in range(self.model.columnCount()):
            mode = QHeaderView.ResizeMode.Stretch if column else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, mode)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


def _compared(
    builds: tuple[Build, ...], conditions: Conditions, guide: PriceGuide
) -> tuple[tuple[Build, ...], Comparison]:
    return builds, compare([Assessment(build, conditions, guide) for build in builds])


DIFFERS = "≠"


class CompareModel(TableModel[ComparedRow]):
    """Column 0 names the row and says whether it differs, the others are the builds."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), lambda row: row.label, parent)

    def show_comparison(self, comparison: Comparison, *, only_differences: bool) -> None:
        """Replaces everything."""
        rows = (row for row in comparison.rows() if row.differs or not only_differences)
        self.show_table(_columns(comparison.names), rows)

    def parts_row(self, index: Index) -> ComparedParts | None:
        """The lines of a row; None where it shows a figure."""
        row = self.row(index)
        return row.parts if row else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """What is alike stands back."""
        row = self.row(index)
        if row is not None and role == Role.ForegroundRole:
            return None if row.differs else theme().color("muted")
        if row is not None and role == Role.AccessibleTextRole and not index.column():
            return visible(f"{row.label}, {tr('differs') if row.differs else tr('alike')}")
        return super().data(index, role)


def _columns(names: Sequence[str]) -> tuple[TableColumn[ComparedRow], ...]:
    head: TableColumn[ComparedRow] = TableColumn("", lambda row: f"{row.label} {DIFFERS}" if row.differs else row.label)
    return (head, *(_build_column(place, name) for place, name in enumerate(names)))


def _build_column(place: int, name: str) -> TableColumn[ComparedRow]:
    def spoken(row: ComparedRow) -> str:
        best = f", {tr('best')}" if place in row.best else ""
        return f"{row.label}: {row.cells[place]}{best}"

    def font(row: ComparedRow) -> QFont | None:
        return bold() if place in row.best else None

    return TableColumn(visible(name), lambda row: row.cells[place], spoken=spoken, font=font)
