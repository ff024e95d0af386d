"""The figures of a run report: one per measured metric over the time of the run, with a line per device."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.rows import Outcome
from core.burnin.verdict.causes import Cause
from core.chart import Limit, Moment, PredictedBand, Scenery, Span
from core.machine.telemetry.metrics import BY_NAME, Metric
from core.present.report.chart import SMALL, LegendEntry, Sheet, padded, width
from core.present.report.document import Illustration, Tone
from core.present.report.formatting import duration, semicolons
from core.present.report.palette import ACCENT, MUTED, STAGE_BAND, TONE_COLOUR, series_style
from core.present.report.recorded_run import RecordedRun
from core.words import into, joined, tr
from core.words.units import quantity

Series = NDArray[np.float64]

HEIGHT, LOWER, MANY = 65.0, 50.0, 12
"""Of the plot; the lower one with more devices than `MANY`: four such figures are a page of the certificate."""
BUCKETS = 360
"""Two per millimetre of a figure across the page: finer than print resolves."""
GAP_S = 5.0
"""A line never bridges a longer silence than this, or three usual sampling intervals."""
_DIMMED = 0.45
_HALO = {"stroke": "#ffffff", "stroke_width": 2, "paint_order": "stroke"}
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


def draw_over_time(traces: Sequence[Trace], behind: Scenery, *, axis_title: str, end_s: float) -> str:
    """SVG text. The time axis starts with the run; its unit follows its length."""
    divisor, unit = next((step, name) for least, step, name in _TIME_UNITS if end_s >= least)
    legend = [LegendEntry(trace.label, *series_style(trace.position)) for trace in traces]
    legend += [LegendEntry(band.text, ACCENT, band=True) for band in behind.predicted]
    height = HEIGHT if len(traces) <= MANY else LOWER
    sheet = Sheet((0, max(end_s, 1) / divisor), _range(traces, behind), height, legend=legend, above=10)
    for number, span in enumerate(behind.stages):
        start, end = (sheet.x(time_s / divisor) for time_s in (span.start_s, span.end_s))
        if number % 2 == 0:
            sheet.box((start, end), (sheet.bottom, sheet.top), STAGE_BAND)
        if end - start > width(into(span.text), SMALL):
            sheet.text((start + end) / 2, sheet.top - 2.5, span.text, MUTED, SMALL, text_anchor="middle")
    for band in behind.predicted:
        start, end = (sheet.x(min(time_s, end_s) / divisor) for time_s in (band.start_s, band.end_s))
        sheet.box((start, end), (sheet.y(band.low), sheet.y(band.high)), ACCENT, 0.12)
    sheet.axis_left(axis_title)
    sheet.axis_below(tr("time since the start, {unit}", unit=unit))
    for trace in sorted(traces, key=lambda trace: trace.failed):
        dimmed = not trace.failed and any(other.failed for other in traces)
        _draw_trace(sheet, trace, divisor=divisor, shade=max(0.25 / len(traces), 0.04), dimmed=dimmed)
    _draw_marks(sheet, behind, divisor)
    return sheet.svg


def _range(traces: Sequence[Trace], behind: Scenery) -> tuple[float, float]:
    """Of all that is drawn."""
    curves = [curve[np.isfinite(curve)] for trace in traces for curve in (trace.series.low, trace.series.high)]
    values = [float(end) for curve in curves if len(curve) for end in (curve.min(), curve.max())]
    values += [end for band in behind.predicted for end in (band.low, band.high)]
    return padded([*values, *(limit.value for limit in behind.limits)])


def _draw_trace(sheet: Sheet, trace: Trace, *, divisor: float, shade: float, dimmed: bool) -> None:
    """`shade` is the opacity of the band; with many devices the bands overlap and must be faint."""
    colour, dash = series_style(trace.position)
    series = trace.series
    measured = np.isfinite(series.time_s).astype(np.int8)
    for start, stop in np.flatnonzero(np.diff(measured, prepend=0, append=0)).reshape(-1, 2):
        piece = slice(start, stop)
        x = sheet.x(series.time_s[piece] / divisor)
        low, mean, high = (sheet.y(curve[piece]) for curve in (series.low, series.mean, series.high))
        if (low > high).any():
            sheet.area(x, low, high, colour, shade)
        style = {"stroke_width": 1.8 if trace.failed else 1.1, "stroke_dasharray": dash, "stroke_linejoin": "round"}
        sheet.line(x, mean, colour, **style, stroke_opacity=_DIMMED if dimmed else 1)
        if len(measured) <= 2:
            for place in zip(x, mean, strict=True):
                sheet.dot(*place, colour)


def _draw_marks(sheet: Sheet, behind: Scenery, divisor: float) -> None:
    """Limits, named at the right; moments, named on the side with room, each name below those in its place."""
    colour, taken = TONE_COLOUR[Tone.FAIL], list[tuple[float, float, float]]()
    for limit in behind.limits:
        y, wide = sheet.y(limit.value), width(into(limit.text), SMALL)
        sheet.line((sheet.left, sheet.right), (y, y), colour, stroke_width=0.8, stroke_dasharray="0.8 1.2")
        sheet.text(sheet.right - 1, y + SMALL, limit.text, colour, SMALL, text_anchor="end", **_HALO)
        taken.append((sheet.right - wide, sheet.right, y + SMALL))
    for mark in behind.marks:
        x, y, wide = sheet.x(mark.time_s / divisor), sheet.top + SMALL, width(into(mark.text), SMALL)
        left = x - wide if x + wide > sheet.right else x
        while any(left < end and start < left + wide and abs(y - line) < SMALL for start, end, line in taken):
            y += 1
        taken.append((left, left + wide, y))
        sheet.line((x, x), (sheet.top, sheet.bottom), colour, stroke_width=1)
        anchor = {"text_anchor": "end"} if left < x else {}
        sheet.text(x - 3 if left < x else x + 3, y, mark.text, colour, SMALL, **anchor, **_HALO)


def thin(time_s: Series, values: Series, *, buckets: int = BUCKETS) -> Thinned:
    """At most `buckets` points between breaks; a short series passes unchanged. Times rise."""
    measured = np.isfinite(values)
    time_s, values = time_s[measured], values[measured]
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


DRAWN = (
    "temperature_c",
    "memory_temperature_c",
    "power_w",
    "clock_mhz",
    "utilisation_pct",
    "fan_pct",
    "margin_c",
    "throughput_tflops",
    "share_of_peak_pct",
    "bandwidth_gbps",
    "images_per_s",
    "tokens_per_s",
    "step_ms",
    "loss",
    "accuracy_pct",
    "machine_power_w",
    "noise_dba",
)
SIMULATED_CAPTION = tr("SIMULATED: no hardware was measured.")


def run_figures(
    record: RecordedRun,
    expected: dict[str, PredictedBand],
    drawn: Sequence[str] = DRAWN,
    names: Mapping[str, str] | None = None,
) -> Iterator[Illustration]:
    """A figure per metric of `drawn` that was measured; errors too if there were any. `expected` by metric name.

    Of all devices that were watched, or of those in `names`, by id what they are called.
    """
    if names is None:
        names = {row.device.id: record.label(row.device.id) for row in record.devices}
    errors = [summary for device_id in names if (summary := record.summary(device_id, "errors"))]
    metrics = [*drawn, *(["errors"] if any(one.statistics.highest > 0 for one in errors) else [])]
    for name in metrics:
        if any(record.summary(device_id, name) for device_id in names):
            yield _figure(record, BY_NAME[name], names, expected.get(name))


def _figure(
    record: RecordedRun, metric: Metric, shown: Mapping[str, str], expected: PredictedBand | None
) -> Illustration:
    """Of the devices in `shown`, by id what they are called."""
    behind = Scenery(
        stages=_spans(record),
        predicted=(expected,) if expected else (),
        marks=_moments(record, shown),
        limits=_limits(record) if metric.name == "temperature_c" else (),
    )
    draw = partial(
        draw_over_time,
        _traces(record, metric.name, shown),
        behind,
        axis_title=title_with_unit(metric),
        end_s=record.seconds,
    )
    marked = SIMULATED_CAPTION if record.run.simulated else ""
    caption = joined((marked, tr("{meaning}.", meaning=metric.meaning)))
    return Illustration(metric.title, draw, caption, _alt(record, metric, shown))


def title_with_unit(metric: Metric) -> str:
    """ "Power, W"; the title alone of what has no unit."""
    return tr("{title}, {unit}", title=metric.title, unit=metric.unit) if metric.unit else metric.title


def _traces(record: RecordedRun, name: str, shown: Mapping[str, str]) -> list[Trace]:
    traces = []
    failed = {device_id for cause in _failures(record) for device_id in cause.devices}
    for row in record.devices:
        if row.device.id not in shown:
            continue
        time_s, values = record.series(row.device.id, name)
        if np.isfinite(values).any():
            failing = row.device.id in failed
            traces.append(Trace(shown[row.device.id], row.position, thin(time_s, values), failed=failing))
    return traces


def _failures(record: RecordedRun) -> Iterator[Cause]:
    return (cause for cause in record.causes if cause.outcome is Outcome.FAIL)


def _moments(record: RecordedRun, shown: Collection[str]) -> tuple[Moment, ...]:
    """When each failure of these devices was first seen, by their short names."""
    first_s: dict[str, float] = {}
    for cause in _failures(record):
        for device_id in cause.devices:
            if cause.time_s is not None and device_id in shown:
                label = record.device(device_id).label
                first_s[label] = min(cause.time_s, first_s.get(label, cause.time_s))
    return tuple(Moment(time_s, label) for label, time_s in sorted(first_s.items(), key=lambda one: one[1]))


def _spans(record: RecordedRun) -> tuple[Span, ...]:
    return tuple(
        Span(stage.started_s, record.seconds if stage.ended_s is None else stage.ended_s, stage.title)
        for stage in record.stages
        if stage.started_s is not None
    )


def _limits(record: RecordedRun) -> tuple[Limit, ...]:
    limits = {device.temperature_slowdown_c for device in record.burned if device.temperature_slowdown_c is not None}
    return tuple(Limit(value, tr("slowdown {temperature:.0f} °C", temperature=value)) for value in sorted(limits))


def _alt(record: RecordedRun, metric: Metric, shown: Mapping[str, str]) -> str:
    ranges = []
    for device_id, name in shown.items():
        if summary := record.summary(device_id, metric.name):
            ends = (summary.statistics.lowest, summary.statistics.highest)
            low, high = (quantity(value, metric.unit, decimals=metric.decimals) for value in ends)
            ranges.append(tr("{device} from {low} to {high}", device=name, low=low, high=high))
    fields = {"metric": metric.title, "duration": duration(record.seconds), "figures": semicolons(ranges)}
    return tr("{metric} over {duration}: {figures}.", **fields)
