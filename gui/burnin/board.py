"""All charts of a recording over one axis of time: what they show, how they follow, zoom, pause and read out."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from core.telemetry.metrics import BY_NAME
from gui.burnin.chart import MetricChart
from gui.burnin.clock import clock
from gui.burnin.curves import DeviceTrace
from gui.burnin.recording import DRAWN, THROTTLED, DeviceRecord, Recording
from gui.burnin.scenery import scenery, throttle_bands
from gui.burnin.series import DrawnSamples, MetricSeries, nearest
from gui.burnin.time_window import TimeWindow
from gui.theme import theme
from gui.widgets.text import escaped

DEFAULT_METRICS = ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops")
COLUMNS = 2


class ChartBoard(QWidget):
    """Charts in two columns. `TimeWindow` holds what is seen; this draws it."""

    follow_changed = Signal(bool)
    """Whether the picture moves with the run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Charts"))
        self._window = TimeWindow()
        self._recording: Recording | None = None
        self._charts: dict[str, MetricChart] = {}
        self._metrics: tuple[str, ...] = DEFAULT_METRICS
        self._hidden: set[int] = set()
        self._paused = False
        self._cursor_s: float | None = None
        self._drawn: tuple[float, float, float] | None = None
        """Start and end on the axis, and the newest sample, when last drawn."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(4)
        theme().changed.connect(self._recolour)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics shown."""
        return self._metrics

    @property
    def paused(self) -> bool:
        """Whether the picture stands still. The recording never does."""
        return self._paused

    @property
    def follows(self) -> bool:
        """Whether the picture moves with the run."""
        return self._window.follows

    def chart(self, metric: str) -> MetricChart:
        """The chart of a metric that is shown."""
        return self._charts[metric]

    def set_recording(self, recording: Recording | None) -> None:
        """Shows another run from its live end, or as a whole if it is over."""
        self._recording = recording
        self._hidden.clear()
        self._cursor_s = None
        self._paused = False
        self._rebuild()
        self.go_live()

    def set_metrics(self, metrics: tuple[str, ...]) -> None:
        """Which charts are shown, in the order of the check list."""
        self._metrics = tuple(name for name in DRAWN if name in metrics)
        self._rebuild()
        self.redraw()

    def set_window(self, span_s: float | None) -> None:
        """Follows with a window of so many seconds; None shows the whole run."""
        self._window.follow(span_s)
        self.follow_changed.emit(True)
        self.redraw()

    def set_device_visible(self, position: int, visible: bool) -> None:
        """Shows or hides the curves of a device."""
        (self._hidden.discard if visible else self._hidden.add)(position)
        self.redraw()

    def set_paused(self, paused: bool) -> None:
        """Holds the picture."""
        self._paused = paused
        if not paused:
            self.redraw()

    @Slot()
    def go_live(self) -> None:
        """Back to the newest samples."""
        self._window.follow(self._window.span_s)
        self.follow_changed.emit(True)
        self.redraw()

    @Slot()
    def refresh(self) -> None:
        """New samples came. Draws only if the picture would differ by half a pixel or more."""
        if self._paused or not self.isVisible() or self._recording is None:
            return
        start, end, _ = self._window.seen(self._recording)
        pixel_s = (end - start) / max(self.width() / COLUMNS, 1)
        before = self._drawn
        if before is None or before[:2] != (start, end) or self._recording.sampled_s - before[2] >= pixel_s / 2:
            self.redraw()

    @Slot()
    def redraw(self) -> None:
        """Draws every visible chart."""
        if self._recording is None or not self.isVisible():
            return
        start, end, origin = self._window.seen(self._recording)
        self._drawn = (start, end, self._recording.sampled_s)
        buckets = max(min(self.width() // COLUMNS, 900), 200)
        shown = [record for record in self._recording.devices if record.position not in self._hidden]
        seen = (start + origin, end + origin, buckets)
        throttling = throttle_bands([record.series[THROTTLED].window(*seen) for record in shown])
        for name, chart in self._charts.items():
            pictures = [
                record.series[name].window(*seen) if record in shown else None for record in self._recording.devices
            ]
            chart.show_span(start, end, follows=self._window.follows_moving)
            traces = [None if picture is None else _trace(picture, origin) for picture in pictures]
            chart.show_traces(traces, scenery(self._recording, name, self._hidden, throttling), origin)
        self._show_cursor()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the cursor, plus and minus zoom, Escape puts the cursor away."""
        match event.key():
            case Qt.Key.Key_Left:
                self._step_cursor(-1)
            case Qt.Key.Key_Right:
                self._step_cursor(+1)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._zoom(0.5, self._cursor_or_end())
            case Qt.Key.Key_Minus:
                self._zoom(2.0, self._cursor_or_end())
            case Qt.Key.Key_Escape if self._cursor_s is not None:
                self._leave()
            case _:
                super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Catches up with what came while it was hidden."""
        super().showEvent(event)
        self.redraw()

    # -- what the charts ask for ----------------------------------------------------------------------------------

    @Slot(float, float)
    def _zoom(self, factor: float, around: float) -> None:
        if self._recording is not None:
            self._window.zoom(self._recording, factor, around)
            self.follow_changed.emit(False)
            self.redraw()

    @Slot(float)
    def _pan(self, by_s: float) -> None:
        if self._recording is not None:
            self._window.pan(self._recording, by_s)
            self.follow_changed.emit(False)
            self.redraw()

    @Slot(float)
    def _hover(self, x: float) -> None:
        if self._recording is not None:
            self._cursor_s = x + self._window.seen(self._recording)[2]
            self._show_cursor()

    @Slot()
    def _leave(self) -> None:
        self._cursor_s = None
        self._show_cursor()

    def _step_cursor(self, direction: int) -> None:
        if self._recording is None:
            return
        start, end, origin = self._window.seen(self._recording)
        place = end + origin if self._cursor_s is None else self._cursor_s + direction * max((end - start) / 100, 1.0)
        self._cursor_s = min(max(place, start + origin), end + origin)
        self._show_cursor()

    def _cursor_or_end(self) -> float:
        """On the axis."""
        assert self._recording is not None
        _, end, origin = self._window.seen(self._recording)
        return end if self._cursor_s is None else self._cursor_s - origin

    # -- drawing --------------------------------------------------------------------------------------------------

    def _show_cursor(self) -> None:
        if self._recording is None:
            return
        if self._cursor_s is None:
            for chart in self._charts.values():
                chart.hide_cursor()
            return
        start, end, origin = self._window.seen(self._recording)
        shown = [record for record in self._recording.devices if record.position not in self._hidden]
        near = max(5.0, (end - start) / 200)
        places = [nearest(record.times.all, self._cursor_s, near) for record in shown]
        for name, chart in self._charts.items():
            column = [_value(record.series[name], place) for record, place in zip(shown, places, strict=True)]
            columns = -(-len(shown) // chart.readout_rows()) if shown else 1
            chart.show_cursor(self._cursor_s - origin, _readout(self._cursor_s, name, shown, column, columns))

    def _rebuild(self) -> None:
        for chart in self._charts.values():
            self._grid.removeWidget(chart)
            chart.hide()
            chart.deleteLater()
        self._charts = {}
        if self._recording is None:
            return
        last = len(self._metrics) - 1
        for index, name in enumerate(self._metrics):
            chart = MetricChart(BY_NAME[name], len(self._recording.devices), self)
            chart.view.zoomed.connect(self._zoom)
            chart.view.panned.connect(self._pan)
            chart.view.reset.connect(self.go_live)
            chart.hovered.connect(self._hover)
            chart.left.connect(self._leave)
            wide = index == last and index % COLUMNS == 0
            self._grid.addWidget(chart, index // COLUMNS, index % COLUMNS, 1, COLUMNS if wide else 1)
            self._charts[name] = chart

    @Slot()
    def _recolour(self) -> None:
        for chart in self._charts.values():
            chart.recolour()


def _trace(picture: DrawnSamples, origin_s: float) -> DeviceTrace:
    x = picture.time_s - origin_s
    if not picture.aggregated:
        return DeviceTrace(x, picture.mean)
    return DeviceTrace(x, picture.mean, picture.low, picture.high)


def _readout(time_s: float, metric: str, records: list[DeviceRecord], values: list[float], columns: int) -> str:
    """The time, then name and value of each device in its colour."""
    decimals = BY_NAME[metric].decimals
    cells = [
        f'<td style="color:{theme().series(record.position).name()}">{escaped(record.label)}</td>'
        f'<td align="right">&nbsp;{_figure(value, decimals)}&nbsp;</td>'
        for record, value in zip(records, values, strict=True)
    ]
    rows = [f"<tr>{''.join(cells[row : row + columns])}</tr>" for row in range(0, len(cells), columns)]
    return f'<table cellspacing="0"><tr><td colspan="{2 * columns}">{clock(time_s)}</td></tr>{"".join(rows)}</table>'


def _value(series: MetricSeries, place: int | None) -> float:
    return math.nan if place is None else float(series.values[place])


def _figure(value: float, decimals: int) -> str:
    if value != value:  # noqa: PLR0124 - NaN
        return "–"
    return f"{value:.{decimals}f}"
