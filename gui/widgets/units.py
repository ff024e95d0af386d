"""The units of the window: figures are shown and typed in those that its user chose; all that is stored is metric.

And what the window calls the controls that messages name as commands do: "--room", "rigwright runs".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from core.words import plain, tr
from core.words.measures import System, measure_of, said_in
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
