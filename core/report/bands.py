"""Predicted bands in words."""

from __future__ import annotations

from core.predict.band import Band
from core.report.words import number


def band_text(band: Band) -> str:
    """ "1290 W (1180 to 1420)"; the figure alone where nothing is uncertain."""
    decimals = _decimals(band)
    figure = f"{number(band.expected, decimals)}\N{NO-BREAK SPACE}{band.unit}"
    return figure if band.width == 0 else f"{figure} {span_text(band.low, band.high, decimals)}"


def span_text(low: float, high: float, decimals: int = 0) -> str:
    """ "(1180 to 1420)", which never breaks over two lines."""
    return f"({number(low, decimals)} to {number(high, decimals)})".replace(" ", "\N{NO-BREAK SPACE}")


def _decimals(band: Band) -> int:
    """One place below 20, none above: predictions are not known better."""
    return 1 if band.high < 20 and band.width > 0 else 0
