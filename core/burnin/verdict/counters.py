"""What the driver counted and told: errors, time in which clocks were held back, Xids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from core.burnin.profile.profile import CounterLimit
from core.burnin.record.rows import Event, Outcome, Reason
from core.burnin.record.samples import Samples, column, held_s, rise
from core.burnin.verdict.codes import OF_LEVEL
from core.burnin.verdict.recorded import Recorded, graded
from core.machine.telemetry.device import Device
from core.machine.telemetry.kernel_log.finding import CORRECTED, FATAL, NONFATAL
from core.machine.telemetry.metrics import BY_NAME
from core.machine.telemetry.throttle import THROTTLE_REASONS
from core.words import clause, lowered, plain, tr, translated

SECONDS = {"hour": 3600.0, "second": 1.0}


def counter_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """What the card does not count is not judged."""
    samples = recorded.samples[device.id]
    for limit in recorded.criteria.counters:
        figure = _figure(recorded, device, limit)
        if figure is None:
            continue
        outcome, above = graded(figure, limit.warn_above, limit.fail_above)
        if outcome is not Outcome.PASS:
            text = _words(limit, figure, shorter=limit.per in SECONDS and _lasted_s(samples) < SECONDS[limit.per])
            reason = Reason(outcome, text, round(figure, 3), above, source=translated(limit.source))
            yield replace(reason, about=limit.metric, time_s=_first_s(samples, limit))
    yield from logged_link_reasons(recorded, device)


def _logged(
    recorded: Recorded, device: Device, kinds: Sequence[str], key: Callable[[Event], str]
) -> Iterator[tuple[Outcome, str, list[Event]]]:
    """The events of a device that weigh anything, those of one weight and key together."""
    groups: dict[tuple[Outcome, str], list[Event]] = defaultdict(list)
    for event in recorded.events:
        if event.kind in kinds and event.device_id == device.id and event.level in OF_LEVEL:
            groups[OF_LEVEL[event.level], key(event)].append(event)
    return ((outcome, name, events) for (outcome, name), events in groups.items())


def logged_link_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Errors of its link that the kernel logged and no counter has: those that the firmware saw first."""
    for outcome, metric, events in _logged(recorded, device, ("aer",), _link_counter):
        if not metric or not rise(column(recorded.samples[device.id], metric)):
            first = events[0]
            reason = Reason(outcome, first.message, len(events), 0, source=tr("kernel log"))
            yield replace(reason, about=metric, time_s=first.time_s)


def _link_counter(event: Event) -> str:
    severity = event.incident.severity if event.incident else None
    return f"aer_{severity}" if severity in (CORRECTED, NONFATAL, FATAL) else ""


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


_BITS = {reason.name: reason for reason in THROTTLE_REASONS}


def throttle_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """By the driver's own counter of the time where there is one, else by the samples."""
    for limit in recorded.criteria.throttling:
        stages = (held_s(samples, limit.metric, limit.reason) for _, samples in recorded.loads(device))
        seconds = [of_stage for of_stage in stages if of_stage is not None]
        loaded_s, down_s = sum(total for total, _ in seconds), sum(down for _, down in seconds)
        if down_s <= 0 or loaded_s <= 0:
            continue
        share_pct = 100 * down_s / loaded_s
        outcome, above = graded(share_pct, limit.warn_above_pct, limit.fail_above_pct)
        if outcome is not Outcome.PASS:
            named = _BITS.get(limit.reason)
            cause: str = limit.reason
            if named is not None:
                cause = tr("{title}: {meaning}", title=named.title, meaning=lowered(named.meaning))
            fields = {"seconds": down_s, "share": share_pct, "cause": clause(cause)}
            text = tr(
                "Clocks were held back for {seconds:.1f} s, {share:.2g} % of the time under load. {cause}.", **fields
            )
            yield Reason(outcome, text, round(share_pct, 3), above, "%", translated(limit.source), about=limit.reason)


KINDS = ("xid", "driver", "mce")


def xid_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """What drivers and the processor told in the kernel's log: each sentence once, with how often it came.

    The event's level is the error's weight; INFO only accompanies.
    """
    for outcome, message, events in _logged(recorded, device, KINDS, lambda event: event.message):
        times, first = len(events), events[0]
        text = tr("{message} ({times} times)", message=message, times=times) if times > 1 else message
        number = "" if first.incident is None or first.incident.xid is None else str(first.incident.xid)
        source = tr("NVIDIA's catalogue of Xid errors") if first.kind == "xid" else tr("kernel log")
        reason = Reason(outcome, text, times, 0, source=source)
        yield replace(reason, about=number, time_s=first.time_s)
