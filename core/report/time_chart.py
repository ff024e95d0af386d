"""The figure of a metric over the time of a run: a line per device, stages shaded, limits drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.language import into, tr
from core.picture.svg import letters
from core.report.chart import sheet, svg_text
from core.report.document import Tone
from core.report.palette import ACCENT, MUTED, STAGE_BAND, TONE_COLOUR, series_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Series = NDArray[np.float64]

HEIGHT_IN = 1.4
_LETTER_SHARE = 0.0073
"""Width of a letter of a stage title, as a share of the axes."""
BUCKETS = 360
"""Two per millimetre of a figure across the page: finer than print resolves."""
GAP_S = 5.0
"""A line never bridges a longer silence than this, or three usual sampling intervals."""
_SHORT_LABEL = 26
"""Letters of a device's name with which three stand side by side in the legend."""
_MANY, _LOWER_IN = 12, 1.2
"""With more devices than this, a lower figure: four of them are a page of the certificate."""
_EMPHASISED_PT = 1.8
_DIMMED = 0.45
_TIME_UNITS = ((3 * 3600, 3600, "h"), (180, 60, "min"), (0, 1, "s"))


@dataclass(frozen=True, slots=True)
class Thinned:
    """A series for drawing. NaN in all four breaks the line where nothing was measured."""

    time_s: Series
    low: Series
    mean: Series
    high: Series


@dataclass(frozen=True, slots=True)
class Trace:
    """One device's measurements. `position` chooses colour and dash, the same in all figures."""

    label: str
    position: int
    series: Thinned
    failed: bool = False
    """It stands out, and the others are dimmed."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stage on the time axis."""

    title: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class ChartLimit:
    """A horizontal line that must not be crossed."""

    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Moment:
    """When a device failed."""

    label: str
    time_s: float


@dataclass(frozen=True, slots=True)
class ExpectedBand:
    """The band that the plan predicted."""

    label: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BehindCurves:
    """What a figure shows behind and around its curves."""

    spans: Sequence[Span] = ()
    limits: Sequence[ChartLimit] = ()
    moments: Sequence[Moment] = ()
    expected: ExpectedBand | None = None


def draw_over_time(traces: Sequence[Trace], behind: BehindCurves, *, axis_title: str, end_s: float) -> str:
    """SVG text. The time axis starts with the run; its unit follows its length."""
    divisor, unit = next((step, name) for least, step, name in _TIME_UNITS if end_s >= least)
    columns, expected = _columns(traces), behind.expected
    legend_rows = -(-(len(traces) + (expected is not None)) // columns)
    height_in = HEIGHT_IN if len(traces) <= _MANY else _LOWER_IN
    with sheet(height_in + 0.175 * legend_rows) as (figure, axes):
        _draw_spans(axes, behind.spans, divisor=divisor, end_s=end_s)
        if expected is not None:
            axes.axhspan(expected.low, expected.high, color=ACCENT, alpha=0.12, lw=0, label=into(expected.label))
        for trace in traces:
            dimmed = not trace.failed and any(other.failed for other in traces)
            _draw_trace(axes, trace, divisor=divisor, shade=max(0.25 / len(traces), 0.04), dimmed=dimmed)
        _draw_limits(axes, behind.limits)
        _draw_moments(axes, behind.moments, divisor=divisor, end_s=end_s)
        axes.set_xlim(0, max(end_s, 1) / divisor)
        axes.set_xlabel(tr("time since the start, {unit}", unit=unit), labelpad=1)
        axes.set_ylabel(into(axis_title))
        axes.grid(axis="y")
        handles, _ = axes.get_legend_handles_labels()
        devices_first = sorted(handles, key=lambda handle: handle.get_label() not in {into(t.label) for t in traces})
        figure.legend(
            handles=devices_first,
            loc="outside upper left",
            ncols=columns,
            handlelength=3.2,
            borderpad=0,
            columnspacing=1.5,
        )
        return svg_text(figure)


def _columns(traces: Sequence[Trace]) -> int:
    """Of the legend; the predicted band, which has the longest name, stands in the last one."""
    if max((letters(into(trace.label)) for trace in traces), default=0) > _SHORT_LABEL:
        return 2
    return 3 if len(traces) <= _MANY else 4


def _draw_trace(axes: Axes, trace: Trace, *, divisor: float, shade: float, dimmed: bool) -> None:
    """`shade` is the opacity of the band; with many devices the bands overlap and must be faint."""
    colour, dash = series_style(trace.position)
    thinned = trace.series
    time = thinned.time_s / divisor
    if (thinned.high > thinned.low).any():
        axes.fill_between(time, thinned.low, thinned.high, color=colour, alpha=shade, lw=0)
    marker = "o" if len(time) <= 2 else None
    axes.plot(
        time,
        thinned.mean,
        color=colour,
        linestyle=dash,
        linewidth=_EMPHASISED_PT if trace.failed else None,
        alpha=_DIMMED if dimmed else None,
        zorder=3 if trace.failed else 2,
        marker=marker,
        markersize=3,
        label=into(trace.label),
    )


def _draw_spans(axes: Axes, spans: Sequence[Span], *, divisor: float, end_s: float) -> None:
    for number, span in enumerate(spans):
        if number % 2 == 0:
            axes.axvspan(span.start_s / divisor, span.end_s / divisor, color=STAGE_BAND, lw=0)
        share, title = (span.end_s - span.start_s) / max(end_s, 1), into(span.title)
        if share > _LETTER_SHARE * letters(title):
            middle = (span.start_s + span.end_s) / 2 / divisor
            axes.text(middle, 1.01, title, transform=axes.get_xaxis_transform(), ha="center", color=MUTED, fontsize=6.5)


def _draw_moments(axes: Axes, moments: Sequence[Moment], *, divisor: float, end_s: float) -> None:
    """A line from top to bottom, named on the side with room; each name under the one before."""
    colour = TONE_COLOUR[Tone.FAIL]
    for number, moment in enumerate(moments):
        axes.axvline(moment.time_s / divisor, color=colour, lw=1.0)
        left = moment.time_s > 0.8 * end_s
        axes.annotate(
            into(moment.label),
            (moment.time_s / divisor, 1.0),
            xycoords=axes.get_xaxis_transform(),
            xytext=(-3 if left else 3, -1 - 8 * number),
            textcoords="offset points",
            ha="right" if left else "left",
            va="top",
            color=colour,
            fontsize=6.5,
        )


def _draw_limits(axes: Axes, limits: Sequence[ChartLimit]) -> None:
    if limits:
        low, high = axes.get_ylim()
        highest = max(limit.value for limit in limits)
        axes.set_ylim(low, max(high, highest + 0.12 * (highest - low)))
    for limit in limits:
        axes.axhline(limit.value, color=TONE_COLOUR[Tone.FAIL], lw=0.8, linestyle=(0, (1, 1.5)))
        axes.annotate(
            into(limit.label),
            (0.998, limit.value),
            xycoords=axes.get_yaxis_transform(),
            xytext=(0, -1.5),
            textcoords="offset points",
            ha="right",
            va="top",
            color=TONE_COLOUR[Tone.FAIL],
            fontsize=6.5,
        )


def thin(time_s: Series, values: Series, *, buckets: int = BUCKETS) -> Thinned:
    """At most `buckets` points between breaks; a short series passes unchanged. Times rise."""
    known = np.isfinite(values)
    time_s, values = time_s[known], values[known]
    gaps = _gaps_after(time_s)
    if len(time_s) <= buckets:
        return _with_breaks(Thinned(time_s, values, values, values), gaps)
    edges = np.linspace(time_s[0], time_s[-1], buckets + 1)
    bucket = np.clip(np.searchsorted(edges, time_s, side="right") - 1, 0, buckets - 1)
    piece = np.zeros(len(time_s), dtype=np.intp)
    piece[gaps + 1] = 1
    group = bucket + (buckets + 1) * np.cumsum(piece)
    starts = np.flatnonzero(np.r_[True, np.diff(group) > 0])
    count = np.diff(np.r_[starts, len(time_s)])
    thinned = Thinned(
        np.add.reduceat(time_s, starts) / count,
        np.minimum.reduceat(values, starts),
        np.add.reduceat(values, starts) / count,
        np.maximum.reduceat(values, starts),
    )
    return _with_breaks(thinned, np.flatnonzero(np.diff(np.cumsum(piece)[starts]) > 0))


def _gaps_after(time_s: Series) -> NDArray[np.intp]:
    """Indices of points that are followed by a silence."""
    steps = np.diff(time_s)
    if not len(steps):
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(steps > max(GAP_S, 3 * float(np.median(steps))))


def _with_breaks(series: Thinned, after: NDArray[np.intp]) -> Thinned:
    def broken(column: Series) -> Series:
        return np.insert(column, after + 1, np.nan)

    return Thinned(broken(series.time_s), broken(series.low), broken(series.mean), broken(series.high))
