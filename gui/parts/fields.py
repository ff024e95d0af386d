"""A line of text with its name before it and what is wrong with it below; and a price of three such fields."""

from __future__ import annotations

from datetime import date

from pydantic import ValidationError
from PySide6.QtCore import QDate, Qt, Signal, Slot
from PySide6.QtWidgets import QDateEdit, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QWidget

from core.errors import BadInput
from core.language import tr
from core.parts.part import Price
from gui.parts.figure import FormFigure, typed
from gui.theme import theme
from gui.widgets.text import Label

DATE_FORMAT = "yyyy-MM-dd"


class Field(QWidget):
    """The problem takes its line only while there is one."""

    edited = Signal(str)

    def __init__(self, name: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = Label(name, parent)
        self.line = QLineEdit(self)
        self.line.setPlaceholderText(hint)
        self.line.setMaxLength(1000)
        self.line.setAccessibleName(name.replace("&", ""))
        self.problem = problem_label(self)
        self.name.setBuddy(self.line)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(2)
        grid.addWidget(self.line, 0, 0)
        grid.addWidget(self.problem, 1, 0)
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
        tell_at(self.problem, problem)
        self.line.setAccessibleDescription(problem)

    @Slot()
    def _silence(self) -> None:
        self.tell("")


class PriceField(QWidget):
    """Amount, currency and date. A price that was not touched stays what it was: a launch price, for example."""

    edited = Signal()

    def __init__(self, amount: FormFigure, today: date, currency: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figure = amount
        self._known: Price | None = None
        self.amount = QLineEdit(self)
        self.amount.setPlaceholderText(tr("unknown"))
        self.amount.setAccessibleName(tr("Price"))
        self.currency = QLineEdit(currency, self)
        self.currency.setMaxLength(3)
        self.currency.setFixedWidth(self.fontMetrics().horizontalAdvance("MMMM") + 8)
        self.currency.setAccessibleName(tr("Currency, three letters"))
        self.day = QDateEdit(QDate(today.year, today.month, today.day), self)
        self.day.setDisplayFormat(DATE_FORMAT)
        self.day.setCalendarPopup(True)
        self.day.setAccessibleName(tr("Date of the price"))
        self.problem = problem_label(self)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.amount, 1)
        row.addWidget(self.currency)
        row.addWidget(self.day)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(2)
        grid.addLayout(row, 0, 0)
        grid.addWidget(self.problem, 1, 0)
        self.setFocusProxy(self.amount)
        self.amount.textEdited.connect(self._changed)
        self.currency.textEdited.connect(self._changed)
        self.day.dateChanged.connect(self._changed)

    def show_price(self, price: Price | None) -> None:
        """Puts a price in."""
        self._known = price
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
        known = self._known
        return known if known is not None and made == known.model_copy(update={"kind": "own"}) else made

    def tell(self, problem: str) -> None:
        """Says what is wrong."""
        tell_at(self.problem, problem)
        self.amount.setAccessibleDescription(problem)

    @Slot()
    def _changed(self) -> None:
        self.tell("")
        self.edited.emit()


def problem_label(parent: QWidget) -> QLabel:
    """Below a field; hidden while there is no problem."""
    label = Label(parent)
    label.setWordWrap(True)
    label.hide()
    return label


def tell_at(label: QLabel, problem: str) -> None:
    """Shows a problem, or takes it away."""
    label.setText(problem)
    label.setVisible(bool(problem))
    label.setStyleSheet(f"color: {theme().color('fail').name()}")
