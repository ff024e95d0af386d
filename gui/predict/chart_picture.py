"""What a chart shows: curves with their bands, lines that name a limit, and the words of its axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from core.chart import Limit
from gui.widgets.figures import DASH, number
from gui.widgets.units import unit_here, value_here

Figures = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BandCurve:
    """One quantity over x; all three of a figure, or the expected alone where `low` and `high` are empty.

    `series` chooses colour and dash. `words` stand beside the points, one each, where there are some.
    """

    title: str
    x: Figures
    expected: Figures
    low: Figures = ()
    high: Figures = ()
    series: int = 0
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, title: str, x: Sequence[float], bands: Sequence[tuple[float, float, float]], series: int = 0) -> Self:
        """From low, expected and high of each point."""
        low, expected, high = zip(*bands, strict=True) if bands else ((), (), ())
        return cls(title, tuple(x), tuple(expected), tuple(low), tuple(high), series)

    def at(self, x: float) -> tuple[float | None, float, float | None] | None:
        """Low, expected and high at one of the points; None between them."""
        if x not in self.x:
            return None
        place = self.x.index(x)
        low, high = (self.low[place], self.high[place]) if self.low else (None, None)
        return low, self.expected[place], high


@dataclass(frozen=True, slots=True)
class ChartPicture:
    """Everything of one chart. `mark` is an x that stands out: what the build has now."""

    curves: tuple[BandCurve, ...]
    unit: str
    """The metric one; the chart shows that of the window."""
    x_unit: str
    lines: tuple[Limit, ...] = ()
    from_zero: bool = False
    notice: str = ""
    """Said in an empty chart."""
    mark: float | None = None

    @property
    def places(self) -> Figures:
        """All x that have a point."""
        return tuple(sorted({x for curve in self.curves for x in curve.x}))

    @property
    def extremes(self) -> tuple[float, float] | None:
        """Lowest and highest value, limits included; None without a point."""
        groups = (group for curve in self.curves for group in (curve.expected, curve.low, curve.high))
        values = [value for group in groups for value in group]
        values += [line.value for line in self.lines] if values else []
        return (min(values), max(values)) if values else None

    def words_at(self, x: float) -> str:
        """The figures of all curves at a point, a line each."""
        lines = [f"{number(x)} {self.x_unit}"]
        for curve in self.curves:
            band = curve.at(x)
            if band is not None:
                low, expected, high = band
                name = f"{curve.title}: " if len(self.curves) > 1 else ""
                ends = "" if low is None or high is None else f" ({self._shown(low)}{DASH}{self._shown(high)})"
                words = f", {curve.words[curve.x.index(x)]}" if curve.words else ""
                lines.append(f"{name}{self._shown(expected)} {unit_here(self.unit)}{ends}{words}")
        return "\n".join(lines)

    def _shown(self, value: float) -> str:
        return number(value_here(value, self.unit))
