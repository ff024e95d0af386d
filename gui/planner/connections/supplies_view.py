"""The table in which the user sets the PSU of each card, riser and the board."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.planner.connections.supplies import SUPPLY, WHAT, SuppliesModel
from gui.widgets.views import small_table


class SuppliesView(QTableView):
    """Rows are dragged onto a PSU of the tree of cables, or their choice is opened with a click or F2."""

    def __init__(self, model: SuppliesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(self.tr("Which PSU feeds what"))
        self.setToolTip(self.tr("Choose a PSU, or drag a row onto one below"))
        small_table(self)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.SelectedClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setItemDelegateForColumn(SUPPLY, SupplyDelegate(self))
        across = self.horizontalHeader()
        across.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Stretch)
        across.setSectionResizeMode(SUPPLY, QHeaderView.ResizeMode.ResizeToContents)
        self.verticalHeader().setVisible(False)

    def whole_height(self) -> int:
        """What shows all rows."""
        return self.horizontalHeader().sizeHint().height() + self.verticalHeader().length() + 4


class SupplyDelegate(QStyledItemDelegate):
    """A box of all PSUs, "automatic" first."""

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        box = QComboBox(parent)
        box.setAccessibleName(self.tr("PSU"))
        box.addItem(self.tr("automatic"), 0)
        model = index.model()
        assert isinstance(model, SuppliesModel)
        for place, title in enumerate(model.psus, 1):
            box.addItem(self.tr("PSU {place}").format(place=place), place)
            box.setItemData(place, title, Qt.ItemDataRole.ToolTipRole)
        box.activated.connect(self._take)
        QTimer.singleShot(0, box, box.showPopup)
        return box

    def setEditorData(self, editor: QWidget, index: QModelIndex | QPersistentModelIndex) -> None:
        assert isinstance(editor, QComboBox)
        editor.setCurrentIndex(max(editor.findData(index.data(Qt.ItemDataRole.EditRole)), 0))

    def setModelData(
        self, editor: QWidget, model: QAbstractItemModel, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        assert isinstance(editor, QComboBox)
        if editor.currentData() != index.data(Qt.ItemDataRole.EditRole):
            model.setData(index, editor.currentData())

    def _take(self) -> None:
        """A choice counts at once, without Enter."""
        box = self.sender()
        if isinstance(box, QComboBox):
            self.commitData.emit(box)
            self.closeEditor.emit(box)
