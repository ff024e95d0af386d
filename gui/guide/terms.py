"""A small "?" beside a heading tells what a word of the trade means; F1 there opens the manual's list of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Slot
from PySide6.QtWidgets import QToolButton, QWhatsThis, QWidget

from core.words import tr
from gui.widgets.context import belongs_to
from gui.widgets.form import row_of
from gui.widgets.text import escaped, heading

PAGE = "glossary"
"""Of the manual."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word, and what it is in one sentence, as docs/glossary.md has it."""

    word: str
    meaning: str


TERMS: Mapping[str, Term] = {
    "psu-capability": Term(tr("PSU capability"), tr("What a PSU delivers for a given time, at these mains.")),
    "intake-air": Term(tr("intake air"), tr("The air that enters the machine or a card.")),
    "defaults": Term(tr("defaults"), tr("The values that hold where nothing is set.")),
    "evidence": Term(
        tr("evidence"),
        tr(
            "How well a figure is supported: confirmed by a source about the part, unconfirmed (also what was read of "
            "its chip, platform or series), unknown."
        ),
    ),
    "estimate": Term(
        tr("estimate"),
        tr(
            "A range for a price that is unknown or old: from the part's older price and the index of its class, else "
            "from the prices of at least three similar parts; of a used part from what such parts are sold for."
        ),
    ),
}


class TermButton(QToolButton):
    """Pressed by mouse, Space or Enter it explains; Escape or a click puts the explanation away."""

    def __init__(self, term: str, parent: QWidget) -> None:
        """`term` is a key of TERMS."""
        super().__init__(parent)
        self.term = TERMS[term]
        self.setText("?")
        self.setAutoRaise(True)
        self.setAccessibleName(tr("What is {term}?", term=self.term.word))
        self.setAccessibleDescription(str(self.term.meaning))
        self.setToolTip(self.accessibleName())
        self.setWhatsThis(f"<p><b>{escaped(self.term.word)}</b></p><p>{escaped(self.term.meaning)}</p>")
        belongs_to(self, PAGE)
        self.clicked.connect(self.explain)

    @Slot()
    def explain(self) -> None:
        """Shows the meaning below the button."""
        QWhatsThis.showText(self.mapToGlobal(QPoint(0, self.height())), self.whatsThis(), self)


def explained_heading(text: str, term: str, parent: QWidget) -> QWidget:
    """A bold line above what belongs to it, with the "?" of a term behind it."""
    line = QWidget(parent)
    row_of(heading(text, line), TermButton(term, line), 1, into=line, spacing=4)
    return line
