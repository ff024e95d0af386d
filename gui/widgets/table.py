"""The table of the window: columns are declared, and model, view, search, copies and files follow from that.

A column says what it is called, shows of a row, sorts by, says to a screen reader, and takes from the user.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Slot,
)
from PySide6.QtGui import QAction, QFont, QGuiApplication, QIcon, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.platform.spreadsheet import csv_text
from core.words import tr, visible
from gui.widgets.text import tip
from gui.widgets.theme import theme
from gui.widgets.units import local
from gui.widgets.views import line_rows, quiet_selection

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
Side = Qt.AlignmentFlag
SORT_ROLE = Role.UserRole + 30
"""What a cell sorts by; its text where nothing else is declared."""
WIDEST = 260
"""Pixels that a column takes at most for its cells, unless the user makes it wider."""


@dataclass(frozen=True, slots=True)
class Entry(Generic[R]):
    """How the cells of a column are edited: `take(row, value)` stores what was typed, and returns whether it could."""

    begins_with: Callable[[R], Any]
    take: Callable[[R, Any], bool]
    possible: Callable[[R], bool] = lambda _: True
    editor: Callable[[QWidget], QWidget] | None = None
    """Makes the field to type into; None: the one that Qt has for such a value."""


@dataclass(frozen=True, slots=True)
class TableColumn(Generic[R]):
    """One column. What is not declared is the text of the cell, or nothing."""

    heading: str
    text: Callable[[R], str]
    meaning: str = ""
    """The tooltip of the heading."""
    called: str = ""
    """The heading as a screen reader has it; empty: as it is shown."""
    sample: str = ""
    """A text about as wide as the widest."""
    side: Side = Side.AlignLeft
    tip: Callable[[R], str] | None = None
    spoken: Callable[[R], str] | None = None
    described: Callable[[R], str] | None = None
    order: Callable[[R], Any] | None = None
    icon: Callable[[R], QIcon | None] | None = None
    font: Callable[[R], QFont | None] | None = None
    tone: Callable[[R], str] | None = None
    """The colour of the theme that the text has; empty for the usual one."""
    entry: Entry[R] | None = None
    width: int = 0
    """Pixels at first; 0: as `sample` or the cells need."""
    roles: Mapping[int, Callable[[R], Any]] = field(default_factory=dict)
    """Values for further roles of Qt, and for those above in place of what they declare."""


def text_columns(headings: Sequence[str]) -> tuple[TableColumn[Any], ...]:
    """Columns of rows that are sequences of words and numbers, as they stand."""

    def column(place: int, heading: str) -> TableColumn[Any]:
        return TableColumn(heading, lambda row: str(row[place]), order=lambda row: row[place])

    return tuple(column(place, heading) for place, heading in enumerate(headings))


class TableModel(QAbstractTableModel, Generic[R]):
    """`rows` are those of `all_rows` that have all words of the search, in the chosen order.

    A selection survives for rows of the same `key`. `heads` is what stands before each row.
    """

    def __init__(
        self,
        columns: Sequence[TableColumn[R]],
        key: Callable[[R], Hashable],
        parent: QObject | None = None,
        *,
        heads: TableColumn[R] | None = None,
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.rows: tuple[R, ...] = ()
        self.key = key
        """What a row stands for."""
        self._heads = heads
        self.all_rows: tuple[R, ...] = ()
        """In the order in which they came, without a search."""
        self._searched: list[str] = []
        self._order: tuple[int, bool] | None = None

    def show_rows(self, rows: Iterable[R]) -> None:
        """Replaces the rows; where they stand for the same things, only what they show."""
        self.all_rows = tuple(rows)
        self._refresh()

    def show_table(self, columns: Sequence[TableColumn[R]], rows: Iterable[R]) -> None:
        """Replaces columns and rows."""
        self.beginResetModel()
        self.columns, self.all_rows = tuple(columns), tuple(rows)
        self.rows = self._arranged()
        self.endResetModel()

    def add_rows(self, rows: Sequence[R]) -> None:
        """Adds rows behind the others, or where search and order have them; what is chosen stays chosen."""
        if not rows:
            return
        self.all_rows += tuple(rows)
        if self._searched or self._order is not None:
            self._refresh()
            return
        self.beginInsertRows(QModelIndex(), len(self.rows), len(self.all_rows) - 1)
        self.rows = self.all_rows
        self.endInsertRows()

    def narrow(self, text: str) -> None:
        """Shows only rows with all these words."""
        self._searched = text.lower().split()
        self._refresh()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts by a column; -1 is the order in which the rows came."""
        self._order = (column, order is Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._refresh()

    def as_text(self, rows: Iterable[R], delimiter: str = "\t") -> str:
        """Rows with their headings, for the clipboard or a file; no cell can be taken for a formula."""
        cells = ([column.text(row) for column in self.columns] for row in rows)
        return csv_text([[column.heading for column in self.columns], *cells], delimiter=delimiter)

    def row(self, index: Index) -> R | None:
        """What stands in a row."""
        return self.rows[index.row()] if index.isValid() else None

    def row_of(self, key: Hashable) -> int | None:
        """The row that stands for something."""
        return next((number for number, row in enumerate(self.rows) if self.key(row) == key), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical:
            heads = self._heads if section < len(self.rows) else None
            return _cell(heads, self.rows[section], role) if heads is not None else None
        if not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        match role:
            case Role.DisplayRole:
                return local(column.heading)
            case Role.AccessibleTextRole:
                return _spoken_heading(column)
            case Role.ToolTipRole:
                return tip(column.meaning) or None
            case Role.TextAlignmentRole:
                return column.side | Side.AlignVCenter
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row = self.row(index)
        return None if row is None else _cell(self.columns[index.column()], row, role)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        row, entry = self.row(index), self._entry(index)
        return role == Role.EditRole and row is not None and entry is not None and entry.take(row, value)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if self._entry(index) else flags

    def _entry(self, index: Index) -> Entry[R] | None:
        """How a cell is edited; None where it is not."""
        row = self.row(index)
        entry = None if row is None else self.columns[index.column()].entry
        return entry if row is not None and entry is not None and entry.possible(row) else None

    def _refresh(self) -> None:
        rows = self._arranged()
        if [self.key(row) for row in rows] != [self.key(row) for row in self.rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows:
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.columns) - 1))

    def _arranged(self) -> tuple[R, ...]:
        rows = [row for row in self.all_rows if self._matches(row)] if self._searched else list(self.all_rows)
        if self._order is not None:
            place, descending = self._order
            column = self.columns[place]
            rows.sort(key=lambda row: _sort_key((column.order or column.text)(row)), reverse=descending)
        return tuple(rows)

    def _matches(self, row: R) -> bool:
        text = " ".join(column.text(row) for column in self.columns).lower()
        return all(word in text for word in self._searched)


def _cell(column: TableColumn[R], row: R, role: int) -> Any:
    """What a column declares of a row, for one of Qt's roles."""
    if role in column.roles:
        return column.roles[role](row)
    match role:
        case Role.DisplayRole:
            return visible(local(column.text(row)))
        case Role.EditRole if column.entry:
            return column.entry.begins_with(row)
        case Role.ToolTipRole:
            return tip((column.tip or column.text)(row))
        case Role.AccessibleTextRole:
            spoken = visible(local((column.spoken or column.text)(row)))
            return f"{heading}: {spoken}" if (heading := _spoken_heading(column)) else spoken
        case Role.AccessibleDescriptionRole if column.described:
            return local(column.described(row)) or None
        case Role.TextAlignmentRole:
            return column.side | Side.AlignVCenter
        case Role.DecorationRole if column.icon:
            return column.icon(row)
        case Role.FontRole if column.font:
            return column.font(row)
        case Role.ForegroundRole if column.tone:
            tone = column.tone(row)
            return theme().color(tone) if tone else None
        case _ if role == SORT_ROLE:
            return (column.order or column.text)(row)
    return None


def _spoken_heading(column: TableColumn[Any]) -> str:
    return local(column.called or column.heading).replace("\n", " ")


def _sort_key(value: Any) -> tuple[bool, Any]:
    """Numbers before words, words without regard to capitals."""
    return (True, value.casefold()) if isinstance(value, str) else (False, value)


class TableView(QTableView, Generic[R]):
    """Whole rows are chosen, and stay chosen when rows are replaced; Tab leaves the table, Ctrl+C copies rows."""

    def __init__(
        self,
        model: TableModel[R],
        name: str,
        parent: QWidget | None = None,
        *,
        several: bool = False,
        sortable: bool = False,
    ) -> None:
        """`name` is spoken. `several` rows can be chosen together; the headings of a `sortable` table sort it."""
        super().__init__(parent)
        self.table = model
        self._chosen_keys: list[Hashable] = []
        self._cursor_column = 0
        self.setModel(model)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        modes = QAbstractItemView.SelectionMode
        self.setSelectionMode(modes.ExtendedSelection if several else modes.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        line_rows(self, 10)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        if sortable:
            header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            header.setSortIndicatorClearable(True)
            self.setSortingEnabled(True)
        self.setItemDelegate(EntryDelegate(self))
        quiet_selection(self)
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._recall)

    def chosen(self) -> list[R]:
        """The selected rows from the top."""
        numbers = sorted({index.row() for index in self.selectionModel().selectedRows()})
        return [self.table.rows[number] for number in numbers]

    def current(self) -> R | None:
        """The row where the cursor stands."""
        return self.table.row(self.currentIndex())

    def choose(self, keys: Iterable[Hashable], column: int = 0) -> None:
        """Selects exactly the rows that stand for these, with the cursor in the first, which is shown."""
        selection = self.selectionModel()
        selection.clearSelection()
        numbers = [number for key in keys if (number := self.table.row_of(key)) is not None]
        for number in numbers:
            flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
            selection.select(self.table.index(number, 0), flags)
        if numbers:
            first = self.table.index(numbers[0], column)
            selection.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(first)

    def allow_copying(self) -> None:
        """Ctrl+C and the menu copy the selected rows, or all where none is."""
        copy = QAction(tr("Copy"), self)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        self.addAction(copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    @Slot()
    def copy(self) -> None:
        """Puts the selected rows, or all that are shown, on the clipboard."""
        QGuiApplication.clipboard().setText(self.table.as_text(self.chosen() or self.table.rows))

    def fit_columns(self) -> None:
        """Gives each column but the last what is declared, or what its heading and cells need up to a limit."""
        wide, header = self.fontMetrics().horizontalAdvance, self.horizontalHeader()
        for number, column in enumerate(self.table.columns[:-1]):
            width = column.width
            if not width:
                cells = wide(column.sample) + 16 if column.sample else min(self.sizeHintForColumn(number) + 12, WIDEST)
                width = max(cells, header.sectionSizeHint(number))
            self.setColumnWidth(number, width)

    def fit_to_contents(self, stretched: int) -> None:
        """All columns as wide as they need, but for one that has what is left."""
        header, modes = self.horizontalHeader(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        for number in range(len(self.table.columns)):
            header.setSectionResizeMode(number, modes.Stretch if number == stretched else modes.ResizeToContents)

    def whole_height(self) -> int:
        """What shows all rows, in pixels."""
        return self.horizontalHeader().sizeHint().height() + self.verticalHeader().length() + 4

    @Slot()
    def _remember(self) -> None:
        self._chosen_keys = [self.table.key(row) for row in self.chosen()]
        self._cursor_column = max(0, self.currentIndex().column())

    @Slot()
    def _recall(self) -> None:
        if self._chosen_keys:
            self.choose(self._chosen_keys, min(self._cursor_column, len(self.table.columns) - 1))


class EntryDelegate(QStyledItemDelegate):
    """Opens the fields that the columns declare."""

    def __init__(self, view: TableView[Any]) -> None:
        super().__init__(view)
        self._view = view

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        entry = self._view.table.columns[index.column()].entry
        return entry.editor(parent) if entry and entry.editor else super().createEditor(parent, option, index)
