"""Dialogs of figures that are lists: ticks in a closed list, and rows of a table with the example of a shipped part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Slot,
)
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.errors import BadInput
from core.language import tr
from core.parts.catalogue import Catalogue
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category
from gui.parts.controls import column_of, outline
from gui.parts.entered import plain_figures
from gui.parts.figure import FieldKind, FormFigure, checked, row_text, shown, typed
from gui.theme import theme
from gui.widgets.banner import NoticeBanner
from gui.widgets.text import Label, tip
from gui.widgets.views import quiet_selection


class TicksDialog(QDialog):
    """`value` is the list of what is ticked; with nothing ticked, unknown or none as the box below says."""

    def __init__(self, figure: FormFigure, value: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self._figure = figure
        self.setWindowTitle(figure.label)
        self.resize(320, 420)
        self.list = QListWidget(self)
        self.list.setAccessibleName(figure.label)
        self.list.setSpacing(2)
        outline(self.list)
        quiet_selection(self.list)
        for choice in figure.choices:
            item = QListWidgetItem(choice.label, self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if choice.value in (value or ()) else Qt.CheckState.Unchecked)
        self.list.setCurrentRow(0)
        self.known = QCheckBox(tr("Known: nothing ticked means none"), self)
        self.known.setVisible(figure.can_be_unknown)
        self.known.setChecked(value is not None and not value)
        hint = Label(tr("Space ticks. With nothing ticked the figure is unknown."), self)
        hint.setWordWrap(True)
        hint.setVisible(figure.can_be_unknown)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        column_of([self.list, hint, self.known, box], self)

    def accept(self) -> None:
        """Takes what is ticked."""
        ticked = [
            choice.value
            for row, choice in enumerate(self._figure.choices)
            if self.list.item(row).checkState() is Qt.CheckState.Checked
        ]
        known = ticked or self.known.isChecked() or not self._figure.can_be_unknown
        self.value = ticked if known else None
        super().accept()


Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class RowsModel(QAbstractTableModel):
    """Cells hold what was typed, right or wrong; `plain()` says whether it is right."""

    def __init__(self, figure: FormFigure, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.figure = figure
        self.texts: list[list[str]] = []
        self._problems: dict[tuple[int, int], str] = {}

    def show_plain(self, rows: list[dict[str, Any]]) -> None:
        """Replaces all rows."""
        self.beginResetModel()
        self.texts = [[shown(column, row.get(column.name)) for column in self.figure.columns] for row in rows]
        self._judge()
        self.endResetModel()

    def plain(self) -> list[dict[str, Any]]:
        """The rows. Raises BadInput naming row and column of the first problem."""
        for (row, column), problem in sorted(self._problems.items()):
            name = self.figure.columns[column].label
            raise BadInput(tr("Row {row}, {name}: {problem}", row=row + 1, name=name, problem=problem))
        return [
            {column.name: typed(column, text) for column, text in zip(self.figure.columns, row, strict=True)}
            for row in self.texts
        ]

    def add_row(self, after: int) -> int:
        """A new row below another one, with what that one has except numbers that count up; its place."""
        place = min(max(after + 1, 0), len(self.texts))
        fresh = [shown(column, column.default) for column in self.figure.columns]
        row = list(self.texts[place - 1]) if place else fresh
        if place and self.figure.columns[0].name == "position" and row[0].isdecimal():
            row[0] = str(int(row[0]) + 1)
        self.beginInsertRows(QModelIndex(), place, place)
        self.texts.insert(place, row)
        self._judge()
        self.endInsertRows()
        return place

    def remove_row(self, row: int) -> None:
        """Takes a row out."""
        self.beginRemoveRows(QModelIndex(), row, row)
        del self.texts[row]
        self._judge()
        self.endRemoveRows()

    def move_row(self, row: int, by: int) -> int:
        """Moves a row up or down; its new place."""
        other = row + by
        if not 0 <= other < len(self.texts):
            return row
        root = QModelIndex()
        self.beginMoveRows(root, row, row, root, other + (by > 0))  # Qt names the row before which it will stand
        self.texts[row], self.texts[other] = self.texts[other], self.texts[row]
        self._judge()
        self.endMoveRows()
        return other

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.texts)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.figure.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role != Role.DisplayRole:
            return None
        return section + 1 if orientation is Qt.Orientation.Vertical else self.figure.columns[section].heading

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        place = (index.row(), index.column())
        text = self.texts[place[0]][place[1]]
        match role:
            case Role.DisplayRole:
                column = self.figure.columns[place[1]]
                return text or (tr("unknown") if column.can_be_unknown else "")
            case Role.EditRole:
                return text
            case Role.ForegroundRole:
                return theme().color("fail" if place in self._problems else "text" if text else "muted")
            case Role.ToolTipRole:
                return tip(self._problems.get(place, "")) or None
            case Role.AccessibleDescriptionRole:
                return self._problems.get(place)
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.EditRole:
            return False
        self.texts[index.row()][index.column()] = str(value)
        self._judge()
        self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), self.columnCount() - 1))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() else flags

    def _judge(self) -> None:
        self._problems = {}
        for number, row in enumerate(self.texts):
            for place, (column, text) in enumerate(zip(self.figure.columns, row, strict=True)):
                try:
                    typed(column, text)
                except BadInput as error:
                    self._problems[number, place] = str(error)


EXAMPLE_LINES = 4


@dataclass(frozen=True, slots=True)
class Example:
    """How a shipped part has the figure."""

    title: str
    rows: list[dict[str, Any]]


class TableDialog(QDialog):
    """Accepted only with rows that can be; `value` is then the figure."""

    def __init__(self, figure: FormFigure, value: Any, example: Example | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self._figure = figure
        self._example = example
        self.model = RowsModel(figure, self)
        self.table = QTableView(self)
        self.known = QCheckBox(tr("Known: no rows means there are none"), self)
        self.notice = NoticeBanner(self)
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
            (tr("&Add row"), self.add_row),
            (tr("&Remove row"), self.remove_row),
            (tr("Move &up"), self.move_up),
            (tr("Move &down"), self.move_down),
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
        heading = tr("As in {part}:", part=example.title)
        label = Label(self)
        label.setText("\n".join([heading, *(f"    {line}" for line in lines)]))
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        take = QPushButton(tr("Use the &example"), self)
        take.setAutoDefault(False)
        take.clicked.connect(self.take_example)
        row = QHBoxLayout()
        row.addWidget(label, 1)
        row.addWidget(take, 0, Qt.AlignmentFlag.AlignBottom)
        column.addLayout(row)


class CellDelegate(QStyledItemDelegate):
    """Closed lists as combo boxes, everything else as a line."""

    def __init__(self, figure: FormFigure, parent: QWidget) -> None:
        super().__init__(parent)
        self._figure = figure

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        column = self._figure.columns[index.column()]
        if column.kind not in (FieldKind.CHOICE, FieldKind.YES_NO):
            return super().createEditor(parent, option, index)
        box = QComboBox(parent)
        words = [choice.label for choice in column.choices]
        if column.kind is FieldKind.YES_NO:
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


class Examples:
    """Reads the shipped parts of a category once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._parts: dict[Category, list[Part]] = {}

    def of(self, category: Category, figure: FormFigure) -> Example | None:
        """The shipped part with the most rows of it, within reason; None if no part has any."""
        if category not in self._parts:
            self._parts[category] = list(self._catalogue.parts(origin=Origin.SHIPPED, category=category))
        having = [part for part in self._parts[category] if getattr(part.spec, figure.name)]
        if not having:
            return None
        best = max(having, key=lambda part: len(getattr(part.spec, figure.name)))
        return Example(best.title, plain_figures(best)[figure.name])
