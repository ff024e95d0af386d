"""Temperatures against the device's own limits: how near it came, for how long, and what a hotter room would do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.samples import column
from core.burnin.verdict.paste import paste_reasons
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device, DeviceKind

OWN = "the limit that the device itself reports"


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
        yield Reason(outcome, f"It reached {hottest:.0f} °C and slows down.", hottest, slowdown, "°C", OWN)
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
        text = f"It was beyond its limit for {below_s:.0f} s, by up to {-least:.0f} K."
        yield Reason(Outcome.FAIL, text, below_s, limit_s, "s", OWN)
    elif device.temperature_slowdown_c is None or not _reached(recorded, device):
        yield from _near(recorded, least, least, 0.0)


def _near(recorded: Recorded, margin: float, measured: float, limit: float) -> Iterator[Reason]:
    criteria = recorded.criteria
    text = f"It came within {margin:.0f} K of the temperature at which it slows down."
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
        yield Reason(Outcome.FAIL, f"Its memory reached {hottest:.0f} °C.", hottest, limit, "°C", OWN)
    elif limit - hottest < recorded.criteria.memory_margin_warn_c:
        text = f"Its memory came within {limit - hottest:.0f} K of its limit."
        yield Reason(Outcome.WARN, text, hottest, limit, "°C", OWN)


def _memory_by_margin(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """On Ada and later the driver tells for the memory no temperature, but the margin at which it slows down."""
    margins, limit_k = recorded.values(device, "margin_c"), device.memory_margin_limit_k
    if not len(margins) or limit_k is None:
        return
    temperatures = recorded.values(device, "memory_temperature_c")
    reached = f"Its memory reached {temperatures.max():.0f} °C; t" if len(temperatures) else "T"
    least, below_s = float(margins.min()), _longest_below(recorded, device, limit_k)
    if below_s > recorded.criteria.over_limit_for_s:
        text = f"{reached}he margin was below the memory's limit for {below_s:.0f} s."
        yield Reason(Outcome.FAIL, text, least, limit_k, "K", OWN)
        return
    near = least - limit_k < recorded.criteria.memory_margin_warn_c
    text = f"{reached}he margin stayed {least - limit_k:.0f} K above the memory's limit."
    yield Reason(Outcome.WARN if near else Outcome.PASS, text, least, limit_k, "K", OWN)


def _worst_room(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Every kelvin of the room is one of the card, until it throttles or its fans turn faster."""
    room, worst = recorded.criteria.room_c, recorded.criteria.worst_room_c
    temperatures = recorded.values(device, "temperature_c")
    limit = device.temperature_max_c or device.temperature_slowdown_c
    if room is None or worst is None or limit is None or not len(temperatures):
        return
    there = float(temperatures.max()) + worst - room
    text = f"In a room of {worst:g} °C it would reach about {there:.0f} °C; this run was in {room:g} °C."
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
