"""What holds for the whole build, in dialogs: how its parts are bought, circuits, assumptions, and the budget."""

from __future__ import annotations

from math import sqrt

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QGroupBox,
    QLabel,
    QLayout,
    QRadioButton,
    QWidget,
)

from core.assessment import Assessment
from core.parts.money import written
from core.parts.part import Condition
from core.parts.vocabulary import Category
from core.plan.assumptions import ASSUMPTION_RANGES, DEFAULT_ASSUMPTIONS, Assumptions
from core.plan.build import Build
from core.plan.edits import Edit, Several
from core.plan.mains import MAX_CIRCUITS, Circuit, custom_circuit
from core.plan.price_edits import SetBudget, SetBuildCondition, typed_budget
from core.plan.site_edits import SetAssumptions, SetCircuits
from core.platform.errors import BadInput
from core.words import joined, tr
from gui.widgets.figures import number
from gui.widgets.form import (
    Problem,
    choice_box,
    column_of,
    dialog_buttons,
    fine_spin_box,
    form_of,
    line_edit,
    named,
    spin_box,
)
from gui.widgets.text import Label, muted, paragraph
from gui.widgets.units import FigureSpin, local

Standard = QDialogButtonBox.StandardButton
WIDTH = 456
PER_ROW = 4
"""Circuits whose other loads stand beside each other."""


class SiteDialog(QDialog):
    """`chosen(edit)` carries one change of everything that differs, for one step of undo."""

    chosen = Signal(object)

    def __init__(self, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Build settings"))
        self.purchase = PurchaseForm(build, self)
        self.circuits = CircuitsForm(build, self)
        self.assumptions = AssumptionsForm(build, self)
        self.circuits.setMinimumWidth(WIDTH)
        self.buttons = dialog_buttons(self, Standard.Ok, Standard.Cancel, Standard.RestoreDefaults)
        defaults = self.buttons.button(Standard.RestoreDefaults)
        defaults.setText(tr("Restore &defaults"))
        defaults.clicked.connect(self._restore)
        pieces = (self.purchase, self.circuits, self.assumptions, 1, self.buttons)
        column = column_of(*pieces, into=self, margins=16, spacing=16)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)  # grows with the circuits

    def accept(self) -> None:
        """Says what was chosen."""
        edits: tuple[Edit, ...] = (self.circuits.edit(), self.assumptions.edit(), self.purchase.edit())
        self.chosen.emit(Several(tr("Change the build settings"), edits))
        super().accept()

    @Slot()
    def _restore(self) -> None:
        for form in (self.purchase, self.circuits, self.assumptions):
            form.restore()


class PurchaseForm(QGroupBox):
    """Whether the parts of the build are bought new or used, or owned."""

    def __init__(self, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(tr("Purchase"))
        words = tr("For parts whose line does not say it. What is no longer sold is counted used; owned costs nothing.")
        conditions = ((condition.label, condition) for condition in Condition)
        self.condition = choice_box(self, tr("Condition of parts"), conditions, meaning=words)
        form_of((tr("Parts are bou&ght"), self.condition), into=self, margins=None)
        self._show(build.condition)

    def edit(self) -> SetBuildCondition:
        """The change that makes the build as the field says."""
        return SetBuildCondition(Condition(self.condition.currentData()))

    def restore(self) -> None:
        """New, as usual."""
        self._show(Condition.NEW)

    def _show(self, condition: Condition) -> None:
        self.condition.setCurrentIndex(self.condition.findData(condition))


class CircuitsForm(QGroupBox):
    """`changed` at each change of a field. No figure that a field takes is refused by the build."""

    changed = Signal()

    def __init__(self, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(tr("Mains circuits"))
        self._regional = Build(region=build.region).circuit
        self.of_region = QRadioButton(tr("From the &region: {title}", title=self._regional.title), self)
        self.own = QRadioButton(tr("&Custom circuit"), self)
        self._choice = QButtonGroup(self)
        self.voltage = spin_box(self, tr("Voltage of the circuit"), (90, 420), " V")
        self.current = fine_spin_box(self, tr("Current of the circuit"), (1, 125), " A")
        self.share = spin_box(self, tr("Continuous share of the current"), (30, 100), " %")
        self.count = spin_box(self, tr("Number of circuits"), (1, MAX_CIRCUITS))
        positions = range(1, MAX_CIRCUITS + 1)
        names = [tr("Other loads on circuit {position}", position=position) for position in positions]
        self.loads = [spin_box(self, name, (0, 100_000), " W") for name in names]
        self._load_labels = [Label(tr("Circuit {position}", position=position), self) for position in positions]
        self._left = paragraph(self, quiet=True)
        self._lay_out()
        self._show(build)
        self._untouched = (self._typed(), SetCircuits(build.custom_circuit, build.other_loads_w))
        self._connect()
        self._follow()

    def edit(self) -> SetCircuits:
        """The change that makes the build as the fields say; figures finer than these stay while none is touched."""
        shown, as_it_was = self._untouched
        typed = self._typed()
        return as_it_was if typed == shown else typed

    def restore(self) -> None:
        """One circuit of the region for the machine alone."""
        self.of_region.setChecked(True)
        self.count.setValue(1)
        for load in self.loads:
            load.setValue(0)

    def _typed(self) -> SetCircuits:
        return SetCircuits(self._own_circuit(), self._loads_w())

    def _own_circuit(self) -> Circuit | None:
        if not self.own.isChecked():
            return None
        return custom_circuit(float(self.voltage.value()), self.current.value(), self.share.value() / 100)

    def _loads_w(self) -> tuple[float, ...]:
        return tuple(float(load.value()) for load in self.loads[: self.count.value()])

    def _show(self, build: Build) -> None:
        circuit = build.circuit
        (self.own if build.custom_circuit else self.of_region).setChecked(True)
        self.voltage.setValue(round(circuit.voltage_v))
        self.current.setValue(circuit.current_a)
        self.share.setValue(round(100 * circuit.continuous_share))
        self.count.setValue(len(build.other_loads_w))
        for field, watts in zip(self.loads, build.other_loads_w, strict=False):
            field.setValue(round(watts))

    def _connect(self) -> None:
        for button in (self.of_region, self.own):
            self._choice.addButton(button)
        self.own.toggled.connect(self._follow)
        self.current.valueChanged.connect(self._follow)
        for field in (self.voltage, self.share, self.count, *self.loads):
            field.valueChanged.connect(self._follow)

    @Slot()
    def _follow(self) -> None:
        for field in (self.voltage, self.current, self.share):
            field.setEnabled(self.own.isChecked())
        count = self.count.value()
        for position, (label, field) in enumerate(zip(self._load_labels, self.loads, strict=True), start=1):
            label.setVisible(position <= count)
            field.setVisible(position <= count)
        carries = (self._own_circuit() or self._regional).continuous_w
        each, left = number(carries), number(sum(max(0.0, carries - taken) for taken in self._loads_w()))
        words = tr("Each carries {each} W continuously; {left} W are left for the machine.", each=each, left=left)
        self._left.setText(words)
        self.changed.emit()

    def _lay_out(self) -> None:
        own = form_of(
            (tr("&Voltage"), self.voltage),
            (tr("C&urrent"), self.current),
            (tr("Continuous &share"), self.share),
            margins=(24, 0, 0, 0),
            spacing=None,
        )
        count = form_of((tr("&Number of circuits that feed the machine"), self.count), spacing=None)
        loads = QGridLayout()
        for place, (label, field) in enumerate(zip(self._load_labels, self.loads, strict=True)):
            row, column = divmod(place, PER_ROW)
            label.setBuddy(field)
            loads.addWidget(label, 2 * row, column)
            loads.addWidget(field, 2 * row + 1, column)
        loads.setColumnStretch(PER_ROW, 1)
        about = Label(tr("Other loads on these circuits:"), self)
        pieces = (self.of_region, self.own, own, count, about, loads, self._left)
        column_of(*pieces, into=self, margins=None, spacing=8)


class AssumptionsForm(QGroupBox):
    """What the build's findings assume, each with a sentence on what it means."""

    def __init__(self, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(tr("Assumptions"))
        limits = ASSUMPTION_RANGES["coincidence"]
        self.coincidence = fine_spin_box(self, tr("Coincidence of power peaks"), limits, decimals=2, step=0.05)
        self.plug_room = named(FigureSpin(self), tr("Clearance for plugs"))
        self.plug_room.take(*ASSUMPTION_RANGES["plug_room_mm"], "mm", decimals=0)
        plugs = tr("For the plug and its bent cable above a card: {low:.0f} to {high:.0f} mm.", low=18, high=40)
        form_of(
            (tr("Coincidence of power &peaks"), self.coincidence),
            self._sentence(self._meaning(build.count(Category.GPU)), self.coincidence),
            (tr("Clearance for p&lugs"), self.plug_room),
            self._sentence(local(plugs), self.plug_room),
            into=self,
            margins=None,
        )
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
        named(about, about.accessibleName(), text)
        return paragraph(self, text, quiet=True)


class BudgetDialog(QDialog):
    """`chosen(edit)` carries the change, for one step of undo."""

    chosen = Signal(object)

    def __init__(self, assessment: Assessment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        budget = assessment.build.budget
        self._currency = assessment.guide.terms.common
        self.setWindowTitle(tr("Budget"))
        self.amount = line_edit(self, "", tr("none, or such as {example}", example=f"10000 {self._currency}"))
        self.amount.setText(f"{written(budget.amount)} {budget.currency}" if budget else "")
        self.amount.setMinimumWidth(240)
        self.problem = Problem(self)
        now = tr("The parts cost {price} now.", price=assessment.price.words)
        meaning = tr("The price gauge warns where estimates may exceed the budget, and fails where the total does.")
        about = muted(self, joined((now, meaning)))
        self.buttons = dialog_buttons(self, Standard.Ok, Standard.Cancel)
        form = form_of((tr("All &parts may cost"), self.amount))
        column_of(form, self.problem, about, self.buttons, into=self, margins=16, spacing=12)

    def accept(self) -> None:
        """Says what was chosen, or what is wrong with it."""
        try:
            budget = typed_budget(self.amount.text(), self._currency)
        except BadInput as error:
            self.problem.tell(str(error))
            return
        self.chosen.emit(SetBudget(budget))
        super().accept()
