"""The gauges under the plan as they are drawn: title, figure, a bar with the band and the limit, and a line below.

What they show is worked out in gauges.py; nothing here knows a prediction, so that it is painted before these load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.words import tr
from gui.widgets.form import row_of
from gui.widgets.text import escaped, scaled
from gui.widgets.theme import theme
from gui.widgets.units import local

WALL_IDLE, WALL_TRAINING = tr("Idle, at the wall"), tr("Training, at the wall")
PSU_LOAD = tr("PSU load, unthrottled")
HOTTEST_GPU = tr("Hottest GPU")
NOISE_IDLE, NOISE_TRAINING = tr("Noise, idle"), tr("Noise, training")
INFERENCE = tr("Inference, 8B")
PRICE = tr("Price")
TITLES = (WALL_IDLE, WALL_TRAINING, PSU_LOAD, HOTTEST_GPU, NOISE_IDLE, NOISE_TRAINING, INFERENCE, PRICE)
"""In the order in which they stand."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """`low`, `expected` and `high` are shares of the scale; `limit` is the share at which the mark is drawn.

    `tone` names a colour of the theme. Shares are None where there is nothing to draw. `section` of the predictions
    tells more.
    """

    title: str
    value: str
    unit: str = ""
    foot: str = ""
    short: str = ""
    """In the place of the foot where that has no room."""
    tone: str = "muted"
    low: float | None = None
    expected: float | None = None
    high: float | None = None
    limit: float | None = None
    details: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Unknown figures, part id and field."""
    lacking: str = ""
    """Those, in a sentence."""
    section: str = ""


PAD = 8
BAR = 6
MARKED = ("warn", "fail")
"""Tones that are marked by an icon, too: colour alone is not seen by all."""


class DialRow(QWidget):
    """Gauges beside each other; `opened(section)` asks for the predictions behind one."""

    opened = Signal(str)

    def __init__(self, shown: Sequence[Gauge], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dials = [Dial(gauge, self) for gauge in shown]
        row_of(*((dial, 1) for dial in self._dials), into=self, margins=PAD, spacing=PAD)
        for dial in self._dials:
            dial.opened.connect(self.opened)
        theme().changed.connect(self.update)

    def show_gauges(self, shown: Sequence[Gauge]) -> None:
        """Shows another state of the same gauges."""
        for dial, gauge in zip(self._dials, shown, strict=True):
            dial.show_gauge(gauge)


class Dial(QWidget):
    """One gauge. The tooltip, and the space bar, tell what it rests on; Enter and a click open its section."""

    opened = Signal(str)

    def __init__(self, gauge: Gauge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.gauge = gauge
        """What is shown."""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_gauge(gauge)

    @property
    def foot(self) -> str:
        """The line below, in short where it has no room."""
        foot, room = self.gauge.foot, self.width() - 2 * PAD
        cut = QFontMetrics(self._small()).elidedText(foot, Qt.TextElideMode.ElideRight, room)
        return foot if cut == foot else self.gauge.short or foot

    def show_gauge(self, gauge: Gauge) -> None:
        """Shows another state of the same gauge."""
        self.gauge = gauge
        self.setAccessibleName(f"{gauge.title}: {gauge.value} {gauge.unit}".strip())
        state = {"warn": tr("Warning"), "fail": tr("Over the limit")}.get(gauge.tone, "")
        self.setAccessibleDescription(". ".join(map(local, filter(None, (gauge.foot, state, gauge.lacking)))))
        self.setToolTip(self._explanation())
        self.update()

    def sizeHint(self) -> QSize:
        small, large = QFontMetrics(self._small()), QFontMetrics(self._large())
        return QSize(136, 2 * PAD + 2 * small.height() + large.height() + BAR + 8)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self.gauge.section)
        elif event.key() == Qt.Key.Key_Space:
            QToolTip.showText(self.mapToGlobal(QPoint(PAD, 0)), self.toolTip(), self)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit(self.gauge.section)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme()
        painter.setPen(colours.color("accent" if self.hasFocus() else "border"))
        painter.setBrush(colours.color("surface"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        inner = QRectF(self.rect()).adjusted(PAD, PAD, -PAD, -PAD)
        top = self._line(painter, inner, self._small(), self.gauge.title, "muted")
        marked = self._mark(painter, inner.adjusted(0, top, 0, 0))
        top = self._figure(painter, inner.adjusted(0, top, -marked, 0)) + top
        bar = QRectF(inner.left(), inner.top() + top + 2, inner.width(), BAR)
        self._bar(painter, bar)
        self._line(painter, inner.adjusted(0, top + BAR + 6, 0, 0), self._small(), self.foot, "muted")

    def _mark(self, painter: QPainter, area: QRectF) -> int:
        """The icon of a warning, at the end of the figure, which is shorter than the title; the width that it takes."""
        if self.gauge.tone not in MARKED:
            return 0
        side = QFontMetrics(self._small()).height()
        drop = (QFontMetrics(self._large()).height() - side) // 2
        place = QRect(int(area.right()) - side, int(area.top()) + drop, side, side)
        theme().status_icon(self.gauge.tone).paint(painter, place)
        return side + 2

    def _line(self, painter: QPainter, area: QRectF, font: QFont, text: str, colour: str) -> float:
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme().color(colour))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)
        return float(metrics.height())

    def _figure(self, painter: QPainter, area: QRectF) -> float:
        height = self._line(painter, area, self._large(), self.gauge.value, "text")
        beside = QFontMetrics(self._large()).horizontalAdvance(self.gauge.value) + 4
        drop = QFontMetrics(self._large()).ascent() - QFontMetrics(self._small()).ascent()
        self._line(painter, area.adjusted(beside, drop, 0, 0), self._small(), self.gauge.unit, "muted")
        return height

    def _bar(self, painter: QPainter, bar: QRectF) -> None:
        gauge, colours = self.gauge, theme()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.color("grid"))
        painter.drawRoundedRect(bar, 2, 2)
        if gauge.low is None or gauge.high is None or gauge.expected is None:
            return
        tone = colours.color(gauge.tone)
        painter.setBrush(tone)
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(2.0, bar.width() * gauge.expected), BAR), 2, 2)
        tone.setAlphaF(0.35)
        painter.setBrush(tone)
        left = bar.left() + bar.width() * gauge.low
        painter.drawRect(QRectF(left, bar.top() - 2, max(2.0, bar.width() * (gauge.high - gauge.low)), BAR + 4))
        if gauge.limit is not None:
            painter.setBrush(colours.color("text"))
            painter.drawRect(QRectF(bar.left() + bar.width() * gauge.limit - 1, bar.top() - 3, 2, BAR + 6))

    def _explanation(self) -> str:
        gauge = self.gauge
        figure = f"{gauge.value} {gauge.unit}".strip()
        parts = [f"<p><b>{escaped(gauge.title)}: {escaped(figure)}</b><br>{escaped(gauge.foot)}</p>"]
        parts += [f"<p>{escaped(text)}</p>" for text in gauge.details]
        if gauge.lacking:
            parts.append(f"<p><i>{escaped(gauge.lacking)}</i></p>")
        return "".join(parts)

    def _small(self) -> QFont:
        return scaled(self.font(), 0.9)

    def _large(self) -> QFont:
        return scaled(self.font(), 1.6)
