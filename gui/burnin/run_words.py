"""Devices, figures, errors and states of a run in the words of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.burnin.record.rows import INTERRUPTION_WORDS, EventLevel, InterruptionKind, Outcome, ResultStatus, StageStatus
from core.burnin.verdict.errors import ErrorCounts, ErrorKind
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import BY_NAME
from gui.burnin.recording import DeviceState
from gui.burnin.run_plan import DevicePlace


def translated_metric(name: str) -> str:
    """The metric's title in the user's language."""
    return QCoreApplication.translate("metrics", BY_NAME[name].title)


def figure(value: float | None, metric: str) -> str:
    """The number without its unit; a dash for one that is not measured now."""
    return "–" if value is None else f"{value:.{BY_NAME[metric].decimals}f}"


def bus(device: Device) -> str:
    """The place on the bus without the domain that nearly all cards share; "" without a bus."""
    return (device.bus_id or "").removeprefix("00000000:").removeprefix("0000:")


def place_words(device: Device, place: DevicePlace) -> str:
    """ "slot 3, 41:00.0, serial 1320, PCIe 4.0 x16 planned"; what is not known is left out."""
    translate = QCoreApplication.translate
    slot = place.slot if not place.slot.isdigit() else translate("devices", "slot {n}").format(n=place.slot)
    serial = translate("devices", "serial {number}").format(number=place.serial or device.serial or "")
    link = translate("devices", "{link} planned").format(link=place.planned_link)
    known = (slot, bus(device), serial if place.serial or device.serial else "", link if place.planned_link else "")
    return ", ".join(filter(None, known))


def model(device: Device) -> str:
    """The device's name without its maker's prefixes."""
    return device.name.removeprefix("NVIDIA ").removeprefix("GeForce ")


def identity(device: Device) -> str:
    """Everything that tells this device from its neighbours, a line each."""
    translate = QCoreApplication.translate
    lines = [device.name]
    if device.kind is DeviceKind.GPU:
        lines.append(translate("devices", "UUID {id}").format(id=device.id))
    if device.bus_id:
        lines.append(translate("devices", "Bus {bus}").format(bus=device.bus_id))
    if device.memory_mb:
        lines.append(translate("devices", "Memory {gib:.0f} GiB").format(gib=device.memory_mb / 1024))
    if device.power_limit_w:
        lines.append(translate("devices", "Power limit {watts:.0f} W").format(watts=device.power_limit_w))
    lines += [f"{name}: {value}" for name, value in device.facts.items()]
    if device.simulated:
        lines.append(translate("devices", "SIMULATED: no hardware is measured."))
    return "\n".join(lines)


def device_summary(names: tuple[str, ...]) -> str:
    """ "2 × RTX 3090, RTX 4090"."""
    counts = {name: names.count(name) for name in names}
    return ", ".join(f"{count} × {name}" if count > 1 else name for name, count in counts.items())


def device_line(devices: list[Device]) -> str:
    """The GPUs, or without one the CPU, for a line of little room; "" for no device."""
    gpus = [device for device in devices if device.kind is DeviceKind.GPU]
    text = device_summary(tuple(model(device) for device in gpus or devices))
    if any(device.simulated for device in gpus):
        return QCoreApplication.translate("devices", "{devices} (SIMULATED)").format(devices=text)
    return text


def outcome_word(outcome: Outcome) -> str:
    """ "Passed", "Failed" and the like."""
    translate = QCoreApplication.translate
    return {
        Outcome.PASS: translate("words", "Passed"),
        Outcome.WARN: translate("words", "Passed with warnings"),
        Outcome.FAIL: translate("words", "Failed"),
        Outcome.INCOMPLETE: translate("words", "Incomplete"),
    }[outcome]


def interruption_word(kind: InterruptionKind) -> str:
    """What interrupted a run, in a word or three."""
    return QCoreApplication.translate("words", INTERRUPTION_WORDS[kind])


def stage_word(status: StageStatus) -> str:
    """The state of a stage."""
    translate = QCoreApplication.translate
    return {
        StageStatus.PENDING: translate("words", "pending"),
        StageStatus.RUNNING: translate("words", "running"),
        StageStatus.DONE: translate("words", "done"),
        StageStatus.SKIPPED: translate("words", "skipped"),
    }[status]


def result_word(status: ResultStatus) -> str:
    """How a stage ended on a device."""
    translate = QCoreApplication.translate
    return {
        ResultStatus.PASSED: translate("words", "passed"),
        ResultStatus.FAILED: translate("words", "failed"),
        ResultStatus.STOPPED: translate("words", "stopped"),
        ResultStatus.NOT_RUN: translate("words", "not run"),
        ResultStatus.DIED: translate("words", "worker died"),
    }[status]


def state_word(state: DeviceState) -> str:
    """What became of a device; "" for one that is sound."""
    translate = QCoreApplication.translate
    return {
        DeviceState.SOUND: "",
        DeviceState.FAILED: translate("words", "FAILED"),
        DeviceState.DEAD: translate("words", "DEAD"),
        DeviceState.LOST: translate("words", "LOST"),
    }[state]


def level_word(level: EventLevel) -> str:
    """How loud an event is."""
    translate = QCoreApplication.translate
    return {
        EventLevel.INFO: translate("words", "Info"),
        EventLevel.WARN: translate("words", "Warning"),
        EventLevel.ERROR: translate("words", "Error"),
    }[level]


def error_words(errors: ErrorCounts) -> str:
    """ "2 wrong results, 1 Xid error"."""
    told = [_counted(kind, count) for kind, count in errors.told.items()]
    return ", ".join(told) or QCoreApplication.translate("errors", "No errors")


def _counted(kind: ErrorKind, count: int) -> str:
    translate = QCoreApplication.translate
    one, several = {
        ErrorKind.LOST: (translate("errors", "lost"), translate("errors", "lost {count} times")),
        ErrorKind.WRONG_RESULT: (translate("errors", "1 wrong result"), translate("errors", "{count} wrong results")),
        ErrorKind.MEMORY: (
            translate("errors", "1 uncorrectable memory error"),
            translate("errors", "{count} uncorrectable memory errors"),
        ),
        ErrorKind.XID: (translate("errors", "1 Xid error"), translate("errors", "{count} Xid errors")),
        ErrorKind.LINK: (translate("errors", "1 link error"), translate("errors", "{count} link errors")),
        ErrorKind.DIED: (translate("errors", "worker died"), translate("errors", "worker died {count} times")),
        ErrorKind.OTHER: (translate("errors", "1 failure"), translate("errors", "{count} failures")),
    }[kind]
    return one if count == 1 else several.format(count=count)
