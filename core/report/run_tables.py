"""Tables of a run report: stages and what was found, interruptions, devices, events, figures between devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.burnin.record.rows import (
    INTERRUPTION_WORDS,
    Event,
    EventLevel,
    Interruption,
    InterruptionKind,
    RunDevice,
    StageResult,
    StageRow,
)
from core.loads.evidence import Matrix
from core.loads.group.evidence import P2pEvidence
from core.report.document import Block, Cell, Column, Heading, Paragraph, Tone, table
from core.report.evidence import MATRICES, evidence_lines
from core.report.evidence_values import labelled_key
from core.report.formatting import NOT_MEASURED, clock, duration, stamp
from core.report.palette import EVENT_BADGE, STATE_BADGE
from core.report.recorded_run import RecordedRun
from core.telemetry.device import Device
from core.units import quantity

MAX_EVENTS = 300
"""Events in a document for people; the JSON export has all of them."""


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


def interruption_blocks(record: RecordedRun) -> Iterator[Block]:
    """What the run was not spared; nothing where it was spared everything."""
    if not record.interruptions:
        return
    yield Heading("Interruptions")
    columns = (
        Column("After", 0.9),
        Column("On the clock", 1.6),
        Column("What", 1.2),
        Column("How long", 0.9),
        Column("What happened", 5.4),
    )
    yield table(columns, [_interruption_row(one) for one in record.interruptions], empty="")


def _interruption_row(one: Interruption) -> tuple[Cell, ...]:
    unknown = "unknown" if one.kind is InterruptionKind.RESUMED else "–"
    lasted = unknown if one.lasted_s is None else duration(one.lasted_s)
    return (clock(one.time_s), stamp(one.at), INTERRUPTION_WORDS[one.kind], lasted, one.message)


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
    burned = [device.id for device in record.burned]
    heading = f"{stage.title}\n{_stage_time(stage)}\n{record.states(stage, burned).words}"
    for row in record.devices:
        device_id = row.device.id
        result = record.results.get((stage.number, device_id))
        if result is None and device_id not in burned:
            continue
        state = record.states(stage, [device_id]).devices[device_id]
        yield (heading, record.label(device_id), STATE_BADGE[state], _told(result))
        heading = ""


def _stage_time(stage: StageRow) -> str:
    planned = f"planned {duration(stage.seconds)}"
    if stage.started_s is None:
        return f"not started, {planned}"
    if stage.ended_s is None:
        return f"from {clock(stage.started_s)}, not ended, {planned}"
    return f"{clock(stage.started_s)} to {clock(stage.ended_s)}, {planned}"


def _told(result: StageResult | None) -> str:
    if result is None:
        return "No result was recorded on this device."
    return "\n".join(filter(None, (result.reason, *evidence_lines(result.evidence))))


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


def matrix_blocks(record: RecordedRun) -> Iterator[Block]:
    """One table for each matrix of a stage: all devices that did it together recorded the same."""
    for stage in record.stages:
        results = [result for (number, _), result in record.results.items() if number == stage.number]
        told = [result.told(P2pEvidence) for result in results]
        for key in MATRICES:
            found = next((one for one in told if _is_square(getattr(one, key))), None)
            if found is not None:
                title, unit = labelled_key(key)
                yield Heading(f"{title}, {unit}: {stage.title}", 2)
                yield _table(record, found.devices, getattr(found, key))


def _is_square(matrix: Matrix | None) -> bool:
    return bool(matrix) and all(len(row) == len(matrix or ()) for row in matrix or ())


def _table(record: RecordedRun, devices: Sequence[str], matrix: Matrix) -> Block:
    named = [record.label(device_id) for device_id in devices]
    names = named if len(named) == len(matrix) else ["" for _ in matrix]
    columns = (Column("From", 3.5), *(Column(f"to {place}", 1.0, numeric=True) for place in range(len(matrix))))
    rows = [
        (f"{place} {name}".strip(), *(quantity(value, "", missing="–") for value in row))
        for place, (name, row) in enumerate(zip(names, matrix, strict=True))
    ]
    return table(columns, rows)
