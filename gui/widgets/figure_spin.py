"""A spin box whose value is metric, and which shows and takes the units of the window, and any other that is typed."""

from __future__ import annotations

import math
import re

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox, QToolTip, QWidget

from core.platform.errors import BadInput
from core.words import plain, tr
from core.words.measures import measured, read_figure
from gui.widgets.units import shown_as, units

FINER = 4
"""More decimals of the metric value than are shown, where another unit is: what is typed comes back as it was."""
_TYPED = re.compile(r"[-+−\w\s.,°³/'\"″′”’]{0,32}")


class FigureSpin(QDoubleSpinBox):
    """ "80 F" and "12 in" are taken in every box of temperatures and lengths, "12,5" and "12.5" in all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unit = ""
        self._measure = shown_as("")
        self._shown_decimals = self.decimals()

    def take(self, low: float, high: float, unit: str, *, decimals: int, step: float = 1.0) -> None:
        """What it holds: metric limits and step, the metric unit, and how many decimals of that are shown."""
        self._unit = unit.strip()
        other = self._measure = shown_as(self._unit)
        metric = other.unit == self._unit
        self._shown_decimals = decimals + other.finer
        self.setDecimals(decimals if metric else min(decimals + FINER, 8))
        self.setRange(low, high)
        self.setSingleStep(step if metric else _round_step(step * other.factor) / other.factor)
        self.setSuffix(f" {other.unit}" if other.unit else "")

    def textFromValue(self, value: float) -> str:
        """The figure without its unit."""
        shown = round(self._measure.shown(value), self._shown_decimals)
        return plain(f"{{value:.{self._shown_decimals}f}}", value=shown or 0.0)

    def valueFromText(self, text: str) -> float:
        """The metric value; a text that was not touched is exactly what it was made from."""
        typed = self._bare(text)
        if typed == self.textFromValue(self.value()):
            return self.value()
        try:
            return round(read_figure(typed, self._unit, units()), self.decimals())
        except BadInput:
            return self.value()

    def validate(self, text: str, pos: int) -> object:
        """Whatever may become a figure with its unit can be typed."""
        typed = self._bare(text)
        try:
            value = read_figure(typed, self._unit, units())
        except BadInput:
            state = QValidator.State.Intermediate if _TYPED.fullmatch(typed) else QValidator.State.Invalid
            return state, text, pos
        slack = 0.5 * 10.0**-self._shown_decimals
        fits = self.minimum() - slack <= value <= self.maximum() + slack
        return (QValidator.State.Acceptable if fits else QValidator.State.Intermediate), text, pos

    def fixup(self, text: str) -> str:
        """What cannot be is told, and the figure stays."""
        problem = self.problem(text)
        if problem and self.isVisible():
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), problem, self)
        return self.textFromValue(self.value()) + self.suffix()

    def problem(self, text: str) -> str:
        """Why a text cannot be, in a sentence; empty where it can."""
        try:
            value = read_figure(self._bare(text), self._unit, units())
        except BadInput as error:
            return str(error)
        if self.minimum() <= value <= self.maximum():
            return ""
        low, high = (measured(end, self._measure) for end in (self.minimum(), self.maximum()))
        return tr("Must be between {low} and {high}.", low=low, high=f"{high}{self.suffix()}")

    def _bare(self, text: str) -> str:
        suffix = self.suffix()
        return (text.removesuffix(suffix) if suffix else text).strip()


def _round_step(step: float) -> float:
    """A power of ten near it: one presses for 1 °F, 0.1 ft or 0.01 in."""
    return float(10.0 ** math.floor(math.log10(step) + 0.3))
