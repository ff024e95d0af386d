"""Draws a found part: its title with the price at the right, and the deciding figures below."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.planner.figures import price
from gui.planner.parts_model import HIT_ROLE, OBSTACLES_ROLE
from gui.theme import theme

PAD = 6


class PartDelegate(QStyledItemDelegate):
    """One row of the search results, all of the same height."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(160, 2 * PAD + option.fontMetrics.height() + QFontMetrics(_small(option.font)).height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        hit, colours = index.data(HIT_ROLE), theme()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            tint = colours.color("accent")
            tint.setAlphaF(0.14)
            painter.fillRect(option.rect, tint)
        painter.setPen(colours.color("grid"))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        area = option.rect.adjusted(PAD + 2, PAD, -PAD - 2, -PAD)
        amount = price(hit.price)
        taken = option.fontMetrics.horizontalAdvance(amount) + PAD if amount else 0
        painter.setPen(colours.color("muted"))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, amount)
        reasons = index.data(OBSTACLES_ROLE)
        self._line(painter, area.adjusted(0, 0, -taken, 0), hit.title, "muted" if reasons else "text", option.font)
        below = area.adjusted(0, option.fontMetrics.height(), 0, 0)
        if reasons:
            side = below.height()
            colours.status_icon("fail").paint(painter, QRect(below.left(), below.top(), side, side))
            below = below.adjusted(side + 4, 0, 0, 0)
        # The title stands above: the reason begins where it tells something new.
        words = reasons[0].removeprefix(hit.title).strip() if reasons else hit.summary
        self._line(painter, below, words, "muted", _small(option.font))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(colours.color("accent"))
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
        painter.restore()

    @staticmethod
    def _line(painter: QPainter, area: QRect, text: str, colour: str, font: QFont) -> None:
        painter.setFont(font)
        painter.setPen(theme().color(colour))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * 0.9)
    return small
