"""Which microphone records the noise of a run: those that are calibrated, and the calibration of another one."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QLineEdit, QPushButton, QWidget

from core.machine.sound.calibration import SECONDS, Microphone, calibrated, keep, read_microphones
from core.machine.sound.meter import DEFAULT, listening
from core.platform.errors import BadInput
from core.words import tr
from core.words.units import number
from gui.widgets.background import run_in_background
from gui.widgets.form import column_of, form_of, row_of
from gui.widgets.text import sentence, tip
from gui.widgets.theme import theme


class NoiseOptions(QWidget):
    """A list of the calibrated microphones; the first entry measures none."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir: Path | None = None
        self.microphone = QComboBox(self)
        self.calibrate = QPushButton(tr("Calibrate…"), self)
        self.calibrate.setToolTip(tr("Matches a microphone's level to a sound level meter held next to it"))
        self.calibrate.setEnabled(False)
        row_of((self.microphone, 1), self.calibrate, into=self)
        self.setFocusProxy(self.microphone)
        self._show([])
        self.microphone.currentIndexChanged.connect(self.changed)
        self.calibrate.clicked.connect(self._calibrate)

    @property
    def chosen(self) -> str | None:
        """Name of the input; None measures no noise."""
        name = self.microphone.currentData()
        return None if name is None else str(name)

    def read(self, data_dir: Path) -> None:
        """Lists the microphones whose calibration is kept there. A damaged file is said and lists none."""
        self._data_dir = data_dir
        self.calibrate.setEnabled(True)
        try:
            self._show(read_microphones(data_dir))
        except BadInput as problem:
            self._show(())
            self.microphone.setToolTip(tip(str(problem)))

    def _show(self, microphones: tuple[Microphone, ...] | list[Microphone]) -> None:
        before = self.chosen
        self.microphone.blockSignals(True)
        self.microphone.clear()
        self.microphone.addItem(tr("not measured"), None)
        for one in microphones:
            text = tr("{input}, calibrated {date}", input=one.name, date=one.at[:10])
            self.microphone.addItem(text, one.name)
        self.microphone.setCurrentIndex(max(self.microphone.findData(before), 0))
        self.microphone.blockSignals(False)
        words = tr("Records the level every second. Meter readings can be entered during the run and after it.")
        self.microphone.setToolTip(tip(words))

    @Slot()
    def _calibrate(self) -> None:
        if self._data_dir is None:
            return
        dialog = CalibrateDialog(self._data_dir, self)
        if dialog.exec() == QDialog.DialogCode.Accepted and dialog.microphone is not None:
            self.read(self._data_dir)
            self.microphone.setCurrentIndex(self.microphone.findData(dialog.microphone.name))
            self.changed.emit()
        dialog.deleteLater()


class CalibrateDialog(QDialog):
    """Listens for some seconds and keeps what makes the input's level that of the meter."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Calibrate a microphone"))
        self._data_dir = data_dir
        self.microphone: Microphone | None = None
        """Once it is calibrated."""
        self.input = QLineEdit(DEFAULT, self)
        self.level = QLineEdit(self)
        self.message = sentence(self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.listen = QPushButton(tr("Listen for {seconds} s", seconds=SECONDS), self)
        self.buttons.addButton(self.listen, QDialogButtonBox.ButtonRole.ActionRole)
        self._arrange()
        self.listen.clicked.connect(self._listen)
        self.level.textChanged.connect(self._review)
        self.buttons.rejected.connect(self._close)
        self._review()

    def _arrange(self) -> None:
        words = tr(
            "Hold a sound level meter next to the microphone, near a steady sound such as a fan. Do "
            "not change the input volume afterwards."
        )
        self.input.setToolTip(tr("Name of the input in the desktop's sound settings"))
        self.level.setToolTip(tr("What the meter shows now"))
        fields = ((tr("Input"), self.input), (tr("Meter's reading, dBA"), self.level))
        form = form_of(*fields, margins=None, spacing=None)
        self.level.setPlaceholderText(number(52.3, 1))
        self.listen.setDefault(True)
        column_of(sentence(self, words), form, self.message, self.buttons, into=self, margins=None)
        self.level.setFocus()
        self.setMinimumWidth(460)

    @Slot()
    def _review(self) -> None:
        self.listen.setEnabled(self._meter_dba() is not None)

    def _meter_dba(self) -> float | None:
        try:
            return float(self.level.text().strip().replace(",", "."))
        except ValueError:
            return None

    @Slot()
    def _listen(self) -> None:
        meter_dba = self._meter_dba()
        if meter_dba is None:
            return
        name, folder = self.input.text().strip(), self._data_dir
        self.listen.setEnabled(False)
        self._say(tr("Listening for {seconds} s…", seconds=SECONDS), "text")

        def work() -> Microphone:
            with listening(name) as heard:  # the first second is left out: inputs click when they open
                microphone = calibrated(name, list(islice(heard, 1, 1 + SECONDS)), meter_dba)
            keep(folder, microphone)
            return microphone

        run_in_background(self, work, self._calibrated, self._refused)

    def _calibrated(self, microphone: Microphone) -> None:
        self.microphone = microphone
        self.listen.setEnabled(True)
        level = number(microphone.meter_dba, 1)
        words = tr("{input} now reads {level} dBA. The calibration is saved.", level=level, input=microphone.name)
        self._say(words, "pass")

    def _refused(self, error: Exception) -> None:
        self.listen.setEnabled(True)
        self._say(str(error), "fail")

    def _say(self, words: str, colour: str) -> None:
        self.message.setText(words)
        self.message.setStyleSheet(f"color: {theme().color(colour).name()}")
        self.adjustSize()

    @Slot()
    def _close(self) -> None:
        if self.microphone is None:
            self.reject()
        else:
            self.accept()
