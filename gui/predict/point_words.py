"""Words beside the points of curves, above or below where there is room; one that finds none is left to the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.predict.curve import Curve
from gui.theme import theme

DOT, GAP = 3.0, 3.0


class PointWords(pg.GraphicsObject):
    """One item over the whole view, painted in its pixels."""

    def __init__(self, view: pg.ViewBox) -> None:
        super().__init__(view)
        self._view = view
        self._curves: tuple[Curve, ...] = ()
        self.setZValue(3)
        view.sigResized.connect(self._moved)
        view.sigRangeChanged.connect(self._moved)

    def show_curves(self, curves: Sequence[Curve]) -> None:
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
        for at, series, words in points:
            size = metrics.boundingRect(words).size()
            for top in (at.y() - DOT - GAP - size.height(), at.y() + DOT + GAP):
                left = min(max(at.x() - size.width() / 2, area.left()), area.right() - size.width() - 2)
                box = QRectF(left, top, size.width() + 2, size.height())
                if area.contains(box) and not any(box.intersects(other) for other in taken):
                    taken.append(box)
                    painter.setPen(theme().series(series))
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
                    break

    def _points(self) -> Iterator[tuple[QPointF, int, str]]:
        for curve in self._curves:
            for x, y, words in zip(curve.x, curve.expected, curve.words, strict=True):
                yield QPointF(self._view.mapFromView(QPointF(x, y))), curve.series, words

    def _moved(self, *_: Any) -> None:
        self.prepareGeometryChange()
        self.update()
