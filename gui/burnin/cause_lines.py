"""The causes of a verdict, one in a line: what happened, where the card sits, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.burnin.record.rows import MACHINE, Outcome
from core.burnin.verdict.causes import Cause, find_causes
from core.language import joined, tr, trn
from gui.burnin.recording import Recording
from gui.burnin.run_words import place_words
from gui.theme import theme
from gui.widgets.text import tip

MOST = 5
"""Causes in sight; one more takes no more room than the words that tell of it."""
DOT_PX = 14
COLOURS = {Outcome.FAIL: "fail", Outcome.WARN: "warn", Outcome.INCOMPLETE: "unknown"}


@dataclass(frozen=True, slots=True)
class CauseLine:
    """`colour` "" is a line without a dot, which stands back."""

    colour: str
    what: str
    rest: str = ""


def cause_lines(recording: Recording) -> list[CauseLine]:
    """The gravest first; then how many devices passed."""
    run = recording
    causes = find_causes(run.rows, run.stages, run.results, run.events, run.verdicts)
    shown = causes if len(causes) <= MOST + 1 else causes[:MOST]
    lines = [_line(recording, cause) for cause in shown]
    if len(shown) < len(causes):
        more = tr("and {count} more", count=len(causes) - len(shown))
        lines.append(CauseLine("", more))
    judged = [verdict for verdict in run.verdicts if verdict.device_id != MACHINE]
    passed = sum(verdict.outcome is Outcome.PASS for verdict in judged)
    if 0 < passed < len(judged):
        words = tr("{passed} of {all} devices passed", passed=passed, all=len(judged))
        lines.append(CauseLine("", words))
    elif passed:
        lines.append(CauseLine("", trn("The device passed.", "All {count} devices passed.", count=passed)))
    return lines


def _line(recording: Recording, cause: Cause) -> CauseLine:
    record = recording.device(cause.devices[0]) if len(cause.devices) == 1 else None
    place = place_words(record.device, recording.plan.place(record.device.id)) if record else ""
    rest = joined([tr("{place}.", place=place) if place else "", cause.action])
    return CauseLine(COLOURS.get(cause.outcome, "muted"), cause.text, rest)


class CauseLines(QWidget):
    """Shortened to the room there is; the tooltip has all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: tuple[CauseLine, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        theme().changed.connect(self.update)

    def show_lines(self, lines: Sequence[CauseLine]) -> None:
        """Replaces all of them."""
        self.lines = tuple(lines)
        self.setToolTip(tip(self.text()))
        self.setAccessibleName(self.text())
        self.setVisible(bool(lines))
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """All of it."""
        return "\n".join(joined([line.what, line.rest]) for line in self.lines)

    def sizeHint(self) -> QSize:
        """As high as its lines."""
        return QSize(200, max(len(self.lines), 1) * self.fontMetrics().lineSpacing() + 4)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Dot, what happened, and what one needs to know of it."""
        painter = QPainter(self)
        plain = QFont(painter.font())
        bold = QFont(plain)
        bold.setBold(True)
        high = self.fontMetrics().lineSpacing()
        for row, line in enumerate(self.lines):
            box = QRect(0, 2 + row * high, self.width(), high)
            if line.colour:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme().color(line.colour))
                painter.drawEllipse(box.left() + 2, box.top() + high // 2 - 4, 8, 8)
                box.setLeft(DOT_PX)
            painter.setFont(bold if line.colour == "fail" else plain)
            painter.setPen(theme().color("text" if line.colour else "muted"))
            box.setLeft(box.left() + self._draw(painter, box, line.what) + 6)
            painter.setFont(plain)
            painter.setPen(theme().color("muted"))
            self._draw(painter, box, line.rest)
        painter.end()

    def _draw(self, painter: QPainter, box: QRect, text: str) -> int:
        """Returns how wide it became."""
        metrics = QFontMetrics(painter.font())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(box.width(), 0))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        return metrics.horizontalAdvance(shown)
