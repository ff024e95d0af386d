"""A line of text with its name before it and what is wrong with it below; and a price of three such fields."""

from __future__ import annotations

from datetime import date

from pydantic import ValidationError
from PySide6.QtCore import QDate, Qt, Signal, Slot
from PySide6.QtWidgets import QDateEdit, QGridLayout, QWidget

from core.parts.form_figure import FormFigure, typed
from core.parts.part import Price
from core.platform.errors import BadInput
from core.words import tr
from gui.widgets.actions import without_mnemonic
from gui.widgets.form import Problem, column_of, line_edit, named, row_of
from gui.widgets.spoken import say
from gui.widgets.text import Label

DATE_FORMAT = "yyyy-MM-dd"


class Field(QWidget):
    """The problem takes its line only while there is one."""

    edited = Signal(str)

    def __init__(self, name: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = Label(name, parent)
        self.line = line_edit(self, without_mnemonic(name), hint, longest=1000)
        self.problem = Problem(self)
        self.name.setBuddy(self.line)
        column_of(self.line, self.problem, into=self, spacing=2)
        self.setFocusProxy(self.line)
        self.line.textEdited.connect(self.edited)
        self.line.textEdited.connect(self._silence)

    def put(self, grid: QGridLayout, line: int, column: int, span: int = 1) -> None:
        """Name and field side by side."""
        grid.addWidget(self.name, line, column, Qt.AlignmentFlag.AlignTop)
        self.name.setContentsMargins(0, 5, 0, 0)
        grid.addWidget(self, line, column + 1, 1, span)

    def text(self) -> str:
        """What was typed, without blanks around it."""
        return " ".join(self.line.text().split())

    def show_text(self, text: str) -> None:
        """Puts a text in, from its beginning."""
        self.line.setText(text)
        self.line.setCursorPosition(0)
        self.tell("")

    def tell(self, problem: str) -> None:
        """Says what is wrong."""
        self.problem.tell(problem)
        say(self.line, problem)

    @Slot()
    def _silence(self) -> None:
        self.tell("")


class PriceField(QWidget):
    """Amount, currency and date. A price that was not touched stays what it was: a launch price, for example."""

    edited = Signal()

    def __init__(self, amount: FormFigure, today: date, currency: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figure = amount
        self._before: Price | None = None
        self.amount = line_edit(self, tr("Price"), tr("unknown"))
        self.currency = line_edit(self, tr("Currency, three letters"), longest=3)
        self.currency.setText(currency)
        self.currency.setFixedWidth(self.fontMetrics().horizontalAdvance("MMMM") + 8)
        self.day = named(QDateEdit(QDate(today.year, today.month, today.day), self), tr("Date of the price"))
        self.day.setDisplayFormat(DATE_FORMAT)
        self.day.setCalendarPopup(True)
        self.problem = Problem(self)
        price = row_of((self.amount, 1), self.currency, self.day, spacing=4)
        column_of(price, self.problem, into=self, spacing=2)
        self.setFocusProxy(self.amount)
        self.amount.textEdited.connect(self._changed)
        self.currency.textEdited.connect(self._changed)
        self.day.dateChanged.connect(self._changed)

    def show_price(self, price: Price | None) -> None:
        """Puts a price in."""
        self._before = price
        if price is not None:
            self.amount.setText(f"{price.amount:.10g}")
            self.currency.setText(price.currency)
            self.day.setDate(QDate(price.as_of.year, price.as_of.month, price.as_of.day))

    def price(self) -> Price | None:
        """The price, None without an amount. Raises BadInput."""
        amount = typed(self._figure, self.amount.text())
        if amount is None:
            return None
        day = self.day.date()
        as_of = date(day.year(), day.month(), day.day())
        try:
            made = Price(amount=amount, currency=self.currency.text().strip().upper(), as_of=as_of, kind="own")
        except ValidationError as error:
            if amount <= 0:
                raise BadInput(tr("A price must be above zero.")) from error
            raise BadInput(tr("A currency has three letters, such as USD, EUR or CNY.")) from error
        before = self._before
        return before if before is not None and made == before.model_copy(update={"kind": "own"}) else made

    def tell(self, problem: str) -> None:
        """Says what is wrong."""
        self.problem.tell(problem)
        say(self.amount, problem)

    @Slot()
    def _changed(self) -> None:
        self.tell("")
        self.edited.emit()
