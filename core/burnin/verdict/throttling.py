"""For how much of the time under load clocks were held back, and why."""

from __future__ import annotations

from collections.abc import Iterator

from core.burnin.profile.criteria import ThrottleLimit
from core.burnin.record.limiter import held_s
from core.burnin.record.rows import Outcome, Reason
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device
from core.telemetry.throttle import THROTTLE_REASONS

_BITS = {reason.name: reason for reason in THROTTLE_REASONS}


def throttle_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """By the driver's own counter of the time where there is one, else by the samples."""
    for limit in recorded.criteria.throttling:
        stages = (held_s(samples, limit.metric, limit.reason) for _, samples in recorded.loads(device))
        found = [seconds for seconds in stages if seconds is not None]
        loaded_s, down_s = sum(total for total, _ in found), sum(down for _, down in found)
        if down_s > 0 and loaded_s > 0:
            yield from _reason(limit, 100 * down_s / loaded_s, down_s)


def _reason(limit: ThrottleLimit, share_pct: float, down_s: float) -> Iterator[Reason]:
    named = _BITS.get(limit.reason)
    what = f"{named.title}: {named.meaning[:1].lower()}{named.meaning[1:]}" if named else limit.reason
    text = f"Clocks were held back for {down_s:.1f} s, {share_pct:.2g} % of the time under load. {what}."
    for outcome, above in ((Outcome.FAIL, limit.fail_above_pct), (Outcome.WARN, limit.warn_above_pct)):
        if above is not None and share_pct > above:
            yield Reason(outcome, text, round(share_pct, 3), above, "%", limit.source)
            return
