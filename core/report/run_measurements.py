"""The measurements of a run report: quantities by their extremes, counters by their growth, states, clock limits."""

from __future__ import annotations

from collections.abc import Iterator

from core.language import tr
from core.report.document import Badge, Block, Cell, Heading, Paragraph, ReportColumn, Tone, table
from core.report.formatting import NOT_MEASURED, clock, commas
from core.report.recorded_run import RecordedRun
from core.report.run_figures import title_with_unit
from core.report.statistics import (
    clock_limits,
    growing_metrics,
    growth,
    never_measured,
    states,
    statistics,
    told_by_extremes,
    told_by_states,
)
from core.report.summary import CounterGrowth
from core.telemetry.metrics import Metric
from core.telemetry.throttle import Severity
from core.units import quantity

_SEVERITY = {
    one: Badge(one.label, tone) for one, tone in zip(Severity, (Tone.PLAIN, Tone.WARN, Tone.FAIL), strict=True)
}


def statistics_blocks(record: RecordedRun) -> Iterator[Block]:
    """Last, minimum, mean and maximum of everything that was measured, and what was not."""
    yield Heading(tr("Measurements"))
    missing = never_measured(record)
    columns = (
        ReportColumn(tr("Metric"), 2.7),
        ReportColumn(tr("Device"), 5.8),
        ReportColumn(tr("Last"), 2.2, numeric=True),
        ReportColumn(tr("Min"), 1.8, numeric=True),
        ReportColumn(tr("Mean"), 1.8, numeric=True),
        ReportColumn(tr("Max"), 1.8, numeric=True),
        ReportColumn(tr("Max at"), 1.8, numeric=True),
    )
    metrics = [metric for metric in told_by_extremes() if metric not in missing]
    rows = [row for metric in metrics for row in _metric_rows(record, metric)]
    yield table(columns, rows, empty=tr("No sample was recorded."))
    kinds = {row.device.kind for row in record.devices}
    possible = [metric.title for metric in missing if kinds.intersection(metric.of)]
    if possible:
        yield Paragraph(tr("Not measured on any device: {metrics}.", metrics=commas(possible)))


def _metric_rows(record: RecordedRun, metric: Metric) -> Iterator[tuple[Cell, ...]]:
    title = title_with_unit(metric)
    for row in record.devices:
        if row.device.kind not in metric.of:
            continue
        stats = statistics(record, row.device.id, metric.name)
        if stats is None:
            figures: tuple[Cell, ...] = (NOT_MEASURED, "", "", "", "")
        else:
            shown = (stats.last, stats.lowest, stats.mean, stats.highest)
            figures = (*(quantity(value, "", decimals=metric.decimals) for value in shown), clock(stats.highest_at_s))
        yield (title, record.label(row.device.id), *figures)
        title = ""


def counter_blocks(record: RecordedRun) -> Iterator[Block]:
    """By how much the counters of devices, loads and host grew during the run; those that stood still are named."""
    rows: list[tuple[Cell, ...]] = []
    still: list[str] = []
    for metric in growing_metrics():
        found = {row.device.id: growth(record, row.device.id, metric.name) for row in record.devices}
        told = {device_id: counts for device_id, counts in found.items() if counts is not None}
        if any(counts.grown for counts in told.values()):
            rows += _counter_rows(record, metric, told)
        elif told:
            still.append(metric.title)
    if not rows and not still:
        return
    yield Heading(tr("Counters"), 2)
    columns = (
        ReportColumn(tr("Counter"), 2.7),
        ReportColumn(tr("Device"), 5.8),
        *(ReportColumn(title, 2.2, numeric=True) for title in (tr("At the start"), tr("At the end"), tr("Increase"))),
    )
    yield table(columns, rows, empty=tr("No counter increased."))
    if still:
        yield Paragraph(tr("Did not increase on any device: {counters}.", counters=commas(still)))


def _counter_rows(record: RecordedRun, metric: Metric, told: dict[str, CounterGrowth]) -> Iterator[tuple[Cell, ...]]:
    title = title_with_unit(metric)
    for device_id, counts in told.items():
        shown = (counts.first, counts.last, counts.grown)
        figures = (quantity(value, "", decimals=metric.decimals) for value in shown)
        yield (title, record.label(device_id), *figures)
        title = ""


def state_blocks(record: RecordedRun) -> Iterator[Block]:
    """The states that devices were in; those that were 0 throughout are only named."""
    rows: list[tuple[Cell, ...]] = []
    quiet: list[str] = []
    for metric in told_by_states():
        found = {row.device.id: states(record, row.device.id, metric.name) for row in record.devices}
        told = {device_id: seen for device_id, seen in found.items() if seen is not None}
        if any(seen != (0.0,) for seen in told.values()):
            rows += _state_rows(record, metric, told)
        elif told:
            quiet.append(metric.title)
    if not rows and not quiet:
        return
    yield Heading(tr("States"), 2)
    columns = (
        ReportColumn(tr("State"), 2.7),
        ReportColumn(tr("Device"), 4.0),
        ReportColumn(tr("Values seen"), 2.4),
        ReportColumn(tr("Meaning"), 4.4),
    )
    yield table(columns, rows, empty=tr("No state other than 0 was seen."))
    if quiet:
        yield Paragraph(tr("0 on every device throughout: {states}.", states=commas(quiet)))


def _state_rows(record: RecordedRun, metric: Metric, told: dict[str, tuple[float, ...]]) -> Iterator[tuple[Cell, ...]]:
    title, meaning = metric.title, metric.meaning
    for device_id, seen in told.items():
        yield (title, record.label(device_id), commas(f"{value:g}" for value in seen) or tr("many"), meaning)
        title = meaning = ""


def clock_limit_blocks(record: RecordedRun) -> Iterator[Block]:
    """Why clocks were lowered and for how long; nothing if the mask was never read."""
    seen = {row.device.id: clock_limits(record, row.device.id) for row in record.devices}
    if all(limits is None for limits in seen.values()):
        return
    yield Heading(tr("Clock event reasons"), 2)
    columns = (
        ReportColumn(tr("Device"), 2.4),
        ReportColumn(tr("Reason"), 1.3),
        ReportColumn(tr("Severity"), 0.9),
        ReportColumn(tr("Share of samples"), 1.0, numeric=True),
        ReportColumn(tr("Meaning"), 3.4),
    )
    rows: list[tuple[Cell, ...]] = []
    for device_id, limits in seen.items():
        if limits is None:
            rows.append((record.label(device_id), NOT_MEASURED, "", "", ""))
        rows.extend(
            (
                record.label(device_id),
                limit.reason.title,
                _SEVERITY[limit.reason.severity],
                quantity(limit.share_pct, "%"),
                limit.reason.meaning,
            )
            for limit in limits or ()
        )
    yield table(columns, rows, empty=tr("Clocks were not held back in any sample."))
