"""How figures are written in the window, unknown as a dash, and what a screen reader says of those that change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from core.words import plain, tr, units
from gui.widgets.units import local

if TYPE_CHECKING:
    from core.parts.part import Price
    from core.predict.band import Band


DASH = "–"
UNKNOWN = "?"


def number(value: float | None) -> str:
    """At most one decimal, thousands apart as in sentences; unknown is a question mark."""
    if value is None:
        return UNKNOWN
    rounded = round(value) if abs(value) >= 100 else round(value, 1)
    return units.number(rounded, 0 if float(rounded).is_integer() else 1)


def span(band: Band) -> str:
    """The two ends of a band, one figure if they round to the same."""
    decimals = units.decimals_between(band.low, band.high, band.unit)
    low, high = units.number(band.low, decimals), units.number(band.high, decimals)
    return low if low == high else plain("{low}–{high}", low=low, high=high)


def middle(band: Band) -> str:
    """The expected figure."""
    return units.number(band.expected, units.decimals_between(band.low, band.high, band.unit))


def money(amount: float, currency: str) -> str:
    """An amount without cents."""
    return f"{number(round(amount))} {currency}"


def about(low: float, high: float) -> str:
    """An estimated range of money, in thousands where it is large: "≈ 380–760", "≈ 12–15 k"."""
    if high >= 10_000:
        return tr("≈ {low:.0f}–{high:.0f} k", low=low / 1000, high=high / 1000)
    return f"≈ {number(round(low))}{DASH}{number(round(high))}"


def price(value: Price | None, quantity: int = 1) -> str:
    """A part's price times quantity; empty if there is none."""
    return money(value.amount * quantity, value.currency) if value else ""


def price_of_one(value: Price) -> str:
    """A part's price, with the range of several sellers."""
    several = value.range_words
    return f"{price(value)} ({several})" if several else price(value)


def describe(widget: QWidget, words: Callable[[], str]) -> None:
    """Sets a widget's description, only while somebody listens: live figures differ every second."""
    if QAccessible.isActive():
        say(widget, words())


def say(widget: QWidget, words: str) -> None:
    """Sets a widget's description where it differs: each one that is set is told."""
    words = local(words)
    if words != widget.accessibleDescription():
        widget.setAccessibleDescription(words)
