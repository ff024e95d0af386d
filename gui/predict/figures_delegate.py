"""Draws a cell of predicted figures: the expected one, its band in a smaller line below, or both as a bar."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from gui.predict.figures_model import BAR_ROLE, BELOW_ROLE
from gui.theme import theme

PAD, LINE_PAD = 8, 4
BAR, BAR_WIDTH = 6, 96
SMALLER = 0.88
WRAP = Qt.TextFlag.TextWordWrap
Index = QModelIndex | QPersistentModelIndex


class FiguresDelegate(QStyledItemDelegate):
    """Words of the first column wrap within its width; everything else stands in a line each."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Of the words at the column's present width, or of the figures."""
        metrics, small = option.fontMetrics, QFontMetrics(smaller(option.font))
        below = index.data(BELOW_ROLE) or ""
        if index.column() == 0:
            room = QRect(0, 0, max(self._view.columnWidth(0) - 2 * PAD, 40), 10_000)
            height = metrics.boundingRect(room, WRAP, index.data()).height()
            height += small.boundingRect(room, WRAP, below).height() if below else 0
            return QSize(self.words_width(option, index), height + 2 * LINE_PAD)
        width = max(metrics.horizontalAdvance(index.data() or ""), small.horizontalAdvance(below))
        if index.data(BAR_ROLE) is not None:
            width = max(width, BAR_WIDTH)
        height = metrics.height() + (small.height() if below else 0)
        return QSize(width + 2 * PAD, height + 2 * LINE_PAD)

    def words_width(self, option: QStyleOptionViewItem, index: Index) -> int:
        """What the first column needs to show a row in one line."""
        return option.fontMetrics.horizontalAdvance(index.data() or "") + 2 * PAD

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The view's own ground, then the words."""
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        own.text = ""
        style = self._view.style() or QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, own, painter, self._view)
        painter.save()
        area = option.rect.adjusted(PAD, LINE_PAD, -PAD, -LINE_PAD)
        bar = index.data(BAR_ROLE)
        if bar is not None:
            _paint_bar(painter, QRectF(area), bar)
        else:
            self._paint_words(painter, area, own, index)
        painter.restore()

    def _paint_words(self, painter: QPainter, area: QRect, option: QStyleOptionViewItem, index: Index) -> None:
        text, below = index.data() or "", index.data(BELOW_ROLE) or ""
        side = option.displayAlignment & Qt.AlignmentFlag.AlignHorizontal_Mask
        flags = side | Qt.AlignmentFlag.AlignTop | (WRAP if index.column() == 0 else Qt.TextFlag.TextSingleLine)
        small = smaller(option.font)
        upper = QFontMetrics(option.font).boundingRect(area, flags, text).height() if text else 0
        lower = QFontMetrics(small).boundingRect(area, flags, below).height() if below else 0
        top = area.top() + max(0, (area.height() - upper - lower) // 2)
        painter.setFont(option.font)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.drawText(QRect(area.left(), top, area.width(), upper), flags, text)
        if below:
            painter.setFont(small)
            painter.setPen(theme().color("muted"))
            painter.drawText(QRect(area.left(), top + upper, area.width(), lower), flags, below)


def _paint_bar(painter: QPainter, area: QRectF, bar: tuple[float, float, float]) -> None:
    """As the instruments have it: full to the expected figure, a lighter band around it."""
    low, expected, high = (min(max(share, 0.0), 1.0) for share in bar)
    top = area.center().y() - BAR / 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("grid"))
    painter.drawRoundedRect(QRectF(area.left(), top, area.width(), BAR), 2, 2)
    tone = theme().color("accent")
    painter.setBrush(tone)
    painter.drawRoundedRect(QRectF(area.left(), top, max(1.0, area.width() * expected), BAR), 2, 2)
    tone.setAlphaF(0.35)
    painter.setBrush(tone)
    left = area.left() + area.width() * low
    painter.drawRect(QRectF(left, top - 2, max(1.0, area.width() * (high - low)), BAR + 4))


def smaller(font: QFont) -> QFont:
    """For the second line."""
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * SMALLER)
    return small
