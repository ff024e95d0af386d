"""For how much of the time under load clocks were held back, and why."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.burnin.criteria import ThrottleLimit
from core.burnin.record import Outcome, Reason
from core.burnin.samples import Samples, column
from core.burnin.verdict.counters import rise
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device
from core.telemetry.throttle import THROTTLE_REASONS

BLIP_SAMPLES = 3
"""A bit that stands in fewer samples may be the change of a clock: it does not count where nothing counts the time."""
_BITS = {reason.name: reason for reason in THROTTLE_REASONS}


def throttle_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """By the driver's own counter of the time where there is one, else by the samples."""
    for limit in recorded.criteria.throttling:
        found = [share for _, samples in recorded.loads(device) if (share := _held(samples, limit)) is not None]
        under_load_s, held_s = sum(total for total, _ in found), sum(held for _, held in found)
        if held_s > 0 and under_load_s > 0:
            yield from _reason(limit, 100 * held_s / under_load_s, held_s)


def _held(samples: Samples, limit: ThrottleLimit) -> tuple[float, float] | None:
    """Seconds of a stage, and of these with clocks held back; None where nothing tells."""
    if len(samples) < BLIP_SAMPLES:
        return None
    total_s = float(samples[-1, 0] - samples[0, 0])
    counted = _grown(column(samples, limit.metric)) if limit.metric else None
    if counted is not None:
        return total_s, min(counted, total_s)
    readings = column(samples, "throttle_mask")
    masks = readings[~np.isnan(readings)].astype(np.int64)
    reason = _BITS.get(limit.reason)
    if reason is None or not len(masks):
        return None
    hits = int(((masks & reason.bit) != 0).sum())
    return total_s, total_s * hits / len(masks) if hits >= BLIP_SAMPLES else 0.0


def _grown(counter: Samples) -> float | None:
    return rise(counter) if np.count_nonzero(~np.isnan(counter)) >= 2 else None


def _reason(limit: ThrottleLimit, share_pct: float, held_s: float) -> Iterator[Reason]:
    named = _BITS.get(limit.reason)
    what = f"{named.title}: {named.meaning[:1].lower()}{named.meaning[1:]}" if named else limit.reason
    text = f"Clocks were held back for {held_s:.1f} s, {share_pct:.2g} % of the time under load. {what}."
    for outcome, above in ((Outcome.FAIL, limit.fail_above_pct), (Outcome.WARN, limit.warn_above_pct)):
        if above is not None and share_pct > above:
            yield Reason(outcome, text, round(share_pct, 3), above, "%", limit.source)
            return
