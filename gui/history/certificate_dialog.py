"""Asks what a certificate shall say of customer and place, in which language, and whether the log goes with it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QWidget

from core.burnin.record.run_facts import FACT_NAMES, RunFacts, told_facts
from core.errors import BadInput
from core.language import LANGUAGES, current_language, tr, trc
from core.measures import read_figure
from gui.theme import theme
from gui.widgets.text import Label

_TITLES = {
    "customer": tr("Customer"),
    "order": trc("of a customer", "Order"),
    "machine_serial": tr("Machine serial"),
    "tester": tr("Tester"),
    "place": tr("Place"),
    "room_temperature_c": tr("Room temperature, °C"),
    "circuit": tr("Circuit"),
}


class CertificateDialog(QDialog):
    """The facts of a run in fields. Accepted, `told` is what they say now; with `write` a certificate is wanted too."""

    def __init__(self, run_id: int, facts: RunFacts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Certificate of run {number}", number=run_id))
        self.write = False
        self.fields = {name: QLineEdit(value, self) for name, value in asdict(facts).items()}
        self.language = QComboBox(self)
        for language, name in LANGUAGES.items():
            self.language.addItem(name, language)
        self.language.setCurrentIndex(max(self.language.findData(current_language()), 0))
        self.annex = QCheckBox(tr("Add the run log"), self)
        self.said = Label(self)
        self.said.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.keep = self.buttons.addButton(tr("Keep only"), QDialogButtonBox.ButtonRole.ActionRole)
        self.save = self.buttons.addButton(tr("Write…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self._arrange()
        for field in self.fields.values():
            field.textChanged.connect(self._review)
        self.keep.clicked.connect(self.accept)
        self.save.clicked.connect(self._write)
        self.buttons.rejected.connect(self.reject)
        self._review()

    @property
    def told(self) -> dict[str, str]:
        """All facts by name. Raises BadInput."""
        texts = {name: field.text().strip() for name, field in self.fields.items()}
        temperature = texts.pop("room_temperature_c")
        with suppress(BadInput):  # which `told_facts` tells of
            temperature = f"{read_figure(temperature, '°C'):.4g}" if temperature else ""
        told = told_facts(**texts, **({"room_temperature_c": temperature} if temperature else {}))
        return {"room_temperature_c": "", **told}

    @property
    def chosen_language(self) -> str:
        """The code of the certificate's."""
        return str(self.language.currentData())

    @Slot()
    def _review(self) -> None:
        """What cannot be kept is said while it is typed."""
        problem = ""
        try:
            _ = self.told
        except BadInput as error:
            problem = str(error)
        self.said.setText(problem)
        self.said.setStyleSheet(f"color: {theme().color('fail').name()}")
        self.keep.setEnabled(not problem)
        self.save.setEnabled(not problem)

    @Slot()
    def _write(self) -> None:
        self.write = True
        self.accept()

    def _arrange(self) -> None:
        form = QFormLayout(self)
        for name in FACT_NAMES:
            title = _TITLES[name]
            self.fields[name].setAccessibleName(title)
            form.addRow(title, self.fields[name])
        self.language.setAccessibleName(tr("Language"))
        form.addRow(tr("Language"), self.language)
        form.addRow("", self.annex)
        form.addRow(self.said)
        form.addRow(self.buttons)
        self.save.setDefault(True)
        self.setMinimumWidth(460)
