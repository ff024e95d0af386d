"""All charts of a recording over one axis of time: what they show, how they follow, zoom, pause and read out."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from core.burnin.verdict.states import Condition
from core.chart import Span
from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.metrics import BY_NAME
from core.words import tr
from gui.burnin.chart.axes import Range
from gui.burnin.chart.layers import DeviceTrace
from gui.burnin.chart.metric_chart import MetricChart, ReadoutValue
from gui.burnin.chart.overlays import scenery, stage_spans, throttle_bands
from gui.burnin.chart.strips import HeatStrip, StageLane, heat_of
from gui.burnin.chart.view import Arrangement, TimeWindow, cells, columns_of
from gui.burnin.recording import DRAWN, NOT_MEASURED, THROTTLED, DeviceRecord, Recording
from gui.burnin.series import DrawnSamples, nearest
from gui.burnin.words import clock

DEFAULT_METRICS = ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops")
Place = tuple[str, int | None]
"""Of a chart: its metric, and the position of its only device, None for all."""
Seen = tuple[float, float, int]
"""Start and end in s since the start of the run, and how many buckets there are pixels for."""


class ChartBoard(QWidget):
    """Charts side by side, or strips of heat. `TimeWindow` holds what is seen; this draws it."""

    follow_changed = Signal(bool)
    """Whether the picture moves with the run."""
    solo_wanted = Signal(int)
    """A device that shall be seen alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Charts"))
        self._window = TimeWindow()
        self._recording: Recording | None = None
        self._charts: dict[Place, MetricChart] = {}
        self._strips: dict[str, HeatStrip] = {}
        self._lanes: list[StageLane] = []
        self._arrangement = Arrangement.TOGETHER
        self.metrics: tuple[str, ...] = DEFAULT_METRICS
        """Those that are shown."""
        self._metric_of_each = DEFAULT_METRICS[0]
        self._hidden: set[int] = set()
        self.paused = False
        """Whether the picture stands still. The recording never does."""
        self._cursor_s: float | None = None
        self._drawn: tuple[float, float, float] | None = None
        """Start and end on the axis, and the newest sample, when last drawn."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(4)

    @property
    def follows(self) -> bool:
        """Whether the picture moves with the run."""
        return self._window.follows

    def chart(self, metric: str, position: int | None = None) -> MetricChart:
        """The chart of a metric that is shown, of all devices or of one."""
        return self._charts[metric, position]

    def heat_strip(self, metric: str) -> HeatStrip:
        """The strip of a metric, where strips are shown."""
        return self._strips[metric]

    def set_recording(self, recording: Recording | None) -> None:
        """Shows another run from its live end, or as a whole if it is over."""
        self._recording = recording
        self._hidden.clear()
        self._cursor_s = None
        self.paused = False
        self._rebuild()
        self.go_live()

    def set_metrics(self, metrics: tuple[str, ...]) -> None:
        """Which charts are shown, in the order of the check list."""
        self.metrics = tuple(name for name in DRAWN if name in metrics)
        self._rebuild()
        self.redraw()

    def set_arrangement(self, arrangement: Arrangement, metric: str) -> None:
        """How the charts are arranged; `metric` is that of the charts of single devices."""
        if (arrangement, metric) != (self._arrangement, self._metric_of_each):
            self._arrangement, self._metric_of_each = arrangement, metric
            self._rebuild()
            self.redraw()

    def set_window(self, span_s: float | None) -> None:
        """Follows with a window of so many seconds; None shows the whole run."""
        self._window.follow(span_s)
        self.follow_changed.emit(True)
        self.redraw()

    def set_hidden(self, positions: set[int]) -> None:
        """The devices whose curves are not drawn."""
        if positions != self._hidden:
            self._hidden = set(positions)
            if self._arrangement is Arrangement.EACH:
                self._rebuild()
            self.redraw()

    def set_paused(self, paused: bool) -> None:
        """Holds the picture."""
        self.paused = paused
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
        if self.paused or not self.isVisible() or self._recording is None:
            return
        start, end, _ = self._window.seen(self._recording)
        pixel_s = (end - start) / max(self.width() / self._across(), 1)
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
        buckets = max(min(self.width() // self._across(), 900), 200)
        seen = (start + origin, end + origin, buckets)
        self._draw_charts(self._recording, seen, origin)
        self._draw_strips(self._recording, seen)
        self._draw_lanes(stage_spans(self._recording), (seen[0], seen[1]))
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

    def _shown(self) -> list[DeviceRecord]:
        """The devices whose curves are wanted."""
        records = self._recording.devices if self._recording else []
        return [record for record in records if record.position not in self._hidden]

    def _across(self) -> int:
        return columns_of(self._arrangement, len(self._shown()))

    def _draw_charts(self, recording: Recording, seen: Seen, origin: float) -> None:
        if not self._charts:
            return
        shown = self._shown()
        throttling = throttle_bands([record.series[THROTTLED].window(*seen) for record in shown])
        failed = frozenset(record.position for record in shown if record.state is not Condition.SOUND)
        for metric in dict.fromkeys(name for name, _ in self._charts):
            traces = {record.position: _trace(record.series[metric].window(*seen), origin) for record in shown}
            extent = _extent(shown, traces)
            for (name, only), chart in self._charts.items():
                if name != metric:
                    continue
                records = [record for record in shown if only in (None, record.position)]
                positions = {record.position for record in records}
                chart.show_span(seen[0] - origin, seen[1] - origin, follows=self._window.follows_moving)
                chart.set_failed(failed if only is None else frozenset())
                drawn = [traces[place] if place in positions else None for place in range(len(recording.devices))]
                chart.show_traces(drawn, scenery(recording, metric, records, throttling), origin, extent)

    def _draw_strips(self, recording: Recording, seen: Seen) -> None:
        for name, strip in self._strips.items():
            able = _able(self._shown(), name)
            shown = [record for record in able if record.burned] or able
            rows = [(record.position, record.label, record.state is not Condition.SOUND) for record in shown]
            measured = shown and recording.measured(name)
            heat = heat_of([one.series[name].window(*seen) for one in shown], *seen[:2], name) if measured else None
            strip.show_heat(rows, heat)

    def _draw_lanes(self, stages: tuple[Span, ...], seen: tuple[float, float]) -> None:
        """Over the first chart of each column."""
        for lane, chart in zip(self._lanes, self._charts.values(), strict=False):
            lane.show_stages(stages, seen, chart.edges())

    @Slot()
    def _place_lanes(self) -> None:
        """The charts have another width."""
        if self._recording is not None and self.isVisible():
            start, end, origin = self._window.seen(self._recording)
            self._draw_lanes(stage_spans(self._recording), (start + origin, end + origin))

    def _show_cursor(self) -> None:
        """The line at the time under the mouse, and beside each chart the values there, else those of now."""
        if self._recording is None:
            return
        start, end, origin = self._window.seen(self._recording)
        shown = self._shown()
        near = max(5.0, (end - start) / 200)
        when = self._when(self._recording)
        for (name, only), chart in self._charts.items():
            records = _able([record for record in shown if only in (None, record.position)], name)
            figures = [(record, self._figure(record, name, near)) for record in records]
            values = [ReadoutValue(one.position, one.label, value) for one, value in figures if value is not None]
            chart.show_values(when, values)
            if self._cursor_s is None:
                chart.hide_cursor()
            else:
                chart.show_cursor(self._cursor_s - origin)

    def _when(self, recording: Recording) -> str:
        """What the values beside the charts are of."""
        if self._cursor_s is not None:
            return clock(self._cursor_s)
        return tr("now") if recording.running else tr("highest")

    def _figure(self, record: DeviceRecord, metric: str, near_s: float) -> float | None:
        """Under the cursor, otherwise of now, or of a run that is over the highest; NaN is not measured there.

        None for a device that is only watched and has no such metric.
        """
        if self._cursor_s is not None:
            place = nearest(record.times.all, self._cursor_s, near_s)
            value = None if place is None else float(record.series[metric].values[place])
        elif self._recording is not None and self._recording.running:
            value = record.now(metric)
        else:
            value = record.statistics(metric).highest
        measured = value is not None and math.isfinite(value)
        return value if measured else math.nan if record.burned else None

    def _rebuild(self) -> None:
        for old in (*self._charts.values(), *self._strips.values(), *self._lanes):
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._charts, self._strips, self._lanes = {}, {}, []
        if self._recording is None:
            return
        positions = [record.position for record in self._shown()]
        grid_cells = cells(self._arrangement, self.metrics, self._metric_of_each, positions)
        heat = self._arrangement is Arrangement.HEAT
        for cell in grid_cells:
            made: QWidget = self._new_strip(cell.metric) if heat else self._new_chart(cell.metric, cell.position)
            self._grid.addWidget(made, cell.row + 1, cell.column, 1, cell.columns)
        for cell in grid_cells if self._charts else ():
            if cell.row == 0:
                lane = StageLane(self)
                self._lanes.append(lane)
                self._grid.addWidget(lane, 0, cell.column, 1, cell.columns)

    def _new_chart(self, metric: str, position: int | None) -> MetricChart:
        assert self._recording is not None
        name = "" if position is None else self._recording.devices[position].label
        chart = MetricChart(BY_NAME[metric], len(self._recording.devices), self, name=name)
        chart.view.zoomed.connect(self._zoom)
        chart.view.panned.connect(self._pan)
        chart.view.reset.connect(self.go_live)
        chart.view.sigResized.connect(self._place_lanes)
        chart.hovered.connect(self._hover)
        chart.left.connect(self._leave)
        self._charts[metric, position] = chart
        return chart

    def _new_strip(self, metric: str) -> HeatStrip:
        strip = HeatStrip(BY_NAME[metric], self)
        strip.chosen.connect(self.solo_wanted)
        self._strips[metric] = strip
        return strip


def _able(records: list[DeviceRecord], metric: str) -> list[DeviceRecord]:
    """Of a metric of the machine, which no card can have, the devices that have it, if any does; else all."""
    if DeviceKind.GPU in BY_NAME[metric].of:
        return records
    return [record for record in records if record.statistics(metric) is not NOT_MEASURED] or records


def _trace(picture: DrawnSamples, origin_s: float) -> DeviceTrace:
    x = picture.time_s - origin_s
    if not picture.aggregated:
        return DeviceTrace(x, picture.mean)
    return DeviceTrace(x, picture.mean, picture.low, picture.high)


def _extent(records: list[DeviceRecord], traces: dict[int, DeviceTrace]) -> Range | None:
    """What the axis must hold: a CPU that is only watched does not stretch the axis of the cards under load."""
    ruling = [record for record in records if record.burned]
    extents = [extremes for record in ruling if (extremes := traces[record.position].extremes) is not None]
    if not extents:
        extents = [extremes for trace in traces.values() if (extremes := trace.extremes) is not None]
    return (min(low for low, _ in extents), max(high for _, high in extents)) if extents else None
