"""Spin boxes for one figure: one that always counts, and one that counts only while its box is ticked."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QWidget

from gui.widgets.actions import without_mnemonic
from gui.widgets.text import Label
from gui.widgets.units import FigureSpin


@dataclass(frozen=True, slots=True)
class FieldRange:
    """What a field takes, in the metric `unit`. `first` is offered when an absent figure is asked for."""

    low: float
    high: float
    unit: str
    step: float = 1.0
    decimals: int = 1
    first: float = 0.0


class FigureBox(FigureSpin):
    """`changed` when its figure was; `head` stands before it."""

    changed = Signal()

    def __init__(self, title: str, measure: FieldRange, parent: QWidget) -> None:
        super().__init__(parent)
        self.take(measure.low, measure.high, measure.unit, decimals=measure.decimals, step=measure.step)
        self.setKeyboardTracking(False)
        self.setAccessibleName(title)
        self.head: QWidget = self._make_head(title, parent)
        self.valueChanged.connect(self.changed)

    @property
    def figure(self) -> float | None:
        """What the field says."""
        return self.value()

    def show_figure(self, value: float | None) -> None:
        """Shows another figure."""
        if value is not None:
            self.setValue(value)

    def _make_head(self, title: str, parent: QWidget) -> QWidget:
        label = Label(title, parent)
        label.setBuddy(self)
        return label


class OptionalFigureBox(FigureBox):
    """`figure` is None while the box at its head is not ticked; `switched` when that changes."""

    switched = Signal(bool)

    def __init__(self, title: str, measure: FieldRange, parent: QWidget) -> None:
        super().__init__(without_mnemonic(title), measure, parent)
        self.box.setText(title)
        self.setValue(measure.first)
        self.setEnabled(False)
        self.box.toggled.connect(self._switch)

    @property
    def figure(self) -> float | None:
        """What the field says; None where nobody says it."""
        return self.value() if self.box.isChecked() else None

    def show_figure(self, value: float | None) -> None:
        """None keeps the figure for the next time it is asked for."""
        self.box.setChecked(value is not None)
        self.setEnabled(value is not None)
        super().show_figure(value)

    def _make_head(self, title: str, parent: QWidget) -> QWidget:
        self.box = QCheckBox(title, parent)
        return self.box

    @Slot(bool)
    def _switch(self, on: bool) -> None:
        self.setEnabled(on)
        self.switched.emit(on)
        self.changed.emit()
