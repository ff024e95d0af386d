"""Draws a category with its count at the right, two to a row."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.planner.categories_model import COUNT_ROLE
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
