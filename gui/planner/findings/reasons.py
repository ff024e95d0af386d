"""Why a finding says what it says, and a button for each fix: what it changes, and below it what that costs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QFont, QPalette, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from core.language import joined, tr
from core.rules.figure_names import figure_phrase
from core.rules.finding import Finding
from gui.figures import number, span
from gui.planner.document import PlanDocument
from gui.planner.findings.fixing import Fixing
from gui.theme import theme
from gui.units import local
from gui.widgets.text import Label, Markup, escaped, tip

if TYPE_CHECKING:
    from core.advise.fix import Fix

BESIDE_TEXT = 24
"""What a button needs at the sides of icon and text."""


class Reasons(QScrollArea):
    """Basis and source of the chosen finding; its fixes come a moment later."""

    keyboard_left = Signal()
    """The fix that had the keyboard is gone."""

    def __init__(self, document: PlanDocument, fixing: Fixing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._fixing = fixing
        self._finding: Finding | None = None
        self._text = Markup(self)
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self._text.setOpenExternalLinks(True)
        self.progress = Label(self)
        self.progress.setWordWrap(True)
        self.progress.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.progress.hide()
        self._heading = Label(tr("Suggested fixes"), self)
        self._heading.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._heading.hide()
        self._buttons: list[FixButton] = []
        content = QWidget(self)
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(8)
        self._column.addWidget(self._heading)
        self._column.addWidget(self.progress)
        self._column.addWidget(self._text)
        self._column.addStretch(1)
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Reasons and suggested fixes"))
        fixing.found.connect(self._show_fixes)
        fixing.failed.connect(self._say_problem)
        theme().changed.connect(self._recolour)

    @property
    def fix_buttons(self) -> list[FixButton]:
        """One button per fix."""
        return self._buttons

    def show_finding(self, finding: Finding | None) -> None:
        """Shows the basis, source and gaps of a finding, and looks for its fixes; None says how to choose one."""
        self._finding = finding
        self._clear()
        if finding is None:
            self._fixing.look_for(None)
            self.progress.hide()
            self._text.setText(f"<i>{escaped(tr('Choose a finding to see its reasons and suggested fixes.'))}</i>")
            return
        self._text.setText(self._explanation(finding))
        self._say(tr("Looking for suggested fixes …"))
        if not self._fixing.look_for(finding):
            self.progress.hide()

    @Slot(object, object)
    def _show_fixes(self, finding: Finding, fixes: tuple[Fix, ...]) -> None:
        if finding != self._finding:
            return
        self._clear()
        self._say("" if fixes else tr("No change that was tried solves it, nor do any two together."))
        self._heading.setVisible(bool(fixes))
        for row, fix in enumerate(fixes, start=1):
            button = FixButton(fix, self.widget())
            button.applied.connect(self._document.try_edit)
            self._column.insertWidget(row, button)
            self._buttons.append(button)
        for before, after in pairwise([self, *self._buttons, self._text]):
            self.setTabOrder(before, after)

    @Slot(object, str)
    def _say_problem(self, finding: Finding, sentence: str) -> None:
        if finding == self._finding:
            self._say(sentence)

    def _say(self, sentence: str) -> None:
        self.progress.setText(sentence)
        self.progress.setVisible(bool(sentence))

    @Slot()
    def _recolour(self) -> None:
        """Style sheets and rich text keep the colours that they were made in."""
        self.show_finding(self._finding)

    def _clear(self) -> None:
        if self.window().focusWidget() in self._buttons:
            self.keyboard_left.emit()
        for button in self._buttons:
            self._column.removeWidget(button)
            button.hide()  # it may be the sender of the click that led here
            button.deleteLater()
        self._buttons = []
        self._heading.hide()

    def _explanation(self, finding: Finding) -> str:
        build = self._document.build
        rows = [
            (tr("Basis"), escaped(finding.basis)),
            (tr("Source"), _linked(finding.source)),
            (tr("Slots"), joined(map(str, finding.slots), ", ")),
            (tr("Unconfirmed figures"), escaped(figure_phrase(build, finding.unconfirmed))),
            (tr("Unknown figures"), escaped(figure_phrase(build, finding.missing))),
            (tr("Rules not checked"), escaped(joined(finding.waiting, ", "))),
            (tr("Rule"), "" if finding.waiting else escaped(finding.rule)),
        ]
        muted = theme().color("muted").name()
        return "".join(
            f"<p style='margin:0 0 6px 0'><span style='color:{muted}'>{escaped(name)}</span><br>{text}</p>"
            for name, text in rows
            if text
        )


def _linked(source: str) -> str:
    words = [
        f'<a href="{escaped(word)}">{escaped(word)}</a>' if word.startswith(("http://", "https://")) else escaped(word)
        for word in source.split(" ")
    ]
    return " ".join(words)


class FixButton(QPushButton):
    """`applied` carries the edit. The whole text is in the tooltip, and is spoken."""

    applied = Signal(object)

    def __init__(self, fix: Fix, parent: QWidget | None = None) -> None:
        super().__init__(theme().icon("fix"), "", parent)
        self._edit = fix.edit
        self._lines = [local(fix.title), *filter(None, [cost_words(fix)])]
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setStyleSheet("text-align: left; padding: 4px 8px")
        whole = "\n".join([local(fix.title), *effect_lines(fix), tr("It can be undone.")])
        self.setAccessibleName(". ".join(self._lines))
        self.setAccessibleDescription(whole)
        self.setToolTip(tip(whole))
        self.clicked.connect(self._apply)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Breaks the title over as many lines as it needs in the room there is."""
        super().resizeEvent(event)
        self._break()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs other lines."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._break()

    def _break(self) -> None:
        room = self.width() - self.iconSize().width() - BESIDE_TEXT
        lines = [broken for line in self._lines for broken in broken_lines(line, self.font(), room)]
        self.setText("\n".join(lines).replace("&", "&&"))
        self.setFixedHeight(len(lines) * self.fontMetrics().height() + 14)

    @Slot()
    def _apply(self) -> None:
        self.applied.emit(self._edit)


def broken_lines(text: str, font: QFont, room: int) -> list[str]:
    """The text in lines of at most `room` pixels, broken between words where that is possible."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    found = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(room, 1))
        found.append(text[line.textStart() : line.textStart() + line.textLength()].strip())
    layout.endLayout()
    return found


def cost_words(fix: Fix) -> str:
    """What it costs and brings, in a line: speed, watts, noise, money, and how many rules are less content."""
    words: list[str] = []
    if fix.speed is not None:
        words.append(tr("{share} % of the speed", share=number(round(100 * fix.speed.expected))))
    if fix.wall_w is not None:
        watts = number(round(abs(fix.wall_w)))
        more, less = tr("{watts} W more at the wall", watts=watts), tr("{watts} W less at the wall", watts=watts)
        words.append(more if fix.wall_w > 0 else less)
    if fix.noise_db is not None:
        level = number(round(abs(fix.noise_db)))
        words.append(
            tr("{level} dB louder", level=level) if fix.noise_db > 0 else tr("{level} dB quieter", level=level)
        )
    if fix.price is not None:
        words.append(fix.price.words)
    elif fix.buys:
        words.append(tr("price unknown"))
    if fix.eased:
        words.append(tr("a warning remains"))
    if fix.brings:
        words.append(tr("new warnings: {count}", count=len(fix.brings)))
    return joined(words, ", ")


def effect_lines(fix: Fix) -> list[str]:
    """The effects that `cost_words` has no room for, a line each."""
    lines: list[str] = []
    if fix.speed is not None:
        percent = fix.speed.times(100)
        lines.append(tr("Training speed: {share} % of what it was", share=span(percent)))
    if fix.buys:
        lines.append(tr("To buy: {parts}", parts=joined(fix.buys, ", ")))
    if fix.brings:
        lines.append(tr("New: {sentences}", sentences=local(joined(fix.brings))))
    if fix.remains:
        lines.append(tr("Findings that remain: {count}", count=len(fix.remains)))
    return lines
