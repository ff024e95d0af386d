"""What the driver counted and told: errors, time in which clocks were held back, Xids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.burnin.profile.criteria import CounterLimit, ThrottleLimit
from core.burnin.record.limiter import held_s
from core.burnin.record.rows import Event, EventLevel, Outcome, Reason
from core.burnin.record.samples import Samples, column, rise
from core.burnin.verdict.recorded import Recorded
from core.language import clause, lowered, plain, tr, translated
from core.telemetry.device import Device
from core.telemetry.metrics import BY_NAME
from core.telemetry.throttle import THROTTLE_REASONS

SECONDS = {"hour": 3600.0, "second": 1.0}


def counter_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """What the card does not count is not judged."""
    for limit in recorded.criteria.counters:
        figure = _figure(recorded, device, limit)
        if figure is None:
            continue
        for outcome, above in ((Outcome.FAIL, limit.fail_above), (Outcome.WARN, limit.warn_above)):
            if above is not None and figure > above:
                text = _words(limit, figure, shorter=_is_shorter(limit, recorded.samples[device.id]))
                told = Reason(outcome, text, round(figure, 3), above, source=translated(limit.source))
                yield replace(told, about=limit.metric, time_s=_first_s(recorded.samples[device.id], limit))
                break
    yield from logged_link_reasons(recorded, device)


def logged_link_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Errors of its link that the kernel logged and no counter has: those that the firmware saw first."""
    told: dict[tuple[EventLevel, str], list[Event]] = defaultdict(list)
    for event in recorded.events:
        if event.kind == "aer" and event.device_id == device.id and event.level in _OUTCOMES:
            severity = event.incident.severity if event.incident else None
            told[event.level, _LINK_COUNTERS.get(severity or "", "")].append(event)
    for (level, metric), events in told.items():
        if not metric or not rise(column(recorded.samples[device.id], metric)):
            first = events[0]
            reason = Reason(_OUTCOMES[level], first.message, len(events), 0, source=tr("kernel log"))
            yield replace(reason, about=metric, time_s=first.time_s)


_LINK_COUNTERS = {"correctable": "aer_correctable", "nonfatal": "aer_nonfatal", "fatal": "aer_fatal"}


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


def _first_s(samples: Samples, limit: CounterLimit) -> float | None:
    """When the counter first rose, or the state was first taken."""
    values = column(samples, limit.metric)
    values, times = values[~np.isnan(values)], samples[~np.isnan(values), 0]
    came = values > 0 if limit.per == "state" else np.diff(values, prepend=values[:1]) > 0
    return float(times[np.argmax(came)]) if came.any() else None


def _lasted_s(samples: Samples) -> float:
    return float(samples[-1, 0] - samples[0, 0])


def _words(limit: CounterLimit, figure: float, *, shorter: bool) -> str:
    """A few errors of a short run are not made into many of an hour, and that is said."""
    metric = BY_NAME.get(limit.metric)
    title = metric.title if metric else limit.metric
    says = translated(limit.says_one if figure == 1 and limit.says_one else limit.says)
    if limit.per == "state":
        return tr("{counter}: {finding}.", counter=title, finding=says)
    number = plain("{figure:.0f}", figure=figure) if figure == int(figure) else plain("{figure:.1f}", figure=figure)
    fields = {"counter": title, "number": number, "errors": says}
    if shorter and limit.per == "hour":
        return tr("{counter}: {number} {errors} (a shorter run counts as one hour).", **fields)
    if shorter:
        return tr("{counter}: {number} {errors} (a shorter run counts as one second).", **fields)
    return tr("{counter}: {number} {errors}.", **fields)


def _is_shorter(limit: CounterLimit, samples: Samples) -> bool:
    return limit.per in SECONDS and _lasted_s(samples) < SECONDS[limit.per]


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
    what = tr("{title}: {meaning}", title=named.title, meaning=lowered(named.meaning)) if named else limit.reason
    text = tr(
        "Clocks were held back for {seconds:.1f} s, {share:.2g} % of the time under load. {cause}.",
        seconds=down_s,
        share=share_pct,
        cause=clause(what),
    )
    for outcome, above in ((Outcome.FAIL, limit.fail_above_pct), (Outcome.WARN, limit.warn_above_pct)):
        if above is not None and share_pct > above:
            yield Reason(outcome, text, round(share_pct, 3), above, "%", translated(limit.source), about=limit.reason)
            return


KINDS = ("xid", "driver", "mce")
_OUTCOMES = {EventLevel.ERROR: Outcome.FAIL, EventLevel.WARN: Outcome.WARN}


def xid_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """What drivers and the processor told in the kernel's log: each sentence once, with how often it came.

    The event's level is the error's weight; INFO only accompanies.
    """
    told: dict[tuple[EventLevel, str], list[Event]] = defaultdict(list)
    for event in recorded.events:
        if event.kind in KINDS and event.device_id == device.id and event.level in _OUTCOMES:
            told[event.level, event.message].append(event)
    for (level, message), events in told.items():
        times, first = len(events), events[0]
        text = tr("{message} ({times} times)", message=message, times=times) if times > 1 else message
        number = "" if first.incident is None or first.incident.xid is None else str(first.incident.xid)
        reason = Reason(_OUTCOMES[level], text, times, 0, source=_source(first))
        yield replace(reason, about=number, time_s=first.time_s)


def _source(event: Event) -> str:
    return tr("NVIDIA's catalogue of Xid errors") if event.kind == "xid" else tr("kernel log")
