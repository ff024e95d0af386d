"""Edits a structured figure: its rows in a table, with the example of a shipped part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.errors import BadInput
from gui.parts.controls import column_of
from gui.parts.figure import Figure, Kind
from gui.parts.figure_text import checked, row_text, shown
from gui.parts.rows_model import RowsModel
from gui.widgets.banner import Notice
from gui.widgets.text import Label
from gui.widgets.views import quiet_selection

EXAMPLE_LINES = 4


@dataclass(frozen=True, slots=True)
class Example:
    """How a shipped part has the figure."""

    title: str
    rows: list[dict[str, Any]]


class TableDialog(QDialog):
    """Accepted only with rows that can be; `value` is then the figure."""

    def __init__(self, figure: Figure, value: Any, example: Example | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self._figure = figure
        self._example = example
        self.model = RowsModel(figure, self)
        self.table = QTableView(self)
        self.known = QCheckBox(self.tr("Known: no rows means that there are none"), self)
        self.notice = Notice(self)
        self.setWindowTitle(figure.label)
        self.resize(820 if len(figure.columns) > 5 else 560, 420)
        self._arrange()
        self.model.show_plain(value or [])
        self.known.setVisible(figure.can_be_unknown)
        self.known.setChecked(value is not None)
        self.model.rowsInserted.connect(self._rows_came)
        self.model.modelReset.connect(self._rows_came)
        self._size_columns()
        if self.model.rowCount():
            self.table.setCurrentIndex(self.model.index(0, 0))

    def accept(self) -> None:
        """Takes the rows, or says what is wrong and stays."""
        try:
            rows = self.model.plain()
            known = rows or self.known.isChecked() or not self._figure.can_be_unknown
            self.value = checked(self._figure, rows) if known else None
        except BadInput as error:
            self.notice.say(str(error))
            return
        super().accept()

    @Slot()
    def add_row(self) -> None:
        """One more row, below the chosen one."""
        row = self.model.add_row(self.table.currentIndex().row() if self.model.rowCount() else -1)
        self.table.setCurrentIndex(self.model.index(row, 0))
        self.table.setFocus()

    @Slot()
    def remove_row(self) -> None:
        """Takes out the chosen row."""
        if self.table.currentIndex().isValid():
            self.model.remove_row(self.table.currentIndex().row())

    @Slot()
    def take_example(self) -> None:
        """The rows of the shipped part."""
        assert self._example is not None
        self.model.show_plain(self._example.rows)
        self._size_columns()
        self.table.setCurrentIndex(self.model.index(0, 0))

    @Slot()
    def move_up(self) -> None:
        """Moves the chosen row up."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Moves the chosen row down."""
        self._move(1)

    def _size_columns(self) -> None:
        self.table.resizeColumnsToContents()
        narrowest = 56 if self.model.columnCount() > 5 else 120
        for column in range(self.model.columnCount() - 1):
            self.table.setColumnWidth(column, max(self.table.columnWidth(column) + 8, narrowest))

    def _move(self, by: int) -> None:
        here = self.table.currentIndex()
        if here.isValid():
            self.table.setCurrentIndex(self.model.index(self.model.move_row(here.row(), by), here.column()))

    @Slot()
    def _rows_came(self) -> None:
        self.known.setChecked(True)

    def _arrange(self) -> None:
        self.table.setModel(self.model)
        self.table.setItemDelegate(CellDelegate(self._figure, self.table))
        self.table.setAccessibleName(self._figure.label)
        self.table.setTabKeyNavigation(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.horizontalHeader().setStretchLastSection(True)
        quiet_selection(self.table)
        buttons = QHBoxLayout()
        for text, slot in (
            (self.tr("&Add row"), self.add_row),
            (self.tr("&Remove row"), self.remove_row),
            (self.tr("Move &up"), self.move_up),
            (self.tr("Move &down"), self.move_down),
        ):
            button = QPushButton(text, self)
            button.setAutoDefault(False)
            button.clicked.connect(slot)
            buttons.addWidget(button)
        buttons.addStretch(1)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        column = column_of([self.notice, self.table], self)
        column.setStretch(1, 1)
        column.addLayout(buttons)
        column.addWidget(self.known)
        if self._example is not None:
            self._show_example(column, self._example)
        column.addWidget(box)

    def _show_example(self, column: Any, example: Example) -> None:
        lines = [row_text(self._figure, row) for row in example.rows[:EXAMPLE_LINES]]
        if len(example.rows) > EXAMPLE_LINES:
            lines.append("…")
        heading = self.tr("As {part} has it:").format(part=example.title)
        label = Label(self)
        label.setText("\n".join([heading, *(f"    {line}" for line in lines)]))
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        take = QPushButton(self.tr("Take the &example"), self)
        take.setAutoDefault(False)
        take.clicked.connect(self.take_example)
        row = QHBoxLayout()
        row.addWidget(label, 1)
        row.addWidget(take, 0, Qt.AlignmentFlag.AlignBottom)
        column.addLayout(row)


class CellDelegate(QStyledItemDelegate):
    """Closed lists as combo boxes, everything else as a line."""

    def __init__(self, figure: Figure, parent: QWidget) -> None:
        super().__init__(parent)
        self._figure = figure

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        column = self._figure.columns[index.column()]
        if column.kind not in (Kind.CHOICE, Kind.YES_NO):
            return super().createEditor(parent, option, index)
        box = QComboBox(parent)
        words = [choice.label for choice in column.choices]
        if column.kind is Kind.YES_NO:
            words = [shown(column, True), shown(column, False)]
        box.addItems([*([""] if column.can_be_unknown else []), *words])
        box.setAccessibleName(column.heading)
        return box

    def setEditorData(self, editor: QWidget, index: QModelIndex | QPersistentModelIndex) -> None:
        text = index.data(Qt.ItemDataRole.EditRole)
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(editor.findText(text), 0))
        elif isinstance(editor, QLineEdit):
            editor.setText(text)

    def setModelData(
        self, editor: QWidget, model: QAbstractItemModel, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        text = editor.currentText() if isinstance(editor, QComboBox) else getattr(editor, "text", str)()
        model.setData(index, text, Qt.ItemDataRole.EditRole)
