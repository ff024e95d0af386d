"""Temperatures against the device's own limits: how near it came, for how long, and what a hotter room would do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.samples import column
from core.burnin.verdict.paste import paste_reasons
from core.burnin.verdict.recorded import Recorded
from core.language import tr
from core.telemetry.device import Device, DeviceKind

OWN = tr("the limit that the device itself reports")


def heat_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Core, margin and memory. The CPU slows itself down at its limit, where many boards run it: that is a warning."""
    yield from _core(recorded, device)
    yield from _margin(recorded, device)
    yield from _memory(recorded, device)
    yield from _worst_room(recorded, device)
    yield from paste_reasons(recorded, device)


def _core(recorded: Recorded, device: Device) -> Iterator[Reason]:
    temperatures, slowdown = recorded.values(device, "temperature_c"), device.temperature_slowdown_c
    if not len(temperatures) or slowdown is None:
        return
    hottest = float(temperatures.max())
    if hottest >= slowdown:
        outcome = Outcome.FAIL if device.kind is DeviceKind.GPU else Outcome.WARN
        yield Reason(
            outcome, tr("It reached {hottest:.0f} °C and throttles.", hottest=hottest), hottest, slowdown, "°C", OWN
        )
        return
    if len(recorded.values(device, "margin_c")):
        return  # the driver tells how much is left: that is nearer to the truth than our subtraction
    limit = min(device.temperature_max_c or slowdown, slowdown)
    yield from _near(recorded, limit - hottest, hottest, limit)


def _margin(recorded: Recorded, device: Device) -> Iterator[Reason]:
    margins = recorded.values(device, "margin_c")
    if not len(margins):
        return
    least, limit_s = float(margins.min()), recorded.criteria.over_limit_for_s
    below_s = _longest_below(recorded, device)
    if below_s > limit_s:
        text = tr(
            "It was beyond its limit for {seconds:.0f} s, by up to {kelvin:.0f} K.", seconds=below_s, kelvin=-least
        )
        yield Reason(Outcome.FAIL, text, below_s, limit_s, "s", OWN)
    elif device.temperature_slowdown_c is None or not _reached(recorded, device):
        yield from _near(recorded, least, least, 0.0)


def _near(recorded: Recorded, margin: float, measured: float, limit: float) -> Iterator[Reason]:
    criteria = recorded.criteria
    text = tr("It came within {margin:.0f} K of the temperature at which it throttles.", margin=margin)
    if margin < criteria.margin_warn_c:
        yield Reason(Outcome.WARN, text, measured, limit, "°C", OWN)
    elif margin < criteria.margin_note_c:
        yield Reason(Outcome.PASS, text, measured, limit, "°C", OWN)


def _memory(recorded: Recorded, device: Device) -> Iterator[Reason]:
    temperatures, limit = recorded.values(device, "memory_temperature_c"), device.memory_temperature_max_c
    if limit is None:
        yield from _memory_by_margin(recorded, device)
    if not len(temperatures) or limit is None:
        return
    hottest = float(temperatures.max())
    if hottest > limit:
        yield Reason(
            Outcome.FAIL, tr("Its memory reached {hottest:.0f} °C.", hottest=hottest), hottest, limit, "°C", OWN
        )
    elif limit - hottest < recorded.criteria.memory_margin_warn_c:
        text = tr("Its memory came within {margin:.0f} K of its limit.", margin=limit - hottest)
        yield Reason(Outcome.WARN, text, hottest, limit, "°C", OWN)


def _memory_by_margin(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """On Ada and later the driver tells for the memory no temperature, but the margin at which it slows down."""
    margins, limit_k = recorded.values(device, "margin_c"), device.memory_margin_limit_k
    if not len(margins) or limit_k is None:
        return
    temperatures = recorded.values(device, "memory_temperature_c")
    hottest = float(temperatures.max()) if len(temperatures) else None
    least, below_s = float(margins.min()), _longest_below(recorded, device, limit_k)
    if below_s > recorded.criteria.over_limit_for_s:
        if hottest is None:
            text = tr("The margin was below the memory's limit for {seconds:.0f} s.", seconds=below_s)
        else:
            text = tr(
                "Its memory reached {hottest:.0f} °C; the margin was below the memory's limit for {seconds:.0f} s.",
                hottest=hottest,
                seconds=below_s,
            )
        yield Reason(Outcome.FAIL, text, least, limit_k, "K", OWN)
        return
    near, kelvin = least - limit_k < recorded.criteria.memory_margin_warn_c, least - limit_k
    if hottest is None:
        text = tr("The margin stayed {kelvin:.0f} K above the memory's limit.", kelvin=kelvin)
    else:
        text = tr(
            "Its memory reached {hottest:.0f} °C; the margin stayed {kelvin:.0f} K above the memory's limit.",
            hottest=hottest,
            kelvin=kelvin,
        )
    yield Reason(Outcome.WARN if near else Outcome.PASS, text, least, limit_k, "K", OWN)


def _worst_room(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Every kelvin of the room is one of the card, until it throttles or its fans turn faster."""
    room, worst = recorded.criteria.room_c, recorded.criteria.worst_room_c
    temperatures = recorded.values(device, "temperature_c")
    limit = device.temperature_max_c or device.temperature_slowdown_c
    if room is None or worst is None or limit is None or not len(temperatures):
        return
    there = float(temperatures.max()) + worst - room
    text = tr(
        "In a room at {worst:g} °C it would reach about {there:.0f} °C; this run was at {room:g} °C.",
        worst=worst,
        there=there,
        room=room,
    )
    yield Reason(Outcome.FAIL if there > limit else Outcome.PASS, text, there, limit, "°C", OWN)


def _reached(recorded: Recorded, device: Device) -> bool:
    slowdown = device.temperature_slowdown_c
    return slowdown is not None and float(recorded.values(device, "temperature_c").max(initial=0.0)) >= slowdown


def _longest_below(recorded: Recorded, device: Device, limit_k: float = 0.0) -> float:
    """The longest time in s without a break in which the margin was below this."""
    samples = recorded.samples[device.id]
    below = column(samples, "margin_c") < limit_k
    if not below.any():
        return 0.0
    edges = np.flatnonzero(np.diff(below.astype(np.int8), prepend=0, append=0))
    starts, ends = samples[edges[::2], 0], samples[edges[1::2] - 1, 0]
    return float((ends - starts).max())
