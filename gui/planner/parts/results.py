"""The list of found parts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QListView, QWidget

from gui.planner.parts.model import PartsModel
from gui.planner.parts.part_delegate import PartDelegate


class ResultsView(QListView):
    """Parts can be dragged from it; the search field moves the choice."""

    def __init__(self, model: PartsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._parts = model
        self.setModel(model)
        self.setItemDelegate(PartDelegate(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setDragEnabled(True)
        self.setDragDropMode(QListView.DragDropMode.DragOnly)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(self.tr("Parts found"))

    def chosen_row(self) -> int | None:
        """The row that a press of Add would take; None if there is none to be seen."""
        row = self.currentIndex().row()
        return None if row < 0 or self.isHidden() else row

    @Slot(int)
    def move_choice(self, by: int) -> None:
        """Goes so many rows down."""
        last = self._parts.rowCount() - 1
        if last >= 0:
            self.setCurrentIndex(self._parts.index(min(max(self.currentIndex().row() + by, 0), last)))
