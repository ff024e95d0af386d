"""Solve all before it is kept: each change, what they cost together, and what stays unsolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QScrollArea, QWidget

from core.present.report.build_findings import finding_badge
from core.words import joined, tr, trn
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.document import PlanDocument
from gui.planner.findings.fixes import cost_words
from gui.widgets import messages
from gui.widgets.form import column_of, dialog_buttons
from gui.widgets.text import Markup, escaped, paragraph
from gui.widgets.theme import theme
from gui.widgets.units import local
from gui.widgets.views import open_at

if TYPE_CHECKING:
    from core.advise.solve_all import Solution
    from core.parts.catalogue import Catalogue
    from core.plan.build import Build
    from core.predict.conditions import Conditions


class SolveDialog(QDialog):
    """Tries fixes beside the window; `chosen(edit)` when the user keeps what it found."""

    chosen = Signal(object)

    def __init__(self, document: PlanDocument, connection: CatalogueConnection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ended = False
        self.solution: Solution | None = None
        self.setWindowTitle(tr("Solve all findings"))
        self.sentence = paragraph(self, tr("Trying fixes one after the other …"))
        self.text = Markup(self)
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.text.setContentsMargins(8, 8, 8, 8)
        area = QScrollArea(self)
        area.setWidget(self.text)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setBackgroundRole(QPalette.ColorRole.Base)
        area.setAccessibleName(tr("The changes, and what they cost together"))
        self.buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Cancel)
        self.keep = self.buttons.addButton(tr("Make these changes"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.keep.setEnabled(False)
        column_of(self.sentence, (area, 1), self.buttons, into=self, margins=16, spacing=8)
        open_at(self, 640, 560)
        work = partial(_solution, document.build, document.conditions, self._goes_on)
        connection.adviser.ask(self, work, self._show, self._fail)

    def done(self, result: int) -> None:
        """Also ends the search, which has a thread that others wait for."""
        self._ended = True
        if result == QDialog.DialogCode.Accepted and self.solution is not None:
            self.chosen.emit(self.solution.edit)
        super().done(result)

    def _goes_on(self) -> bool:
        return not self._ended

    def _show(self, solution: Solution) -> None:
        self.solution = solution
        self.sentence.setText(_verdict(solution))
        self.text.setText(joined(_paragraphs(solution), ""))
        self.keep.setEnabled(bool(solution.steps))
        (self.keep if solution.steps else self.buttons).setFocus()

    def _fail(self, error: Exception) -> None:
        self.reject()
        messages.show_error(self.parentWidget(), error)


def _solution(build: Build, conditions: Conditions, goes_on: Callable[[], bool], catalogue: Catalogue) -> Solution:
    from core.advise.solve_all import solve_all
    from core.parts.price_guide import advice_guide

    return solve_all(build, catalogue, conditions, guide=advice_guide(catalogue), goes_on=goes_on)


def _verdict(solution: Solution) -> str:
    left = len(solution.unsolved)
    if not solution.steps:
        return tr("No change that was tried solves any of them.")
    made = trn("{count} change", "{count} changes", count=len(solution.steps))
    if not left:
        return tr("{changes} solve all findings.", changes=made)
    remain = trn("{count} finding stays", "{count} findings stay", count=left)
    return tr("{changes}; {remain}. Nothing new fails.", changes=made, remain=remain)


def _paragraphs(solution: Solution) -> list[str]:
    steps = enumerate(solution.steps, start=1)
    paragraphs = [_paragraph((f"{number}. {local(step.title)}",), (cost_words(step),)) for number, step in steps]
    if solution.sum is not None:
        paragraphs.append(_paragraph(map(local, solution.sum.in_all), above=tr("In all")))
    if solution.unsolved:
        rows = ((finding_badge(finding).word, local(finding.message)) for finding in solution.unsolved)
        paragraphs.append(_paragraph((f"{word}  {sentence}" for word, sentence in rows), above=tr("Not solved")))
    return paragraphs


def _paragraph(lines: Iterable[str], quiet: Iterable[str] = (), above: str = "") -> str:
    """Lines, with quiet ones above and below them."""
    muted = theme().color("muted").name()
    quietly = "<span style='color:{}'>{}</span>"
    rows = [
        *([quietly.format(muted, escaped(above))] if above else []),
        *(escaped(line) for line in lines),
        *(quietly.format(muted, escaped(line)) for line in quiet if line),
    ]
    return f"<p style='margin:0 0 10px 0'>{'<br>'.join(rows)}</p>"
