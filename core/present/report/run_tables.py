"""Tables of a run report: stages and what was found, interruptions, devices, events, figures between devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.burnin.record.rows import Event, EventLevel, Interruption, InterruptionKind, RunDevice, StageResult, StageRow
from core.loads.evidence import Matrix
from core.loads.group.contract import P2pEvidence
from core.loads.inference.contract import DECODE, PREFILL, InferenceEvidence
from core.machine.telemetry.device import Device
from core.present.report.document import Block, Cell, Heading, Paragraph, ReportColumn, Tone, table
from core.present.report.evidence import MATRICES, evidence_lines
from core.present.report.evidence_values import labelled_key
from core.present.report.formatting import NOT_MEASURED, clock, duration, stamp
from core.present.report.palette import EVENT_BADGE, STATE_BADGE
from core.present.report.recorded_run import RecordedRun
from core.words import joined, tr, trc, trn
from core.words.units import UNKNOWN, number, quantity

MAX_EVENTS = 300
"""Events in a document for people; the JSON export has all of them."""


def device_blocks(record: RecordedRun) -> Iterator[Block]:
    """Which devices there were, by name, identity and limits."""
    yield Heading(tr("Devices"))
    columns = (
        ReportColumn(tr("Device"), 2.4),
        ReportColumn(tr("Identity"), 2.6),
        ReportColumn(tr("Role"), 1.2),
        ReportColumn(tr("Limits"), 2.2),
        ReportColumn(tr("Details"), 2.6),
    )
    yield table(columns, [_device_row(row) for row in record.devices], empty=tr("No device was recorded."))


def _device_row(row: RunDevice) -> tuple[Cell, ...]:
    device = row.device
    role = tr("burned in") if row.burned else tr("observed only, carried no load")
    details = (
        tr("Memory {size}", size=quantity(device.memory_mb, "MB", decimals=0, missing=NOT_MEASURED)),
        *(f"{key[:1].upper()}{key[1:]} {value}" for key, value in device.facts.items()),
    )
    return (device.title, device.id, role, joined(_limits(device), "\n"), joined(details, "\n"))


def _limits(device: Device) -> Iterator[str]:
    yield tr("Power {limit}", limit=quantity(device.power_limit_w, "W", missing=NOT_MEASURED))
    yield tr("Target {limit}", limit=quantity(device.temperature_target_c, "°C", missing=NOT_MEASURED))
    yield tr("Slowdown {limit}", limit=quantity(device.temperature_slowdown_c, "°C", missing=NOT_MEASURED))
    yield tr("Shutdown {limit}", limit=quantity(device.temperature_shutdown_c, "°C", missing=NOT_MEASURED))


def interruption_blocks(record: RecordedRun) -> Iterator[Block]:
    """What the run was not spared; nothing where it was spared everything."""
    if not record.interruptions:
        return
    yield Heading(tr("Interruptions"))
    columns = (
        ReportColumn(trc("time", "After"), 0.9),
        ReportColumn(tr("Clock time"), 1.6),
        ReportColumn(tr("What"), 1.2),
        ReportColumn(tr("Duration"), 0.9),
        ReportColumn(tr("What happened"), 5.4),
    )
    yield table(columns, [_interruption_row(one) for one in record.interruptions], empty="")


def _interruption_row(one: Interruption) -> tuple[Cell, ...]:
    unknown = UNKNOWN if one.kind is InterruptionKind.RESUMED else "–"
    lasted = unknown if one.lasted_s is None else duration(one.lasted_s)
    return (clock(one.time_s), stamp(one.at), one.kind.label, lasted, one.message)


def stage_blocks(record: RecordedRun) -> Iterator[Block]:
    """How each stage ended on each device, with what was counted."""
    yield Heading(tr("Stages"))
    columns = (
        ReportColumn(tr("Stage"), 1.5),
        ReportColumn(tr("Device"), 2.1),
        ReportColumn(tr("Result"), 1.25),
        ReportColumn(tr("What was found"), 5.0),
    )
    rows = [row for stage in record.stages for row in _stage_rows(record, stage)]
    yield table(columns, rows, empty=tr("The profile has no stage."))


def _stage_rows(record: RecordedRun, stage: StageRow) -> Iterator[tuple[Cell, ...]]:
    burned = [device.id for device in record.burned]
    heading: str = joined((stage.title, _stage_time(stage), record.states(stage, burned).words), "\n")
    for row in record.devices:
        device_id = row.device.id
        result = record.results.get((stage.number, device_id))
        if result is None and device_id not in burned:
            continue
        state = record.states(stage, [device_id]).devices[device_id]
        yield (heading, record.label(device_id), STATE_BADGE[state], _result_text(result))
        heading = ""


def _stage_time(stage: StageRow) -> str:
    planned = tr("planned {duration}", duration=duration(stage.seconds))
    if stage.started_s is None:
        return tr("not started, {planned}", planned=planned)
    if stage.ended_s is None:
        return tr("from {start}, not ended, {planned}", start=clock(stage.started_s), planned=planned)
    return tr("{start} to {end}, {planned}", start=clock(stage.started_s), end=clock(stage.ended_s), planned=planned)


def _result_text(result: StageResult | None) -> str:
    if result is None:
        return tr("No result was recorded for this device.")
    return joined((result.reason, *evidence_lines(result.evidence)), "\n")


def event_blocks(record: RecordedRun) -> Iterator[Block]:
    """What happened, in order. Of very many, the loudest and the earliest."""
    yield Heading(tr("Events"))
    shown = _loudest(record.events)
    columns = (
        ReportColumn(tr("Time"), 0.9, numeric=True),
        ReportColumn(trc("event", "Level"), 0.9),
        ReportColumn(tr("Device"), 2.2),
        ReportColumn(tr("Event"), 5.0),
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
    yield table(columns, rows, empty=tr("No event was recorded."))
    if left := len(record.events) - len(shown):
        yield Paragraph(
            trn(
                "{count} further event is left out here; the JSON report has all of them.",
                "{count} further events are left out here, the least severe first; the JSON report has all of them.",
                count=left,
            ),
            Tone.NOTE,
        )


def _loudest(events: tuple[Event, ...]) -> list[Event]:
    loudness = [EventLevel.ERROR, EventLevel.WARN, EventLevel.INFO]
    chosen = sorted(events, key=lambda event: (loudness.index(event.level), event.id))[:MAX_EVENTS]
    return sorted(chosen, key=lambda event: event.id)


def answer_blocks(record: RecordedRun) -> Iterator[Block]:
    """How fast each device answered as a language model, a table for each such stage."""
    columns = (
        ReportColumn(tr("Device"), 2.6),
        ReportColumn(tr("Model"), 2.6),
        ReportColumn(tr("Requests at once"), 1.0, numeric=True),
        ReportColumn(tr("Prefill"), 1.5, numeric=True),
        ReportColumn(tr("Decode"), 1.5, numeric=True),
        ReportColumn(tr("Decode bandwidth"), 1.4, numeric=True),
        ReportColumn(tr("Share of peak bandwidth"), 1.2, numeric=True),
    )
    for stage in record.stages:
        rows = [
            _answer_row(record.label(device_id), evidence)
            for (number, device_id), result in record.results.items()
            if number == stage.number and (evidence := result.evidence_as(InferenceEvidence)).model
        ]
        if rows:
            yield Heading(tr("Speed of answers: {stage}", stage=stage.title), 2)
            yield table(columns, rows)


def _answer_row(name: str, evidence: InferenceEvidence) -> tuple[Cell, ...]:
    rates = evidence.rates or {}
    model = UNKNOWN
    if evidence.parameters is not None:
        fields = {"billions": number(evidence.parameters / 1e9, 2), "precision": evidence.precision or UNKNOWN}
        model = tr("{billions} billion parameters, {precision}", **fields)
    speeds = (quantity(rates.get(name), evidence.rate_unit or "", missing=NOT_MEASURED) for name in (PREFILL, DECODE))
    return (
        name,
        model,
        quantity(evidence.requests, "", decimals=0),
        *speeds,
        quantity(evidence.decode_gbps, "GB/s", missing=NOT_MEASURED),
        quantity(evidence.share_of_bandwidth_pct, "%", missing=NOT_MEASURED),
    )


def matrix_blocks(record: RecordedRun) -> Iterator[Block]:
    """One table for each matrix of a stage: all devices that did it together recorded the same."""
    for stage in record.stages:
        results = [result for (number, _), result in record.results.items() if number == stage.number]
        evidence = [result.evidence_as(P2pEvidence) for result in results]
        for key in MATRICES:
            measured = next((one for one in evidence if _is_square(getattr(one, key))), None)
            if measured is not None:
                title, unit = labelled_key(key)
                yield Heading(tr("{title}, {unit}: {stage}", title=title, unit=unit, stage=stage.title), 2)
                yield _table(record, measured.devices, getattr(measured, key))


def _is_square(matrix: Matrix | None) -> bool:
    return bool(matrix) and all(len(row) == len(matrix or ()) for row in matrix or ())


def _table(record: RecordedRun, devices: Sequence[str], matrix: Matrix) -> Block:
    named = [record.label(device_id) for device_id in devices]
    names = named if len(named) == len(matrix) else ["" for _ in matrix]
    columns = (
        ReportColumn(tr("From"), 3.5),
        *(ReportColumn(tr("to {device}", device=place), 1.0, numeric=True) for place in range(len(matrix))),
    )
    rows = [
        (f"{place} {name}".strip(), *(quantity(value, "", missing="–") for value in row))
        for place, (name, row) in enumerate(zip(names, matrix, strict=True))
    ]
    return table(columns, rows)
