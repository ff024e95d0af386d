"""Currency and VAT in the window: kept for both, and told where something typed cannot be."""

from datetime import date

from PySide6.QtWidgets import QTableWidgetItem

from core.parts.money import FILE, ExchangeRate, read_terms
from gui.parts.money_dialog import CODE, DAY, VALUE, MoneyDialog

TODAY = date(2026, 11, 21)


def dialog(qtbot, folder):
    made = MoneyDialog(folder, TODAY)
    qtbot.addWidget(made)
    return made


def type_rate(made, code, value, day=""):
    for column, text in ((CODE, code), (VALUE, value), (DAY, day)):
        made.rates.setItem(0, column, QTableWidgetItem(text))


def test_what_is_saved_is_used_by_the_terminal_too_and_shown_again(qtbot, tmp_path):
    made = dialog(qtbot, tmp_path)
    made.currency.setText("eur")
    type_rate(made, "usd", "0,92")
    made.vat.setValue(19)
    made.shown.setCurrentIndex(1)
    with qtbot.waitSignal(made.saved):
        made.accept()
    terms = read_terms(tmp_path)
    assert (terms.currency, terms.vat_pct, terms.with_vat) == ("EUR", 19, True)
    assert terms.rates == {"USD": ExchangeRate(value=0.92, as_of=TODAY)}
    assert dialog(qtbot, tmp_path).terms() == terms


def test_what_cannot_be_is_reported_and_nothing_is_kept(qtbot, tmp_path):
    made = dialog(qtbot, tmp_path)
    made.currency.setText("eur")
    type_rate(made, "usd", "much")
    made.accept()
    assert "is not a rate" in made.problem.text()
    assert not (tmp_path / FILE).exists()


def test_a_damaged_file_is_reported_and_can_be_replaced(qtbot, tmp_path):
    (tmp_path / FILE).write_text("{")
    made = dialog(qtbot, tmp_path)
    assert "does not say how prices are shown" in made.problem.text()
    made.currency.setText("CNY")
    made.accept()
    assert read_terms(tmp_path).currency == "CNY"
