"""The report of a recorded run: what was judged, on which devices, by which stages, with every measurement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from core.burnin.record.origin import LoadedLibraries
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import MACHINE, InterruptionKind, RunDevice, StageRow, Verdict
from core.present.report.document import Block, Document, Heading, KeyValues, Paragraph, Tone
from core.present.report.formatting import commas, duration, semicolons, stamp, utc_now
from core.present.report.recorded_run import RecordedRun
from core.present.report.run_figures import SIMULATED_CAPTION, run_figures
from core.present.report.run_measurements import PLAIN_METRICS, measured_data, measurement_blocks, never_measured
from core.present.report.run_plan import RunPlan, plan_blocks
from core.present.report.run_seal import RunSeal, changed_document, not_proven, read_run_seal, seal_blocks
from core.present.report.run_tables import (
    answer_blocks,
    device_blocks,
    event_blocks,
    interruption_blocks,
    matrix_blocks,
    stage_blocks,
)
from core.present.report.run_verdict import cause_blocks, run_badge, verdict_blocks
from core.present.report.statement import PaperKind, Statement, profile_words
from core.version import __version__
from core.words import joined, plain, tr, translated, trc
from core.words.units import UNKNOWN, quantity


def run_document(store: RunReader, run_id: int) -> Document:
    """The report of a run as it is recorded now, ended or not. Raises BadInput if there is no such run."""
    seal = read_run_seal(store, run_id)
    title = tr("Burn-in report, run {number}", number=run_id)
    if seal.changed:
        return changed_document(run_id, seal, PaperKind.REPORT, title, store.path.parent)
    record = RecordedRun.read(store, run_id)
    plan = RunPlan.read(record)
    statement = seal.statement(PaperKind.REPORT)
    return Document(
        kind="run",
        title=title,
        subtitle=tr("{title} on {machine}", title=record.run.title, machine=record.run.machine),
        generated_at=utc_now(),
        version=__version__,
        simulated=record.run.simulated,
        badge=run_badge(record.run, record.outcome),
        blocks=(*cause_blocks(record), *_doubt(seal), *_blocks(record, plan, statement), *seal_blocks(seal)),
        data=run_data(record) | plan.as_dict() | {"seal": seal.as_dict()},
        sealed=seal.sealed(statement),
        statement=statement,
    )


def _doubt(seal: RunSeal) -> Iterator[Block]:
    if sentence := not_proven(seal):
        yield Paragraph(sentence, Tone.WARN)


def _blocks(record: RecordedRun, plan: RunPlan, statement: Statement) -> Iterator[Block]:
    yield KeyValues(tuple(_facts(record, statement)))
    yield from verdict_blocks(record)
    yield from plan_blocks(plan)
    yield from interruption_blocks(record)
    yield from stage_blocks(record)
    yield from matrix_blocks(record)
    yield from answer_blocks(record)
    if figures := list(run_figures(record, plan.expected)):
        yield Heading(tr("Over time"))
        yield from figures
        yield Paragraph(
            tr("Line: mean; band behind it: lowest to highest in each interval; shaded: every other stage.")
        )
    yield from measurement_blocks(record)
    yield from device_blocks(record)
    yield from event_blocks(record)
    yield from _profile_blocks(record)
    if rows := tuple(_judged_by(record)):
        yield Heading(tr("What judged it"))
        yield KeyValues(rows)


def _facts(record: RecordedRun, statement: Statement) -> Iterator[tuple[str, str]]:
    run = record.run
    if run.simulated:
        names = commas(row.device.name for row in record.devices if row.device.simulated)
        yield tr("Origin"), joined((SIMULATED_CAPTION, tr("Simulated devices: {names}", names=names)))
    yield tr("Machine"), run.machine
    yield tr("Started"), stamp(run.started_at)
    yield tr("Ended"), stamp(run.ended_at) if run.ended_at else semicolons((tr("not ended"), run.status.label))
    yield tr("Recorded time"), duration(record.seconds)
    yield tr("Wall-clock time"), duration(record.wall_s, missing=UNKNOWN if run.ended_at else tr("not ended"))
    if record.interruptions:
        yield (tr("Interruptions"), tr("{count}, listed below", count=len(record.interruptions)))
    yield tr("Devices burned in"), str(len(record.burned))
    yield (
        tr("Profile"),
        tr(
            "{title} ({name}), planned {duration}; {origin}",
            title=translated(run.profile.title),
            name=run.profile.name,
            duration=duration(run.profile.seconds),
            origin=profile_words(statement.profile_origin, statement.profile_digest),
        ),
    )
    if shortened := [one.message for one in record.interruptions if one.kind is InterruptionKind.SHORTENED]:
        yield tr("Shortened"), joined(shortened)
    if record.software:
        yield tr("Software"), semicolons(record.software)
    yield tr("Recorded by"), f"Rigwright {run.version}"
    if run.note:
        yield trc("of a run", "Note"), run.note


def _profile_blocks(record: RecordedRun) -> Iterator[Block]:
    profile = record.run.profile
    guards = profile.guards
    limit = quantity(guards.temperature_c, "°C", missing=tr("the device's own slowdown temperature"))
    yield Heading(tr("Profile and guards"))
    if profile.description:
        yield Paragraph(translated(profile.description))
    fields = {"limit": limit, "duration": duration(guards.temperature_for_s)}
    yield KeyValues(
        (
            (tr("Temperature guard"), tr("{limit}, for {duration}", **fields)),
            (tr("Heartbeat guard"), duration(guards.heartbeat_timeout_s)),
            (tr("Telemetry guard"), duration(guards.telemetry_timeout_s)),
            (tr("Free disk guard"), quantity(guards.free_disk_mb, "MB")),
        )
    )


def _judged_by(record: RecordedRun) -> Iterator[tuple[str, str]]:
    """What judged it, by which file, version and digest; nothing of a run that an older program recorded."""
    origin = record.store.origin(record.run.id)
    if origin is None:
        return
    yield tr("Profile (SHA-256)"), origin.profile_digest
    yield from origin.environment.items()
    for loaded in record.store.libraries(record.run.id):
        yield from _loaded(record, loaded)
    if origin.follows is not None:
        before = tr("run {run}, digest {digest}", run=origin.follows, digest=origin.follows_digest or tr("unknown"))
        yield trc("the run before", "Follows"), before


def _loaded(record: RecordedRun, loaded: LoadedLibraries) -> Iterator[tuple[str, str]]:
    who = tr("Sampler")
    if loaded.device_id:
        who = tr("Worker of {device}", device=record.short_label(loaded.device_id))
    digests = ((one.path, one.sha256 or tr("unreadable")) for one in loaded.libraries)
    files: list[str] = [plain("{path} ({digest})", path=path, digest=digest) for path, digest in digests]
    for one in loaded.packages:
        named = plain("{name} {version}", name=one.name, version=one.version)
        listed = tr("RECORD {digest}", digest=one.record_sha256 or tr("unknown"))
        files.append(plain("{package}, {path} ({digest})", package=named, path=one.path, digest=listed))
    yield who, semicolons(files)


def run_data(record: RecordedRun) -> dict[str, Any]:
    """Keys are stable: added to, never renamed within a version of the format."""
    run = record.run
    return {
        "run": {
            "id": run.id,
            "title": run.title,
            "status": run.status.value,
            "simulated": run.simulated,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
            "recorded_s": record.seconds,
            "judged_by": _judged_by_data(record),
            "wall_s": record.wall_s,
            "interruptions": [asdict(one) for one in record.interruptions],
            "machine": run.machine,
            "boot_id": run.boot_id,
            "software_version": run.version,
            "software": list(record.software),
            "note": run.note,
        },
        "causes": [cause.as_dict() for cause in record.causes],
        "verdicts": [_verdict(verdict) for verdict in record.verdicts],
        "devices": [_device(record, row) for row in record.devices],
        "stages": [_stage(record, stage) for stage in record.stages],
        "metrics": {
            metric.name: {"title": metric.title, "unit": metric.unit, "meaning": metric.meaning}
            for metric in PLAIN_METRICS
        },
        "not_measured": [metric.name for metric in never_measured(record)],
        "events": [asdict(event) | {"level": event.level.value} for event in record.events],
        "profile": run.profile.model_dump(mode="json"),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "subject": "machine" if verdict.device_id == MACHINE else "device",
        "device_id": verdict.device_id or None,
        "outcome": verdict.outcome.value,
        "reasons": [asdict(reason) | {"outcome": reason.outcome.value} for reason in verdict.reasons],
    }


def _device(record: RecordedRun, row: RunDevice) -> dict[str, Any]:
    return row.device.as_dict() | {
        "kind": row.device.kind.value,
        "position": row.position,
        "burned": row.burned,
        "errors": record.errors[row.device.id].as_dict(),
        **measured_data(record, row.device.id),
    }


def _stage(record: RecordedRun, stage: StageRow) -> dict[str, Any]:
    results = [
        {"device_id": row.device_id, "status": row.status.value, "reason": row.reason, "evidence": row.evidence}
        for (number, _), row in record.results.items()
        if number == stage.number
    ]
    states = record.states(stage, [device.id for device in record.burned])
    return asdict(stage) | {"status": stage.status.value, **states.as_dict(), "results": results}


def _judged_by_data(record: RecordedRun) -> dict[str, Any] | None:
    origin = record.store.origin(record.run.id)
    loaded = record.store.libraries(record.run.id)
    return None if origin is None else asdict(origin) | {"loaded": [asdict(one) for one in loaded]}
