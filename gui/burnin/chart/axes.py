"""The two axes of a chart: values on the left, over a range that stays steady, time below; and the mouse on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal

from core.chart import decimals, ticks, value_step
from core.words.units import number
from gui.burnin.words import clock, time_step_s
from gui.widgets.theme import theme
from gui.widgets.units import shown_as, value_here

LEFT_WIDTH = 46
"""The same for all charts, so that times stand above each other."""
BELOW_HEIGHT = 18


class ValueAxis(pg.AxisItem):
    """Round numbers of the unit that is shown, at least 24 pixels apart; the values themselves are metric."""

    def __init__(self, unit: str = "") -> None:
        super().__init__("left", showValues=True)
        self.blank = False
        self.unit = unit
        self._apart = 24.0
        plain_axis(self)
        self.setWidth(LEFT_WIDTH)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """One level of ticks, none while there is nothing to measure by: their distance as shown, and metric values."""
        if self.blank or not high > low:
            return []
        unit, count = shown_as(self.unit), int(size / self._apart)
        low, high = unit.shown(low), unit.shown(high)
        step = value_step(high - low, count)
        return [(step, [unit.metric(value) for value in ticks(low, high, step)])]

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        """As many decimals as the spacing needs."""
        places = decimals(spacing)
        return [number(round(value_here(value, self.unit), places) or 0.0, places) for value in values]


class TimeAxis(pg.AxisItem):
    """Elapsed time, or, while the picture follows the run, time before now: then the axis need not be redrawn."""

    def __init__(self, now: str) -> None:
        super().__init__("bottom", showValues=True)
        self.follows = False
        self._now = now
        plain_axis(self)
        self.setHeight(BELOW_HEIGHT)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """One level of ticks, at least 64 pixels apart."""
        if not high > low:
            return []
        step = time_step_s(high - low, int(size / 64))
        return [(step, ticks(low, high, step))]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """ "1:00", or "-1:00" and "now"."""
        return [self._now if self.follows and abs(value) < 0.5 else clock(value) for value in values]


class TimeView(pg.ViewBox):
    """Reports what the mouse asks for; the board moves all charts together."""

    zoomed = Signal(float, float)
    """Factor of the span (below 1 is closer), and the time that stays where it is."""
    panned = Signal(float)
    """Seconds to move by."""
    reset = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False, defaultPadding=0)
        self.setMouseEnabled(False, False)
        self.disableAutoRange()

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        """Zooms in time around the mouse."""
        del axis
        around = self.mapToView(event.pos()).x()
        self.zoomed.emit(0.999 ** event.delta(), around)
        event.accept()

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        """Drags time along."""
        del axis
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        event.accept()
        before, after = (self.mapToView(QPointF(point)).x() for point in (event.lastPos(), event.pos()))
        self.panned.emit(before - after)

    def mouseClickEvent(self, event: Any) -> None:
        """A double click returns to the run as it is now."""
        if event.double():
            event.accept()
            self.reset.emit()


def recolour(axis: pg.AxisItem) -> None:
    """Takes the theme's colours."""
    axis.setPen(pg.mkPen(theme().color("border")))
    axis.setTextPen(pg.mkPen(theme().color("muted")))


def plain_axis(axis: pg.AxisItem) -> None:
    """Figures without strokes, in the theme's colours."""
    axis.setCacheMode(axis.CacheMode.DeviceCoordinateCache)  # the curves move every second, the axes seldom
    axis.enableAutoSIPrefix(False)
    axis.setStyle(tickLength=0, tickTextOffset=4, hideOverlappingLabels=False)
    axis.setStyle(autoExpandTextSpace=False, autoReduceTextSpace=False)
    recolour(axis)


Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """How a metric's axis behaves: a fixed range, or one that begins at zero, or one that fits the values."""

    fixed: Range | None = None
    from_zero: bool = False
    least_span: float = 1.0


SCALES: dict[str, Scale] = {
    "temperature_c": Scale(least_span=20),
    "memory_temperature_c": Scale(least_span=20),
    "power_w": Scale(from_zero=True, least_span=20),
    "clock_mhz": Scale(from_zero=True, least_span=200),
    "memory_clock_mhz": Scale(from_zero=True, least_span=200),
    "utilisation_pct": Scale(fixed=(0, 100)),
    "fan_pct": Scale(fixed=(0, 100)),
    "memory_used_mb": Scale(from_zero=True, least_span=1000),
    "throughput_tflops": Scale(from_zero=True, least_span=0.1),
    "tokens_per_s": Scale(from_zero=True, least_span=10),
    "margin_c": Scale(least_span=20),
    "noise_dba": Scale(least_span=10),
    "machine_power_w": Scale(from_zero=True, least_span=100),
    "share_of_peak_pct": Scale(from_zero=True, least_span=10),
    "bandwidth_gbps": Scale(from_zero=True, least_span=1),
    "images_per_s": Scale(from_zero=True, least_span=10),
    "step_ms": Scale(from_zero=True, least_span=1),
    "loss": Scale(least_span=0.1),
    "accuracy_pct": Scale(fixed=(0, 100)),
}


def fitting(scale: Scale, values: Range, current: Range | None) -> Range:
    """The range to show values in; the current one while they fit and fill at least half of it."""
    low, high = values
    if scale.fixed is not None:
        return scale.fixed[0] - 3, max(scale.fixed[1], high) + 5
    if scale.from_zero:
        low = min(0.0, low)
    if high - low < scale.least_span:
        middle = (low + high) / 2
        high = middle + scale.least_span / 2 if not scale.from_zero else low + scale.least_span
        low = low if scale.from_zero else middle - scale.least_span / 2
    if current is not None and _fits(low, high, current):
        return current
    step = value_step(high - low, 5)
    top = step * (math.floor(high / step + 0.15) + 1)
    return (low if scale.from_zero else step * math.floor(low / step - 0.1)), top


def _fits(low: float, high: float, current: Range) -> bool:
    span = current[1] - current[0]
    return current[0] <= low and high <= current[1] and high - low >= span / 2
