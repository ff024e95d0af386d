"""What a run came to: the verdict with its causes and reasons, what interrupted it, or that its runner is silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from PySide6.QtCore import QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QSizePolicy, QWidget

from core.burnin.record.rows import IMPORTED, MACHINE, Outcome, Reason, Run, RunStatus
from core.burnin.run.follow import LOADS_OF_SILENT
from core.burnin.run.recovery import explain, stopped_s
from core.burnin.sealing import no_verdict
from core.burnin.verdict.causes import Cause, find_causes
from core.burnin.verdict.noise import METRIC as NOISE
from core.present.report.formatting import semicolons
from core.present.report.run_list import marked_simulated
from core.present.report.run_verdict import cause_sentence, passed_words, reason_figures
from core.words import joined, tr, trn
from gui.burnin.dialogs.meters import noise_lines
from gui.burnin.recording import Recording
from gui.widgets.figures import say
from gui.widgets.form import column_of
from gui.widgets.text import Label, Markup, bold, escaped, plain, tip
from gui.widgets.theme import theme
from gui.widgets.units import local

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
    lines = [_cause_line(recording, cause) for cause in shown]
    if len(shown) < len(causes):
        lines.append(CauseLine("", tr("and {count} more", count=len(causes) - len(shown))))
    judged = [verdict for verdict in run.verdicts if verdict.device_id != MACHINE]
    passed = sum(verdict.outcome is Outcome.PASS for verdict in judged)
    if 0 < passed < len(judged):
        lines.append(CauseLine("", tr("{passed} of {all} devices passed", passed=passed, all=len(judged))))
    elif passed:
        lines.append(CauseLine("", trn("The device passed.", "All {count} devices passed.", count=passed)))
    return lines


def _cause_line(recording: Recording, cause: Cause) -> CauseLine:
    sentence = cause_sentence(cause, {device_id: recording.where(device_id) for device_id in cause.devices})
    return CauseLine(COLOURS.get(cause.outcome, "muted"), cause.text, sentence.removeprefix(cause.text).lstrip())


class CauseLines(QWidget):
    """Shortened to the room there is; the tooltip has all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: tuple[CauseLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
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
        usual = painter.font()
        strong = bold(usual)
        high = self.fontMetrics().lineSpacing()
        for row, line in enumerate(self.lines):
            box = QRect(0, 2 + row * high, self.width(), high)
            if line.colour:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme().color(line.colour))
                painter.drawEllipse(box.left() + 2, box.top() + high // 2 - 4, 8, 8)
                box.setLeft(DOT_PX)
            painter.setFont(strong if line.colour == "fail" else usual)
            painter.setPen(theme().color("text" if line.colour else "muted"))
            box.setLeft(box.left() + self._draw(painter, box, line.what) + 6)
            painter.setFont(usual)
            painter.setPen(theme().color("muted"))
            self._draw(painter, box, line.rest)
        painter.end()

    def _draw(self, painter: QPainter, box: QRect, text: str) -> int:
        """Returns how wide it became."""
        metrics = QFontMetrics(painter.font())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(box.width(), 0))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        return metrics.horizontalAdvance(shown)


ICON = QSize(24, 24)
MOST_LINES, FEWEST_LINES = 8, 3
"""What the reasons may take of the page; in whole lines, so that none is cut through."""
MOST_PASSED = 3
LARGER = 1.4
"""The verdict's word, of the usual text."""


class VerdictBanner(QFrame):
    """Hidden while a run goes on and its runner answers."""

    report_wanted = Signal()
    close_wanted = Signal()
    resume_wanted = Signal()
    swap_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("verdict")
        self.setAccessibleName(tr("Verdict"))
        self._recording: Recording | None = None
        self._icon = Label(self)
        self.title = Label(self)
        self.brief = Label(self)
        """What is said of a run without a verdict, or without a signature."""
        self.causes = CauseLines(self)
        self.reasons = Markup(self)
        self.unfold = QPushButton(tr("Reasons"), self)
        self._scroll = _ShortScroll(self.reasons, self)
        self.report = QPushButton(tr("Report…"), self)
        self.close_run = QPushButton(tr("Close with verdict"), self)
        self.resume = QPushButton(tr("Resume"), self)
        self.swap = QPushButton(tr("Swap test…"), self)
        self._arrange()
        self.unfold.toggled.connect(self._scroll.setVisible)
        self.report.clicked.connect(self.report_wanted)
        self.close_run.clicked.connect(self.close_wanted)
        self.resume.clicked.connect(self.resume_wanted)
        self.swap.clicked.connect(self.swap_wanted)
        theme().changed.connect(self.refresh)
        self.hide()

    def set_recording(self, recording: Recording | None) -> None:
        """The verdict of another run."""
        self._recording = recording
        self.unfold.setChecked(False)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Takes over a verdict that has come."""
        recording = self._recording
        silent_s = recording.silent_s if recording is not None else None
        self.setVisible(recording is not None and (not recording.running or silent_s is not None))
        if recording is None or (recording.running and silent_s is None):
            return
        self.report.setVisible(not recording.running and not recording.run.imported)
        badge = recording.badge
        title = marked_simulated(badge.word, recording.run)
        interrupted = recording.run.status is RunStatus.INTERRUPTED
        self.close_run.setVisible(interrupted)
        stopped = not recording.running and stopped_s(recording.verdicts) is not None
        self.resume.setVisible(interrupted or stopped)
        self.swap.setVisible(_swappable(recording))
        if recording.running and silent_s is not None:
            explanation = silence(recording.run, silent_s)
            self._show("fail", tr("The runner does not answer"), explanation, [])
        elif interrupted:
            explanation = explain(recording.run, recording.stages, recording.last_s)
            self._show(badge.tone.value, title, explanation, [])
        elif recording.changed:
            self._show(badge.tone.value, title, no_verdict(recording.run.id), [])
        elif recording.run.imported:
            explanation = joined(event.message for event in recording.events if event.kind == IMPORTED)
            self._show(badge.tone.value, title, explanation, [])
        else:
            self._show(badge.tone.value, title, recording.unsigned, _lines(recording))
            self.causes.show_lines(cause_lines(recording))

    def _show(self, tone: str, title: str, brief: str, lines: list[str]) -> None:
        """`brief` is always seen; `lines` are all reasons, folded away until they are asked for."""
        self.causes.show_lines([])
        colour = theme().color(tone)
        self._icon.setPixmap(theme().status_icon(tone).pixmap(ICON))
        size = QApplication.font().pointSizeF() * LARGER
        self.title.setText(title)
        self.title.setStyleSheet(f"color: {colour.name()}; font-size: {size:.1f}pt; font-weight: bold")
        self.brief.setText(brief)
        self.brief.setVisible(bool(brief))
        self.reasons.setText("<br>".join(lines))
        self.unfold.setVisible(bool(lines))
        surface = theme().color("surface").name()
        self.setStyleSheet(f"QFrame#verdict {{ background: {surface}; border: 1px solid {colour.name()}; }}")
        reasons = joined((plain(line).lstrip("•\xa0 ") for line in lines), "; ")
        say(self, f"{title}. " + joined((brief, reasons)))

    def _arrange(self) -> None:
        self.reasons.setWordWrap(True)
        ways = Qt.TextInteractionFlag
        self.reasons.setTextInteractionFlags(ways.TextSelectableByMouse | ways.TextSelectableByKeyboard)
        self.reasons.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.brief.setWordWrap(True)
        self.brief.setTextInteractionFlags(self.reasons.textInteractionFlags())
        self.unfold.setCheckable(True)
        self.unfold.setToolTip(tr("All reasons of the verdict"))
        self.close_run.setToolTip(tr("Judges what was recorded up to the interruption"))
        self.swap.setToolTip(tr("Finds out whether the fault follows the card, the slot, the cable or the PSU"))
        self.resume.setToolTip(tr("Continues with the interrupted stage"))
        self._scroll.hide()
        head = QHBoxLayout()
        head.setSpacing(10)
        for widget in (self._icon, self.title):
            head.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.brief, 1)
        head.addWidget(self.causes, 1)
        for button in (self.unfold, self.swap, self.report, self.close_run, self.resume):
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column_of(head, self._scroll, into=self, margins=(8, 4, 8, 4), spacing=4)


class _ShortScroll(QScrollArea):
    """As high as its label, up to a limit."""

    def __init__(self, label: QLabel, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = label
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("Reasons of the verdict"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(label)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.viewport().setAutoFillBackground(False)
        label.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        """The text's height at this width."""
        width = max(self.viewport().width(), 200)
        return QSize(width, min(self._label.heightForWidth(width) + 2, self._lines(MOST_LINES)))

    def minimumSizeHint(self) -> QSize:
        """A few lines, so that a small window keeps its charts."""
        return QSize(200, min(self.sizeHint().height(), self._lines(FEWEST_LINES)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where not all lines fit, the last one that is seen is whole."""
        super().resizeEvent(event)
        hidden = self._label.heightForWidth(self.viewport().width()) > self.height()
        self.setViewportMargins(0, 0, 0, self.height() % self.fontMetrics().lineSpacing() if hidden else 0)

    def _lines(self, count: int) -> int:
        return count * self.fontMetrics().lineSpacing()


def _swappable(recording: Recording) -> bool:
    """Whether a card failed beside one that did not."""
    failed = {verdict.device_id for verdict in recording.verdicts if verdict.outcome is Outcome.FAIL}
    cards = [record.device.id for record in recording.devices if record.burned]
    bad = sum(card in failed for card in cards)
    return not recording.running and 0 < bad < len(cards)


def silence(run: Run, seconds: float) -> str:
    """The sentence for a runner that has not answered for so long."""
    since = tr("The runner (process {pid}) has not answered for {seconds:.0f} s.", pid=run.runner_pid, seconds=seconds)
    return joined([since, LOADS_OF_SILENT, tr("Stop offers to end the run by force.")])


def _lines(recording: Recording) -> list[str]:
    """The machine's verdict, then each device's, as rich text: what passed in one line, what did not in a line each.

    The machine's mere list of its devices' verdicts is left out: they follow. Devices of which the same is said share
    a line, so that six cards that passed do not take the room of their curves.
    """
    ordered = sorted(recording.verdicts, key=lambda verdict: verdict.device_id != MACHINE)
    shared: dict[tuple[Outcome | None, str, tuple[Reason, ...]], list[str]] = {}
    for verdict in ordered:
        record = recording.device(verdict.device_id)
        if record is None:
            own = tuple(verdict.own_reasons)
            if recording.noise is not None:  # as told by now, which may be after the verdict
                own = (*(reason for reason in own if reason.about != NOISE), *noise_lines(recording.noise))
            shared.setdefault((None, *_passed_and_rest(own)), [])
        else:
            shared.setdefault((verdict.outcome, *_passed_and_rest(verdict.reasons)), []).append(record.label)
    # The machine first, then the devices of which most must be read.
    groups = sorted(shared.items(), key=lambda item: item[0][0].gravity if item[0][0] else inf, reverse=True)
    return [line for (outcome, passed, rest), labels in groups for line in _group(labels, outcome, passed, rest)]


def _passed_and_rest(reasons: tuple[Reason, ...]) -> tuple[str, tuple[Reason, ...]]:
    """What passed, in a line, and each reason that did not pass."""
    passed = _passed([escaped(reason.text) for reason in reasons if reason.outcome is Outcome.PASS])
    return passed, tuple(reason for reason in reasons if reason.outcome is not Outcome.PASS)


def _group(labels: list[str], outcome: Outcome | None, passed: str, rest: tuple[Reason, ...]) -> list[str]:
    """The lines of devices of which the same is said; no labels and no outcome for the machine."""
    heading = ""
    if outcome is not None:
        tone = theme().color(_tone_colour(outcome.value)).name()
        word = f'<b style="color:{tone}">{escaped(outcome.label)}</b>'
        heading = f"<b>{escaped(', '.join(labels))}</b> {word}"
    lines = []
    if heading or passed:
        muted = theme().color("muted").name()
        lines.append(f'{heading} <span style="color:{muted}">{passed}</span>')
    return lines + [f"&nbsp;&nbsp;{_reason(reason)}" for reason in rest]


def _passed(texts: list[str]) -> str:
    """Few in full; of many the number, so that what did not pass is not buried."""
    if len(texts) <= MOST_PASSED:
        return " ".join(texts)
    return passed_words(len(texts))


def _reason(reason: Reason) -> str:
    tone = theme().color(_tone_colour(reason.outcome.value)).name()
    details = semicolons((local(reason_figures(reason)), reason.source))
    beside = f' <span style="color:{theme().color("muted").name()}">({escaped(details)})</span>'
    return f'<span style="color:{tone}">•</span> {escaped(reason.text)}' + (beside if details else "")


def _tone_colour(word: str) -> str:
    return "unknown" if word == Outcome.INCOMPLETE else word.lower()
