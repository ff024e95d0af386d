"""The values beside a chart: of now, or of the time under the cursor, the highest first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.language import tr
from core.units import number
from gui.theme import theme
from gui.units import value_here

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
        self._when = ""
        self._values: tuple[ReadoutValue, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)

    def show_values(self, when: str, values: Sequence[ReadoutValue]) -> None:
        """`when` stands above them."""
        ordered = tuple(sorted(values, key=_order))
        if (when, ordered) != (self._when, self._values):
            others = {value.label for value in ordered} != {value.label for value in self._values}
            self._when, self._values = when, ordered
            if others:
                self.updateGeometry()
            self.update()

    def lines(self) -> list[tuple[str, str]]:
        """Name and figure of each device, as they stand there."""
        return [(value.label, self._figure(value.figure)) for value in self._values]

    def spoken(self) -> list[tuple[str, str]]:
        """The same in words: what was not measured is said to be."""
        missing = tr("not measured")
        told = ((value.label, value.figure) for value in self._values)
        return [(label, missing if math.isnan(found) else self._figure(found)) for label, found in told]

    @property
    def when(self) -> str:
        """The time that the values are of."""
        return self._when

    def sizeHint(self) -> QSize:
        """As wide as the longest line that is common, and as the names there are with a figure."""
        wide = QFontMetrics(self._small()).horizontalAdvance
        return QSize(
            max(wide(f"{label}  0000") for label in ("GPU 15", *(v.label for v in self._values))) + 2 * SIDE_PX, 0
        )

    def paintEvent(self, _: QPaintEvent) -> None:
        """As many lines as fit; of more, how many are left out."""
        painter = QPainter(self)
        painter.setFont(self._small())
        high = painter.fontMetrics().height()
        room = max(self.height() // high - 1, 0)
        values = self._values if len(self._values) <= room else self._values[: max(room - 1, 0)]
        left_out = len(self._values) - len(values)
        painter.setPen(theme().color("muted"))
        painter.drawText(self._line(0), Qt.AlignmentFlag.AlignRight, self._when)
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
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * SMALLER)
        return font

    def _line(self, row: int) -> QRect:
        high = QFontMetrics(self._small()).height()
        return QRect(SIDE_PX, row * high, self.width() - 2 * SIDE_PX, high)

    def _figure(self, value: float) -> str:
        return "–" if math.isnan(value) else number(value_here(value, self._unit), self._decimals)


def _order(value: ReadoutValue) -> tuple[bool, float, int]:
    """The highest first, what is unknown last."""
    unknown = math.isnan(value.figure)
    return unknown, 0.0 if unknown else -value.figure, value.position
