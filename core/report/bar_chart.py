"""The figure of several sources of one quantity: a bar each, with a whisker for its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.report.chart import sheet, svg_text
from core.report.palette import ACCENT, INK
from core.report.words import quantity

_LABEL_LETTERS = 48


@dataclass(frozen=True, slots=True)
class Bar:
    """One source; low and high enclose the expected value."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None


def draw_bars(bars: Sequence[Bar], *, axis_title: str, unit: str) -> str:
    """SVG text: horizontal bars from the top in the given order, the figure written at the end of each."""
    with sheet(0.55 + 0.2 * len(bars)) as (figure, axes):
        places = range(len(bars))
        axes.barh(places, [bar.value for bar in bars], color=ACCENT, height=0.62)
        for place, bar in zip(places, bars, strict=True):
            low, high = _ends(bar)
            if high > low:
                axes.errorbar(
                    bar.value,
                    place,
                    xerr=[[bar.value - low], [high - bar.value]],
                    fmt="none",
                    ecolor=INK,
                    elinewidth=0.8,
                    capsize=2.0,
                )
            axes.annotate(
                quantity(bar.value, unit),
                (max(high, bar.value), place),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_yticks(places, [_shortened(bar.label) for bar in bars])
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.set_xlim(0, 1.15 * max((max(_ends(bar)[1], bar.value) for bar in bars), default=1.0) or 1.0)
        axes.set_xlabel(axis_title, labelpad=1)
        axes.grid(axis="x")
        return svg_text(figure)


def _ends(bar: Bar) -> tuple[float, float]:
    low = bar.value if bar.low is None else min(bar.low, bar.value)
    high = bar.value if bar.high is None else max(bar.high, bar.value)
    return low, high


def _shortened(label: str) -> str:
    return label if len(label) <= _LABEL_LETTERS else label[: _LABEL_LETTERS - 1] + "…"
