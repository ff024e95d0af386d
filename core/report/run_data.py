"""The machine-readable body of a run report. Times in s since the start of the run; units are in the names."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.burnin.record.rows import MACHINE, RunDevice, StageRow, Verdict
from core.report.recorded_run import RecordedRun
from core.report.statistics import ClockLimit, clock_limits, never_measured, plain_metrics, statistics


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
            "wall_s": record.wall_s,
            "interruptions": [asdict(one) for one in record.interruptions],
            "machine": run.machine,
            "boot_id": run.boot_id,
            "software_version": run.version,
            "note": run.note,
        },
        "verdicts": [_verdict(verdict) for verdict in record.verdicts],
        "devices": [_device(record, row) for row in record.devices],
        "stages": [_stage(record, stage) for stage in record.stages],
        "metrics": {
            metric.name: {"title": metric.title, "unit": metric.unit, "meaning": metric.meaning}
            for metric in plain_metrics()
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
    device_id = row.device.id
    found = {metric.name: statistics(record, device_id, metric.name) for metric in plain_metrics()}
    limits = clock_limits(record, device_id)
    return row.device.as_dict() | {
        "kind": row.device.kind.value,
        "position": row.position,
        "burned": row.burned,
        "statistics": {name: asdict(stats) if stats else None for name, stats in found.items()},
        "clock_limits": None if limits is None else [_clock_limit(limit) for limit in limits],
    }


def _clock_limit(limit: ClockLimit) -> dict[str, Any]:
    reason = limit.reason
    named = {"name": reason.name, "title": reason.title, "severity": reason.severity.value}
    return named | {"samples": limit.samples, "of": limit.of}


def _stage(record: RecordedRun, stage: StageRow) -> dict[str, Any]:
    results = [
        {"device_id": row.device_id, "status": row.status.value, "reason": row.reason, "evidence": row.evidence}
        for (number, _), row in record.results.items()
        if number == stage.number
    ]
    return asdict(stage) | {"status": stage.status.value, "results": results}
