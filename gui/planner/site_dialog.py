"""The dialog of what holds for the whole build: how its parts are bought, its circuits, what nobody has measured."""

from __future__ import annotations

from math import sqrt

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QGroupBox,
    QLabel,
    QLayout,
    QVBoxLayout,
    QWidget,
)

from core.build.assumptions import ASSUMPTION_RANGES, DEFAULT_ASSUMPTIONS, Assumptions
from core.build.build import Build
from core.build.edits import Edit, Several
from core.build.price_edits import SetBuildCondition
from core.build.site_edits import SetAssumptions
from core.language import tr
from core.parts.condition import Condition
from core.parts.vocabulary import Category
from gui.planner.circuits_form import CircuitsForm
from gui.units import local
from gui.widgets.figure_spin import FigureSpin
from gui.widgets.text import Label, tip

WIDTH = 456


class SiteDialog(QDialog):
    """`chosen(edit)` carries one change of everything that differs, for one step of undo."""

    chosen = Signal(object)

    def __init__(self, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Build settings"))
        self.purchase = PurchaseForm(build, self)
        self.circuits = CircuitsForm(build, self)
        self.assumptions = AssumptionsForm(build, self)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults,
            self,
        )
        defaults = self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        defaults.setText(tr("Restore &defaults"))
        defaults.clicked.connect(self._restore)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        self.circuits.setMinimumWidth(WIDTH)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(16)
        column.addWidget(self.purchase)
        column.addWidget(self.circuits)
        column.addWidget(self.assumptions)
        column.addStretch(1)
        column.addWidget(self.buttons)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)  # grows with the circuits

    def accept(self) -> None:
        """Says what was chosen."""
        self.chosen.emit(self._edit())
        super().accept()

    def _edit(self) -> Edit:
        edits = (self.circuits.edit(), self.assumptions.edit(), self.purchase.edit())
        return Several(tr("Change the build settings"), edits)

    @Slot()
    def _restore(self) -> None:
        self.purchase.restore()
        self.circuits.restore()
        self.assumptions.restore()


class PurchaseForm(QGroupBox):
    """Whether the parts of the build are bought new or used, or owned."""

    def __init__(self, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(tr("Purchase"))
        self.condition = QComboBox(self)
        self.condition.setAccessibleName(tr("Condition of parts"))
        words = tr("For parts whose line does not say it. What is no longer sold is counted used; owned costs nothing.")
        self.condition.setToolTip(tip(words))
        self.condition.setAccessibleDescription(words)
        for condition in Condition:
            self.condition.addItem(condition.label, condition)
        form = QFormLayout(self)
        form.setSpacing(8)
        form.addRow(tr("Parts are bou&ght"), self.condition)
        self._show(build.condition)

    def edit(self) -> SetBuildCondition:
        """The change that makes the build as the field says."""
        return SetBuildCondition(Condition(self.condition.currentData()))

    def restore(self) -> None:
        """New, as usual."""
        self._show(Condition.NEW)

    def _show(self, condition: Condition) -> None:
        self.condition.setCurrentIndex(self.condition.findData(condition))


def _plug_words() -> str:
    return tr("For the plug and its bent cable above a card: {low:.0f} to {high:.0f} mm.", low=18, high=40)


class AssumptionsForm(QGroupBox):
    """What the build's findings assume, each with a sentence on what it means."""

    def __init__(self, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(tr("Assumptions"))
        self.coincidence = QDoubleSpinBox(self)
        self.coincidence.setRange(*ASSUMPTION_RANGES["coincidence"])
        self.coincidence.setSingleStep(0.05)
        self.coincidence.setDecimals(2)
        self.coincidence.setAccessibleName(tr("Coincidence of power peaks"))
        self.plug_room = FigureSpin(self)
        low, high = ASSUMPTION_RANGES["plug_room_mm"]
        self.plug_room.take(low, high, "mm", decimals=0)
        self.plug_room.setAccessibleName(tr("Clearance for plugs"))
        form = QFormLayout(self)
        form.setSpacing(8)
        form.addRow(tr("Coincidence of power &peaks"), self.coincidence)
        form.addRow(self._sentence(self._meaning(build.count(Category.GPU)), self.coincidence))
        form.addRow(tr("Clearance for p&lugs"), self.plug_room)
        form.addRow(self._sentence(local(_plug_words()), self.plug_room))
        self._show(build.assumptions)
        self._untouched = (self._typed(), SetAssumptions(build.assumptions))

    def edit(self) -> SetAssumptions:
        """The change that makes the build as the fields say; figures finer than these stay while none is touched."""
        shown, as_it_was = self._untouched
        typed = self._typed()
        return as_it_was if typed == shown else typed

    def _typed(self) -> SetAssumptions:
        return SetAssumptions(Assumptions(self.coincidence.value(), self.plug_room.value()))

    def restore(self) -> None:
        """What is usual."""
        self._show(DEFAULT_ASSUMPTIONS)

    def _show(self, assumptions: Assumptions) -> None:
        self.coincidence.setValue(assumptions.coincidence)
        self.plug_room.setValue(assumptions.plug_room_mm)

    def _meaning(self, cards: int) -> str:
        if cards < 2:
            return tr("The share of the cards' power peaks that coincide: 1 when they train in lockstep.")
        return tr(
            "The share of the cards' power peaks that coincide: 1 when they train in lockstep, "
            "about {share:.2f} when {cards} cards work independently.",
            share=1 / sqrt(cards),
            cards=cards,
        )

    def _sentence(self, text: str, about: QWidget) -> QLabel:
        about.setAccessibleDescription(text)
        about.setToolTip(tip(text))
        label = Label(text, self)
        label.setWordWrap(True)
        label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
        return label
