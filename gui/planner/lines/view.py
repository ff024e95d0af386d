"""The table of the build's lines: spin box for the quantity, Del removes, parts can be dropped on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QPoint, Qt, Signal, Slot
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
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QWidget

from core.parts.vocabulary import Category
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import RemovePart, Several
from core.plan.line import Line
from core.words import tr
from gui.planner.board.card_menu import condition_menu, riser_menu, role_menu, socket_menu
from gui.planner.document import PlanDocument
from gui.planner.lines.model import CATEGORY, LIMIT, PART, POWER, PRICE, QUANTITY, SLOTS, LinesModel
from gui.planner.lines.prices import paste_prices
from gui.planner.parts.model import PART_MIME, dragged_text
from gui.widgets.table import TableView
from gui.widgets.theme import theme

NARROW = 600
"""In less than so many pixels the category goes, which the order of the lines tells, too."""
TIGHTER = 8
"""So many pixels narrower are the columns of figures then."""
SLOTS_SHARE = 0.25
"""The most that slots may take of the width."""
NAME_LEAST, NAME_READABLE, NAME_MOST = 12, 18, 60
"""Letters of a part's name: with fewer the table is scrolled, other columns go, or figures stand too far from it."""


class LinesView(TableView[Line]):
    """`part_dropped(part id)`, `explained(part id)`, `similar_wanted(part id)`; edits go to the document."""

    part_dropped = Signal(str)
    explained = Signal(str)
    similar_wanted = Signal(str)
    selection_moved = Signal()

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        self.lines = model = LinesModel(document, parent)
        super().__init__(model, tr("Parts of the build"), parent, several=True)
        self._document = document
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self._widths: dict[int, int] = {}
        self._own_widths: set[int] = set()
        self._fitting = False
        self._size_columns()
        self.horizontalHeader().sectionResized.connect(self._keep_width)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._make_actions()
        self.selectionModel().selectionChanged.connect(self.selection_moved)
        model.modelReset.connect(self._fit_columns)
        model.dataChanged.connect(self._fit_columns)

    def selected_ids(self) -> list[str]:
        """Part ids of the selected rows, from the top."""
        return [line.part.id for line in self.chosen()]

    def select_parts(self, part_ids: Sequence[str]) -> None:
        """Selects exactly these parts, and shows the first."""
        self.choose(part_ids, PART)

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
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        wide = self.fontMetrics().horizontalAdvance
        self._widths = {number: wide(column.sample) + 16 for number, column in enumerate(self.lines.columns)}
        for number in set(self._widths) - self._own_widths:
            self._set_width(number, self._widths[number])

    def _make_actions(self) -> None:
        keys = QKeySequence.StandardKey
        self._action(tr("Remove"), self._remove, icon="remove", keys=keys.Delete)
        self._action(tr("Change quantity"), self._edit_quantity)
        self._action(tr("Change price"), self.edit_price)
        self._action(tr("Paste prices"), self.paste_prices, keys=keys.Paste)
        self._action(tr("Change slots"), self._edit_slots)
        self._limit = self._action(tr("Set power limit …"), self.edit_limit)
        self._own_limit = self._action(tr("Default power limit"), self._reset_limit)
        self._action(tr("Find a replacement"), self._want_similar, icon="swap")
        self._action(tr("Figures and sources …"), self._explain)

    def _action(
        self, text: str, work: Callable[[], None], *, icon: str = "", keys: QKeySequence.StandardKey | None = None
    ) -> QAction:
        action = QAction(text, self)
        if icon:
            action.setIcon(theme().icon(icon))
        if keys is not None:
            action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(work)
        self.addAction(action)
        return action

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
        condition = condition_menu(self._document.build, self.chosen(), menu)
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
        """Gives the selected lines the prices of the clipboard, from the top; where it is one, also those below."""
        lines = self.chosen()
        if len(lines) == 1:
            lines = list(self.lines.rows[self.lines.rows.index(lines[0]) :])
        if lines:
            paste_prices(self._document, lines, QGuiApplication.clipboard().text())

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
        return next(iter(self.chosen()), None)

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
    def _recall(self) -> None:
        super()._recall()
        self.selection_moved.emit()
