"""Where the figures of a part come from, what it costs, and a note on it."""

from __future__ import annotations

import re
from datetime import date

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QWidget

from core.errors import BadInput
from core.language import tr, trc
from gui.parts.controls import outline
from gui.parts.fields import Field, PriceField
from gui.parts.figure import amount_figure
from gui.widgets.text import Label

_ADDRESS = re.compile(r"https?://\S+")
SHORTEST_TITLE = 3


class OriginBox(QWidget):
    """With an address, the figures that were changed count as confirmed."""

    edited = Signal()

    def __init__(self, today: date, currency: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source = Field(tr("S&ource"), tr("such as: Maker's data sheet; measured myself"), self)
        self.address = Field(tr("&Address"), "https://", self)
        self.price = PriceField(amount_figure(), today, currency, self)
        self.note = QPlainTextEdit(self)
        self.note.setTabChangesFocus(True)
        outline(self.note)
        self.note.setFixedHeight(3 * self.fontMetrics().lineSpacing() + 12)
        self.note.setAccessibleName(trc("of a part", "Note"))
        self._note_name = Label(tr("No&te"), self)
        self._note_name.setBuddy(self.note)
        self.said = Label(self)
        self.said.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._price_name = Label(tr("&Price"), self)
        self._price_name.setBuddy(self.price.amount)
        self._arrange()
        for field in (self.source, self.address):
            field.edited.connect(self._typed)
        self.price.edited.connect(self._typed)
        self.note.textChanged.connect(self._typed)
        self.address.line.textChanged.connect(self._say)
        self._say()

    def typed_note(self) -> str:
        """The note without blanks around it."""
        return self.note.toPlainText().strip()

    def fields(self) -> tuple[QWidget, ...]:
        """What the Tab key goes through, in order."""
        price = self.price
        return (self.source.line, self.address.line, price.amount, price.currency, price.day, self.note)

    def problems(self) -> int:
        """How many fields are wrong; each says so."""
        found = {self.source: self._of_source(), self.address: self._of_address()}
        for field, problem in found.items():
            field.tell(problem)
        price = self._of_price()
        self.price.tell(price)
        return sum(map(bool, (*found.values(), price)))

    def _of_source(self) -> str:
        text = self.source.text()
        if self.address.text() and not text:
            return tr("An address needs a title: what is found there.")
        short = 0 < len(text) < SHORTEST_TITLE
        return tr("A title of three letters or more.") if short else ""

    def _of_address(self) -> str:
        text = self.address.text()
        return "" if not text or _ADDRESS.fullmatch(text) else tr("An address begins with https:// or http://.")

    def _of_price(self) -> str:
        try:
            self.price.price()
        except BadInput as error:
            return str(error)
        return ""

    @Slot()
    def _typed(self) -> None:
        self.edited.emit()

    @Slot()
    def _say(self) -> None:
        confirmed = bool(_ADDRESS.fullmatch(self.address.text()))
        self.said.setText(
            tr("Changed figures count as confirmed.")
            if confirmed
            else tr("Without an address, changed figures count as unconfirmed.")
        )

    def _arrange(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        self.source.put(grid, 0, 0)
        self.address.put(grid, 0, 2)
        grid.addWidget(self._price_name, 1, 0)
        grid.addWidget(self.price, 1, 1)
        grid.addWidget(self.said, 1, 2, 1, 2)
        grid.addWidget(self._note_name, 2, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.note, 2, 1, 1, 3)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
