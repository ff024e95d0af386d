"""The categories with their counts, two to a row."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QListView, QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.planner.parts.categories import COUNT_ROLE, CategoriesModel
from gui.theme import theme

PAD = 7


class CategoryDelegate(QStyledItemDelegate):
    """All cells are half as wide as the view."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize((self._view.viewport().width() - 2) // 2, option.fontMetrics.height() + 6)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colours = theme()
        painter.save()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            tint = colours.color("accent")
            tint.setAlphaF(0.14)
            painter.fillRect(option.rect, tint)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(colours.color("accent"))
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
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
    """Two columns that fill the width, and as high as its rows."""

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
        self.setAccessibleName(self.tr("Categories"))
        self.setCurrentIndex(model.index(0))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:
        rows = (self.model().rowCount() + 1) // 2
        return QSize(240, rows * (self.fontMetrics().height() + 6) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())
