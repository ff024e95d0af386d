"""The names of the stages above their segments, over a column of charts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.chart import Span
from gui.theme import theme
from gui.widgets.text import tip

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
        found = []
        for stage in stages:
            begin = max(left, round(left + (stage.start_s - start_s) * scale))
            end = min(right, round(left + (stage.end_s - start_s) * scale))
            if end > begin:
                found.append((begin, end, stage.text))
        if tuple(found) != self._segments:
            self._segments = tuple(found)
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
