"""The fixes of the finding that is looked at: asked for beside the window, and a button for each below the reasons."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QFont, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QSizePolicy, QWidget

from core.platform.errors import RigwrightError
from core.present.report.build_findings import finding_grounds
from core.rules.finding import Finding, Status
from core.words import enumerated, tr
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.document import PlanDocument
from gui.widgets.background import pause
from gui.widgets.form import column_of
from gui.widgets.text import Markup, escaped, paragraph, tip
from gui.widgets.theme import theme
from gui.widgets.units import local

if TYPE_CHECKING:
    from core.advise.fix import Fix
    from core.parts.catalogue import Catalogue
    from core.plan.build import Build
    from core.predict.conditions import Conditions

PAUSE_MS = 100
Key = tuple[object, ...]
FIXABLE = (Status.FAIL, Status.WARN)
BESIDE_TEXT = 24
"""What a button needs at the sides of icon and text."""


class Fixing(QObject):
    """Which finding is looked at, and its fixes as far as they are known: `changed` when either differs.

    Fixes that were found are known until the build changes.
    """

    changed = Signal()

    def __init__(self, document: PlanDocument, connection: CatalogueConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.finding: Finding | None = None
        self.fixes: tuple[Fix, ...] | None = None
        """None while they are not known."""
        self.problem = ""
        """Why they are not known, in a sentence."""
        self._document = document
        self._connection = connection
        self._fixes_of: dict[Key, tuple[Fix, ...]] = {}
        self._question: tuple[Build, Finding] | None = None
        """What the adviser works on: the finding may be another one by now."""
        self._pause = pause(self, self._start, PAUSE_MS)
        document.changed.connect(self._fixes_of.clear)
        connection.changed.connect(self._fixes_of.clear)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come; findings without trouble have no fixes."""
        finding = self.finding
        fixable = finding is not None and finding.checked and finding.status in FIXABLE
        return fixable and self.fixes is None and not self.problem

    def look_at(self, finding: Finding | None) -> None:
        """Another finding, or none; its fixes come a moment later, known ones at once."""
        self._pause.stop()
        self.finding, self.problem = finding, ""
        self.fixes = self._fixes_of.get(_key(finding)) if finding is not None else None
        if self.busy:
            self._pause.start()
        self.changed.emit()

    @Slot()
    def _start(self) -> None:
        if not self.busy or self._question is not None:
            return
        assert self.finding is not None
        build, finding = self._question = self._document.build, self.finding
        work = partial(_fixes, build, finding, self._document.conditions)
        self._connection.adviser.ask(self, work, self._take, self._fail)

    def _take(self, fixes: tuple[Fix, ...]) -> None:
        assert self._question is not None
        (build, finding), self._question = self._question, None
        if build is self._document.build:
            self._fixes_of[_key(finding)] = fixes
            if finding == self.finding:
                self.fixes = fixes
                self.changed.emit()
        self._start()

    def _fail(self, error: Exception) -> None:
        assert self._question is not None
        (_, finding), self._question = self._question, None
        if not isinstance(error, RigwrightError):
            raise error
        if finding == self.finding:
            self.problem = str(error)
            self.changed.emit()


def _fixes(build: Build, finding: Finding, conditions: Conditions, catalogue: Catalogue) -> tuple[Fix, ...]:
    from core.advise.fixes import fixes
    from core.parts.price_guide import advice_guide

    return fixes(build, finding, catalogue, conditions=conditions, guide=advice_guide(catalogue))


def _key(finding: Finding) -> Key:
    return finding.rule, finding.status, finding.parts, finding.slots, finding.message


class Reasons(QScrollArea):
    """Basis and source of the finding that is looked at; its fixes come a moment later."""

    keyboard_left = Signal()
    """The fix that had the keyboard is gone."""

    def __init__(self, document: PlanDocument, fixing: Fixing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._fixing = fixing
        self._text = Markup(self)
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self._text.setOpenExternalLinks(True)
        self.progress = paragraph(self, quiet=True)
        self._heading = paragraph(self, tr("Suggested fixes"), quiet=True)
        self.fix_buttons: list[FixButton] = []
        content = QWidget(self)
        self._column = column_of(self._heading, self.progress, self._text, 1, into=content, margins=8, spacing=8)
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Reasons and suggested fixes"))
        fixing.changed.connect(self._show)
        theme().changed.connect(self._show)  # style sheets and rich text keep the colours that they were made in
        self._show()

    @Slot()
    def _show(self) -> None:
        self._clear()
        fixing = self._fixing
        if fixing.finding is None:
            text = f"<i>{escaped(tr('Choose a finding to see its reasons and suggested fixes.'))}</i>"
        else:
            text = self._explanation(fixing.finding)
        self._text.setText(text)
        sentence = fixing.problem
        if fixing.busy:
            sentence = tr("Looking for suggested fixes …")
        elif fixing.fixes == ():
            sentence = tr("No change that was tried solves it, nor do any two together.")
        self.progress.setText(sentence)
        self.progress.setVisible(bool(sentence))
        self._heading.setVisible(bool(fixing.fixes))
        for place, fix in enumerate(fixing.fixes or (), start=1):
            button = FixButton(fix, self.widget())
            button.applied.connect(self._document.try_edit)
            self._column.insertWidget(place, button)
            self.fix_buttons.append(button)
        for before, after in pairwise([self, *self.fix_buttons, self._text]):
            self.setTabOrder(before, after)

    def _clear(self) -> None:
        if self.window().focusWidget() in self.fix_buttons:
            self.keyboard_left.emit()
        for button in self.fix_buttons:
            self._column.removeWidget(button)
            button.hide()  # it may be the sender of the click that led here
            button.deleteLater()
        self.fix_buttons = []

    def _explanation(self, finding: Finding) -> str:
        grounds = finding_grounds(self._document.build, finding)
        grey = theme().color("muted").name()
        return "".join(
            f"<p style='margin:0 0 6px 0'><span style='color:{grey}'>{escaped(name)}</span><br>{_linked(words)}</p>"
            for name, words in grounds
        )


def _linked(text: str) -> str:
    words = [
        f'<a href="{escaped(word)}">{escaped(word)}</a>' if word.startswith(("http://", "https://")) else escaped(word)
        for word in local(text).split(" ")
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
        whole = "\n".join([*map(local, (fix.title, *fix.effects)), tr("It can be undone.")])
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
    lines = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(room, 1))
        lines.append(text[line.textStart() : line.textStart() + line.textLength()].strip())
    layout.endLayout()
    return lines


def cost_words(fix: Fix) -> str:
    """What it costs and brings, in a line that has no room for what the new warnings say."""
    warnings = (tr("new warnings: {count}", count=len(fix.brings)),) if fix.brings else ()
    return enumerated((*fix.costs, *warnings))
