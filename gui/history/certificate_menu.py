"""The button of a chosen run for whoever accepts or sends back the machine: certificate, RMA pack, seal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QInputDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)

from core.burnin.record.run_facts import FACT_NAMES, RunFacts, told_facts
from core.burnin.record.store import RunStore, in_store
from core.burnin.sealing import change_lines, check_run, state_sentence
from core.platform.errors import BadInput
from core.words import LANGUAGES, current_language, tr, trc
from core.words.measures import read_figure
from gui.widgets import files, messages
from gui.widgets.background import run_in_background
from gui.widgets.text import paragraph
from gui.widgets.theme import theme

Chosen = Callable[[], int | None]


class CertificateMenu(QPushButton):
    """Acts on the run that `chosen` names."""

    def __init__(self, data_dir: Path, chosen: Chosen, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(tr("Certificate"))
        self.setToolTip(tr("For acceptance of the machine or return of a card"))
        self._data_dir = data_dir
        self._chosen = chosen
        menu = QMenu(self)
        menu.addAction(tr("Certificate…"), self.certificate)
        menu.addAction(tr("RMA pack of a card…"), self.rma_pack)
        menu.addSeparator()
        menu.addAction(tr("Verify the seal"), self.verify)
        self.setMenu(menu)

    @Slot()
    def certificate(self) -> None:
        """Asks for customer and place, keeps them with the run, and writes the certificate."""
        run_id = self._chosen()
        if run_id is None:
            return
        dialog = CertificateDialog(run_id, in_store(self._data_dir, lambda store: store.facts(run_id)), self)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            facts = dialog.facts
            in_store(self._data_dir, lambda store: store.set_facts(run_id, facts))
            if dialog.write:
                self._write(run_id, dialog)
        dialog.deleteLater()

    @Slot()
    def rma_pack(self) -> None:
        """Asks for the card, and packs what its warranty desk needs."""
        run_id = self._chosen()
        if run_id is None:
            return
        rows = in_store(self._data_dir, lambda store: store.devices(run_id))
        cards = [row.device for row in rows if row.burned]
        names = [f"{device.label}: {device.title}" for device in cards]
        name, accepted = QInputDialog.getItem(self, tr("RMA pack"), tr("Card"), names, 0, False)
        if not accepted:
            return
        device_id = cards[names.index(name)].id
        path = self._target(f"rigwright-rma-{run_id}", "zip", tr("RMA pack (*.zip)"))
        if path is not None:
            work = partial(_rma, run_id=run_id, device_id=device_id, path=path)
            run_in_background(self, partial(in_store, self._data_dir, work), files.show_file)

    @Slot()
    def verify(self) -> None:
        """Says whether the record is what it was when it was sealed."""
        run_id = self._chosen()
        if run_id is not None:
            run_in_background(self, partial(in_store, self._data_dir, partial(_checked, run_id=run_id)), self._tell)

    def _tell(self, answer: tuple[str, str]) -> None:
        messages.tell(self, *answer)

    def _write(self, run_id: int, dialog: CertificateDialog) -> None:
        path = self._target(f"rigwright-certificate-{run_id}", "pdf", tr("Certificate (*.pdf)"))
        language, annex = dialog.chosen_language, dialog.annex.isChecked()
        if path is None:
            return

        def written(store: RunStore) -> Path:
            from core.present.certificate.layout import write_certificate

            return write_certificate(store, run_id, path, language=language, annex=annex)

        run_in_background(self, partial(in_store, self._data_dir, written), files.show_file)

    def _target(self, stem: str, ending: str, filters: str) -> Path | None:
        return files.file_to_write(self, self.text(), files.documents_folder() / f"{stem}.{ending}", filters)


def _rma(store: RunStore, *, run_id: int, device_id: str, path: Path) -> Path:
    from core.present.certificate.rma import write_rma

    return write_rma(store, run_id, device_id, path)


def _checked(store: RunStore, *, run_id: int) -> tuple[str, str]:
    """The answer in a sentence, and what was changed."""
    check = check_run(store, run_id)
    lines = change_lines(store, run_id, check.changes)
    key = [f"SHA-256 {check.head.hex()}", check.seal.key.fingerprint] if check.head and check.seal else []
    return state_sentence(check, tr("Run {number}", number=run_id)), "\n".join([*lines, *key])


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
    """The facts of a run in fields. Accepted, `facts` is what they say; `write`: a certificate is made, too."""

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
        self.message = paragraph(self)
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
    def facts(self) -> dict[str, str]:
        """All facts by name. Raises BadInput."""
        texts = {name: field.text().strip() for name, field in self.fields.items()}
        temperature = texts.pop("room_temperature_c")
        with suppress(BadInput):  # which `told_facts` tells of
            temperature = f"{read_figure(temperature, '°C'):.4g}" if temperature else ""
        facts = told_facts(**texts, **({"room_temperature_c": temperature} if temperature else {}))
        return {"room_temperature_c": "", **facts}

    @property
    def chosen_language(self) -> str:
        """The code of the certificate's."""
        return str(self.language.currentData())

    @Slot()
    def _review(self) -> None:
        """What cannot be kept is said while it is typed."""
        problem = ""
        try:
            _ = self.facts
        except BadInput as error:
            problem = str(error)
        self.message.setText(problem)
        self.message.setStyleSheet(f"color: {theme().color('fail').name()}")
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
        form.addRow(self.message)
        form.addRow(self.buttons)
        self.save.setDefault(True)
        self.setMinimumWidth(460)
