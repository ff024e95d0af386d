"""The plot that shows which radiator area, power limit and fan speed make a water-cooled machine quiet."""

from __future__ import annotations

from collections.abc import Sequence

from core.language import tr
from core.predict.quiet import Quietest
from core.report.chart import sheet, svg_text
from core.report.palette import MUTED, series_style

HEIGHT_IN = 3.4
QUIET_DBA = 35.0


def draw_quiet(rows: Sequence[Quietest]) -> str:
    """SVG text: noise over the power limit, one curve per radiator area, the fan speed written at each point.

    A limit at which no fan speed keeps coolant and cards within bounds has no point.
    """
    with sheet(HEIGHT_IN) as (figure, axes):
        for number, places in enumerate(sorted({row.places for row in rows})):
            curve = [row for row in rows if row.places == places and row.noise_dba is not None]
            colour, dash = series_style(number)
            limits, levels = [100 * row.limit_share for row in curve], [row.noise_dba or 0.0 for row in curve]
            label = tr("{count} fan positions on radiators", count=places)
            if not curve:
                label = tr("{count} fan positions on radiators: too small", count=places)
            axes.plot(limits, levels, color=colour, linestyle=dash, marker="o", markersize=3, label=label)
            for row, limit, level in zip(curve, limits, levels, strict=True):
                words = tr("fans {share:.0f} %", share=100 * (row.fan_share or 0))
                above = (0, 4 if number % 2 else -9)
                axes.annotate(words, (limit, level), above, textcoords="offset points", ha="center", fontsize=5.5)
        axes.axhline(QUIET_DBA, color=MUTED, linewidth=0.6, linestyle="dotted")
        axes.set_xlabel(tr("GPU power limit, % of the card's own"))
        axes.set_ylabel(tr("Noise in training, dBA"))
        axes.margins(0.06, 0.14)
        axes.grid(axis="y")
        axes.legend(loc="upper left", fontsize=6.5)
        return svg_text(figure)
