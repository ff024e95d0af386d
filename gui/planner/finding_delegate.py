"""Draws a finding: icon and word in their colour, the message over as many lines as it needs, the figures below."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from core.rules.finding import Finding
from gui.planner.findings_model import FINDING_ROLE, FindingsModel
from gui.theme import theme

PAD = 8
ICON = 18
WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class FindingDelegate(QStyledItemDelegate):
    """One row of the list of findings."""

    def __init__(self, model: FindingsModel, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._model = model
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        finding: Finding = index.data(FINDING_ROLE)
        width = self._view.viewport().width()
        metrics = option.fontMetrics
        message = metrics.boundingRect(QRect(0, 0, _text_width(width), 10_000), WRAP, finding.message)
        return QSize(width, 2 * PAD + metrics.height() + 2 + message.height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        finding: Finding = index.data(FINDING_ROLE)
        colours = theme()
        name = finding.status.value if finding.checked else "muted"
        painter.save()
        self._background(painter, option)
        area = option.rect.adjusted(PAD, PAD, -PAD, -PAD)
        icon = colours.status_icon(finding.status.value) if finding.checked else colours.icon("note", "muted")
        icon.paint(painter, QRect(area.left(), area.top(), ICON, ICON))
        text = area.adjusted(ICON + PAD, 0, 0, 0)
        bold = QFont(option.font)
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(colours.color(name))
        word = self._model.word(finding)
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, word)
        painter.setFont(option.font)
        painter.setPen(colours.color("muted"))
        figures = text.adjusted(QFontMetrics(bold).horizontalAdvance(word) + PAD, 0, 0, 0)
        shown = option.fontMetrics.elidedText(
            self._model.figures(finding), Qt.TextElideMode.ElideRight, max(0, figures.width())
        )
        painter.drawText(figures, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, shown)
        painter.setPen(colours.color("text"))
        message = text.adjusted(0, option.fontMetrics.height() + 2, 0, 0)
        painter.drawText(message, WRAP, finding.message)
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


def _text_width(view_width: int) -> int:
    return max(80, view_width - 3 * PAD - ICON)
