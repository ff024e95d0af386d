"""The table of the build's lines: spin box for the quantity, Del removes, parts can be dropped on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QMenu,
    QSpinBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.build.card_edits import SetPowerLimit
from core.build.edits import RemovePart, Several
from core.build.line import Line
from core.language import tr
from core.parts.vocabulary import Category
from gui.planner.board.card_menu import condition_menu, riser_menu, role_menu, socket_menu
from gui.planner.document import PlanDocument
from gui.planner.lines.model import CATEGORY, LIMIT, PART, POWER, PRICE, QUANTITY, SLOTS, LinesModel
from gui.planner.lines.prices import paste_prices
from gui.planner.parts.model import PART_MIME, dragged_text
from gui.theme import theme
from gui.widgets.views import line_rows, quiet_selection

NARROW = 600
"""In less than so many pixels the category goes, which the order of the lines tells, too."""
TIGHTER = 8
"""So many pixels narrower are the columns of figures then."""
SLOTS_SHARE = 0.25
"""The most that slots may take of the width."""
NAME_LEAST, NAME_READABLE, NAME_MOST = 12, 18, 60
"""Letters of a part's name: with fewer the table is scrolled, other columns go, or figures stand too far from it."""
TYPED_MOST = 99_999
"""What a field takes: a number that a build refuses is refused in a sentence, not cut to its first figures."""


class LinesView(QTableView):
    """`part_dropped(part id)`, `explained(part id)`, `similar_wanted(part id)`; edits go to the document."""

    part_dropped = Signal(str)
    explained = Signal(str)
    similar_wanted = Signal(str)
    selection_moved = Signal()

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.lines = model = LinesModel(document, self)
        self.setModel(model)
        self.setItemDelegateForColumn(QUANTITY, QuantityDelegate(self))
        self.setItemDelegateForColumn(LIMIT, LimitDelegate(self))
        self.setItemDelegateForColumn(PRICE, PriceDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.setAccessibleName(tr("Parts of the build"))
        quiet_selection(self)
        self._widths: dict[int, int] = {}
        self._own_widths: set[int] = set()
        self._fitting = False
        self._size_columns()
        self.horizontalHeader().sectionResized.connect(self._keep_width)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._make_actions()
        self.selectionModel().selectionChanged.connect(self.selection_moved)
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._recall)
        model.modelReset.connect(self._fit_columns)
        model.dataChanged.connect(self._fit_columns)
        self._kept: list[str] = []

    def selected_ids(self) -> list[str]:
        """Part ids of the selected rows, from the top."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.lines.rows[row].part.id for row in rows]

    def select_parts(self, part_ids: tuple[str, ...] | list[str]) -> None:
        """Selects exactly these parts, and shows the first."""
        model = self.selectionModel()
        model.clearSelection()
        rows = [row for part_id in part_ids if (row := self.lines.row_of(part_id)) is not None]
        for row in rows:
            flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
            model.select(self.lines.index(row, 0), flags)
        if rows:
            model.setCurrentIndex(self.lines.index(rows[0], PART), QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(self.lines.index(rows[0], PART))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A digit or F2 edits the quantity, wherever in the row the focus is, except in slots, which are typed too."""
        index = self.currentIndex()
        typed = event.key() == Qt.Key.Key_F2 or event.text().isdecimal()
        if typed and index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsEditable:
            self.setCurrentIndex(self.lines.index(index.row(), QUANTITY))
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(PART_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if (part_id := dragged_text(event.mimeData(), PART_MIME)) is not None:
            event.acceptProposedAction()
            self.part_dropped.emit(part_id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The names have what the figures leave."""
        self._hide(CATEGORY, event.size().width() < NARROW)
        super().resizeEvent(event)
        self._fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need wider columns."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and getattr(self, "_widths", None):
            self._size_columns()
            self._fit_columns()

    @Slot()
    def _fit_columns(self) -> None:
        """Slots, categories and prices get the room they need, as long as the names keep theirs.

        Where that is too little, power goes, which the predictions tell, too, and then slots, which the board shows.
        """
        room = self.viewport().width()
        for column in (POWER, SLOTS):
            self._hide(column, False)
        for column in set(self._widths) - self._own_widths - {PART}:
            self._set_width(column, self._widths[column] - (TIGHTER if room < NARROW else 0))
        for column in {CATEGORY, SLOTS, PRICE} - self._own_widths:
            most = max(self._widths[SLOTS], round(SLOTS_SHARE * room)) if column == SLOTS else room
            needed = max(self.columnWidth(column), self._widest(column) + 14)
            self._set_width(column, min(needed, most))
        letter = self.fontMetrics().averageCharWidth()
        for column in (POWER, SLOTS):
            others = sum(self._shown_width(one) for one in range(len(self.lines.columns)) if one != PART)
            self._hide(column, others + NAME_READABLE * letter > room)
        others = sum(self._shown_width(one) for one in range(len(self.lines.columns)) if one != PART)
        self._set_width(PART, min(max(room - others, NAME_LEAST * letter), max(NAME_MOST * letter, 1)))

    def _shown_width(self, column: int) -> int:
        return 0 if self.isColumnHidden(column) else self.columnWidth(column)

    def _widest(self, column: int) -> int:
        """Of all rows, also those that are out of sight or not laid out yet."""
        wide = self.fontMetrics().horizontalAdvance
        cells = (self.lines.index(row, column) for row in range(self.lines.rowCount()))
        return max((wide(str(cell.data() or "")) for cell in cells), default=0)

    def _set_width(self, column: int, width: int) -> None:
        self._fitting = True
        self.setColumnWidth(column, width)
        self._fitting = False

    def _hide(self, column: int, hidden: bool) -> None:
        self._fitting = True  # a column that goes is not one that the user made narrow
        self.setColumnHidden(column, hidden)
        self._fitting = False

    @Slot(int, int, int)
    def _keep_width(self, column: int, _before: int, _now: int) -> None:
        """What the user dragged stays so."""
        if not self._fitting and column != PART:
            self._own_widths.add(column)

    def _size_columns(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(40)
        wide = self.fontMetrics().horizontalAdvance
        self._widths = {number: wide(column.sample) + 16 for number, column in enumerate(self.lines.columns)}
        for number in set(self._widths) - self._own_widths:
            self._set_width(number, self._widths[number])
        self.verticalHeader().hide()
        line_rows(self, 10)

    def _make_actions(self) -> None:
        remove = QAction(theme().icon("remove"), tr("Remove"), self)
        remove.setShortcut(QKeySequence.StandardKey.Delete)
        remove.triggered.connect(self._remove)
        quantity = QAction(tr("Change quantity"), self)
        quantity.triggered.connect(self._edit_quantity)
        price = QAction(tr("Change price"), self)
        price.triggered.connect(self.edit_price)
        paste = QAction(tr("Paste prices"), self)
        paste.setShortcut(QKeySequence.StandardKey.Paste)
        paste.triggered.connect(self.paste_prices)
        slots = QAction(tr("Change slots"), self)
        slots.triggered.connect(self._edit_slots)
        self._limit = QAction(tr("Set power limit …"), self)
        self._limit.triggered.connect(self.edit_limit)
        self._own_limit = QAction(tr("Default power limit"), self)
        self._own_limit.triggered.connect(self._reset_limit)
        similar = QAction(theme().icon("swap"), tr("Find a replacement"), self)
        similar.triggered.connect(self._want_similar)
        explain = QAction(tr("Figures and sources …"), self)
        explain.triggered.connect(self._explain)
        for action in (remove, quantity, price, paste, slots, self._limit, self._own_limit, similar, explain):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self.addAction(action)

    @Slot(QPoint)
    def _menu(self, point: QPoint) -> None:
        line = self._current_line()
        if line is None:
            return
        self._limit.setVisible(line.part.category is Category.GPU)
        self._own_limit.setVisible(line.power_limit_w is not None)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.actions())
        lines = [line for part_id in self.selected_ids() if (line := self._document.build.line(part_id))]
        condition = condition_menu(self._document.build, lines, menu)
        condition.chosen.connect(self._document.try_edit)
        menu.insertMenu(self._limit, condition)
        for of_line in (riser_menu, socket_menu, role_menu):
            below = of_line(self._document.build, line, menu)
            if below is not None:
                below.chosen.connect(self._document.try_edit)
                menu.insertMenu(self._limit, below)
        menu.popup(self.viewport().mapToGlobal(point))

    @Slot()
    def _remove(self) -> None:
        going = self.selected_ids()
        row = self.lines.row_of(going[0]) if going else None
        edits = tuple(map(RemovePart, going))
        if len(edits) == 1:
            self._document.try_edit(edits[0])
        elif edits:
            self._document.try_edit(Several(tr("Remove {count} lines", count=len(edits)), edits))
        last = self.lines.rowCount() - 1
        if row is not None and last >= 0:
            self.select_parts([self.lines.rows[min(row, last)].part.id])

    @Slot()
    def _edit_quantity(self) -> None:
        self._edit_column(QUANTITY)

    @Slot()
    def _edit_slots(self) -> None:
        self._edit_column(SLOTS)

    def ask_prices(self, part_ids: list[str]) -> None:
        """Selects these lines, with the focus in the price of the first."""
        self.setColumnHidden(PRICE, False)
        self.select_parts([line.part.id for line in self.lines.rows if line.part.id in part_ids])
        index = self.lines.index(self.currentIndex().row(), PRICE)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.scrollTo(index)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def edit_price(self) -> None:
        """Opens the field of the price in the current row."""
        self._edit_column(PRICE)

    @Slot()
    def paste_prices(self) -> None:
        """Gives the selected lines the prices of the clipboard, from the top; where one is selected, it and those
        below.
        """
        chosen = [row for part_id in self.selected_ids() if (row := self.lines.row_of(part_id)) is not None]
        rows = list(self.lines.rows[chosen[0] :]) if len(chosen) == 1 else [self.lines.rows[row] for row in chosen]
        if rows:
            paste_prices(self._document, rows, QGuiApplication.clipboard().text())

    @Slot()
    def edit_limit(self) -> None:
        """Opens the field of the power limit in the current row."""
        self._edit_column(LIMIT)

    @Slot()
    def _reset_limit(self) -> None:
        line = self._current_line()
        if line is not None:
            self._document.try_edit(SetPowerLimit(line.part.id, None))

    def _current_line(self) -> Line | None:
        """The first selected line."""
        selected = self.selected_ids()
        row = self.lines.row_of(selected[0]) if selected else None
        return None if row is None else self.lines.rows[row]

    def _edit_column(self, column: int) -> None:
        self._hide(column, False)
        index = self.lines.index(self.currentIndex().row(), column)
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEditable:
            self.setCurrentIndex(index)
            self.edit(index)

    @Slot()
    def _want_similar(self) -> None:
        for part_id in self.selected_ids()[:1]:
            self.similar_wanted.emit(part_id)

    @Slot()
    def _explain(self) -> None:
        for part_id in self.selected_ids()[:1]:
            self.explained.emit(part_id)

    @Slot()
    def _remember(self) -> None:
        self._kept = self.selected_ids()

    @Slot()
    def _recall(self) -> None:
        self.select_parts(self._kept)
        self.selection_moved.emit()


class QuantityDelegate(QStyledItemDelegate):
    """A spin box of whole numbers."""

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        box = QSpinBox(parent)
        box.setRange(1, TYPED_MOST)
        box.setFrame(False)
        box.setAccessibleName(tr("Quantity"))
        return box


class PriceDelegate(QStyledItemDelegate):
    """A line of text: amount and currency in any notation."""

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        line = QLineEdit(parent)
        line.setFrame(False)
        line.setAlignment(Qt.AlignmentFlag.AlignRight)
        line.setAccessibleName(tr("Price of one"))
        return line


class LimitDelegate(QStyledItemDelegate):
    """A spin box whose lowest value gives the card its own limit back."""

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        box = QSpinBox(parent)
        box.setRange(0, TYPED_MOST)
        box.setSingleStep(10)
        box.setFrame(False)
        box.setSpecialValueText(tr("default"))
        box.setAccessibleName(tr("Power limit of one card, W"))
        return box
