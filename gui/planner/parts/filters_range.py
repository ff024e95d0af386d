"""Lowest and highest value that is wanted of a figure, within what there is."""

from __future__ import annotations

from math import ceil, floor, log10

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSizePolicy, QWidget

from core.language import tr
from core.parts.facets import Facet
from core.parts.query import Filter
from core.units import unit_of
from gui.figures import DASH
from gui.planner.parts.figure_names import figure_name, value_words
from gui.widgets.figure_spin import FigureSpin
from gui.widgets.text import Label

MAX_DECIMALS = 4


class RangeRow(QWidget):
    """Two spin boxes; one at the end of its range is no limit. `changed` when the user moved one."""

    changed = Signal()

    def __init__(self, field: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = field
        self._following = False
        self._set: tuple[float | None, float | None] = (None, None)
        self.low = self._box(tr("{figure}, at least", figure=figure_name(field)))
        self.high = self._box(tr("{figure}, at most", figure=figure_name(field)))
        self.hint = Label(self)
        self.hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.low, 0, 0)
        grid.addWidget(Label(DASH, self), 0, 1)
        grid.addWidget(self.high, 0, 2)
        grid.addWidget(self.hint, 1, 0, 1, 3)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)

    def show_range(self, facet: Facet, limit: Filter | None, unit: str) -> None:
        """Shows what is possible and what is set, without telling it as a change."""
        assert facet.low is not None and facet.high is not None
        decimals = _decimals(facet)
        scale = 10**decimals
        low, high = floor(facet.low * scale) / scale, ceil(facet.high * scale) / scale
        self._set = set_low, set_high = (limit.low, limit.high) if limit else (None, None)
        ends = [low, high, *(end for end in (set_low, set_high) if end is not None)]
        lowest, highest = min(ends), max(ends)
        self._following = True
        for box, value in (
            (self.low, lowest if set_low is None else set_low),
            (self.high, highest if set_high is None else set_high),
        ):
            box.take(lowest, highest, unit_of(self._field) or unit, decimals=decimals)
            box.setValue(value)
        self._following = False
        span = f"{value_words(self._field, facet.low)}{DASH}{value_words(self._field, facet.high)} {unit}".strip()
        self.hint.setText(tr("range {span}", span=span))

    def ends(self) -> tuple[float | None, float | None]:
        """The limits as set; None at the ends of the range, unless a limit was set there before."""
        low, high = self.low.value(), self.high.value()
        set_low, set_high = self._set
        return (
            low if low > self.low.minimum() or low == set_low else None,
            high if high < self.high.maximum() or high == set_high else None,
        )

    def _box(self, name: str) -> FigureSpin:
        box = _CalmSpinBox(self)
        box.setKeyboardTracking(False)
        box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        box.setAccessibleName(name)
        box.valueChanged.connect(self._moved)
        return box

    @Slot()
    def _moved(self) -> None:
        if not self._following:
            self.changed.emit()


class _CalmSpinBox(FigureSpin):
    """The wheel scrolls the panel, unless the box is being edited. Zeros that say nothing are left out."""

    def textFromValue(self, value: float) -> str:
        text, point = super().textFromValue(value), self.locale().decimalPoint()
        return text.rstrip("0").removesuffix(point) if point in text else text

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def _decimals(facet: Facet) -> int:
    """None for whole numbers, else so many that three digits count at the lower end."""
    assert facet.low is not None and facet.high is not None
    values = [facet.low, facet.high, *(choice.value for choice in facet.choices)]
    if all(float(value).is_integer() for value in values):
        return 0
    smallest = abs(facet.low) or abs(facet.high) or 1.0
    return min(max(2 - floor(log10(smallest)), 0), MAX_DECIMALS)
