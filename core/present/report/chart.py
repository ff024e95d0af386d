"""Charts on paper as SVG text: a sheet across the page with one pair of axes, bars, and what makes a machine quiet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from core.chart import decimals, ticks, value_step
from core.predict.band import Band
from core.predict.quiet import Quietest
from core.present.picture.svg import FONTS, WIDTH_OF_LETTER, cut, letters
from core.present.report.document import Illustration, Table
from core.present.report.formatting import semicolons
from core.present.report.palette import ACCENT, GRID, INK, MUTED, series_style
from core.words import into, plain, tr, visible
from core.words.units import number, quantity

WIDTH = 511.2
"""180 mm in points: the text width of an A4 page. All measures here are points."""
SIZE, SMALL = 7.5, 6.5
"""Of letters."""
LEFT = 48.0
"""The same for all charts over time, so that times stand above each other."""
BELOW = 26.0
_SAMPLE, _GAP, _ROW = 24.0, 5.0, 11.0
"""Of the legend: the stroke, the room beside it, and a line."""
_TICKS_APART = (36.0, 13.0)
_BAR = 14.4
_LABEL_LETTERS = 48

Range = tuple[float, float]
Values = Any
"""A number or an array of them."""


def width(words: str, size: float = SIZE) -> float:
    """About what words take; a little more, so that they stay inside."""
    return 1.06 * letters(words) * size * WIDTH_OF_LETTER


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A name beside a stroke, or beside a patch of a band."""

    label: str
    colour: str
    dash: str = ""
    band: bool = False


class Sheet:
    """Paper with one pair of axes under a legend. What is drawn later lies above; `svg` is the outcome."""

    def __init__(
        self,
        x: Range,
        y: Range,
        height: float,
        *,
        legend: Sequence[LegendEntry] = (),
        sides: Range = (LEFT, 8.0),
        above: float = 4.0,
    ) -> None:
        """`height` is that of the plot; `sides` and `above` are the room around it."""
        self._x, self._y, self._parts = x, y, list[str]()
        self.left, self.right = sides[0], WIDTH - sides[1]
        self.top = self._legend(legend) + above
        self.bottom = self.top + height

    def x(self, value: Values) -> Values:
        """Where a value stands; at the edge if it is outside."""
        return np.interp(value, self._x, (self.left, self.right))

    def y(self, value: Values) -> Values:
        """Where a value stands; at the edge if it is outside."""
        return np.interp(value, self._y, (self.bottom, self.top))

    def box(self, across: Range, upward: Range, fill: str, opacity: float = 1) -> None:
        """A filled rectangle between places."""
        (left, right), (bottom, top) = across, upward
        size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
        self._parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" {size} fill="{fill}" fill-opacity="{opacity:g}"/>')

    def line(self, x: Values, y: Values, stroke: str, **style: object) -> None:
        """A stroke through places; `style` are attributes of SVG, with _ for -."""
        attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items() if value)
        self._parts.append(f'<path d="{_through(x, y)}" fill="none" stroke="{stroke}"{attributes}/>')

    def area(self, x: Values, low: Values, high: Values, fill: str, opacity: float) -> None:
        """Filled between two curves through places."""
        outline = _through(np.concatenate((x, x[::-1])), np.concatenate((low, high[::-1])))
        self._parts.append(f'<path d="{outline}Z" fill="{fill}" fill-opacity="{opacity:g}"/>')

    def dot(self, x: Values, y: Values, fill: str) -> None:
        """A point."""
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6" fill="{fill}"/>')

    def text(self, x: Values, y: Values, words: str, fill: str = INK, size: float = SIZE, **style: object) -> None:
        """Words on a base line that begins there; `style` as of a line."""
        attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}"'
        self._parts.append(f"<text {place}{attributes}>{escape(visible(into(words)))}</text>")

    def axis_below(self, title: str, *, grid: bool = False) -> None:
        """Figures and a title under the plot."""
        for value, words in _ticks(self._x, (self.right - self.left) / _TICKS_APART[0]):
            x = self.x(value)
            self.line((x, x), (self.bottom, self.bottom + 3), MUTED, stroke_width=0.6)
            if grid:
                self.line((x, x), (self.top, self.bottom), GRID, stroke_width=0.6)
            self.text(x, self.bottom + 11, words, text_anchor="middle")
        self.line((self.left, self.right), (self.bottom, self.bottom), MUTED, stroke_width=0.6)
        self.text((self.left + self.right) / 2, self.bottom + 21, title, text_anchor="middle")

    def axis_left(self, title: str) -> None:
        """Figures, lines of the grid, and a title that fits beside the plot."""
        height = self.bottom - self.top
        for value, words in _ticks(self._y, height / _TICKS_APART[1]):
            y = self.y(value)
            self.line((self.left - 3, self.left), (y, y), MUTED, stroke_width=0.6)
            self.line((self.left, self.right), (y, y), GRID, stroke_width=0.6)
            self.text(self.left - 5, y + 0.35 * SIZE, words, text_anchor="end")
        self.line((self.left, self.left), (self.top, self.bottom), MUTED, stroke_width=0.6)
        size, middle = SIZE * min(1, (height + 8) / width(into(title))), (self.top + self.bottom) / 2
        self.text(9, middle, title, size=size, text_anchor="middle", transform=f"rotate(-90 9 {middle:.1f})")

    @property
    def svg(self) -> str:
        """One element, with text as text."""
        height = self.bottom + BELOW
        size = f'width="{WIDTH}pt" height="{height:.1f}pt" viewBox="0 0 {WIDTH} {height:.1f}"'
        parts = "\n".join(self._parts)
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONTS}">\n{parts}\n</svg>'

    def _legend(self, entries: Sequence[LegendEntry]) -> float:
        """In rows from the left, the strokes of one kind under each other. Returns where it ends."""
        x, y, column = 0.0, 0.0, max((width(into(one.label)) for one in entries if not one.band), default=0.0)
        for entry in entries:
            wide = _SAMPLE + _GAP + (width(into(entry.label)) if entry.band else column)
            if x and x + wide > WIDTH:
                x, y = 0.0, y + _ROW
            if entry.band:
                self.box((x, x + _SAMPLE), (y + 8, y + 2), entry.colour, 0.15)
            else:
                stroke = {"stroke_width": 1.1, "stroke_dasharray": entry.dash}
                self.line((x, x + _SAMPLE), (y + 5, y + 5), entry.colour, **stroke)
            most = (WIDTH - x - _SAMPLE - _GAP) / (SIZE * WIDTH_OF_LETTER)
            self.text(x + _SAMPLE + _GAP, y + 7.7, cut(into(entry.label), most))
            x += wide + 3 * _GAP
        return y + _ROW if entries else 0.0


def padded(values: Sequence[float], *, share: float = 0.05) -> Range:
    """The range of values with a margin, which does not go below zero without need."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    margin = share * (high - low) or 0.1 * abs(high) or 1.0
    return (max(0.0, low - margin) if low >= 0 else low - margin), high + margin


def _ticks(ends: Range, most: float) -> list[tuple[float, str]]:
    step = value_step(ends[1] - ends[0], int(most))
    return [(value, number(value or 0.0, decimals(step))) for value in ticks(*ends, step)]


def _through(x: Values, y: Values) -> str:
    return "M" + " ".join(f"{one:.1f} {other:.1f}" for one, other in zip(x, y, strict=True))


@dataclass(frozen=True, slots=True)
class Bar:
    """One source; low and high enclose the expected value."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> Range:
        """Of its whisker."""
        low, high = self.low, self.high
        return min(self.value, self.value if low is None else low), max(
            self.value, self.value if high is None else high
        )


def bars_illustration(title: str, bands: Sequence[tuple[str, Band]], axis_title: str, figures: Table) -> Illustration:
    """Predicted figures as bars with whiskers, from the top in the given order; all bands have one unit."""
    bars = [Bar(label, band.expected, band.low, band.high) for label, band in bands]
    unit = bands[0][1].unit
    alt = semicolons(plain("{part} {figure}", part=bar.label, figure=quantity(bar.value, unit)) for bar in bars)
    return Illustration(
        title,
        partial(draw_bars, bars, axis_title=axis_title, unit=unit),
        tr("Predicted, not measured. Whisker: lowest to highest."),
        tr("{title}: {figures}.", title=title, figures=alt),
        figures=figures,
    )


def draw_bars(bars: Sequence[Bar], *, axis_title: str, unit: str) -> str:
    """SVG text: horizontal bars from the top in the given order, the figure written at the end of each."""
    labels = [cut(into(bar.label), _LABEL_LETTERS) for bar in bars]
    figures = [into(quantity(bar.value, unit)) for bar in bars]
    most = max((bar.ends[1] for bar in bars), default=0.0) or 1.0
    sides = max(map(width, labels), default=0.0) + 10, max(map(width, figures), default=0.0) + 10
    sheet = Sheet((0, most), (-len(bars), 0), _BAR * len(bars), sides=sides)
    sheet.axis_below(axis_title, grid=True)
    for row, (bar, label, figure) in enumerate(zip(bars, labels, figures, strict=True)):
        top, middle, bottom = (sheet.y(-row - share) for share in (0.19, 0.5, 0.81))
        low, high = map(sheet.x, bar.ends)
        sheet.box((sheet.left, sheet.x(bar.value)), (bottom, top), ACCENT)
        if high > low:
            sheet.line((low, high), (middle, middle), INK, stroke_width=0.8)
            for end in (low, high):
                sheet.line((end, end), (middle - 2, middle + 2), INK, stroke_width=0.8)
        sheet.text(sheet.left - 5, middle + 0.35 * SIZE, label, text_anchor="end")
        sheet.text(high + 5, middle + 0.35 * SIZE, figure)
    return sheet.svg


_QUIET_HEIGHT = 190.0
QUIET_DBA = 35.0


def draw_quiet(rows: Sequence[Quietest]) -> str:
    """SVG text: noise over the power limit, one curve per radiator area, the fan speed written at each point.

    A limit at which no fan speed keeps coolant and cards within bounds has no point.
    """
    areas = sorted({row.places for row in rows})
    curves = {places: [row for row in rows if row.places == places and row.noise_dba is not None] for places in areas}
    legend = []
    for at, (places, curve) in enumerate(curves.items()):
        label = tr("{count} fan positions on radiators", count=places)
        if not curve:
            label = tr("{count} fan positions on radiators: too small", count=places)
        legend.append(LegendEntry(label, *series_style(at)))
    levels = [row.noise_dba for curve in curves.values() for row in curve if row.noise_dba is not None]
    limits = [100 * row.limit_share for curve in curves.values() for row in curve]
    sheet = Sheet(padded(limits), padded([*levels, QUIET_DBA], share=0.12), _QUIET_HEIGHT, legend=legend, above=8)
    sheet.axis_left(tr("Noise in training, dBA"))
    sheet.axis_below(tr("GPU power limit, % of the card's own"))
    quiet = sheet.y(QUIET_DBA)
    sheet.line((sheet.left, sheet.right), (quiet, quiet), MUTED, stroke_width=0.6, stroke_dasharray="0.8 1.2")
    for at, curve in enumerate(curves.values()):
        colour, dash = series_style(at)
        across = [sheet.x(100 * row.limit_share) for row in curve]
        upward = [sheet.y(row.noise_dba) for row in curve]
        if curve:
            sheet.line(across, upward, colour, stroke_width=1.1, stroke_dasharray=dash)
        for row, x, y in zip(curve, across, upward, strict=True):
            sheet.dot(x, y, colour)
            words = tr("fans {share:.0f} %", share=100 * (row.fan_share or 0))
            sheet.text(x, y + (-4 if at % 2 else 9), words, size=5.5, text_anchor="middle")
    return sheet.svg
