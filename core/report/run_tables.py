"""The tables of a run report: devices, stages, statistics, clock limits, events."""

from __future__ import annotations

from collections.abc import Iterator

from core.burnin.record import Event, EventLevel, RunDevice, StageResult, StageRow
from core.report.document import Badge, Block, Cell, Column, Heading, Paragraph, Tone, table
from core.report.evidence import evidence_lines
from core.report.palette import EVENT_BADGE, RESULT_BADGE, STAGE_BADGE
from core.report.recorded_run import RecordedRun
from core.report.statistics import (
    clock_limits,
    growing_metrics,
    growth,
    never_measured,
    statistics,
    told_by_extremes,
)
from core.report.words import NOT_MEASURED, clock, duration, quantity
from core.telemetry.device import Device
from core.telemetry.metrics import Metric
from core.telemetry.throttle import Severity

MAX_EVENTS = 300
"""Events in a document for people; the JSON export has all of them."""

_SEVERITY: dict[Severity, Badge] = {
    Severity.NORMAL: Badge("normal", Tone.PLAIN),
    Severity.WARN: Badge("warn", Tone.WARN),
    Severity.FAIL: Badge("fail", Tone.FAIL),
}


def device_blocks(record: RecordedRun) -> Iterator[Block]:
    """Which devices there were, by name, identity and limits."""
    yield Heading("Devices")
    columns = (
        Column("Device", 2.4),
        Column("Identity", 2.6),
        Column("Role", 1.2),
        Column("Limits", 2.2),
        Column("Details", 2.6),
    )
    yield table(columns, [_device_row(row) for row in record.devices], empty="No device was recorded.")


def _device_row(row: RunDevice) -> tuple[Cell, ...]:
    device = row.device
    role = "burned in" if row.burned else "observed only, carried no load"
    details = (
        f"Memory {quantity(device.memory_mb, 'MB', decimals=0, missing=NOT_MEASURED)}",
        *(f"{key[:1].upper()}{key[1:]} {value}" for key, value in device.facts.items()),
    )
    return (device.title, device.id, role, "\n".join(_limits(device)), "\n".join(details))


def _limits(device: Device) -> Iterator[str]:
    yield f"Power {quantity(device.power_limit_w, 'W', missing=NOT_MEASURED)}"
    yield f"Target {quantity(device.temperature_target_c, '°C', missing=NOT_MEASURED)}"
    yield f"Slowdown {quantity(device.temperature_slowdown_c, '°C', missing=NOT_MEASURED)}"
    yield f"Shutdown {quantity(device.temperature_shutdown_c, '°C', missing=NOT_MEASURED)}"


def stage_blocks(record: RecordedRun) -> Iterator[Block]:
    """How each stage ended on each device, with what was counted."""
    yield Heading("Stages")
    columns = (
        Column("Stage", 1.5),
        Column("Device", 2.1),
        Column("Result", 1.25),
        Column("What was found", 5.0),
    )
    rows = [row for stage in record.stages for row in _stage_rows(record, stage)]
    yield table(columns, rows, empty="The profile has no stage.")


def _stage_rows(record: RecordedRun, stage: StageRow) -> Iterator[tuple[Cell, ...]]:
    burned = {device.id for device in record.burned}
    heading = f"{stage.title}\n{_stage_time(stage)}"
    for row in record.devices:
        result = record.results.get((stage.number, row.device.id))
        if result is None and row.device.id not in burned:
            continue
        yield (heading, record.label(row.device.id), *_stage_result(stage, result))
        heading = ""


def _stage_time(stage: StageRow) -> str:
    planned = f"planned {duration(stage.seconds)}"
    if stage.started_s is None:
        return f"not started, {planned}"
    if stage.ended_s is None:
        return f"from {clock(stage.started_s)}, not ended, {planned}"
    return f"{clock(stage.started_s)} to {clock(stage.ended_s)}, {planned}"


def _stage_result(stage: StageRow, result: StageResult | None) -> tuple[Cell, Cell]:
    if result is None:
        return STAGE_BADGE[stage.status], "No result was recorded on this device."
    return RESULT_BADGE[result.status], "\n".join(filter(None, (result.reason, *evidence_lines(result.evidence))))


def statistics_blocks(record: RecordedRun) -> Iterator[Block]:
    """Last, minimum, mean and maximum of everything that was measured, and what was not."""
    yield Heading("Measurements")
    missing = never_measured(record)
    columns = (
        Column("Metric", 2.7),
        Column("Device", 5.8),
        Column("Last", 2.2, numeric=True),
        Column("Min", 1.8, numeric=True),
        Column("Mean", 1.8, numeric=True),
        Column("Max", 1.8, numeric=True),
        Column("Max at", 1.8, numeric=True),
    )
    metrics = [metric for metric in told_by_extremes() if metric not in missing]
    rows = [row for metric in metrics for row in _metric_rows(record, metric)]
    yield table(columns, rows, empty="No sample was recorded.")
    kinds = {row.device.kind for row in record.devices}
    possible = [metric.title for metric in missing if kinds.intersection(metric.of)]
    if possible:
        yield Paragraph(f"Not measured on any device: {', '.join(possible)}.")


def _metric_rows(record: RecordedRun, metric: Metric) -> Iterator[tuple[Cell, ...]]:
    title = f"{metric.title}, {metric.unit}" if metric.unit else metric.title
    for row in record.devices:
        if row.device.kind not in metric.of:
            continue
        stats = statistics(record, row.device.id, metric.name)
        if stats is None:
            figures: tuple[Cell, ...] = (NOT_MEASURED, "", "", "", "")
        else:
            shown = (stats.last, stats.lowest, stats.mean, stats.highest)
            figures = (
                *(quantity(value, "", decimals=metric.decimals) for value in shown),
                clock(stats.highest_at_s),
            )
        yield (title, record.label(row.device.id), *figures)
        title = ""


def counter_blocks(record: RecordedRun) -> Iterator[Block]:
    """By how much the counters of devices and host grew during the run; those that stood still are only named."""
    rows: list[tuple[Cell, ...]] = []
    still: list[str] = []
    for metric in growing_metrics():
        found = {row.device.id: growth(record, row.device.id, metric.name) for row in record.devices}
        told = {device_id: counts for device_id, counts in found.items() if counts is not None}
        if any(grown for _, _, grown in told.values()):
            rows += _counter_rows(record, metric, told)
        elif told:
            still.append(metric.title)
    if not rows and not still:
        return
    yield Heading("Counters", 2)
    columns = (
        Column("Counter", 2.7),
        Column("Device", 5.8),
        *(Column(title, 2.2, numeric=True) for title in ("At the start", "At the end", "Growth")),
    )
    yield table(columns, rows, empty="No counter grew.")
    if still:
        yield Paragraph(f"Did not grow on any device: {', '.join(still)}.")


def _counter_rows(
    record: RecordedRun, metric: Metric, told: dict[str, tuple[float, float, float]]
) -> Iterator[tuple[Cell, ...]]:
    title = f"{metric.title}, {metric.unit}" if metric.unit else metric.title
    for device_id, counts in told.items():
        figures = (quantity(value, "", decimals=metric.decimals) for value in counts)
        yield (title, record.label(device_id), *figures)
        title = ""


def clock_limit_blocks(record: RecordedRun) -> Iterator[Block]:
    """Why clocks were lowered and for how long; nothing if the mask was never read."""
    seen = {row.device.id: clock_limits(record, row.device.id) for row in record.devices}
    if all(limits is None for limits in seen.values()):
        return
    yield Heading("Reasons for lowered clocks", 2)
    columns = (
        Column("Device", 2.4),
        Column("Reason", 1.3),
        Column("Weight", 0.9),
        Column("Share of samples", 1.0, numeric=True),
        Column("Meaning", 3.4),
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
    yield table(columns, rows, empty="Clocks were not held back in any sample.")


def event_blocks(record: RecordedRun) -> Iterator[Block]:
    """What happened, in order. Of very many, the loudest and the earliest."""
    yield Heading("Events")
    shown = _loudest(record.events)
    columns = (
        Column("Time", 0.9, numeric=True),
        Column("Level", 0.9),
        Column("Device", 2.2),
        Column("Event", 5.0),
    )
    rows = [
        (
            clock(event.time_s),
            EVENT_BADGE[event.level],
            record.label(event.device_id) if event.device_id else "",
            event.message,
        )
        for event in shown
    ]
    yield table(columns, rows, empty="No event was recorded.")
    if len(shown) < len(record.events):
        yield Paragraph(
            f"{len(record.events) - len(shown)} further events are left out here, quiet ones first;"
            " the JSON report has all of them.",
            Tone.NOTE,
        )


def _loudest(events: tuple[Event, ...]) -> list[Event]:
    loudness = [EventLevel.ERROR, EventLevel.WARN, EventLevel.INFO]
    chosen = sorted(events, key=lambda event: (loudness.index(event.level), event.id))[:MAX_EVENTS]
    return sorted(chosen, key=lambda event: event.id)
