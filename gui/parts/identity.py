"""What a part is called, from category to year, in fields that say what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from pydantic import ValidationError
from PySide6.QtCore import QDate, Qt, Signal, Slot
from PySide6.QtWidgets import QDateEdit, QGridLayout, QWidget

from core.parts.entered import MAX_ID, free_id, slug
from core.parts.form_figure import FormFigure, typed
from core.parts.part import Part, Price
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.words import tr
from gui.parts.controls import StillBox
from gui.widgets.actions import without_mnemonic
from gui.widgets.figures import say
from gui.widgets.form import Problem, choice_box, column_of, line_edit, named, row_of
from gui.widgets.text import Label
from gui.widgets.theme import theme

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


_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FIRST_YEAR, LAST_YEAR = 1995, 2100
MAX_MAKER, MAX_NAME = 80, 160


class IdentityForm(QWidget):
    """The id follows maker and name until the user writes another one."""

    edited = Signal()
    category_chosen = Signal(object)

    def __init__(self, category: Category, taken: Callable[[str], bool], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken = taken
        self._id_is_own = False
        categories = ((one.label, one.value) for one in Category)
        self.kind = choice_box(self, tr("Category"), categories, box=StillBox(self))
        self.kind.setCurrentIndex(list(Category).index(category))
        self.maker = Field(tr("&Maker"), tr("required"), self)
        self.name = Field(tr("&Name"), tr("required"), self)
        self.numbers = Field(tr("Part n&umbers"), tr("separate several with ;"), self)
        self.year = Field(tr("&Year"), tr("unknown"), self)
        self.id = Field(tr("&Id"), tr("made from maker and name"), self)
        self._arrange()
        self.kind.activated.connect(self._choose)
        for field in self._fields():
            field.edited.connect(self.edited)
        self.maker.edited.connect(self._propose)
        self.name.edited.connect(self._propose)
        self.id.edited.connect(self._own_id)

    @property
    def category(self) -> Category:
        """The chosen category."""
        return Category(self.kind.currentData())

    def part_numbers(self) -> tuple[str, ...]:
        """The typed part numbers."""
        return tuple(number.strip() for number in self.numbers.text().split(";") if number.strip())

    def known_year(self) -> int | None:
        """The typed year, once `problems` found none."""
        return int(self.year.text()) if self.year.text() else None

    def show_part(self, part: Part, *, fixed: bool) -> None:
        """A part that is there: its category and id stay; `fixed`: all of it comes with the catalogue."""
        self._id_is_own = True
        texts = (part.maker, part.name, "; ".join(part.part_numbers), str(part.year or ""), part.id)
        for field, text in zip(self._fields(), texts, strict=True):
            field.show_text(text)
            self._fix(field, fixed or field is self.id)
        self.kind.setEnabled(False)

    def problems(self, *, new: bool) -> int:
        """How many fields are wrong; each says so. A new part needs an id that no other has."""
        problems = {
            self.maker: self._of_text(self.maker, MAX_MAKER),
            self.name: self._of_text(self.name, MAX_NAME),
            self.year: self._of_year(),
            self.id: self._of_id(new),
        }
        for field, problem in problems.items():
            field.tell(problem)
        wrong = [field for field, problem in problems.items() if problem]
        if wrong:
            wrong[0].setFocus()
        return len(wrong)

    def _of_text(self, field: Field, longest: int) -> str:
        if not field.text():
            return tr("This is required.")
        return "" if len(field.text()) <= longest else tr("At most {count} characters.", count=longest)

    def _of_year(self) -> str:
        text = self.year.text()
        if not text or (text.isdecimal() and FIRST_YEAR <= int(text) <= LAST_YEAR):
            return ""
        return tr("The year must be between {first} and {last}.", first=FIRST_YEAR, last=LAST_YEAR)

    def _of_id(self, new: bool) -> str:
        text = self.id.text()
        if not _ID.fullmatch(text) or len(text) > MAX_ID:
            return tr("Lowercase letters a to z, digits, and single hyphens between them, such as asus-turbo-3090.")
        if new and self._taken(text):
            return tr("Another part has this id. Correct that one, or enter another id.")
        return ""

    @Slot()
    def _own_id(self) -> None:
        self._id_is_own = bool(self.id.text())

    @Slot()
    def _propose(self) -> None:
        if not self._id_is_own:
            self.id.show_text(free_id(slug(self.maker.text(), self.name.text()), self._taken))

    @Slot()
    def _choose(self) -> None:
        self.category_chosen.emit(self.category)
        self.edited.emit()

    def _fields(self) -> tuple[Field, ...]:
        return (self.maker, self.name, self.numbers, self.year, self.id)

    def _fix(self, field: Field, fixed: bool) -> None:
        field.line.setReadOnly(fixed)
        field.line.setPlaceholderText("" if fixed else field.line.placeholderText())
        field.line.setFocusPolicy(Qt.FocusPolicy.ClickFocus if fixed else Qt.FocusPolicy.StrongFocus)
        field.line.setToolTip(tr("Set by the catalogue; cannot be changed") if fixed else "")
        if fixed:
            palette = field.line.palette()
            palette.setColor(palette.ColorRole.Base, theme().color("background"))
            field.line.setPalette(palette)

    def _arrange(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        label = Label(tr("&Category"), self)
        label.setBuddy(self.kind)
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.kind, 0, 1)
        self.year.put(grid, 0, 2)
        self.maker.put(grid, 1, 0)
        self.name.put(grid, 1, 2)
        self.numbers.put(grid, 2, 0)
        self.id.put(grid, 2, 2)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(3, 3)
