"""One chart: a metric of all devices over time, with its title and the values under the cursor."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGraphicsLineItem, QVBoxLayout, QWidget

from core.telemetry.metrics import Metric
from gui.burnin.axes import SCALES, Range, Scale, TimeAxis, TimeView, ValueAxis, fitting, recolour
from gui.burnin.backdrop import Backdrop, Scenery
from gui.burnin.curves import DeviceCurves, DeviceTrace
from gui.theme import theme
from gui.widgets.text import Markup


class MetricChart(QWidget):
    """Draws; the board decides what and when."""

    hovered = Signal(float)
    """The x under the mouse."""
    left = Signal()

    def __init__(self, metric: Metric, devices: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._metric = metric
        self._range: Range | None = None
        self._scale = SCALES.get(metric.name, Scale())
        self.view = TimeView()
        self.time_axis = TimeAxis(self.tr("now"))
        self._value_axis = ValueAxis()
        self._plot = pg.PlotWidget(
            self, viewBox=self.view, axisItems={"left": self._value_axis, "bottom": self.time_axis}
        )
        self._backdrop = Backdrop(self.view, self._value_axis, self.time_axis)
        self._devices = devices
        self.curves = DeviceCurves(self.view)
        self._cursor = QGraphicsLineItem(self.view)
        self._title = Markup(self)
        self._readout = Markup(self._plot)
        self._arrange()
        self.recolour()

    def show_traces(self, traces: list[DeviceTrace | None], scenery: Scenery, origin_s: float) -> None:
        """Replaces all curves. None hides a device. The value axis follows, calmly."""
        self.curves.show_traces(traces)
        seen = [limit.value for limit in scenery.limits]
        for trace in traces:
            seen += (trace.extremes or ()) if trace is not None else ()
        if self._value_axis.blank != bool(scenery.notice):
            self._value_axis.blank = bool(scenery.notice)
            self._value_axis.picture = None
            self._value_axis.update()
        if seen:
            self._set_value_range(min(seen), max(seen))
        self._backdrop.show_scenery(scenery, origin_s)

    def show_span(self, start: float, end: float, *, follows: bool) -> None:
        """Sets the time axis, only when it differs: each call repaints."""
        if self.time_axis.follows != follows:
            self.time_axis.follows = follows
            self.time_axis.picture = None
            self.time_axis.update()
        if self.view.viewRange()[0] != [start, end]:
            self.view.setXRange(start, end, padding=0)

    def show_cursor(self, x: float, readout: str) -> None:
        """A line at a time with all values there, on the side where the line is not."""
        pixel = self.view.mapFromView(QPointF(x, 0)).x()
        self._cursor.setLine(pixel, 0, pixel, self.view.height())
        self._cursor.show()
        self._readout.setText(readout)
        self._readout.setVisible(bool(readout))
        self._readout.adjustSize()
        area = self.view.mapRectToScene(self.view.rect())
        on_the_left = pixel > area.width() / 2
        place = area.left() + 6 if on_the_left else area.right() - 6 - self._readout.width()
        self._readout.move(int(place), int(area.top()) + 4)

    def readout_rows(self) -> int:
        """How many lines of values fit below the time."""
        return max(1, int(self.view.height() / self._readout.fontMetrics().height()) - 2)

    def hide_cursor(self) -> None:
        """No line, no values."""
        self._cursor.hide()
        self._readout.hide()

    @Slot()
    def recolour(self) -> None:
        """Takes the theme's colours."""
        colours = theme()
        self._plot.setBackground(colours.color("surface"))
        for axis in (self._value_axis, self.time_axis):
            recolour(axis)
        styles = [(colours.series(number), colours.series_style(number)) for number in range(self._devices)]
        self.curves.set_pens([pg.mkPen(colour, width=1, style=style) for colour, style in styles])
        self._cursor.setPen(QPen(colours.color("muted"), 1))
        self._backdrop.update()
        muted, surface, border = (colours.color(name).name() for name in ("muted", "surface", "border"))
        title = QCoreApplication.translate("metrics", self._metric.title)
        self._title.setText(f'<b>{title}</b> <span style="color:{muted}">{self._metric.unit}</span>')
        self._readout.setStyleSheet(f"background: {surface}; border: 1px solid {border}; padding: 2px 4px;")

    def paintEvent(self, event: QPaintEvent) -> None:
        """A frame while the keyboard is here."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(theme().color("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows the frame."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hides the frame."""
        super().focusOutEvent(event)
        self.update()

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
        wanted = fitting(self._scale, (low, high), self._range)
        if wanted != self._range:
            self._range = wanted
            self.view.setYRange(*wanted, padding=0)

    def _arrange(self) -> None:
        title = QCoreApplication.translate("metrics", self._metric.title)
        self.setAccessibleName(self.tr("{metric} chart").format(metric=title))
        self.setAccessibleDescription(
            self.tr("Curves over time, one per device. The device cards carry the same figures as text.")
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(200, 80)
        self._title.setToolTip(QCoreApplication.translate("metrics", self._metric.meaning))
        self._title.setContentsMargins(8, 0, 0, 0)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.setFrameShape(pg.PlotWidget.Shape.NoFrame)
        self._plot.hideButtons()
        self._plot.getPlotItem().setContentsMargins(0, 6, 16, 0)
        self._cursor.setZValue(5)
        self._readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide_cursor()
        self._plot.scene().sigMouseMoved.connect(self._mouse_moved)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 3, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self._title)
        layout.addWidget(self._plot, 1)
