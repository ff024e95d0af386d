"""Heat and power of a device against its own limits and its peers', and sensors that stand still.

How sharply a GPU warms when its load begins tells what lies between its chip and its heat sink. In the first seconds of
a load the heat sink and the air are still as they were; the chip rises above its heat sink by power x resistance
between the two, within a time constant of some seconds. Neighbours, fans and room have no part in it, so cards of one
model should agree wherever they sit. Dried or missing thermal paste, or a cooler that does not lie flat, shows as a
rise that is a multiple of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.evidence import SoakEvidence
from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.samples import Limiter, Samples, column
from core.burnin.verdict.recorded import Recorded
from core.machine.asbuilt.identities import same_card
from core.machine.telemetry.device import Device, DeviceKind
from core.words import joined, tr

OWN = tr("the limit that the device itself reports")


def heat_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Core, margin and memory. The CPU slows itself down at its limit, where many boards run it: that is a warning."""
    yield from _core(recorded, device)
    yield from _margin(recorded, device)
    yield from _memory(recorded, device)
    yield from _worst_room(recorded, device)
    yield from paste_reasons(recorded, device)


def _core(recorded: Recorded, device: Device) -> Iterator[Reason]:
    hottest, slowdown = recorded.highest(device, "temperature_c"), device.temperature_slowdown_c
    if hottest is None or slowdown is None:
        return
    if hottest >= slowdown:
        outcome = Outcome.FAIL if device.kind is DeviceKind.GPU else Outcome.WARN
        text = tr("It reached {hottest:.0f} °C and throttles.", hottest=hottest)
        yield Reason(outcome, text, hottest, slowdown, "°C", OWN)
    elif not len(recorded.values(device, "margin_c")):  # what the driver tells is nearer to the truth than subtraction
        limit = min(device.temperature_max_c or slowdown, slowdown)
        yield from _near(recorded, limit - hottest, hottest, limit)


def _margin(recorded: Recorded, device: Device) -> Iterator[Reason]:
    least, limit_s = recorded.lowest(device, "margin_c"), recorded.criteria.over_limit_for_s
    if least is None:
        return
    slowdown, hottest = device.temperature_slowdown_c, recorded.highest(device, "temperature_c")
    if (below_s := _longest_below(recorded, device)) > limit_s:
        fields = {"seconds": below_s, "kelvin": -least}
        text = tr("It was beyond its limit for {seconds:.0f} s, by up to {kelvin:.0f} K.", **fields)
        yield Reason(Outcome.FAIL, text, below_s, limit_s, "s", OWN)
    elif slowdown is None or hottest is None or hottest < slowdown:
        yield from _near(recorded, least, least, 0.0)


def _near(recorded: Recorded, margin: float, measured: float, limit: float) -> Iterator[Reason]:
    if margin < recorded.criteria.margin_note_c or margin < recorded.criteria.margin_warn_c:
        outcome = Outcome.WARN if margin < recorded.criteria.margin_warn_c else Outcome.PASS
        text = tr("It came within {margin:.0f} K of the temperature at which it throttles.", margin=margin)
        yield Reason(outcome, text, measured, limit, "°C", OWN)


def _memory(recorded: Recorded, device: Device) -> Iterator[Reason]:
    hottest, limit = recorded.highest(device, "memory_temperature_c"), device.memory_temperature_max_c
    if limit is None:
        yield from _memory_by_margin(recorded, device, hottest)
    elif hottest is not None and hottest > limit:
        text = tr("Its memory reached {hottest:.0f} °C.", hottest=hottest)
        yield Reason(Outcome.FAIL, text, hottest, limit, "°C", OWN)
    elif hottest is not None and limit - hottest < recorded.criteria.memory_margin_warn_c:
        text = tr("Its memory came within {margin:.0f} K of its limit.", margin=limit - hottest)
        yield Reason(Outcome.WARN, text, hottest, limit, "°C", OWN)


def _memory_by_margin(recorded: Recorded, device: Device, hottest: float | None) -> Iterator[Reason]:
    """On Ada and later the driver tells for the memory no temperature, but the margin at which it slows down."""
    least, limit_k = recorded.lowest(device, "margin_c"), device.memory_margin_limit_k
    if least is None or limit_k is None:
        return
    below_s, kelvin = _longest_below(recorded, device, limit_k), least - limit_k
    fields = {"hottest": hottest, "seconds": below_s, "kelvin": kelvin}
    outcome = Outcome.WARN if kelvin < recorded.criteria.memory_margin_warn_c else Outcome.PASS
    text = tr("The margin stayed {kelvin:.0f} K above the memory's limit.", **fields)
    if below_s > recorded.criteria.over_limit_for_s:
        outcome, text = Outcome.FAIL, tr("The margin was below the memory's limit for {seconds:.0f} s.", **fields)
    if hottest is not None and outcome is Outcome.FAIL:
        text = tr(
            "Its memory reached {hottest:.0f} °C; the margin was below the memory's limit for {seconds:.0f} s.",
            **fields,
        )
    elif hottest is not None:
        text = tr(
            "Its memory reached {hottest:.0f} °C; the margin stayed {kelvin:.0f} K above the memory's limit.", **fields
        )
    yield Reason(outcome, text, least, limit_k, "K", OWN)


def _worst_room(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Every kelvin of the room is one of the card, until it throttles or its fans turn faster."""
    room, worst = recorded.criteria.room_c, recorded.criteria.worst_room_c
    hottest = recorded.highest(device, "temperature_c")
    limit = device.temperature_max_c or device.temperature_slowdown_c
    if room is None or worst is None or limit is None or hottest is None:
        return
    there = hottest + worst - room
    fields = {"worst": worst, "there": there, "room": room}
    text = tr("In a room at {worst:g} °C it would reach about {there:.0f} °C; this run was at {room:g} °C.", **fields)
    yield Reason(Outcome.FAIL if there > limit else Outcome.PASS, text, there, limit, "°C", OWN)


def _longest_below(recorded: Recorded, device: Device, limit_k: float = 0.0) -> float:
    """The longest time in s without a break in which the margin was below this."""
    samples = recorded.samples[device.id]
    below = column(samples, "margin_c") < limit_k
    if not below.any():
        return 0.0
    edges = np.flatnonzero(np.diff(below.astype(np.int8), prepend=0, append=0))
    starts, ends = samples[edges[::2], 0], samples[edges[1::2] - 1, 0]
    return float((ends - starts).max())


AFTER_S = (5.0, 9.0)
"""Since the load began: the chip has followed, the heat sink has not."""
REST_SHARE, LOAD_SHARE = 0.35, 0.6
"""Of the highest power in the run: at rest below, under load above."""
REST_S = 8.0
"""At rest for so long before the load began: the chip has come down to its heat sink, as that of its peers has."""
STEADY_SHARE = 0.1
"""Of the highest power: by no more does it change in that time. A light load that has just ended was no rest."""
LEAST_PEERS = 2
WARN_AT, FAIL_AT = 1.3, 1.6
"""Multiples of the peers' rise; those of sound cards of one model differ by a tenth or two (our proposal)."""
LEAST_EXCESS_K = 5.0
"""Sensors tell whole degrees."""


def paste_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs that have at least two peers of the same model with a load that began from rest."""
    if device.kind is not DeviceKind.GPU or device.parent:
        return
    own = rise_k_per_w(recorded.samples[device.id])
    twins = [other for other in recorded.burned if other.name == device.name and other.id != device.id]
    rises = [rise for other in twins if (rise := rise_k_per_w(recorded.samples[other.id])) is not None]
    if own is None or len(rises) < LEAST_PEERS:
        return
    usual, power_w = float(np.median(rises)), _power_w(recorded.samples[device.id])
    ratio, excess_k = own / max(usual, 1e-6), (own - usual) * power_w
    if ratio < WARN_AT or excess_k < LEAST_EXCESS_K:
        return
    # Drivers do not tell a blower from a water block; a plan that has all cards of this model as one part does.
    alike = recorded.plan is not None and sum(same_card(spec, device) for _, spec in recorded.plan.gpus()) == 1
    fields = {"own": own * power_w, "usual": usual * power_w}
    text = tr(
        "It warms {own:.0f} K in the first seconds of a load, other cards of its model "
        "{usual:.0f} K: thermal paste or cooler contact.",
        **fields,
    )
    if not alike:
        text = tr(
            "It warms {own:.0f} K in the first seconds of a load, other cards of its model {usual:.0f} K: thermal "
            "paste or cooler contact, unless its cooler differs from theirs.",
            **fields,
        )
    outcome = Outcome.FAIL if ratio >= FAIL_AT and alike else Outcome.WARN
    limit = (FAIL_AT if outcome is Outcome.FAIL else WARN_AT) * usual * power_w
    source = tr("the median of the other cards of its model")
    yield Reason(outcome, text, round(own * power_w, 1), round(limit, 1), "K", source)


def rise_k_per_w(samples: Samples) -> float | None:
    """The median over all loads that began from rest and lasted; None without one."""
    times, power, temperature = samples[:, 0], column(samples, "power_w"), column(samples, "temperature_c")
    most_w = _power_w(samples)
    rises = [
        rise
        for start in _starts(times, power, most_w)
        if (rise := _rise(times - times[start], power, temperature, start, most_w)) is not None
    ]
    return float(np.median(rises)) if rises else None


def _starts(times: Samples, power: Samples, most_w: float) -> list[int]:
    """The last sample at rest before each load that followed a long enough rest."""
    rest = power < REST_SHARE * most_w
    ends = np.flatnonzero(rest[:-1] & ~rest[1:])
    begins = np.flatnonzero(rest & ~np.concatenate(([False], rest[:-1])))
    rests = zip(begins, ends, strict=False)  # one that goes on to the end of the run begins no load
    return [
        int(end)
        for begin, end in rests
        if times[end] - times[begin] >= REST_S
        and np.ptp(power[begin : end + 1][times[begin : end + 1] >= times[end] - REST_S]) <= STEADY_SHARE * most_w
    ]


def _rise(since_s: Samples, power: Samples, temperature: Samples, start: int, most_w: float) -> float | None:
    window = (since_s >= AFTER_S[0]) & (since_s <= AFTER_S[1])
    loaded = (since_s > 1.5) & (since_s <= AFTER_S[1])
    if not window.any() or np.isnan(temperature[start]) or not (power[loaded] > LOAD_SHARE * most_w).all():
        return None
    warmed = float(np.nanmax(temperature[window], initial=-np.inf)) - float(temperature[start])
    watts = float(np.nanmean(power[loaded])) - float(power[start])
    return warmed / watts if watts > 0 and np.isfinite(warmed) else None


def _power_w(samples: Samples) -> float:
    power = column(samples, "power_w")
    return float(np.nanmax(power, initial=0.0))


SOAK = "soak"
LOADED_S, AT_REST_S = 60.0, 30.0
"""A living sensor does not give one and the same value for so long under load and for so long at rest."""
FROZEN = {"power_w": 0.01, "temperature_c": 0.5}
"""A reading whose steps are all smaller than this, under a load that begins or ends, is stuck."""
_WORDS = {"power_w": tr("power"), "temperature_c": tr("temperature")}


def power_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs: a CPU's package has no limit to reach, and in a virtual machine its sensors may well stand still."""
    if device.kind is DeviceKind.GPU:
        yield from _soak(recorded, device)
        yield from _frozen(recorded, device)


def _soak(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """In the format that drew the most. Whatever was drawn, it is no fault by itself: not yet calibrated on cards."""
    for stage, result in recorded.ended(device, SOAK):
        soak = result.evidence_as(SoakEvidence)
        drawn, share = soak.steady_power_w, soak.share_of_limit_pct
        if not drawn or not share:
            continue
        fields = {"stage": stage.title, "drawn": drawn, "share": share}
        text: str = tr("{stage}: {drawn:.0f} W, {share:.0f} % of the limit in force.", **fields)
        if share < recorded.criteria.power_of_limit_note_pct:
            text = joined([text, _why_below(soak)])
        limit_w = round(100 * drawn / share, 1)
        yield Reason(Outcome.PASS, text, round(drawn, 1), limit_w, "W", tr("power limit as the card reports it"))


def _why_below(soak: SoakEvidence) -> str:
    """A sentence on what held the power of a soak below its limit."""
    by, share_pct = soak.power_held_by, soak.power_held_pct
    if by not in list(Limiter):
        return tr("What held it back is not known.")
    if by == Limiter.NOTHING:
        return tr("Nothing held it back: the load did not need more, which is not a fault by itself.")
    return tr("Held back by {cause} for {share:.0f} % of the time.", cause=Limiter(by).label, share=share_pct or 0)


def _frozen(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Only what stands still through load and rest alike: under a steady load a reading may hardly move."""
    loads = [(float(samples[0, 0]), float(samples[-1, 0])) for _, samples in recorded.loads(device) if len(samples)]
    for metric, tremble in FROZEN.items():
        samples = recorded.samples[device.id]
        samples = samples[~np.isnan(column(samples, metric))]
        for start, end in _still(column(samples, metric), tremble):
            since_s, until_s = float(samples[start, 0]), float(samples[end, 0])
            loaded_s = sum(max(0.0, min(until_s, last) - max(since_s, first)) for first, last in loads)
            if loaded_s >= LOADED_S and until_s - since_s - loaded_s >= AT_REST_S:
                text = tr(
                    "The {metric} reading stayed at {value:.2f} for {seconds:.0f} s, through load and idle. "
                    "The sensor is frozen: nothing guarded the device.",
                    metric=_WORDS[metric],
                    value=column(samples, metric)[start],
                    seconds=until_s - since_s,
                )
                yield Reason(Outcome.FAIL, text, 0.0, tremble)


def _still(values: NDArray[np.float64], tremble: float) -> Iterator[tuple[int, int]]:
    """First and last index of every stretch in which no step is as large as `tremble`."""
    moves = np.flatnonzero(np.abs(np.diff(values)) >= tremble) if len(values) > 1 else np.arange(0)
    starts, ends = np.concatenate(([0], moves + 1)), np.concatenate((moves, [len(values) - 1]))
    return ((int(start), int(end)) for start, end in zip(starts, ends, strict=True) if end > start)
