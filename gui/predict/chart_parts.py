"""What a chart of predictions is made of: axes with room for letters of any size, legend, words beside the points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from core.chart import decimals, ticks, value_step
from core.words.units import number
from gui.burnin.chart.axes import ValueAxis, plain_axis
from gui.predict.chart_picture import BandCurve
from gui.widgets.flow import Columns
from gui.widgets.theme import theme

LETTERS_LEFT = 6
"""Figures that an axis at the left has room for."""


class NumberAxis(pg.AxisItem):
    """Round numbers below, at least some letters apart."""

    def __init__(self) -> None:
        super().__init__("bottom", showValues=True)
        self._apart = 48
        self.blank = False
        plain_axis(self)

    def fit(self, metrics: QFontMetrics) -> None:
        """Takes the height that the letters need."""
        self._apart = max(metrics.horizontalAdvance("00000"), 48)
        self.setHeight(metrics.height() + 6)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """One level of ticks, none while there is nothing to measure by."""
        if self.blank or not high > low:
            return []
        step = value_step(high - low, int(size / self._apart))
        return [(step, ticks(low, high, step))]

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        """As many decimals as the spacing needs."""
        return [number(value, decimals(spacing)) for value in values]


class FigureAxis(ValueAxis):
    """Values at the left, with a width that follows the letters."""

    def fit(self, metrics: QFontMetrics) -> None:
        """Takes the width that the longest figure needs; ticks are two lines of letters apart."""
        self._apart = 1.8 * metrics.height()
        self.setWidth(metrics.horizontalAdvance("0") * LETTERS_LEFT + 10)


class StillView(pg.ViewBox):
    """Neither zooms nor pans: the wheel is for the page around it."""

    def __init__(self) -> None:
        super().__init__(enableMenu=False, defaultPadding=0)
        self.setMouseEnabled(False, False)
        self.disableAutoRange()

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        """Passed on."""
        del axis
        event.ignore()


STROKE, LETTERS_AFTER = 24, 6


class Legend(Columns):
    """Nothing to see for one curve: the chart's title names it."""

    def show_curves(self, curves: Sequence[BandCurve]) -> None:
        """One entry per curve."""
        several = len(curves) > 1
        self.set_cells([_LegendEntry(curve, self) for curve in curves] if several else [])
        self.setVisible(several)


class _LegendEntry(QWidget):
    def __init__(self, curve: BandCurve, parent: QWidget) -> None:
        super().__init__(parent)
        self._title, self._series = curve.title, curve.series
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(STROKE + LETTERS_AFTER + metrics.horizontalAdvance(self._title) + 2, metrics.height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, colours = QPainter(self), theme()
        middle = self.height() / 2
        painter.setPen(colours.series_pen(self._series, 2))
        painter.drawLine(QPointF(0, middle), QPointF(STROKE, middle))
        painter.setPen(colours.color("text"))
        metrics = self.fontMetrics()
        base = (self.height() + metrics.ascent() - metrics.descent()) / 2
        painter.drawText(QPointF(STROKE + LETTERS_AFTER, base), self._title)


DOT, GAP = 3.0, 3.0


class PointWords(pg.GraphicsObject):
    """One item over the whole view, painted in its pixels."""

    def __init__(self, view: pg.ViewBox) -> None:
        super().__init__(view)
        self._view = view
        self._curves: tuple[BandCurve, ...] = ()
        self.setZValue(3)
        view.sigResized.connect(self._moved)
        view.sigRangeChanged.connect(self._moved)

    def show_curves(self, curves: Sequence[BandCurve]) -> None:
        """Those that have words; the others have neither dot nor word."""
        self._curves = tuple(curve for curve in curves if curve.words)
        self.update()

    def boundingRect(self) -> QRectF:
        """The whole view."""
        return QRectF(self._view.rect())

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Dots first: no word may cover one."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics, area = QFontMetricsF(painter.font()), self.boundingRect()
        points = list(self._points())
        taken = [QRectF(at.x() - DOT, at.y() - DOT, 2 * DOT, 2 * DOT) for at, _series, _text in points]
        for at, series, _text in points:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().series(series))
            painter.drawEllipse(at, DOT, DOT)
        for at, _series, words in points:
            size = metrics.boundingRect(words).size()
            for top in (at.y() - DOT - GAP - size.height(), at.y() + DOT + GAP):
                left = min(max(at.x() - size.width() / 2, area.left()), area.right() - size.width() - 2)
                box = QRectF(left, top, size.width() + 2, size.height())
                if area.contains(box) and not any(box.intersects(other) for other in taken):
                    taken.append(box)
                    painter.setPen(theme().color("text"))
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
                    break

    def _points(self) -> Iterator[tuple[QPointF, int, str]]:
        for curve in self._curves:
            for x, y, words in zip(curve.x, curve.expected, curve.words, strict=True):
                yield QPointF(self._view.mapFromView(QPointF(x, y))), curve.series, words

    def _moved(self, *_: Any) -> None:
        self.prepareGeometryChange()
        self.update()
