"""Why a finding says what it says, and buttons that fix it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from core.rules.finding import Finding
from core.rules.words import figure_phrase
from gui.planner.document import PlanDocument
from gui.planner.findings.fix_button import FixButton
from gui.planner.findings.fixing import Fixing
from gui.theme import theme
from gui.widgets.text import Label, Markup, escaped

if TYPE_CHECKING:
    from core.advise.fix import Fix


class Reasons(QScrollArea):
    """Basis and source of the chosen finding; its fixes come a moment later. `fixed` carries an edit."""

    fixed = Signal(object)
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
        self._heading = Label(self.tr("Suggested fixes"), self)
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
        self.setAccessibleName(self.tr("Reasons and suggested fixes"))
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
            self._text.setText(f"<i>{escaped(self.tr('Choose a finding to see its reasons and suggested fixes.'))}</i>")
            return
        self._text.setText(self._explanation(finding))
        self._say(self.tr("Looking for suggested fixes …"))
        if not self._fixing.look_for(finding):
            self.progress.hide()

    @Slot(object, object)
    def _show_fixes(self, finding: Finding, fixes: tuple[Fix, ...]) -> None:
        if finding != self._finding:
            return
        self._clear()
        self._say("" if fixes else self.tr("No change that was tried solves it, nor two together."))
        self._heading.setVisible(bool(fixes))
        for row, fix in enumerate(fixes, start=1):
            button = FixButton(fix, self.widget())
            button.applied.connect(self.fixed)
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
            (self.tr("Basis"), escaped(finding.basis)),
            (self.tr("Source"), _linked(finding.source)),
            (self.tr("Slots"), ", ".join(map(str, finding.slots))),
            (self.tr("Unconfirmed figures"), escaped(figure_phrase(build, finding.unconfirmed))),
            (self.tr("Unknown figures"), escaped(figure_phrase(build, finding.missing))),
            (self.tr("Rules that wait"), escaped(", ".join(finding.waiting))),
            (self.tr("Rule"), "" if finding.waiting else escaped(finding.rule)),
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
