"""The measurements of a run: quantities by their extremes, counters by their growth, states, clock limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.machine.telemetry.metrics import LOAD_METRICS, METRICS, Metric, Reading
from core.machine.telemetry.throttle import Severity, ThrottleReason, reasons
from core.present.report.document import Badge, Block, Cell, Heading, Paragraph, ReportColumn, Tone, table
from core.present.report.formatting import NOT_MEASURED, clock, commas
from core.present.report.recorded_run import RecordedRun, Summary
from core.present.report.run_figures import title_with_unit
from core.words import tr
from core.words.units import quantity

_SEVERITY = {
    one: Badge(one.label, tone) for one, tone in zip(Severity, (Tone.PLAIN, Tone.WARN, Tone.FAIL), strict=True)
}
PLAIN_METRICS = tuple(metric for metric in METRICS if metric.name != "throttle_mask")
"""Those that have a minimum and a mean: of a bit field they say nothing."""
LEVELS = tuple(metric for metric in METRICS if metric.reading is Reading.LEVEL)
STATES = tuple(metric for metric in PLAIN_METRICS if metric.reading is Reading.STATE)
COUNTERS = tuple(m for m in METRICS if m.reading is Reading.COUNTER and m.name not in LOAD_METRICS)
"""Those that go on through the whole run. Those of the loads begin anew with each load and stand in its result."""
Summaries = Mapping[str, Summary]
"""By device id."""


@dataclass(frozen=True, slots=True)
class ClockLimit:
    """A reason for lowered clocks and in how many of the samples it stood."""

    reason: ThrottleReason
    samples: int
    of: int


def clock_limits(record: RecordedRun, device_id: str) -> list[ClockLimit] | None:
    """The reasons seen, most frequent first; None if the mask was never read."""
    _, masks = record.series(device_id, "throttle_mask")
    masks = masks[np.isfinite(masks)]
    if not len(masks):
        return None
    seen: Counter[ThrottleReason] = Counter()
    for value, count in zip(*np.unique(masks, return_counts=True), strict=True):
        for reason in reasons(float(value)):
            seen[reason] += int(count)
    return [ClockLimit(reason, count, len(masks)) for reason, count in seen.most_common()]


def never_measured(record: RecordedRun) -> list[Metric]:
    """Metrics that no device of the run reported."""
    return [metric for metric in METRICS if not _summaries(record, metric)]


def measured_data(record: RecordedRun, device_id: str) -> dict[str, Any]:
    """For JSON: the statistics of a device by metric, null where it was not measured, and what held its clocks back."""
    summaries = {metric.name: record.summary(device_id, metric.name) for metric in PLAIN_METRICS}
    limits = clock_limits(record, device_id)
    return {
        "statistics": {name: asdict(one.statistics) if one else None for name, one in summaries.items()},
        "clock_limits": limits if limits is None else [_limit_data(limit) for limit in limits],
    }


def _limit_data(limit: ClockLimit) -> dict[str, Any]:
    reason = limit.reason
    named = {"name": reason.name, "title": reason.title, "severity": reason.severity.value}
    return named | {"samples": limit.samples, "of": limit.of}


def measurement_blocks(record: RecordedRun) -> Iterator[Block]:
    """The chapter of a report."""
    yield from _levels(record)
    yield from _counters(record)
    yield from _states(record)
    yield from _clock_limits(record)


def _summaries(record: RecordedRun, metric: Metric) -> Summaries:
    """Of the devices on which it was measured."""
    summaries = {row.device.id: record.summary(row.device.id, metric.name) for row in record.devices}
    return {device_id: summary for device_id, summary in summaries.items() if summary is not None}


def _levels(record: RecordedRun) -> Iterator[Block]:
    """Last, minimum, mean and maximum of everything that was measured, and what was not."""
    yield Heading(tr("Measurements"))
    columns = (
        ReportColumn(tr("Metric"), 2.7),
        ReportColumn(tr("Device"), 5.8),
        ReportColumn(tr("Last"), 2.2, numeric=True),
        *(ReportColumn(title, 1.8, numeric=True) for title in (tr("Min"), tr("Mean"), tr("Max"), tr("Max at"))),
    )
    rows = [row for metric in LEVELS for row in _level_rows(record, metric)]
    yield table(columns, rows, empty=tr("No sample was recorded."))
    kinds = {row.device.kind for row in record.devices}
    possible = [metric.title for metric in never_measured(record) if kinds.intersection(metric.of)]
    if possible:
        yield Paragraph(tr("Not measured on any device: {metrics}.", metrics=commas(possible)))


def _level_rows(record: RecordedRun, metric: Metric) -> Iterator[tuple[Cell, ...]]:
    """Also of devices that lack what others of their kind have; nothing where no device has it."""
    title, summaries = title_with_unit(metric), _summaries(record, metric)
    for row in record.devices if summaries else ():
        if row.device.kind not in metric.of:
            continue
        figures: tuple[Cell, ...] = (NOT_MEASURED, "", "", "", "")
        if summary := summaries.get(row.device.id):
            of = summary.statistics
            figures = (*_figures(metric, of.last, of.lowest, of.mean, of.highest), clock(of.highest_at_s))
        yield (title, record.label(row.device.id), *figures)
        title = ""


def _figures(metric: Metric, *values: float) -> tuple[str, ...]:
    return tuple(quantity(value, "", decimals=metric.decimals) for value in values)


def _counters(record: RecordedRun) -> Iterator[Block]:
    """By how much the counters of devices, loads and host grew during the run; those that stood still are named."""
    grown, still = _divided(record, COUNTERS, lambda summary: bool(summary.growth.grown))
    if not grown and not still:
        return
    yield Heading(tr("Counters"), 2)
    columns = (
        ReportColumn(tr("Counter"), 2.7),
        ReportColumn(tr("Device"), 5.8),
        *(ReportColumn(title, 2.2, numeric=True) for title in (tr("At the start"), tr("At the end"), tr("Increase"))),
    )
    rows: list[tuple[Cell, ...]] = []
    for metric, summaries in grown:
        title = title_with_unit(metric)
        for device_id, summary in summaries.items():
            growth = summary.growth
            rows.append((title, record.label(device_id), *_figures(metric, growth.first, growth.last, growth.grown)))
            title = ""
    yield table(columns, rows, empty=tr("No counter increased."))
    if still:
        yield Paragraph(tr("Did not increase on any device: {counters}.", counters=commas(still)))


def _states(record: RecordedRun) -> Iterator[Block]:
    """The states that devices were in; those that were 0 throughout are only named."""
    seen, quiet = _divided(record, STATES, lambda summary: summary.states != (0.0,))
    if not seen and not quiet:
        return
    yield Heading(tr("States"), 2)
    columns = (
        ReportColumn(tr("State"), 2.7),
        ReportColumn(tr("Device"), 4.0),
        ReportColumn(tr("Values seen"), 2.4),
        ReportColumn(tr("Meaning"), 4.4),
    )
    rows: list[tuple[Cell, ...]] = []
    for metric, summaries in seen:
        title, meaning = metric.title, metric.meaning
        for device_id, summary in summaries.items():
            values = commas(f"{value:g}" for value in summary.states) or tr("many")
            rows.append((title, record.label(device_id), values, meaning))
            title = meaning = ""
    yield table(columns, rows, empty=tr("No state other than 0 was seen."))
    if quiet:
        yield Paragraph(tr("0 on every device throughout: {states}.", states=commas(quiet)))


def _divided(
    record: RecordedRun, metrics: tuple[Metric, ...], shows: Callable[[Summary], bool]
) -> tuple[list[tuple[Metric, Summaries]], list[str]]:
    """The metrics that show something on some device; and the titles of those that were read and show nothing."""
    measured = [(metric, summaries) for metric in metrics if (summaries := _summaries(record, metric))]
    shown = [one for one in measured if any(map(shows, one[1].values()))]
    return shown, [one[0].title for one in measured if one not in shown]


def _clock_limits(record: RecordedRun) -> Iterator[Block]:
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
        label = record.label(device_id)
        if limits is None:
            rows.append((label, NOT_MEASURED, "", "", ""))
        for limit in limits or ():
            reason, share = limit.reason, quantity(100 * limit.samples / limit.of, "%")
            rows.append((label, reason.title, _SEVERITY[reason.severity], share, reason.meaning))
    yield table(columns, rows, empty=tr("Clocks were not held back in any sample."))
