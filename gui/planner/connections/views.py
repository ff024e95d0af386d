"""The table of paths and the tree of cables."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTreeView,
    QWidget,
)

from gui.planner.connections.cables import FROM, TO, WATTS, WiringModel
from gui.planner.connections.paths import PathsModel
from gui.planner.connections.supplies import FED_MIME, fed_of
from gui.widgets.views import quiet_selection, small_table


class PathsView(QTableView):
    """Cells of one width, as wide as there is room, never narrower than their words."""

    def __init__(self, model: PathsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(self.tr("Paths between the GPUs"))
        self.setAccessibleDescription(self.tr("The classes of nvidia-smi topo -m"))
        small_table(self)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for header in (across, down):
            header.setHighlightSections(True)
            header.setSectionsClickable(False)
        model.modelReset.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        wide = self.fontMetrics().horizontalAdvance
        model = self.model()
        words = {model.index(0, column).data() for column in range(model.columnCount())} | {"PHB"}
        self.horizontalHeader().setMinimumSectionSize(max(wide(word) for word in words) + 8)

    def whole_height(self) -> int:
        """What shows all rows."""
        bar = self.horizontalScrollBar()
        below = bar.sizeHint().height() if bar.isVisible() else 0
        return self.horizontalHeader().sizeHint().height() + self.verticalHeader().length() + below + 4


class CablesView(QTreeView):
    """The cables under their PSUs, all open.

    `dropped(part id, number, PSU)`: a card, riser or the board was dragged onto a PSU or one of its lines.
    """

    dropped = Signal(str, int, int)

    def __init__(self, model: WiringModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(self.tr("Power cables"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setIndentation(12)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(FROM, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(TO, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(WATTS, QHeaderView.ResizeMode.ResizeToContents)
        quiet_selection(self)
        self.setItemDelegate(Airy(self))
        model.modelReset.connect(self._open_all)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(FED_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        event.setAccepted(bool(self._place_at(event.position().toPoint())))

    def dropEvent(self, event: QDropEvent) -> None:
        fed, place = fed_of(event.mimeData()), self._place_at(event.position().toPoint())
        if fed is not None and place:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.dropped.emit(*fed, place)

    def _place_at(self, point: QPoint) -> int:
        model = self.model()
        return model.place(self.indexAt(point)) if isinstance(model, WiringModel) else 0

    @Slot()
    def _open_all(self) -> None:
        """Shows all lines; the head of a PSU has the room of all columns."""
        self.expandAll()
        for row in range(self.model().rowCount()):
            self.setFirstColumnSpanned(row, QModelIndex(), True)


class Airy(QStyledItemDelegate):
    """Lines a little apart."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), max(hint.height(), option.fontMetrics.height() + 6))
