"""Predicted bands in words."""

from __future__ import annotations

from core.predict.band import Band
from core.report.words import number


def band_text(band: Band) -> str:
    """ "1 290 W (1 180 to 1 420)"; the figure alone where nothing is uncertain."""
    decimals = _decimals(band)
    figure = f"{number(band.expected, decimals)}\N{NO-BREAK SPACE}{band.unit}"
    if band.width == 0:
        return figure
    return f"{figure} ({number(band.low, decimals)} to {number(band.high, decimals)})"


def _decimals(band: Band) -> int:
    """One place below 20, none above: predictions are not known better."""
    return 1 if band.high < 20 and band.width > 0 else 0
