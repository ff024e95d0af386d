"""The categories of the catalogue with how many parts each has, two to a row; the first means all."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QListView, QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.parts.vocabulary import Category
from core.words import tr
from gui.widgets.table import Index, Role
from gui.widgets.theme import theme
from gui.widgets.views import paint_focus

COUNT_ROLE = Role.UserRole
PAD = 7


class CategoriesModel(QAbstractListModel):
    """Row 0 is "All", then the categories in their order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._counts: dict[Category | None, int] = {}
        self._rows: tuple[Category | None, ...] = (None, *Category)

    def show_counts(self, counts: dict[Category, int]) -> None:
        """Takes the catalogue's counts."""
        self._counts = {None: sum(counts.values()), **dict[Category | None, int](counts.items())}
        self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def category(self, row: int) -> Category | None:
        """The category of a row, None for all."""
        return self._rows[row]

    def row_of(self, category: Category | None) -> int:
        """The row of a category."""
        return self._rows.index(category)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        category = self._rows[index.row()]
        label = tr("All parts") if category is None else category.label
        count = self._counts.get(category)
        match role:
            case Role.DisplayRole:
                return label
            case Role.AccessibleTextRole:
                return label if count is None else f"{label}, {count}"
            case _ if role == COUNT_ROLE:
                return count
        return None


class CategoryDelegate(QStyledItemDelegate):
    """All cells are half as wide as the view."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize((self._view.viewport().width() - 2) // 2, option.fontMetrics.height() + 6)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours = theme()
        painter.save()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            tint = colours.color("accent")
            tint.setAlphaF(0.14)
            painter.fillRect(option.rect, tint)
        paint_focus(painter, option)
        area = option.rect.adjusted(PAD, 0, -PAD, 0)
        count = str(index.data(COUNT_ROLE) or "")
        painter.setPen(colours.color("muted"))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        room = area.width() - option.fontMetrics.horizontalAdvance(count) - 4
        painter.setPen(colours.color("accent" if chosen else "text"))
        name = option.fontMetrics.elidedText(index.data(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()


class CategoryView(QListView):
    """Two columns that fill the width, and as high as its rows; the first category means all."""

    def __init__(self, model: CategoriesModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(CategoryDelegate(self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Categories"))
        self.setCurrentIndex(model.index(0))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:
        rows = (self.model().rowCount() + 1) // 2
        return QSize(240, rows * (self.fontMetrics().height() + 6) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())
