"""A run made by hand, of which every figure is known, and what a criterion says of it as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.burnin.profile.profile import Criteria, Profile, StageSettings
from core.burnin.record.rows import Outcome, Reason, ResultStatus, RunDevice, StageResult, StageRow, StageStatus
from core.burnin.record.samples import COLUMN, Samples
from core.burnin.verdict import Recorded
from core.machine.telemetry.device import Device, DeviceKind

CARD = Device("GPU-0", DeviceKind.GPU, "NVIDIA GeForce RTX 3090")
PROCESSOR = Device("cpu", DeviceKind.CPU, "Processor")
PASS, WARN, FAIL, INCOMPLETE = Outcome.PASS, Outcome.WARN, Outcome.FAIL, Outcome.INCOMPLETE

Figures = tuple[Outcome, float | None, float | None, str]


def twin(number: int, **other: Any) -> Device:
    """Of CARD, with another id."""
    return replace(CARD, id=f"GPU-{number}", index=number, **other)


def sampled(times: ArrayLike, **metrics: ArrayLike) -> Samples:
    """A block of samples at these times; metrics that are not given were not measured."""
    times = np.asarray(times, dtype=float)
    block = np.full((len(times), 1 + len(COLUMN)), np.nan)
    block[:, 0] = times
    for name, values in metrics.items():
        block[:, COLUMN[name]] = values
    return block


def stage(number: int, kind: str, start_s: float | None = 0.0, end_s: float | None = 100.0, **other: Any) -> StageRow:
    """One that is over, with the name of its kind for a title."""
    return replace(StageRow(number, kind, kind, 100.0, StageStatus.DONE, 1.0, start_s, end_s, "boot"), **other)


def ended(
    number: int, how: ResultStatus = ResultStatus.PASSED, reason: str = "", device: Device = CARD, **evidence: Any
) -> StageResult:
    """How a stage ended on a device."""
    return StageResult(number, device.id, how, reason, evidence)


def run_of(
    stages: Iterable[StageRow] = (),
    results: Iterable[StageResult] = (),
    samples: Samples | Mapping[str, Samples] | None = None,
    devices: Iterable[Device] = (CARD,),
    criteria: Criteria | None = None,
    **other: Any,
) -> Recorded:
    """All devices were burned in; where one block of samples is given, it is the first one's."""
    devices, stages = list(devices), list(stages)
    nothing = sampled([])
    blocks = samples if isinstance(samples, Mapping) else {devices[0].id: nothing if samples is None else samples}
    settings = [StageSettings(kind=one.kind, seconds=100) for one in stages] or [StageSettings(kind="gemm", seconds=1)]
    return Recorded(
        profile=Profile(name="made", title="Made", stages=tuple(settings), criteria=criteria or Criteria()),
        devices=[RunDevice(device, place, burned=True) for place, device in enumerate(devices)],
        stages=stages,
        results=list(results),
        samples={device.id: nothing for device in devices} | dict(blocks),
        **other,
    )


def figures(reasons: Iterable[Reason]) -> list[Figures]:
    """What was found, without the sentences."""
    return [(one.outcome, one.measured, one.limit, one.unit) for one in reasons]
