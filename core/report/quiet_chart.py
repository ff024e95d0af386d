"""The plot that shows which radiator area, power limit and fan speed make a water-cooled machine quiet."""

from __future__ import annotations

from collections.abc import Sequence

from core.language import tr
from core.predict.quiet import Quietest
from core.report.chart import LegendEntry, Sheet, padded
from core.report.palette import MUTED, series_style

HEIGHT = 190.0
QUIET_DBA = 35.0


def draw_quiet(rows: Sequence[Quietest]) -> str:
    """SVG text: noise over the power limit, one curve per radiator area, the fan speed written at each point.

    A limit at which no fan speed keeps coolant and cards within bounds has no point.
    """
    areas = sorted({row.places for row in rows})
    curves = {places: [row for row in rows if row.places == places and row.noise_dba is not None] for places in areas}
    legend = []
    for number, (places, curve) in enumerate(curves.items()):
        label = tr("{count} fan positions on radiators", count=places)
        if not curve:
            label = tr("{count} fan positions on radiators: too small", count=places)
        legend.append(LegendEntry(label, *series_style(number)))
    levels = [row.noise_dba for curve in curves.values() for row in curve if row.noise_dba is not None]
    limits = [100 * row.limit_share for curve in curves.values() for row in curve]
    sheet = Sheet(padded(limits), padded([*levels, QUIET_DBA], share=0.12), HEIGHT, legend=legend, above=8)
    sheet.axis_left(tr("Noise in training, dBA"))
    sheet.axis_below(tr("GPU power limit, % of the card's own"))
    quiet = sheet.y(QUIET_DBA)
    sheet.line((sheet.left, sheet.right), (quiet, quiet), MUTED, stroke_width=0.6, stroke_dasharray="0.8 1.2")
    for number, curve in enumerate(curves.values()):
        colour, dash = series_style(number)
        across = [sheet.x(100 * row.limit_share) for row in curve]
        upward = [sheet.y(row.noise_dba) for row in curve]
        if curve:
            sheet.line(across, upward, colour, stroke_width=1.1, stroke_dasharray=dash)
        for row, x, y in zip(curve, across, upward, strict=True):
            sheet.dot(x, y, colour)
            words = tr("fans {share:.0f} %", share=100 * (row.fan_share or 0))
            sheet.text(x, y + (-4 if number % 2 else 9), words, size=5.5, text_anchor="middle")
    return sheet.svg
