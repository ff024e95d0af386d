"""The dialog of how prices are shown: currency, rates of the others, VAT. The terminal uses the same."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from core.parts.money import AS_THEY_ARE, RATES_OF, MoneyTerms, checked_terms, read_terms, typed_rate, write_terms
from core.platform.errors import BadInput, RigwrightError
from core.words import tr
from gui.widgets.form import Problem, choice_box, column_of, dialog_buttons, fine_spin_box, form_of, line_edit, named
from gui.widgets.text import muted

Standard = QDialogButtonBox.StandardButton
ROWS = 8
CODE, VALUE, DAY = range(3)


class MoneyDialog(QDialog):
    """`saved` when something else is set than before."""

    saved = Signal()

    def __init__(self, folder: Path, today: date, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder, self._today = folder, today
        self.setWindowTitle(tr("Currency and VAT"))
        self.currency = line_edit(self, "", tr("each price in its own"), longest=3)
        self.rates = named(QTableWidget(ROWS, 3, self), tr("Rates of other currencies"))
        self.rates.setHorizontalHeaderLabels([tr("1 unit of"), tr("is worth"), tr("as of")])
        self.rates.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.rates.verticalHeader().hide()
        self.vat = fine_spin_box(self, tr("VAT in percent"), (0, 50), " %")
        self.vat.setSpecialValueText(tr("left alone"))
        totals = ((tr("Prices without VAT"), False), (tr("Prices with VAT"), True))
        self.shown = choice_box(self, tr("Whether prices are shown with VAT"), totals)
        self.problem = Problem(self)
        self.buttons = dialog_buttons(self, Standard.Save, Standard.Cancel)
        self._arrange()
        self._before = self._read()
        self.show_terms(self._before)

    def show_terms(self, terms: MoneyTerms) -> None:
        """Puts what is set into the fields."""
        self.currency.setText(terms.currency or "")
        for row, (code, rate) in enumerate(sorted(terms.rates.items())[:ROWS]):
            for column, text in enumerate((code, f"{rate.value:.10g}", rate.as_of.isoformat())):
                self.rates.setItem(row, column, QTableWidgetItem(text))
        self.vat.setValue(terms.vat_pct)
        self.shown.setCurrentIndex(int(terms.with_vat))

    def terms(self) -> MoneyTerms:
        """What is in the fields. Raises BadInput."""
        cells = [[self._cell(row, column) for column in range(3)] for row in range(ROWS)]
        rates = [typed_rate(code, value, day, self._today) for code, value, day in cells if code or value]
        return checked_terms(self.currency.text(), rates, self.vat.value(), with_vat=bool(self.shown.currentData()))

    def accept(self) -> None:
        """Keeps it, or says what is wrong."""
        try:
            terms = self.terms()
            write_terms(self._folder, terms)
        except RigwrightError as error:
            self.problem.tell(str(error))
            return
        super().accept()
        if terms != self._before:
            self.saved.emit()

    def _read(self) -> MoneyTerms:
        try:
            return read_terms(self._folder)
        except BadInput as error:
            self.problem.tell(str(error))
            return AS_THEY_ARE

    def _cell(self, row: int, column: int) -> str:
        item = self.rates.item(row, column)
        return item.text().strip() if item is not None else ""

    def _arrange(self) -> None:
        fields = ((tr("Show prices &in"), self.currency), (tr("&VAT"), self.vat), (tr("&Totals"), self.shown))
        words = tr(
            "Prices of your own count as shown here, with or without VAT. Others in USD and CAD are taken to be"
            " without tax, all other ones with VAT. A currency without a rate here is converted as of {day}.",
            day=RATES_OF.isoformat(),
        )
        form, about = form_of(*fields, spacing=None), muted(self, words)
        column_of(form, self.rates, about, self.problem, self.buttons, into=self, margins=16, spacing=12)
        self.resize(440, 470)
