"""The editor of a part: a new one of the user's own, one that is already, or a correction of one that ships."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from core.parts.catalogue import Catalogue
from core.parts.entered import Entered, full_correction, nothing_changed, own_part, plain_figures, source_of
from core.parts.form_figure import FieldKind, FormFigure, amount_figure
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category
from core.platform.errors import BadInput, RigwrightError
from core.words import tr, trc
from gui.parts.controls import outline
from gui.parts.figure_dialogs import Examples, TableDialog, TicksDialog
from gui.parts.figures_form import FiguresForm
from gui.parts.identity import Field, IdentityForm, PriceField
from gui.widgets import messages
from gui.widgets.banner import NoticeBanner
from gui.widgets.form import column_of, dialog_buttons, named
from gui.widgets.text import Label
from gui.widgets.views import open_at

Standard = QDialogButtonBox.StandardButton


class PartEditor(QDialog):
    """`saved(part id)` once the catalogue has it. Wrong entries are told at their field, and everything stays."""

    saved = Signal(str)

    def __init__(
        self, catalogue: Catalogue, part: Part | None, category: Category, parent: QWidget | None = None
    ) -> None:
        """`part` is the one to edit as it holds now; None for a new one, which begins as this category."""
        super().__init__(parent)
        self._catalogue = catalogue
        self._part = part
        self._correction = catalogue.corrections().get(part.id) if part else None
        self._beneath = catalogue.beneath(part.id) if part else None
        shipped = part is not None and part.origin is not Origin.USER
        self._corrects = self._correction is not None or (self._beneath is not None and shipped)
        self._examples = Examples(catalogue)
        self._dirty = False
        self.notice = NoticeBanner(self)
        self.identity = IdentityForm(category, self._taken, self)
        self.stack = QStackedWidget(self)
        self.forms: dict[Category, FiguresForm] = {}
        self.origin = OriginBox(date.today(), catalogue.money.common, self)
        self.buttons = dialog_buttons(self, Standard.Save, Standard.Cancel)
        self._arrange()
        self._show_category(category)
        if part is not None:
            self._show(part)
        (self.form.search if self._corrects else self.identity.maker.line).setFocus()
        self._connect()

    @property
    def form(self) -> FiguresForm:
        """The figures of the chosen category."""
        return self.forms[self.identity.category]

    def accept(self) -> None:
        """Saves; or says at the fields what is wrong, and stays."""
        figures, wrong = self.form.values()
        wrong += self.origin.problems() + self.identity.problems(new=self._part is None)
        if wrong:
            self.notice.say(tr("Not saved yet. Entries to check: {count}.", count=wrong))
            return
        try:
            part_id = self._keep(self._entered(figures))
        except RigwrightError as error:
            self.notice.say(str(error))
            return
        self.saved.emit(part_id)
        super().accept()

    def reject(self) -> None:
        """Leaves, after a question if something was typed."""
        if self._dirty:
            question = tr("Close without saving your changes?")
            if messages.ask(self, question, "", [("discard", tr("Discard"))]) != "discard":
                return
        super().reject()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter in a field goes on to the next one: with so many fields it must not save by accident."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and isinstance(self.focusWidget(), (QLineEdit, QComboBox, QAbstractSpinBox)):
            self.focusNextChild()
            while isinstance(self.focusWidget(), QToolButton):  # the one that takes a figure back
                self.focusNextChild()
        else:
            super().keyPressEvent(event)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _keep(self, entered: Entered) -> str:
        part = self._part
        if self._corrects and part is not None:
            if self._beneath is None:
                raise BadInput(tr("The part that this corrects is gone. Import its data set again first."))
            change = full_correction(entered, shown=part, beneath=self._beneath, earlier=self._correction)
            if not nothing_changed(change):
                self._catalogue.replace_correction(part.id, change)
            elif self._correction is not None:
                self._catalogue.delete_user_part(part.id)
            return part.id
        made = own_part(entered, part)
        self._catalogue.save_user_part(made)
        return made.id

    def _entered(self, figures: dict[str, Any]) -> Entered:
        return Entered(
            category=self.identity.category,
            part_id=self.identity.id.text(),
            maker=self.identity.maker.text(),
            name=self.identity.name.text(),
            part_numbers=self.identity.part_numbers(),
            year=self.identity.known_year(),
            figures=figures,
            source=self.origin.source.text(),
            address=self.origin.address.text(),
            note=self.origin.typed_note(),
            price=self.origin.price.price(),
        )

    def _show(self, part: Part) -> None:
        self.identity.show_part(part, fixed=self._corrects)
        self.form.show_figures(plain_figures(part))
        source, address = source_of(part, self._correction)
        self.origin.source.show_text(source)
        self.origin.address.show_text(address)
        self.origin.note.setPlainText(part.note)
        self.origin.price.show_price(part.price)

    def _taken(self, part_id: str) -> bool:
        return self._catalogue.part(part_id) is not None

    @Slot(object)
    def _show_category(self, category: Category) -> None:
        if category not in self.forms:
            beneath = plain_figures(self._beneath) if self._beneath is not None else None
            self.forms[category] = FiguresForm(category, self._ask, beneath, self.stack)
            self.stack.addWidget(self.forms[category])
            self.forms[category].edited.connect(self._edited)
        self.stack.setCurrentWidget(self.forms[category])
        self._order_keys()

    def _order_keys(self) -> None:
        """The Tab key goes through the figures to the source; forms are made after what stands below them."""
        chain = [self.identity.id.line, *self.form.fields(), *self.origin.fields(), *self.buttons.buttons()]
        for first, second in pairwise(chain):
            self.setTabOrder(first, second)

    def _ask(self, parent: QWidget, figure: FormFigure, value: Any) -> tuple[bool, Any]:
        dialog: TableDialog | TicksDialog
        if figure.kind is FieldKind.TABLE:
            example = self._examples.of(self.identity.category, figure)
            dialog = TableDialog(figure, value, example, parent)
        else:
            dialog = TicksDialog(figure, value, parent)
        taken = dialog.exec() == QDialog.DialogCode.Accepted
        dialog.deleteLater()
        return taken and dialog.value != value, dialog.value

    def _arrange(self) -> None:
        part = self._part
        if part is None:
            self.setWindowTitle(tr("New part"))
        else:
            correct, edit = tr("Correct {part}", part=part.title), tr("Edit {part}", part=part.title)
            self.setWindowTitle(correct if self._corrects else edit)
        open_at(self, 880, 760)
        save = self.buttons.button(Standard.Save)
        save.setAutoDefault(False)
        save.setDefault(False)
        save.setShortcut("Ctrl+Return")
        save.setToolTip(tr("Save (Ctrl+Enter)"))
        pieces = (self.notice, self.identity, (self.stack, 1), self.origin, self.buttons)
        column_of(*pieces, into=self, margins=16, spacing=8)

    def _connect(self) -> None:
        self.identity.category_chosen.connect(self._show_category)
        self.identity.edited.connect(self._edited)
        self.origin.edited.connect(self._edited)
        self._dirty = False

    @Slot()
    def _edited(self) -> None:
        self._dirty = True


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
        self.note = named(QPlainTextEdit(self), trc("of a part", "Note"))
        self.note.setTabChangesFocus(True)
        outline(self.note)
        self.note.setFixedHeight(3 * self.fontMetrics().lineSpacing() + 12)
        self._note_name = Label(tr("No&te"), self)
        self._note_name.setBuddy(self.note)
        self.confirmation = Label(self)
        self.confirmation.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._price_name = Label(tr("&Price"), self)
        self._price_name.setBuddy(self.price.amount)
        self._arrange()
        for field in (self.source, self.address):
            field.edited.connect(self.edited)
        self.price.edited.connect(self.edited)
        self.note.textChanged.connect(self.edited)
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
        problems = (self._of_source(), self._of_address(), self._of_price())
        fields: tuple[Field | PriceField, ...] = (self.source, self.address, self.price)
        for field, problem in zip(fields, problems, strict=True):
            field.tell(problem)
        return sum(map(bool, problems))

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
    def _say(self) -> None:
        yes = tr("Changed figures count as confirmed.")
        no = tr("Without an address, changed figures count as unconfirmed.")
        self.confirmation.setText(yes if _ADDRESS.fullmatch(self.address.text()) else no)

    def _arrange(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        self.source.put(grid, 0, 0)
        self.address.put(grid, 0, 2)
        grid.addWidget(self._price_name, 1, 0)
        grid.addWidget(self.price, 1, 1)
        grid.addWidget(self.confirmation, 1, 2, 1, 2)
        grid.addWidget(self._note_name, 2, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.note, 2, 1, 1, 3)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
