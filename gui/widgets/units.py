"""The units of the window: figures are shown and typed in those that its user chose; all that is stored is metric.

And what the window calls the controls that messages name as commands do: "--room", "rigwright runs".
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox, QToolTip, QWidget

from core.platform.errors import BadInput
from core.words import plain, tr
from core.words.measures import System, measure_of, measured, read_figure, said_in
from core.words.units import Measure

if TYPE_CHECKING:
    from core.predict.band import Band


CONTROLS = {
    name: plain("\N{LEFT DOUBLE QUOTATION MARK}{words}\N{RIGHT DOUBLE QUOTATION MARK}", words=words)
    for name, words in {
        "--background": tr("the background"),
        "--case-air": tr("the intake air of the cards"),
        "--coolant": tr("the coolant at the water blocks"),
        "--currency": tr("Currency of rows without one"),
        "--devices": tr("Devices"),
        "--distance": tr("its distance"),
        "--offset": tr("Shift the file's times by"),
        "--rated": tr("Rated power of the UPS"),
        "--room": tr("the room temperature"),
        "--simulate": tr("Simulate…"),
        "--slots": tr("the slots"),
        "--sound": tr("the sound level"),
        "--wall": tr("Wall meter"),
        "rigwright forget": tr("Delete…"),
        "rigwright runs": tr("Runs"),
        "rigwright stop": tr("Stop"),
        "rigwright watch": tr("Burn-in"),
    }.items()
}
"""What has no name in the window, such as another data folder, stays as commands have it."""


_shown_in = System.METRIC


def use_units(system: System) -> None:
    """Has the window show `system`; called once, before the first widget is made."""
    global _shown_in  # noqa: PLW0603 - as the language, it is one of the process
    _shown_in = system


def units() -> System:
    """The units that the window shows."""
    return _shown_in


def usual_units() -> System:
    """What the system's locale measures in."""
    american = QLocale.system().measurementSystem() is QLocale.MeasurementSystem.ImperialUSSystem
    return System.US if american else System.METRIC


def local(text: str) -> str:
    """A text with its figures in the units of the window, and with what the window calls its own controls."""
    return said_in(text, _shown_in, CONTROLS)


def measure(unit: str) -> Measure | None:
    """What a metric unit is shown as; None as it is."""
    return measure_of(unit, _shown_in)


def shown_as(unit: str) -> Measure:
    """What a metric unit is shown as, itself where it is."""
    return measure(unit) or Measure(unit, 1.0)


def unit_here(unit: str) -> str:
    """The unit as it is shown."""
    return shown_as(unit).unit


def value_here(value: float, unit: str) -> float:
    """A figure of a metric unit as it is shown."""
    return shown_as(unit).shown(value)


def difference_here(value: float, unit: str) -> float:
    """A difference between two such figures: 5 °C more are 9 °F more."""
    return value * shown_as(unit).factor


def here(band: Band) -> Band:
    """A band as it is shown."""
    shown = shown_as(band.unit)
    low, expected, high = map(shown.shown, (band.low, band.expected, band.high))
    return replace(band, low=low, expected=expected, high=high, unit=shown.unit)


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
