"""What a chart draws in pixels: behind the curves grid, stages, throttling and limits, then bands and curves.

pyqtgraph's own curves search all of their points for their bounds, several times a frame, eight curves a chart, and its
grid costs 75 ms a frame with six charts. A layer is as large as the view whatever it shows: half the cost, and 3 ms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from core.chart import Scenery, Span
from gui.burnin.chart.axes import ValueAxis
from gui.widgets.theme import theme
from gui.widgets.units import local

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


class Layer(pg.GraphicsObject):
    """Lies in a view and paints in its pixels."""

    smooth = False
    """Whether edges are smoothed."""

    def __init__(self, view: pg.ViewBox) -> None:
        super().__init__(view)
        self._view = view
        view.sigResized.connect(self._resized)
        view.sigRangeChanged.connect(self._moved)

    def boundingRect(self) -> QRectF:
        """The whole view."""
        return QRectF(self._view.rect())

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Nothing in a view without room or range."""
        rect, ((left, right), (low, high)) = self.boundingRect(), self._view.viewRange()
        if rect.width() >= 2 and right > left and high > low:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, self.smooth)
            painter.setClipRect(rect)
            self._paint_in(painter, rect)

    def _paint_in(self, painter: QPainter, rect: QRectF) -> None:
        raise NotImplementedError

    def _resized(self, *_: Any) -> None:
        self.prepareGeometryChange()
        self.update()

    def _moved(self, *_: Any) -> None:
        self.update()


class DeviceCurves(Layer):
    """All bands, then all curves: a gap in them where a value is NaN."""

    def __init__(self, view: pg.ViewBox, *, smooth: bool = False) -> None:
        super().__init__(view)
        self.smooth = smooth
        self.traces: tuple[DeviceTrace | None, ...] = ()
        """By device; None where it is hidden."""
        self.pens: tuple[QPen, ...] = ()
        self._brushes: tuple[QBrush, ...] = ()

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

    def _paint_in(self, painter: QPainter, rect: QRectF) -> None:
        (left, right), (low, high) = self._view.viewRange()
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
                for span in _finite_spans(np.isfinite(trace.mean)):
                    painter.drawPolyline(scale.polygon(trace.x[span], trace.mean[span]))


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


def _outlines(scale: _PixelScale, x: Values, low: Values, high: Values) -> Iterator[QPolygonF]:
    for span in _finite_spans(np.isfinite(low) & np.isfinite(high)):
        around_x = np.concatenate((x[span], x[span][::-1]))
        yield scale.polygon(around_x, np.concatenate((high[span], low[span][::-1])))


def _finite_spans(finite: NDArray[np.bool_]) -> Iterator[slice]:
    """Where several values follow each other without a gap."""
    if finite.all():
        edges = [[0, len(finite)]]
    else:
        edges = np.flatnonzero(np.diff(finite.astype(np.int8), prepend=0, append=0)).reshape(-1, 2).tolist()
    yield from (slice(start, stop) for start, stop in edges if stop - start > 1)


NARROWEST_PX = 4
"""Stages narrower than this are not told apart: their lines would hide the curves."""


class Backdrop(Layer):
    """Below the curves: bands, then grid, then limits, then words."""

    def __init__(self, view: pg.ViewBox, left: ValueAxis, below: pg.AxisItem) -> None:
        super().__init__(view)
        self._left, self._below = left, below
        self._scenery = Scenery()
        self._origin_s = 0.0
        self.setZValue(-1)

    def show_scenery(self, scenery: Scenery, origin_s: float) -> None:
        """`origin_s` is the time at x = 0."""
        if (scenery, origin_s) != (self._scenery, self._origin_s):
            self._scenery, self._origin_s = scenery, origin_s
            self.update()

    def _paint_in(self, painter: QPainter, rect: QRectF) -> None:
        self._paint_bands(painter, rect)
        self._paint_predicted(painter, rect)
        self._paint_grid(painter, rect)
        if self._scenery.notice:
            painter.setPen(theme().color("muted"))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._scenery.notice)
        self._paint_limits(painter, rect)
        self._paint_marks(painter, rect)

    def _paint_bands(self, painter: QPainter, rect: QRectF) -> None:
        shade, edge = _faint("muted", 0.07), _faint("muted", 0.35)
        for number, band in enumerate(self._scenery.stages):
            box = self._box(band, rect)
            if box.isEmpty():
                continue
            if box.width() < NARROWEST_PX and len(self._scenery.stages) > 1:
                continue
            if number % 2:
                painter.fillRect(box, shade)
            painter.setPen(QPen(edge, 1, Qt.PenStyle.DotLine))
            painter.drawLine(box.topLeft(), box.bottomLeft())
        boxes = [box for box in (self._box(band, rect) for band in self._scenery.throttling) if not box.isEmpty()]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_faint("warn", 0.10))
        painter.drawRects(boxes)
        painter.setBrush(theme().color("warn"))
        painter.drawRects([QRectF(box.left(), rect.bottom() - 3, box.width(), 3) for box in boxes])

    def _paint_predicted(self, painter: QPainter, rect: QRectF) -> None:
        """Filled, with an edge above and below: a band may be as thin as a line."""
        fill, edge = _faint("accent", 0.14), _faint("accent", 0.6)
        for band in self._scenery.predicted:
            box = self._box(Span(band.start_s, band.end_s, ""), rect)
            top, bottom = max(self._y(band.high), rect.top()), min(self._y(band.low), rect.bottom())
            if box.isEmpty() or bottom < top:
                continue
            painter.fillRect(QRectF(box.left(), top, box.width(), bottom - top), fill)
            painter.setPen(QPen(edge, 1))
            painter.drawLine(QPointF(box.left(), top), QPointF(box.right(), top))
            painter.drawLine(QPointF(box.left(), bottom), QPointF(box.right(), bottom))

    def _paint_marks(self, painter: QPainter, rect: QRectF) -> None:
        """A line from top to bottom, named on the side with room, cut where neither has; each under the one before."""
        metrics = QFontMetricsF(painter.font())
        colour, ground = theme().color("fail"), _faint("surface", 0.8)
        for number, mark in enumerate(self._scenery.marks):
            x = self._x(mark.time_s - self._origin_s)
            if not rect.left() <= x <= rect.right():
                continue
            painter.setPen(QPen(colour, 1.5))
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
            before, behind = x - rect.left() - 1, rect.right() - x - 1
            needed = metrics.horizontalAdvance(mark.text) + 8
            right = needed <= behind or behind >= before
            wide = min(needed, behind if right else before)
            left = x + 1 if right else x - wide - 1
            name = metrics.elidedText(mark.text, Qt.TextElideMode.ElideRight, wide - 8)
            top = rect.top() + number * metrics.height()
            if top + metrics.height() > rect.bottom():
                continue
            painter.fillRect(QRectF(left, top, wide, metrics.height()), ground)
            painter.drawText(QPointF(left + 4, top + metrics.ascent()), name)

    def _paint_grid(self, painter: QPainter, rect: QRectF) -> None:
        (left, right), (low, high) = self._view.viewRange()
        lines = [
            QLineF(x, rect.top(), x, rect.bottom())
            for _, values in self._below.tickValues(left, right, rect.width())
            for x in (self._x(value) for value in values)
        ]
        lines += [
            QLineF(rect.left(), y, rect.right(), y)
            for _, values in self._left.tickValues(low, high, rect.height())
            for y in (self._y(value) for value in values)
        ]
        painter.setPen(QPen(theme().color("grid"), 1))
        painter.drawLines(lines)

    def _paint_limits(self, painter: QPainter, rect: QRectF) -> None:
        """Named at the right, highest first, above the line or below; a name that finds no place is left out."""
        metrics = QFontMetricsF(painter.font())
        taken = rect.top() - metrics.descent()
        lines = [self._y(limit.value) for limit in self._scenery.limits]
        for limit in sorted(self._scenery.limits, key=lambda limit: -limit.value):
            y = self._y(limit.value)
            if not rect.top() <= y <= rect.bottom():
                continue
            painter.setPen(QPen(theme().color(limit.colour), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
            others = [line for line in lines if line != y]
            free = [
                place
                for place in (y - metrics.descent(), y + metrics.ascent())
                if place - taken >= metrics.height() and not _crossed(others, place, metrics)
            ]
            if free:
                left = rect.right() - metrics.horizontalAdvance(limit.text) - 4
                painter.drawText(QPointF(left, free[0]), local(limit.text))
                taken = free[0]

    def _box(self, band: Span, rect: QRectF) -> QRectF:
        left = max(self._x(band.start_s - self._origin_s), rect.left())
        right = min(max(self._x(band.end_s - self._origin_s), left + 1), rect.right())
        return QRectF(left, rect.top(), right - left, rect.height())

    def _x(self, value: float) -> float:
        (left, right), _ = self._view.viewRange()
        return float(round(self._view.width() * (value - left) / (right - left)))

    def _y(self, value: float) -> float:
        _, (low, high) = self._view.viewRange()
        return float(round(self._view.height() * (high - value) / (high - low)))


def _crossed(lines: list[float], place: float, metrics: QFontMetricsF) -> bool:
    """Whether a line goes through words that are written there."""
    return any(place - metrics.ascent() < line < place + metrics.descent() for line in lines)


def _faint(name: str, alpha: float) -> QColor:
    colour = theme().color(name)
    colour.setAlphaF(alpha)
    return colour
