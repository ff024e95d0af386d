"""Counters of errors: how far they rose, against limits that are data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.burnin.profile.criteria import CounterLimit
from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.samples import Samples, column, rise
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device
from core.telemetry.metrics import BY_NAME

SECONDS = {"hour": 3600.0, "second": 1.0}


def counter_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """What the card does not count is not judged."""
    for limit in recorded.criteria.counters:
        figure = _figure(recorded, device, limit)
        if figure is None:
            continue
        for outcome, above in ((Outcome.FAIL, limit.fail_above), (Outcome.WARN, limit.warn_above)):
            if above is not None and figure > above:
                text = _words(limit, figure) + _shorter(limit, recorded.samples[device.id])
                yield Reason(outcome, f"{text}.", round(figure, 3), above, source=limit.source)
                break


def _figure(recorded: Recorded, device: Device, limit: CounterLimit) -> float | None:
    samples = recorded.samples[device.id]
    values = column(samples, limit.metric)
    if np.isnan(values).all():
        return None
    match limit.per:
        case "state":
            return float(np.nanmax(values))
        case "stage":
            grown = (rise(column(block, limit.metric)) for _, block in recorded.stage_samples(device))
            return max(grown, default=0.0)
        case "run":
            return rise(values)
        case per:
            return rise(values) / max(_lasted_s(samples) / SECONDS[per], 1.0)


def _lasted_s(samples: Samples) -> float:
    return float(samples[-1, 0] - samples[0, 0])


def _words(limit: CounterLimit, figure: float) -> str:
    metric = BY_NAME.get(limit.metric)
    title = metric.title if metric else limit.metric
    if limit.per == "state":
        return f"{title}: {limit.says}"
    number = f"{figure:.0f}" if figure == int(figure) else f"{figure:.1f}"
    return f"{title}: {number} {limit.says}"


def _shorter(limit: CounterLimit, samples: Samples) -> str:
    """A few errors of a short run are not made into many of an hour, and that is said."""
    is_short = limit.per in SECONDS and _lasted_s(samples) < SECONDS[limit.per]
    return f" (a shorter run counts as one {limit.per})" if is_short else ""
