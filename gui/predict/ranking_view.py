"""The ranking as a table that sorts and is searched; unknown figures stand last whichever way it is sorted."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from gui.predict.figures_model import SORT_ROLE, FiguresModel
from gui.predict.figures_view import FiguresView

Index = QModelIndex | QPersistentModelIndex


class Ordered(QSortFilterProxyModel):
    """Shows rows whose first cell has all words that were typed."""

    def __init__(self, model: FiguresModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)
        self.setDynamicSortFilter(True)

    @Slot(str)
    def look_for(self, text: str) -> None:
        """Shows rows with all of these words."""
        self._words = text.casefold().split()
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Whether a row has all words."""
        name = str(self.sourceModel().index(row, 0, parent).data()).casefold()
        return all(word in name for word in self._words)

    def lessThan(self, left: Index, right: Index) -> bool:
        """By what cells sort by."""
        one, other = left.data(SORT_ROLE), right.data(SORT_ROLE)
        if one is None or other is None:
            last = other is None and one is not None
            return last if self.sortOrder() is Qt.SortOrder.AscendingOrder else one is None and other is not None
        return bool(one < other)


class RankingView(FiguresView):
    """`heading_clicked(column)` asks for the order that belongs to it."""

    heading_clicked = Signal(int)

    def __init__(self, model: FiguresModel, name: str, parent: QWidget | None = None) -> None:
        self.ordered = Ordered(model, parent)
        super().__init__(model, name, parent, proxy=self.ordered, whole=False)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.heading_clicked)

    def order_by(self, column: int, order: Qt.SortOrder) -> None:
        """Sorts, and shows the first row."""
        self.ordered.sort(column, order)
        self.scrollToTop()
