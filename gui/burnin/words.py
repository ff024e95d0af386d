"""Times, devices, figures, errors and states of a run in the words of the window."""

from __future__ import annotations

import math

from core.burnin.verdict.states import Condition, ErrorCounts
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import BY_NAME
from core.words import joined, tr
from core.words.units import number
from gui.burnin.recording import DevicePlace
from gui.widgets.units import value_here

STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
"""Distances of ticks that people read as times."""


def clock(seconds: float) -> str:
    """ "4:05" or "1:02:03"; negative spans carry a minus sign."""
    whole = abs(round(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    text = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"\u2212{text}" if seconds < 0 and whole else text


def time_step_s(span_s: float, most: int) -> float:
    """The smallest readable distance of ticks that gives at most `most` of them."""
    longest_s = span_s / max(most, 1)
    return next((step for step in STEPS_S if step >= longest_s), 86400 * math.ceil(longest_s / 86400))


def whole_run_s(elapsed_s: float) -> float:
    """A round span that holds a growing run, so that the axis moves seldom."""
    step = time_step_s(max(elapsed_s, 60.0), 12)
    return step * math.ceil(max(elapsed_s, 60.0) / step + 1e-9)


def figure(value: float | None, metric: str) -> str:
    """The number without its unit; a dash for one that is not measured now."""
    return "–" if value is None else number(value_here(value, BY_NAME[metric].unit), BY_NAME[metric].decimals)


def bus(device: Device) -> str:
    """The place on the bus without the domain that nearly all cards share; "" without a bus."""
    return (device.bus_id or "").removeprefix("00000000:").removeprefix("0000:")


def place_words(device: Device, place: DevicePlace) -> str:
    """ "slot 3, 41:00.0, serial 1320, PCIe 4.0 x16 planned"; what is not known is left out."""
    slot = place.slot if not place.slot.isdigit() else tr("slot {slot}", slot=place.slot)
    serial = tr("serial {number}", number=place.serial or device.serial or "")
    link = tr("{link} planned", link=place.planned_link)
    parts = (slot, bus(device), serial if place.serial or device.serial else "", link if place.planned_link else "")
    return joined(parts, ", ")


def model(device: Device) -> str:
    """The device's name without its maker's prefixes."""
    return device.name.removeprefix("NVIDIA ").removeprefix("GeForce ")


def identity(device: Device) -> str:
    """Everything that tells this device from its neighbours, a line each."""
    lines = [device.name]
    if device.kind is DeviceKind.GPU:
        lines.append(f"UUID {device.id}")
    if device.bus_id:
        lines.append(tr("Bus {bus}", bus=device.bus_id))
    if device.memory_mb:
        lines.append(tr("Memory {gib:.0f} GiB", gib=device.memory_mb / 1024))
    if device.power_limit_w:
        lines.append(tr("Power limit {watts:.0f} W", watts=device.power_limit_w))
    lines += [f"{name}: {value}" for name, value in device.facts.items()]
    if device.simulated:
        lines.append(tr("SIMULATED: no hardware is measured."))
    return "\n".join(lines)


def device_summary(names: tuple[str, ...]) -> str:
    """ "2 × RTX 3090, RTX 4090"."""
    counts = {name: names.count(name) for name in names}
    return joined((f"{count} × {name}" if count > 1 else name for name, count in counts.items()), ", ")


def device_line(devices: list[Device]) -> str:
    """The GPUs, or without one the CPU, for a line of little room; "" for no device."""
    gpus = [device for device in devices if device.kind is DeviceKind.GPU]
    text = device_summary(tuple(model(device) for device in gpus or devices))
    return tr("{devices} (SIMULATED)", devices=text) if any(device.simulated for device in gpus) else text


def state_word(state: Condition) -> str:
    """What became of a device; "" for one that is sound."""
    return "" if state is Condition.SOUND else state.label


def error_words(errors: ErrorCounts, *, imported: bool = False) -> str:
    """ "2 wrong results, 1 Xid error". A log of another tool tells of none: that says nothing."""
    return errors.words if errors.worth_telling else tr("Not judged") if imported else tr("No errors")
