"""The dialog of how prices are shown: currency, rates of the others, VAT. The terminal uses the same."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.errors import BadInput, RigwrightError
from core.language import tr
from core.parts.amount import typed_rate
from core.parts.money import AS_THEY_ARE, RATES_OF, MoneyTerms, checked_terms, read_terms, write_terms
from gui.parts.fields import problem_label, tell_at
from gui.widgets.text import muted

ROWS = 8
CODE, VALUE, DAY = range(3)


class MoneyDialog(QDialog):
    """`saved` when something else is set than before."""

    saved = Signal()

    def __init__(self, folder: Path, today: date, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder, self._today = folder, today
        self.setWindowTitle(tr("Currency and VAT"))
        self.currency = QLineEdit(self)
        self.currency.setMaxLength(3)
        self.currency.setPlaceholderText(tr("each price in its own"))
        self.rates = QTableWidget(ROWS, 3, self)
        self.rates.setHorizontalHeaderLabels([tr("1 unit of"), tr("is worth"), tr("as of")])
        self.rates.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.rates.verticalHeader().hide()
        self.rates.setAccessibleName(tr("Rates of other currencies"))
        self.vat = QDoubleSpinBox(self)
        self.vat.setRange(0, 50)
        self.vat.setDecimals(1)
        self.vat.setSuffix(" %")
        self.vat.setSpecialValueText(tr("left alone"))
        self.shown = QComboBox(self)
        self.shown.addItem(tr("Prices without VAT"), False)
        self.shown.addItem(tr("Prices with VAT"), True)
        self.problem = problem_label(self)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
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
            tell_at(self.problem, str(error))
            return
        super().accept()
        if terms != self._before:
            self.saved.emit()

    def _read(self) -> MoneyTerms:
        try:
            return read_terms(self._folder)
        except BadInput as error:
            tell_at(self.problem, str(error))
            return AS_THEY_ARE

    def _cell(self, row: int, column: int) -> str:
        item = self.rates.item(row, column)
        return item.text().strip() if item is not None else ""

    def _arrange(self) -> None:
        form = QFormLayout()
        form.addRow(tr("Show prices &in"), self.currency)
        form.addRow(tr("&VAT"), self.vat)
        form.addRow(tr("&Totals"), self.shown)
        self.vat.setAccessibleName(tr("VAT in percent"))
        self.shown.setAccessibleName(tr("Whether prices are shown with VAT"))
        about = muted(self)
        about.setText(
            tr(
                "Prices of your own count as shown here, with or without VAT. Others in USD and CAD are taken to be"
                " without tax, all other ones with VAT. A currency without a rate here is converted as of {day}.",
                day=RATES_OF.isoformat(),
            )
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.rates)
        column.addWidget(about)
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
        self.resize(440, 470)
