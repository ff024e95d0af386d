"""The list of found parts, of which those that do not fit can be hidden."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QListView, QWidget

from gui.planner.part_delegate import PartDelegate
from gui.planner.parts_model import PartsModel


class ResultsView(QListView):
    """`hidden_anew` after rows may have been hidden or shown, once for many of them."""

    hidden_anew = Signal()

    def __init__(self, model: PartsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._parts = model
        self._only_fitting = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(0)
        self._pause.timeout.connect(self.hidden_anew)
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
        model.dataChanged.connect(self._hide_some)
        model.modelReset.connect(self._hide_all)

    def shown_rows(self) -> list[int]:
        """The rows that are not hidden."""
        return [row for row in range(self._parts.rowCount()) if not self.isRowHidden(row)]

    def chosen_row(self) -> int | None:
        """The row that a press of Add would take; None if there is none to be seen."""
        row = self.currentIndex().row()
        return None if row < 0 or self.isHidden() or self.isRowHidden(row) else row

    @Slot(bool)
    def show_only_fitting(self, on: bool) -> None:
        """Hides the parts that would not do, or shows them again."""
        self._only_fitting = on
        self._hide_all()

    @Slot(int)
    def move_choice(self, by: int) -> None:
        """Goes so many shown rows down."""
        shown = self.shown_rows()
        if not shown:
            return
        here = self.currentIndex().row()
        place = shown.index(here) if here in shown else 0
        self.setCurrentIndex(self._parts.index(shown[min(max(place + by, 0), len(shown) - 1)]))

    @Slot(QModelIndex, QModelIndex)
    def _hide_some(self, first: QModelIndex, last: QModelIndex) -> None:
        for row in range(first.row(), last.row() + 1):
            self.setRowHidden(row, self._only_fitting and not self._parts.fits(row))
        self._pause.start()

    @Slot()
    def _hide_all(self) -> None:
        if self._parts.rowCount():
            self._hide_some(self._parts.index(0), self._parts.index(self._parts.rowCount() - 1))
