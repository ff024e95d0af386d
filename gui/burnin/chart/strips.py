"""Strips beside charts: the heat of all devices at a time, and the names of stages over a column."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.chart import Span
from core.machine.telemetry.metrics import Metric
from core.words import joined, plain, tr
from gui.burnin.series import DrawnSamples
from gui.widgets.figures import describe
from gui.widgets.text import bold, tip
from gui.widgets.theme import theme
from gui.widgets.units import difference_here, unit_here, value_here

Values = NDArray[np.float64]
BUCKETS = 240
FULL_COLOUR: dict[str, float] = {"temperature_c": 15.0, "memory_temperature_c": 15.0}
"""The distance from the median at which the colour is full, in the metric's unit; of others a share of the median."""
FULL_SHARE = 0.15
NAME, FIGURES = "× GPU 15", "0000.0  (+000.0)"
"""The widest that are common: left and right of the colours."""
LEAST_FONT_PX = 7


@dataclass(frozen=True, slots=True, eq=False)
class DeviceHeat:
    """Shapes (devices, buckets); NaN where nothing was measured."""

    values: Values
    distance: Values
    """From the median of the devices in the same bucket."""
    shade: Values
    """-1 to 1: the distance over that of the full colour."""


def heat_of(pictures: Sequence[DrawnSamples], start_s: float, end_s: float, metric: str) -> DeviceHeat:
    """Means in `BUCKETS` equal spans of time."""
    edges = np.linspace(start_s, end_s, BUCKETS + 1)
    values = np.vstack([_bucketed(picture, edges) for picture in pictures])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a bucket in which no device was measured
        median = np.nanmedian(values, axis=0)
    distance = values - median
    full = FULL_COLOUR.get(metric)
    scale = np.maximum(np.abs(median) * FULL_SHARE, 1e-9) if full is None else full
    return DeviceHeat(values, distance, np.clip(distance / scale, -1.0, 1.0))


def _bucketed(picture: DrawnSamples, edges: Values) -> Values:
    measured = np.isfinite(picture.mean)
    times, means = picture.time_s[measured], picture.mean[measured].astype(np.float64)
    place = np.searchsorted(edges, times, side="right") - 1
    inside = (place >= 0) & (place < len(edges) - 1)
    count = np.bincount(place[inside], minlength=len(edges) - 1)
    total = np.bincount(place[inside], weights=means[inside], minlength=len(edges) - 1)
    means_of_buckets = np.divide(total, count, out=np.full(len(edges) - 1, np.nan), where=count > 0)
    return _filled(means_of_buckets, picture, edges)


def _filled(means: Values, picture: DrawnSamples, edges: Values) -> Values:
    """In a picture that is finer than the samples, each of them lasts until the next."""
    if len(picture.time_s) < 2:
        return means
    step_s = float(np.median(np.diff(picture.time_s)))
    reach = int(np.ceil(2 * step_s / (edges[1] - edges[0]))) if step_s > 0 else 0
    last = np.where(np.isfinite(means), np.arange(len(means)), -1)
    last = np.maximum.accumulate(last)
    near = (last >= 0) & (np.arange(len(means)) - last <= reach)
    return np.where(near, means[np.maximum(last, 0)], np.nan)


class HeatStrip(QWidget):
    """Scales to as many devices as there are pixels for."""

    chosen = Signal(int)
    """The position of the device whose row was clicked."""

    def __init__(self, metric: Metric, parent: QWidget) -> None:
        super().__init__(parent)
        self._metric = metric
        self._rows: tuple[tuple[int, str, bool], ...] = ()
        self.heat: DeviceHeat | None = None
        title = metric.title
        self._title = tr("{metric}, {unit} from the median", metric=title, unit=unit_here(metric.unit))
        self.setAccessibleName(self._title)
        self.setMinimumHeight(self._head_px() + 24)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme().changed.connect(self.update)

    def show_heat(self, rows: Sequence[tuple[int, str, bool]], heat: DeviceHeat | None) -> None:
        """Rows are position, label and whether the device failed; None: nothing was measured."""
        self._rows, self.heat = tuple(rows), heat
        describe(self, self.as_text)
        self.update()

    def as_text(self) -> str:
        """Each device with its newest figure and, in brackets, its distance from the median."""
        if self.heat is None or not self._rows:
            return tr("not measured")
        failed = tr("failed")
        devices = ((label, self._newest(self.heat, row), bad) for row, (_, label, bad) in enumerate(self._rows))
        return joined((f"{label} {figures}{f' {failed}' if bad else ''}" for label, figures, bad in devices), ", ")

    def sizeHint(self) -> QSize:
        """Rows that can be read."""
        return QSize(400, self._head_px() + 16 * max(len(self._rows), 2))

    def paintEvent(self, _: QPaintEvent) -> None:
        """Names, colours, and the newest figure with its distance."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().color("surface"))
        plain = painter.font()
        painter.setFont(bold(plain))
        painter.setPen(theme().color("text"))
        painter.drawText(QRect(8, 0, self.width() - 16, self._head_px()), Qt.AlignmentFlag.AlignVCenter, self._title)
        painter.setFont(plain)
        if self.heat is None or not self._rows:
            painter.setPen(theme().color("muted"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, tr("not measured"))
        else:
            self._paint_rows(painter, self.heat)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on a row shows that device alone."""
        row = int((event.position().y() - self._head_px()) / max(self._row_px(), 1e-9))
        if 0 <= row < len(self._rows):
            self.chosen.emit(self._rows[row][0])

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need more room."""
        if event.type() == QEvent.Type.FontChange:
            self.setMinimumHeight(self._head_px() + 24)
        super().changeEvent(event)

    def _head_px(self) -> int:
        return self.fontMetrics().height() + 6

    def _row_px(self) -> float:
        return (self.height() - self._head_px() - 4) / max(len(self._rows), 1)

    def _paint_rows(self, painter: QPainter, heat: DeviceHeat) -> None:
        high = self._row_px()
        name_px, figure_px = (painter.fontMetrics().horizontalAdvance(words) + 20 for words in (NAME, FIGURES))
        area = QRect(name_px, self._head_px(), self.width() - name_px - figure_px, round(high * len(self._rows)))
        painter.drawImage(area, _image(heat.shade))
        centre = Qt.AlignmentFlag.AlignVCenter
        font = painter.font()
        font.setPixelSize(max(min(painter.fontInfo().pixelSize(), round(high * 0.9)), LEAST_FONT_PX))
        painter.setFont(font)
        for row, (_, label, failed) in enumerate(self._rows):
            top = self._head_px() + round(row * high)
            painter.setPen(theme().color("fail" if failed else "text"))
            painter.drawText(QRect(8, top, name_px - 12, round(high)), centre, f"× {label}" if failed else label)
            painter.drawText(QRect(area.right() + 8, top, figure_px - 16, round(high)), centre, self._newest(heat, row))
        painter.setPen(theme().color("surface"))
        for row in range(1, len(self._rows)):
            y = self._head_px() + round(row * high)
            painter.drawLine(area.left(), y, area.right(), y)

    def _newest(self, heat: DeviceHeat, row: int) -> str:
        measured = np.flatnonzero(np.isfinite(heat.values[row]))
        if not len(measured):
            return "–"
        unit = self._metric.unit
        value = value_here(heat.values[row, measured[-1]], unit)
        distance = difference_here(heat.distance[row, measured[-1]], unit)
        decimals = self._metric.decimals
        figures = f"{{value:.{decimals}f}}", f"{{value:+.{decimals}f}}"
        shown, apart = (plain(figure, value=one) for figure, one in zip(figures, (value, distance), strict=True))
        return f"{shown}  ({apart})".replace("-", "\u2212")


def _image(shade: Values) -> QImage:
    """Below the median blue, above it orange, at it the colour of the ground; what is unknown is grey."""
    ground, cold, hot = _rgb(theme().color("grid")), _rgb(theme().color("note")), _rgb(theme().series(1))
    measured = np.isfinite(shade)
    share = np.where(measured, shade, 0.0)[..., None]
    colour = np.where(share < 0, ground + (cold - ground) * -share, ground + (hot - ground) * share)
    colour = np.where(measured[..., None], colour, _rgb(theme().color("surface")))
    pixels = np.ascontiguousarray(np.concatenate((colour, np.full((*shade.shape, 1), 255.0)), axis=-1).astype(np.uint8))
    rows, columns = shade.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888).copy()


def _rgb(colour: QColor) -> Values:
    return np.array((colour.red(), colour.green(), colour.blue()), dtype=np.float64)


SIDE_PX = 4
LEAST_LETTERS = "mmm…"
"""In a segment narrower than this the name would be no name."""


class StageLane(QWidget):
    """Takes its horizontal scale from the chart under it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._segments: tuple[tuple[int, int, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_stages(self, stages: tuple[Span, ...], seen: tuple[float, float], edges: tuple[int, int]) -> None:
        """`seen` are the times at the left and right edge of the curves, whose pixels are `edges`."""
        (start_s, end_s), (left, right) = seen, edges
        scale = (right - left) / max(end_s - start_s, 1e-9)
        segments = []
        for stage in stages:
            begin = max(left, round(left + (stage.start_s - start_s) * scale))
            end = min(right, round(left + (stage.end_s - start_s) * scale))
            if end > begin:
                segments.append((begin, end, stage.text))
        if tuple(segments) != self._segments:
            self._segments = tuple(segments)
            self.update()

    def named(self) -> list[str]:
        """The stages that are in sight."""
        return [text for _, _, text in self._segments]

    def sizeHint(self) -> QSize:
        """A line."""
        return QSize(0, self.fontMetrics().height() + 2)

    def paintEvent(self, _: QPaintEvent) -> None:
        """A stroke over each segment, its name under it."""
        painter = QPainter(self)
        metrics = self.fontMetrics()
        least = metrics.horizontalAdvance(LEAST_LETTERS)
        for number, (left, right, text) in enumerate(self._segments):
            painter.fillRect(left, 0, max(right - left - 1, 1), 2, theme().color("muted" if number % 2 else "border"))
            room = right - left - 2 * SIDE_PX
            if room >= min(least, metrics.horizontalAdvance(text)):
                painter.setPen(theme().color("muted"))
                place = QRect(left + SIDE_PX, 2, room, self.height() - 2)
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """The tooltip is the whole name of the stage under the mouse."""
        if isinstance(event, QHelpEvent):
            x = event.pos().x()
            named = next((text for left, right, text in self._segments if left <= x < right), "")
            QToolTip.showText(event.globalPos(), tip(named), self)
            return True
        return super().event(event)
