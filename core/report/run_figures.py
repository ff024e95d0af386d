"""The figures of a run report: one per measured metric, all with the same time axis and device styles."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial

import numpy as np

from core.burnin.record.rows import RunDevice
from core.language import joined, tr
from core.report.document import Illustration
from core.report.formatting import duration, semicolons
from core.report.recorded_run import RecordedRun
from core.report.statistics import statistics
from core.report.time_chart import ChartLimit, ExpectedBand, Span, Trace, draw_over_time, thin
from core.telemetry.device import Device
from core.telemetry.metrics import BY_NAME, Metric
from core.units import quantity

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
    expected: dict[str, ExpectedBand],
    drawn: Sequence[str] = DRAWN,
    devices: Collection[Device] | None = None,
) -> Iterator[Illustration]:
    """A figure per metric of `drawn` that was measured; errors too if there were any. `expected` by metric name.

    Of all devices that were watched, or of `devices`.
    """
    shown = [row for row in record.devices if devices is None or row.device in devices]
    names = [*drawn, *(["errors"] if _any_errors(record, shown) else [])]
    for name in names:
        if any(record.summary(row.device.id, name) for row in shown):
            yield _figure(record, BY_NAME[name], shown, expected.get(name))


def _figure(
    record: RecordedRun, metric: Metric, shown: Sequence[RunDevice], expected: ExpectedBand | None
) -> Illustration:
    limits = _limits(record) if metric.name == "temperature_c" else []
    draw = partial(
        draw_over_time,
        _traces(record, metric.name, shown),
        axis_title=title_with_unit(metric),
        end_s=record.seconds,
        spans=_spans(record),
        limits=limits,
        expected=expected,
    )
    marked = SIMULATED_CAPTION if record.run.simulated else ""
    caption = joined((marked, tr("{meaning}.", meaning=metric.meaning)))
    return Illustration(metric.title, draw, caption, _alt(record, metric, shown))


def title_with_unit(metric: Metric) -> str:
    """ "Power, W"; the title alone of what has no unit."""
    return tr("{title}, {unit}", title=metric.title, unit=metric.unit) if metric.unit else metric.title


def _traces(record: RecordedRun, name: str, shown: Sequence[RunDevice]) -> list[Trace]:
    traces = []
    for row in shown:
        time_s, values = record.series(row.device.id, name)
        if np.isfinite(values).any():
            traces.append(Trace(record.label(row.device.id), row.position, thin(time_s, values)))
    return traces


def _spans(record: RecordedRun) -> list[Span]:
    return [
        Span(stage.title, stage.started_s, record.seconds if stage.ended_s is None else stage.ended_s)
        for stage in record.stages
        if stage.started_s is not None
    ]


def _limits(record: RecordedRun) -> list[ChartLimit]:
    known = {device.temperature_slowdown_c for device in record.burned if device.temperature_slowdown_c is not None}
    return [ChartLimit(tr("slowdown {temperature:.0f} °C", temperature=value), value) for value in sorted(known)]


def _any_errors(record: RecordedRun, shown: Sequence[RunDevice]) -> bool:
    found = (statistics(record, row.device.id, "errors") for row in shown)
    return any(stats is not None and stats.highest > 0 for stats in found)


def _alt(record: RecordedRun, metric: Metric, shown: Sequence[RunDevice]) -> str:
    said = []
    for row in shown:
        stats = statistics(record, row.device.id, metric.name)
        if stats is not None:
            low, high = (
                quantity(value, metric.unit, decimals=metric.decimals) for value in (stats.lowest, stats.highest)
            )
            said.append(tr("{device} from {low} to {high}", device=record.label(row.device.id), low=low, high=high))
    return tr(
        "{metric} over {duration}: {figures}.",
        metric=metric.title,
        duration=duration(record.seconds),
        figures=semicolons(said),
    )
