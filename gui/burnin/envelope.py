"""The translucent band from minimum to maximum behind a curve of means, in wide windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath

Values = NDArray[np.floating]


class Envelope(pg.GraphicsObject):
    """Fills between two curves; a gap where either is NaN."""

    def __init__(self) -> None:
        super().__init__()
        self._path = QPainterPath()
        self._colour = QColor()
        self.setZValue(-0.5)

    def set_colour(self, colour: QColor) -> None:
        """The curve's colour; the band is fainter."""
        self._colour = QColor(colour)
        self._colour.setAlphaF(0.22)
        self.update()

    def set_band(self, x: Values, low: Values, high: Values) -> None:
        """Replaces the band; empty arrays clear it."""
        if not len(x) and self._path.isEmpty():
            return
        self.prepareGeometryChange()
        self._path = _outline(x, low, high)
        self.update()

    def boundingRect(self) -> QRectF:
        """Of the band."""
        return self._path.boundingRect()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Fills without an edge."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillPath(self._path, self._colour)


def _outline(x: Values, low: Values, high: Values) -> QPainterPath:
    path = QPainterPath()
    known = np.isfinite(low) & np.isfinite(high)
    edges = np.flatnonzero(np.diff(known.astype(np.int8), prepend=0, append=0))
    for start, stop in edges.reshape(-1, 2).tolist():
        span = slice(start, stop)
        around_x = np.concatenate((x[span], x[span][::-1]))
        around_y = np.concatenate((high[span], low[span][::-1])).astype(np.float64)
        path.addPath(pg.arrayToQPath(around_x, around_y, connect="all", finiteCheck=False))
    return path
