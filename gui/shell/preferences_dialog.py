"""Edit > Preferences: what is chosen holds at once, Cancel puts back what was."""

from __future__ import annotations

import os
from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QGroupBox,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.plan.mains import CIRCUITS
from core.words import LANGUAGES, tr
from core.words.catalog import VARIABLE
from core.words.measures import System
from gui.settings import LARGEST_TEXT, SMALLEST_TEXT, TEXT_STEP, AtStart, Preferences
from gui.widgets.context import belongs_to
from gui.widgets.text import Label
from gui.widgets.theme import Mode


class PreferencesDialog(QDialog):
    """`changed(Preferences)` at each choice, and at Cancel with those before. `money_wanted` opens its own dialog."""

    changed = Signal(object)
    money_wanted = Signal()

    def __init__(self, before: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = self._applied = before
        self.theme, self.region, self.at_start = QComboBox(self), QComboBox(self), QComboBox(self)
        self.language, self.units = QComboBox(self), QComboBox(self)
        self.text = QSpinBox(self)
        self.money = QPushButton(tr("Currency and &VAT…"), self)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.setWindowTitle(tr("Preferences"))
        self._fill()
        self._show(before)
        self._arrange()
        self._connect()
        belongs_to(self, "preferences")

    def preferences(self) -> Preferences:
        """What is chosen."""
        return replace(
            self._before,
            theme=Mode(self.theme.currentData()),
            text_percent=self.text.value(),
            region=str(self.region.currentData()),
            at_start=AtStart(self.at_start.currentData()),
            language=self.language.currentData() or None,
            units=System(self.units.currentData()) if self.units.currentData() else None,
        )

    def reject(self) -> None:
        """Also Escape and closing put back what was."""
        self._tell(self._before)
        super().reject()

    def _fill(self) -> None:
        for mode, words in ((Mode.SYSTEM, tr("Follow system")), (Mode.LIGHT, tr("Light")), (Mode.DARK, tr("Dark"))):
            self.theme.addItem(words, mode.value)
        self.language.addItem(tr("Follow system"), "")
        for code, name in LANGUAGES.items():
            self.language.addItem(name, code)
        self.units.addItem(tr("Follow system"), "")
        self.units.addItem(tr("Metric: °C, mm, kg, m³/h"), System.METRIC.value)
        self.units.addItem(tr("US: °F, inches, pounds, CFM"), System.US.value)
        self.text.setRange(SMALLEST_TEXT, LARGEST_TEXT)
        self.text.setSingleStep(TEXT_STEP)
        self.text.setSuffix(" %")
        self.text.setKeyboardTracking(False)  # 1 on the way to 150 is no size
        for circuit in CIRCUITS:
            self.region.addItem(circuit.title, circuit.id)
        self.at_start.addItem(tr("The start page"), AtStart.EMPTY.value)
        self.at_start.addItem(tr("The last build"), AtStart.LAST.value)

    def _show(self, preferences: Preferences) -> None:
        self.theme.setCurrentIndex(self.theme.findData(preferences.theme.value))
        self.text.setValue(preferences.text_percent)
        self.region.setCurrentIndex(self.region.findData(preferences.region))
        self.at_start.setCurrentIndex(self.at_start.findData(preferences.at_start.value))
        self.language.setCurrentIndex(self.language.findData(preferences.language or ""))
        self.units.setCurrentIndex(self.units.findData(preferences.units.value if preferences.units else ""))

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        look = self._section(tr("Appearance"), column)
        look.addRow(tr("&Theme"), self.theme)
        look.addRow(tr("Text &size"), self.text)
        look.addRow(tr("&Units"), self.units)
        look.addRow(tr("&Language"), self.language)
        if os.environ.get(VARIABLE):
            look.addRow(self._about(tr("{variable} is set and overrides this choice.", variable=VARIABLE)))
        else:
            look.addRow(self._about(tr("Takes effect at the next start.")))
        builds = self._section(tr("New builds"), column)
        builds.addRow(tr("Mains &circuit"), self.region)
        builds.addRow(self._about(tr("Each build can change it. The room is set on the Predictions page.")))
        prices = self._section(tr("Prices"), column)
        prices.addRow(self.money)
        prices.addRow(self._about(tr("In which currency prices are shown, with or without VAT.")))
        start = self._section(tr("Startup"), column)
        start.addRow(tr("&Open"), self.at_start)
        column.addStretch(1)
        column.addWidget(self.buttons)
        for field, name in (
            (self.theme, tr("Theme")),
            (self.text, tr("Text size, percent of the system's")),
            (self.language, tr("Language")),
            (self.units, tr("Units of figures")),
            (self.region, tr("Mains circuit of new builds")),
            (self.at_start, tr("What opens at startup")),
        ):
            field.setAccessibleName(name)

    def _about(self, text: str) -> QLabel:
        """In one line, so that the dialog grows with the text instead of cutting it."""
        label = Label(text, self)
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        return label

    def _section(self, title: str, column: QVBoxLayout) -> QFormLayout:
        box = QGroupBox(title, self)
        form = QFormLayout(box)
        column.addWidget(box)
        return form

    def _connect(self) -> None:
        for box in (self.theme, self.language, self.units, self.region, self.at_start):
            box.currentIndexChanged.connect(self._choose)
        self.text.valueChanged.connect(self._choose)
        self.money.clicked.connect(self.money_wanted)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    @Slot()
    def _choose(self) -> None:
        self._tell(self.preferences())

    def _tell(self, preferences: Preferences) -> None:
        if preferences != self._applied:
            self._applied = preferences
            self.changed.emit(preferences)
