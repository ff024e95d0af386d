"""The axes of a chart that stands still: round figures below and at the left, with room for letters of any size."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QFontMetrics

from gui.burnin.axes import ValueAxis, recolour
from gui.burnin.clock import ticks, value_step

LETTERS_LEFT = 6
"""Figures that an axis at the left has room for."""


class NumberAxis(pg.AxisItem):
    """Round numbers below, at least some letters apart."""

    def __init__(self) -> None:
        super().__init__("bottom", showValues=True)
        self.enableAutoSIPrefix(False)
        self.setStyle(
            tickLength=0,
            tickTextOffset=4,
            autoExpandTextSpace=False,
            autoReduceTextSpace=False,
            hideOverlappingLabels=False,
        )
        self._apart = 48
        self.blank = False
        recolour(self)

    def fit(self, metrics: QFontMetrics) -> None:
        """Takes the height that the letters need."""
        self._apart = max(metrics.horizontalAdvance("00000"), 48)
        self.setHeight(metrics.height() + 6)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """One level of ticks, none while there is nothing to measure by."""
        if self.blank or not high > low:
            return []
        step = value_step(high - low, int(size / self._apart))
        return [(step, ticks(low, high, step))]

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        """As many decimals as the spacing needs."""
        return [f"{value:.{0 if spacing >= 1 else 1}f}" for value in values]


class FigureAxis(ValueAxis):
    """Values at the left, with a width that follows the letters."""

    def __init__(self) -> None:
        super().__init__()
        self._apart = 24.0

    def fit(self, metrics: QFontMetrics) -> None:
        """Takes the width that the longest figure needs."""
        self._apart = 1.8 * metrics.height()
        self.setWidth(metrics.horizontalAdvance("0") * LETTERS_LEFT + 10)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """One level of ticks, two lines of letters apart."""
        if self.blank or not high > low:
            return []
        step = value_step(high - low, max(1, int(size / self._apart)))
        return [(step, ticks(low, high, step))]


class StillView(pg.ViewBox):
    """Neither zooms nor pans: the wheel is for the page around it."""

    def __init__(self) -> None:
        super().__init__(enableMenu=False, defaultPadding=0)
        self.setMouseEnabled(False, False)
        self.disableAutoRange()

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        """Passed on."""
        del axis
        event.ignore()
