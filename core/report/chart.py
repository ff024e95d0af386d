"""The sheet that figures are drawn on, the way from matplotlib to SVG text, and bars.

Only matplotlib's objects are used, never pyplot: nothing is global and no window system is touched. The library is
loaded when the first figure is drawn.
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from core.language import current_language, into
from core.language.catalog import decimal_mark
from core.picture.svg import cut
from core.report.palette import ACCENT, GRID, INK, MUTED
from core.units import quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN = 7.1
"""180 mm: the text width of an A4 page."""
FONTS = ("DejaVu Sans", "Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "PingFang SC", "SimHei")
_LABEL_LETTERS = 48
_PROLOG = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_LONG_FRACTION = re.compile(r"(\d\.\d\d)\d+")


@contextmanager
def sheet(height_in: float) -> Iterator[tuple[Figure, Axes]]:
    """An empty figure across the page with one pair of axes. Draw inside the `with`; then call `svg_text`."""
    # It tells of a home folder that cannot be written, and goes on in a temporary one: no word for our users.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_settings()), warnings.catch_warnings():
        # A glyph that is missing here is found by the viewer, because text stays text.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        _write_decimals_with(axes, decimal_mark(current_language()))
        yield figure, axes


def _write_decimals_with(axes: Axes, mark: str) -> None:
    """Numbers at the axes as a language writes them: with a comma before decimals in German."""
    if mark == ".":
        return
    from matplotlib.ticker import ScalarFormatter

    class Marked(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(super().__call__(x, pos)).replace(".", mark)

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(Marked())


def svg_text(figure: Figure) -> str:
    """The figure as one <svg> element with text as text, two decimals of a point, and no stamp of its own."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    stream = io.StringIO()
    canvas: Any = FigureCanvasSVG(figure)
    canvas.print_svg(stream, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _LONG_FRACTION.sub(r"\1", _PROLOG.sub("", stream.getvalue(), count=1)).strip()


def _settings() -> Any:
    return {
        "font.family": [*_installed_fonts(), "sans-serif"],
        "font.size": 7.5,
        "text.parse_math": False,
        "text.color": INK,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.linewidth": 0.6,
        "axes.axisbelow": True,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "grid.color": GRID,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "lines.linewidth": 1.1,
        "svg.fonttype": "none",
        "svg.hashsalt": "rigwright",
        "path.simplify": True,
    }


@cache
def _installed_fonts() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return tuple(name for name in FONTS if name in installed)


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
                spread = [[bar.value - low], [high - bar.value]]
                axes.errorbar(bar.value, place, xerr=spread, fmt="none", ecolor=INK, elinewidth=0.8, capsize=2.0)
            end = (max(high, bar.value), place)
            axes.annotate(into(quantity(bar.value, unit)), end, (5, 0), textcoords="offset points", va="center")
        axes.set_yticks(places, [_shortened(bar.label) for bar in bars])
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.set_xlim(0, 1.15 * max((max(_ends(bar)[1], bar.value) for bar in bars), default=1.0) or 1.0)
        axes.set_xlabel(into(axis_title), labelpad=1)
        axes.grid(axis="x")
        return svg_text(figure)


def _ends(bar: Bar) -> tuple[float, float]:
    low = bar.value if bar.low is None else min(bar.low, bar.value)
    high = bar.value if bar.high is None else max(bar.high, bar.value)
    return low, high


def _shortened(label: str) -> str:
    return cut(into(label), _LABEL_LETTERS)
