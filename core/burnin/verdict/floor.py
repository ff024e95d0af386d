"""The least that a card does: a clock that leaves idle under load, and a part of the peak at that clock.

Healthy cards reach 40 % and more of it in large products. So far below lies none, whatever its model, limit or cooling.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.burnin.profile.profile import StageSettings
from core.burnin.record.limiter import LEAST_SHARE_PCT
from core.burnin.record.rows import Outcome, Reason, StageRow
from core.burnin.record.samples import Samples, between, known
from core.burnin.stages.registry import BY_KIND
from core.burnin.verdict.recorded import Recorded
from core.language import tr
from core.parts.compute import GpuSpec
from core.predict.speed.peaks import capability_of
from core.telemetry.device import Device
from core.telemetry.throttle import reasons

HEAVY = ("gemm", "soak", "resnet", "transformer")
"""Loads under which a card's clock is no matter of the load."""
FEWEST_SAMPLES = 5
HALF = 0.5
"""Of its highest clock: cards whose idle clock is above it do not lower it at rest, and cannot be told by it."""
NATIVE_SINCE = {"bfloat16": (8, 0), "float16": (7, 0), "tf32": (8, 0), "float32": (3, 0)}
"""Capability from which on products of a format run at the rate that the peak is of. Older cards emulate it."""
SMALLEST = 2048
"""Rows and columns of products below which the time between them counts."""


def has_meaningful_peak(spec: GpuSpec, name: str, settings: StageSettings) -> bool:
    """Whether products of this number format can be held against the peak: of NVIDIA's cards, large ones."""
    capability, size = capability_of(spec), settings.params.get("size")
    since = NATIVE_SINCE.get(name)
    large = size is None or (isinstance(size, int) and size >= SMALLEST)
    return capability is not None and since is not None and capability >= since and large


def is_held_back(samples: Samples) -> bool:
    """Whether the driver gave a reason for lower clocks, other than that nothing ran, for some of the time."""
    masks = known(samples, "throttle_mask")
    held = sum(any(reason.name != "GpuIdle" for reason in reasons(float(mask))) for mask in masks)
    return len(masks) > 0 and 100 * held / len(masks) >= LEAST_SHARE_PCT


def clock_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """FAIL for a clock that never left idle, under loads that ask for all of it."""
    above_pct, fastest = recorded.criteria.clock_above_idle_fail_pct, device.clock_max_mhz
    if device.simulated or device.parent or not above_pct or not fastest:
        return
    idle_mhz = _idle_mhz(recorded, device)
    if idle_mhz is None or idle_mhz > HALF * fastest:
        return
    limit_mhz = idle_mhz * (1 + above_pct / 100)
    for stage, samples in recorded.loads(device):
        clocks = known(samples, "clock_mhz") if stage.kind in HEAVY else np.empty(0)
        if len(clocks) >= FEWEST_SAMPLES and float(clocks.max()) <= limit_mhz:
            highest = float(clocks.max())
            text = tr(
                "{stage}: its clock stayed at {clock:.0f} MHz under load. It idles at {idle:.0f} MHz and can reach "
                "{fastest:.0f} MHz.",
                stage=stage.title,
                clock=highest,
                idle=idle_mhz,
                fastest=fastest,
            )
            source = tr("a working card leaves its idle clock under load")
            yield Reason(
                Outcome.FAIL, text, highest, round(limit_mhz, 1), "MHz", source, about="clock_mhz", stage=stage.number
            )


def _idle_mhz(recorded: Recorded, device: Device) -> float | None:
    """Median of the stages that load nothing; None where none of them was measured."""
    at_rest = [
        known(samples, "clock_mhz")
        for stage, samples in recorded.stage_samples(device)
        if (kind := BY_KIND.get(stage.kind)) is not None and kind.load is None
    ]
    clocks = np.concatenate(at_rest) if at_rest else np.empty(0)
    return float(np.median(clocks)) if len(clocks) else None


def second_half(recorded: Recorded, device: Device, stage: StageRow) -> Samples | None:
    """Of a stage that has ended: warm and under way."""
    if stage.started_s is None or stage.ended_s is None:
        return None
    return between(recorded.samples[device.id], (stage.started_s + stage.ended_s) / 2, stage.ended_s)
