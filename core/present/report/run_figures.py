"""The figures of a run report: one per measured metric, all with the same time axis and device styles."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from core.burnin.record.rows import Outcome
from core.burnin.verdict.causes import Cause
from core.chart import Limit, Moment, PredictedBand, Scenery, Span
from core.machine.telemetry.metrics import BY_NAME, Metric
from core.present.report.document import Illustration
from core.present.report.formatting import duration, semicolons
from core.present.report.recorded_run import RecordedRun
from core.present.report.time_chart import Trace, draw_over_time, thin
from core.words import joined, tr
from core.words.units import quantity

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
