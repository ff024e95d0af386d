"""Names the curves of a chart: colour and dash, and a word."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.predict.curve import Curve
from gui.theme import theme
from gui.widgets.columns import Columns

STROKE, GAP = 24, 6


class Legend(Columns):
    """Nothing to see for one curve: the chart's title names it."""

    def show_curves(self, curves: Sequence[Curve]) -> None:
        """One entry per curve."""
        several = len(curves) > 1
        self.set_cells([_Entry(curve, self) for curve in curves] if several else [])
        self.setVisible(several)


class _Entry(QWidget):
    def __init__(self, curve: Curve, parent: QWidget) -> None:
        super().__init__(parent)
        self._title, self._series = curve.title, curve.series
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(STROKE + GAP + metrics.horizontalAdvance(self._title) + 2, metrics.height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, colours = QPainter(self), theme()
        middle = self.height() / 2
        painter.setPen(QPen(colours.series(self._series), 2, colours.series_style(self._series)))
        painter.drawLine(QPointF(0, middle), QPointF(STROKE, middle))
        painter.setPen(colours.color("text"))
        metrics = self.fontMetrics()
        base = (self.height() + metrics.ascent() - metrics.descent()) / 2
        painter.drawText(QPointF(STROKE + GAP, base), self._title)
