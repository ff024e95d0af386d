"""The curves of a chart and the bands behind them, as one item that is painted in the view's pixels.

pyqtgraph's own curves search all of their points for their bounds, several times a frame, eight curves a chart; this
item is as large as the view whatever it shows, and costs half.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen, QPolygonF

Values = NDArray[np.floating]
BAND_ALPHA = 0.22


@dataclass(frozen=True, slots=True, eq=False)
class DeviceTrace:
    """What one device shows: x in s as on the axis; `low` and `high` only where buckets are drawn."""

    x: Values
    mean: Values
    low: Values | None = None
    high: Values | None = None

    @property
    def extremes(self) -> tuple[float, float] | None:
        """Lowest and highest value, None if nothing was measured."""
        low = float(np.fmin.reduce(self.mean if self.low is None else self.low, initial=np.inf))
        high = float(np.fmax.reduce(self.mean if self.high is None else self.high, initial=-np.inf))
        return (low, high) if low <= high else None


class DeviceCurves(pg.GraphicsObject):
    """A gap in a curve or a band where a value is NaN."""

    def __init__(self, view: pg.ViewBox, *, smooth: bool = False) -> None:
        super().__init__(view)
        self._smooth = smooth
        self._view = view
        self.traces: tuple[DeviceTrace | None, ...] = ()
        """By device; None where it is hidden."""
        self.pens: tuple[QPen, ...] = ()
        self._brushes: tuple[QBrush, ...] = ()
        view.sigResized.connect(self._resized)
        view.sigRangeChanged.connect(self._moved)

    def set_pens(self, pens: Sequence[QPen]) -> None:
        """Colour and dash of each device; its band is a fainter shade of the colour."""
        self.pens = tuple(pens)
        colours = [pen.color() for pen in pens]
        for colour in colours:
            colour.setAlphaF(BAND_ALPHA * colour.alphaF())
        self._brushes = tuple(map(QBrush, colours))
        self.update()

    def show_traces(self, traces: Sequence[DeviceTrace | None]) -> None:
        """Replaces all of them."""
        self.traces = tuple(traces)
        self.update()

    def boundingRect(self) -> QRectF:
        """The whole view."""
        return QRectF(self._view.rect())

    def paint(self, painter: QPainter, *_: Any) -> None:
        """All bands, then all curves."""
        rect = self.boundingRect()
        (left, right), (low, high) = self._view.viewRange()
        if rect.width() < 2 or right <= left or high <= low:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self._smooth)
        painter.setClipRect(rect)
        scale = _PixelScale(left, rect.width() / (right - left), high, rect.height() / (high - low))
        painter.setPen(Qt.PenStyle.NoPen)
        for trace, brush in zip(self.traces, self._brushes, strict=False):
            if trace is not None and trace.low is not None and trace.high is not None:
                painter.setBrush(brush)
                for outline in _outlines(scale, trace.x, trace.low, trace.high):
                    painter.drawPolygon(outline)
        for trace, pen in zip(self.traces, self.pens, strict=False):
            if trace is not None:
                painter.setPen(pen)
                for line in _lines(scale, trace.x, trace.mean):
                    painter.drawPolyline(line)

    def _resized(self, *_: Any) -> None:
        self.prepareGeometryChange()
        self.update()

    def _moved(self, *_: Any) -> None:
        self.update()


@dataclass(frozen=True, slots=True)
class _PixelScale:
    """From values to pixels: the value at the left edge and pixels per second, at the upper edge and per unit."""

    left: float
    per_s: float
    high: float
    per_unit: float

    def polygon(self, x: Values, y: Values) -> QPolygonF:
        made: QPolygonF = pg.functions.create_qpolygonf(len(x))
        points = pg.functions.ndarray_from_qpolygonf(made)
        points[:, 0] = (x - self.left) * self.per_s
        points[:, 1] = (self.high - y) * self.per_unit
        return made


def _lines(scale: _PixelScale, x: Values, y: Values) -> Iterator[QPolygonF]:
    for span in _known(np.isfinite(y)):
        yield scale.polygon(x[span], y[span])


def _outlines(scale: _PixelScale, x: Values, low: Values, high: Values) -> Iterator[QPolygonF]:
    for span in _known(np.isfinite(low) & np.isfinite(high)):
        around_x = np.concatenate((x[span], x[span][::-1]))
        yield scale.polygon(around_x, np.concatenate((high[span], low[span][::-1])))


def _known(known: NDArray[np.bool_]) -> Iterator[slice]:
    """Where several values follow each other without a gap."""
    if known.all():
        edges = [[0, len(known)]]
    else:
        edges = np.flatnonzero(np.diff(known.astype(np.int8), prepend=0, append=0)).reshape(-1, 2).tolist()
    yield from (slice(start, stop) for start, stop in edges if stop - start > 1)
