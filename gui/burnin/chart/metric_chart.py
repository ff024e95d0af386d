"""One chart: a metric of all devices over time, with its title and the values under the cursor beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.chart import PredictedBand, Scenery
from core.machine.telemetry.metrics import Metric
from core.words import joined, tr
from core.words.units import number
from gui.burnin.chart.axes import SCALES, Range, Scale, TimeAxis, TimeView, ValueAxis, fitting, recolour
from gui.burnin.chart.layers import Backdrop, DeviceCurves, DeviceTrace
from gui.widgets.figures import describe, say
from gui.widgets.form import column_of, row_of
from gui.widgets.text import Markup, escaped, scaled
from gui.widgets.theme import theme
from gui.widgets.units import unit_here, value_here

SIDE_PX, BAR_PX = 8, 3
SMALLER = 0.9


@dataclass(frozen=True, slots=True)
class ReadoutValue:
    """One line: whose curve it is, and the figure there; NaN where nothing was measured."""

    position: int
    label: str
    figure: float


class Readout(QWidget):
    """Painted, since it changes every second: labels would have the whole page laid out anew."""

    def __init__(self, decimals: int, parent: QWidget, unit: str = "") -> None:
        super().__init__(parent)
        self._decimals, self._unit = decimals, unit
        self.when = ""
        """The time that the values are of."""
        self._values: tuple[ReadoutValue, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)

    def show_values(self, when: str, values: Sequence[ReadoutValue]) -> None:
        """`when` stands above them."""
        ordered = tuple(sorted(values, key=_order))
        if (when, ordered) != (self.when, self._values):
            others = {value.label for value in ordered} != {value.label for value in self._values}
            self.when, self._values = when, ordered
            if others:
                self.updateGeometry()
            self.update()

    def lines(self) -> list[tuple[str, str]]:
        """Name and figure of each device, as they stand there."""
        return [(value.label, self._figure(value.figure)) for value in self._values]

    def spoken(self) -> list[tuple[str, str]]:
        """The same in words: what was not measured is said to be."""
        missing = tr("not measured")
        figures = ((value.label, value.figure) for value in self._values)
        return [(label, missing if math.isnan(figure) else self._figure(figure)) for label, figure in figures]

    def sizeHint(self) -> QSize:
        """As wide as the longest line that is common, and as the names there are with a figure."""
        wide = QFontMetrics(self._small()).horizontalAdvance
        labels = ("GPU 15", *(value.label for value in self._values))
        return QSize(max(wide(f"{label}  0000") for label in labels) + 2 * SIDE_PX, 0)

    def paintEvent(self, _: QPaintEvent) -> None:
        """As many lines as fit; of more, how many are left out."""
        painter = QPainter(self)
        painter.setFont(self._small())
        high = painter.fontMetrics().height()
        room = max(self.height() // high - 1, 0)
        values = self._values if len(self._values) <= room else self._values[: max(room - 1, 0)]
        left_out = len(self._values) - len(values)
        painter.setPen(theme().color("muted"))
        painter.drawText(self._line(0), Qt.AlignmentFlag.AlignRight, self.when)
        for row, value in enumerate(values, start=1):
            painter.fillRect(QRect(2, row * high + 2, BAR_PX, high - 4), theme().series(value.position))
            painter.setPen(theme().color("text"))
            painter.drawText(self._line(row), Qt.AlignmentFlag.AlignLeft, value.label)
            painter.drawText(self._line(row), Qt.AlignmentFlag.AlignRight, self._figure(value.figure))
        if left_out and room:
            painter.setPen(theme().color("muted"))
            painter.drawText(self._line(room), Qt.AlignmentFlag.AlignLeft, tr("and {left_out}", left_out=left_out))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need more room."""
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
        super().changeEvent(event)

    def _small(self) -> QFont:
        return scaled(self.font(), SMALLER)

    def _line(self, row: int) -> QRect:
        high = QFontMetrics(self._small()).height()
        return QRect(SIDE_PX, row * high, self.width() - 2 * SIDE_PX, high)

    def _figure(self, value: float) -> str:
        return "–" if math.isnan(value) else number(value_here(value, self._unit), self._decimals)


def _order(value: ReadoutValue) -> tuple[bool, float, int]:
    """The highest first, what is unknown last."""
    unknown = math.isnan(value.figure)
    return unknown, 0.0 if unknown else -value.figure, value.position


DIMMED = 0.3
"""What is left of the other curves where a device failed."""
EMPHASISED_PX = 2.2
LEAST_PX = 64
WIDE_PX = 300
"""A chart that is narrower has no room for values beside it."""


class MetricChart(QWidget):
    """Draws; the board decides what and when."""

    hovered = Signal(float)
    """The x under the mouse."""
    left = Signal()

    def __init__(self, metric: Metric, devices: int, parent: QWidget | None, *, name: str = "") -> None:
        """`name` is that of the only device which the chart is of."""
        super().__init__(parent)
        self._metric = metric
        self._name = name
        self._range: Range | None = None
        self._scale = SCALES.get(metric.name, Scale())
        self.view = TimeView()
        self.time_axis = TimeAxis(tr("now"))
        self._value_axis = ValueAxis(metric.unit)
        axes = {"left": self._value_axis, "bottom": self.time_axis}
        self._plot = pg.PlotWidget(self, viewBox=self.view, axisItems=axes)
        self._backdrop = Backdrop(self.view, self._value_axis, self.time_axis)
        self._devices = devices
        self._failed: frozenset[int] = frozenset()
        self._predicted: PredictedBand | None = None
        self.curves = DeviceCurves(self.view)
        self._cursor = QWidget(self._plot)
        self._title = Markup(self)
        self.readout = Readout(metric.decimals, self, metric.unit)
        self._arrange()
        theme().changed.connect(self.recolour)
        self.recolour()

    def show_traces(
        self, traces: list[DeviceTrace | None], scenery: Scenery, origin_s: float, extent: Range | None = None
    ) -> None:
        """Replaces all curves. None hides a device. The value axis follows `extent`, calmly; without it, all curves."""
        self.curves.show_traces(traces)
        seen = [limit.value for limit in scenery.limits]
        seen += [value for band in scenery.predicted for value in (band.low, band.high)]
        extents = [extent] if extent is not None else [trace.extremes for trace in traces if trace is not None]
        seen += [value for ends in extents if ends is not None for value in ends]
        if self._value_axis.blank != bool(scenery.notice):
            self._value_axis.blank = bool(scenery.notice)
            self._value_axis.picture = None
            self._value_axis.update()
        if seen:
            self._set_value_range(min(seen), max(seen))
        self._show_title(_predicted_now(scenery))
        self._backdrop.show_scenery(scenery, origin_s)

    def set_failed(self, positions: frozenset[int]) -> None:
        """Their curves stand out, the others stand back."""
        if positions != self._failed:
            self._failed = positions
            self._set_pens()

    def show_span(self, start: float, end: float, *, follows: bool) -> None:
        """Sets the time axis, only when it differs: each call repaints."""
        if self.time_axis.follows != follows:
            self.time_axis.follows = follows
            self.time_axis.picture = None
            self.time_axis.update()
        if self.view.viewRange()[0] != [start, end]:
            self.view.setXRange(start, end, padding=0)

    def show_cursor(self, x: float) -> None:
        """A line at a time: a widget over the picture, which leaves nothing behind where it was."""
        place = self.view.mapToScene(self.view.mapFromView(QPointF(x, 0)))
        area = self.view.mapRectToScene(self.view.rect())
        self._cursor.setGeometry(round(place.x()), round(area.top()), 1, round(area.height()))
        self._cursor.setVisible(area.left() <= place.x() <= area.right())

    def show_values(self, when: str, values: list[ReadoutValue]) -> None:
        """Beside the curves: of now, or of the time under the cursor."""
        self.readout.show_values(when, values)
        describe(self, self.as_text)

    def as_text(self) -> str:
        """The quantity, and the figure of each device at the time that stands above the values."""
        quantity = self._metric.title
        figures = [f"{label} {figure}" for label, figure in self.readout.spoken()]
        if not figures:
            return tr("{quantity}: not measured", quantity=quantity)
        unit = unit_here(self._metric.unit)
        of = tr("{quantity} in {unit}", quantity=quantity, unit=unit) if unit else quantity
        return tr("{quantity}, {when}: {figures}", quantity=of, when=self.readout.when, figures=joined(figures, ", "))

    def edges(self) -> tuple[int, int]:
        """The pixels of this widget between which the curves are drawn."""
        area = self.view.mapRectToScene(self.view.rect())
        left = self._plot.mapTo(self, area.topLeft().toPoint()).x()
        return left, left + round(area.width())

    def hide_cursor(self) -> None:
        """No line."""
        self._cursor.hide()

    @Slot()
    def recolour(self) -> None:
        """Takes the theme's colours."""
        colours = theme()
        self._plot.setBackground(colours.color("surface"))
        for axis in (self._value_axis, self.time_axis):
            recolour(axis)
        self._set_pens()
        self._cursor.setStyleSheet(f"background: {colours.color('muted').name()}")
        self._backdrop.update()
        self._show_title(self._predicted)
        self.readout.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Values stand beside the curves where there is room."""
        super().resizeEvent(event)
        self.readout.setVisible(self.width() >= WIDE_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A frame while the keyboard is here."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(theme().color("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows the frame, and has the newest figures to be said."""
        super().focusInEvent(event)
        say(self, self.as_text())
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hides the frame."""
        super().focusOutEvent(event)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need more room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.setMinimumSize(200, max(LEAST_PX, 4 * self.fontMetrics().height()))
        half_of_now = self.fontMetrics().horizontalAdvance(tr("now")) / 2
        self._plot.getPlotItem().setContentsMargins(0, 6, max(8.0, half_of_now + 3), 0)

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse left: so does the cursor."""
        super().leaveEvent(event)
        self.left.emit()

    @Slot(object)
    def _mouse_moved(self, place: Any) -> None:
        if self.view.sceneBoundingRect().contains(place):
            self.hovered.emit(self.view.mapSceneToView(place).x())
        else:
            self.left.emit()

    def _set_value_range(self, low: float, high: float) -> None:
        value_range = fitting(self._scale, (low, high), self._range)
        if value_range != self._range:
            self._range = value_range
            self.view.setYRange(*value_range, padding=0)

    def _show_title(self, predicted: PredictedBand | None) -> None:
        """Quantity and unit, and what the plan predicts for the stage that is on."""
        self._predicted = predicted
        muted, accent = (theme().color(name).name() for name in ("muted", "accent"))
        title = escaped(self._name) or self._metric.title
        text = f'<b>{title}</b> <span style="color:{muted}">{unit_here(self._metric.unit)}</span>'
        if predicted:
            precise = self._metric.name == "throughput_tflops" and predicted.high < 100
            ends = (value_here(value, self._metric.unit) for value in (predicted.low, predicted.high))
            low, high = (number(value, int(precise)) for value in ends)
            words = tr("plan {low} to {high}", low=low, high=high)
            text += f' <span style="color:{accent}">&nbsp;{words}</span>'
        if text != self._title.text():
            self._title.setText(text)

    def _set_pens(self) -> None:
        self.curves.set_pens([self._pen(number) for number in range(self._devices)])

    def _pen(self, number: int) -> QPen:
        if not self._failed or self._devices == len(self._failed):
            return theme().series_pen(number)
        if number in self._failed:
            return theme().series_pen(number, EMPHASISED_PX)
        pen = theme().series_pen(number)
        faded = pen.color()
        faded.setAlphaF(DIMMED)
        pen.setColor(faded)
        return pen

    def _arrange(self) -> None:
        title = self._metric.title
        named = f"{title}, {self._name}" if self._name else title
        self.setAccessibleName(tr("{metric} chart", metric=named))
        words = tr("Curves over time, one per device. The device cards carry the same figures as text.")
        self.setAccessibleDescription(words)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._fit()
        self._title.setToolTip(self._metric.meaning)
        self._title.setContentsMargins(8, 0, 0, 0)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.setFrameShape(pg.PlotWidget.Shape.NoFrame)
        self._plot.hideButtons()
        self._cursor.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide_cursor()
        self._plot.scene().sigMouseMoved.connect(self._mouse_moved)
        across = row_of((self._plot, 1), self.readout, spacing=0)
        column_of(self._title, (across, 1), into=self, margins=(1, 3, 1, 1), spacing=0)


def _predicted_now(scenery: Scenery) -> PredictedBand | None:
    """The band of the newest stage: that of an earlier one would be held against figures of another load."""
    newest = next(reversed(scenery.predicted), None)
    return newest if newest and newest.start_s >= scenery.stages[-1].start_s else None
