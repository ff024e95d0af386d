"""The fields of the mains circuits: the region's or an own kind, how many, and what else draws from each."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QGroupBox,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.build.build import Build
from core.build.mains import MAX_CIRCUITS, Circuit, custom_circuit
from core.build.site_edits import SetCircuits
from core.language import tr
from gui.figures import number
from gui.widgets.text import Label

PER_ROW = 4
"""Circuits whose other loads stand beside each other."""


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
        self.voltage = _whole_spin(tr("Voltage of the circuit"), (90, 420), " V", self)
        self.current = _fine_spin(tr("Current of the circuit"), (1, 125), " A", self)
        self.share = _whole_spin(tr("Continuous share of the current"), (30, 100), " %", self)
        self.count = _whole_spin(tr("Number of circuits"), (1, MAX_CIRCUITS), "", self)
        self.loads = [
            _whole_spin(tr("Other loads on circuit {position}", position=position), (0, 100_000), " W", self)
            for position in range(1, MAX_CIRCUITS + 1)
        ]
        self._load_labels = [
            Label(tr("Circuit {position}", position=position), self) for position in range(1, MAX_CIRCUITS + 1)
        ]
        self._left = Label(self)
        self._left.setWordWrap(True)
        self._left.setForegroundRole(self._left.palette().ColorRole.PlaceholderText)
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

    def _circuit(self) -> Circuit:
        return self._own_circuit() or self._regional

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
        carries = self._circuit().continuous_w
        left = sum(max(0.0, carries - taken) for taken in self._loads_w())
        self._left.setText(
            tr(
                "Each carries {each} W continuously; {left} W are left for the machine.",
                each=number(carries),
                left=number(left),
            )
        )
        self.changed.emit()

    def _lay_out(self) -> None:
        own = QFormLayout()
        own.setContentsMargins(24, 0, 0, 0)
        own.addRow(tr("&Voltage"), self.voltage)
        own.addRow(tr("C&urrent"), self.current)
        own.addRow(tr("Continuous &share"), self.share)
        number_of = QFormLayout()
        number_of.addRow(tr("&Number of circuits that feed the machine"), self.count)
        loads = QGridLayout()
        for place, (label, field) in enumerate(zip(self._load_labels, self.loads, strict=True)):
            row, column = divmod(place, PER_ROW)
            label.setBuddy(field)
            loads.addWidget(label, 2 * row, column)
            loads.addWidget(field, 2 * row + 1, column)
        loads.setColumnStretch(PER_ROW, 1)
        column_of_all = QVBoxLayout(self)
        column_of_all.setSpacing(8)
        column_of_all.addWidget(self.of_region)
        column_of_all.addWidget(self.own)
        column_of_all.addLayout(own)
        column_of_all.addLayout(number_of)
        column_of_all.addWidget(Label(tr("Other loads on these circuits:"), self))
        column_of_all.addLayout(loads)
        column_of_all.addWidget(self._left)


def _whole_spin(name: str, limits: tuple[int, int], unit: str, parent: QWidget) -> QSpinBox:
    spin = QSpinBox(parent)
    spin.setRange(*limits)
    spin.setSuffix(unit)
    spin.setAccessibleName(name)
    return spin


def _fine_spin(name: str, limits: tuple[int, int], unit: str, parent: QWidget) -> QDoubleSpinBox:
    spin = QDoubleSpinBox(parent)
    spin.setRange(*limits)
    spin.setDecimals(1)
    spin.setSuffix(unit)
    spin.setAccessibleName(name)
    return spin
