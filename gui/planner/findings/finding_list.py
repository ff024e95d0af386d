"""A list of findings: rows as high as their text needs, icon and word in their colour, figures above the message."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.planner.findings.model import FIGURES_ROLE, HEAD_ROLE, TONE_ROLE
from gui.theme import theme

PAD = 8
ICON = 18
WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class FindingDelegate(QStyledItemDelegate):
    """One row of a list whose model has these roles; the message is what it displays."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        width = self._view.viewport().width()
        metrics, room = option.fontMetrics, QRect(0, 0, _text_width(width), 10_000)
        message = metrics.boundingRect(room, WRAP, index.data())
        head = QFontMetrics(_bold(option.font)).boundingRect(room, WRAP, index.data(HEAD_ROLE))
        return QSize(width, 2 * PAD + head.height() + 2 + message.height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colours, tone = theme(), index.data(TONE_ROLE)
        painter.save()
        self._background(painter, option)
        area = option.rect.adjusted(PAD, PAD, -PAD, -PAD)
        icon = colours.icon("note", "muted") if tone == "muted" else colours.status_icon(tone)
        icon.paint(painter, QRect(area.left(), area.top(), ICON, ICON))
        text = area.adjusted(ICON + PAD, 0, 0, 0)
        bold = _bold(option.font)
        painter.setFont(bold)
        painter.setPen(colours.color(tone))
        head = index.data(HEAD_ROLE)
        taken = QFontMetrics(bold).boundingRect(QRect(0, 0, text.width(), 10_000), WRAP, head)
        painter.drawText(text, WRAP, head)
        painter.setFont(option.font)
        painter.setPen(colours.color("muted"))
        figures = text.adjusted(taken.width() + PAD, 0, 0, 0)
        shown = option.fontMetrics.elidedText(
            index.data(FIGURES_ROLE), Qt.TextElideMode.ElideRight, max(0, figures.width())
        )
        painter.drawText(figures, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, shown)
        painter.setPen(colours.color("text"))
        painter.drawText(text.adjusted(0, taken.height() + 2, 0, 0), WRAP, index.data())
        painter.restore()

    def _background(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        colours = theme()
        if option.state & QStyle.StateFlag.State_Selected:
            tint = colours.color("accent")
            tint.setAlphaF(0.14)
            painter.fillRect(option.rect, tint)
        painter.setPen(colours.color("grid"))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(option.palette.color(QPalette.ColorRole.Highlight))
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return bold


def _text_width(view_width: int) -> int:
    return max(80, view_width - 3 * PAD - ICON)


class WrappedList(QListView):
    """For models with the roles of `FindingDelegate`."""

    def __init__(self, model: QAbstractItemModel, name: str, meaning: str, parent: QWidget | None = None) -> None:
        """`name` and `meaning` are spoken."""
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(FindingDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setAccessibleDescription(meaning)
        theme().changed.connect(self.viewport().update)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 96)
