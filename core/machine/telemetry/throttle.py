"""Why a GPU lowers its clocks, in words: the bits of the metric `throttle_mask`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.words import Worded, tr


class Severity(Worded):
    """How a reason weighs during a burn-in; the verdict's criteria say for how long it may last."""

    NORMAL = "normal", tr("normal")
    WARN = "warn", tr("WARN")
    FAIL = "fail", tr("FAIL")


@dataclass(frozen=True, slots=True)
class ThrottleReason:
    """One bit of the mask: `name` is the driver's word for it, `title` and `meaning` are ours."""

    bit: int
    name: str
    title: str
    meaning: str
    severity: Severity


THROTTLE_REASONS: tuple[ThrottleReason, ...] = (
    ThrottleReason(0x1, "GpuIdle", tr("Idle"), tr("Nothing is running; under load a sign of a stalled program"),
                   Severity.NORMAL),
    ThrottleReason(0x2, "ApplicationsClocksSetting", tr("Clocks set by user"),
                   tr("A user capped the application clocks"), Severity.WARN),
    ThrottleReason(
        0x4, "SwPowerCap", tr("Power limit"), tr("The card runs at its power limit, as it should under full load"),
        Severity.NORMAL,
    ),
    ThrottleReason(0x8, "HwSlowdown", tr("Hardware slowdown"),
                   tr("The hardware halved the clocks: heat, the power brake, or a power draw that rose too fast"),
                   Severity.FAIL),
    ThrottleReason(
        0x10, "SyncBoost", tr("Sync boost"), tr("Held to the clocks of other cards in a boost group"), Severity.WARN
    ),
    ThrottleReason(
        0x20, "SwThermalSlowdown", tr("Thermal limit"),
        tr("The driver lowers clocks to keep the GPU or its memory below the operating temperature"), Severity.WARN,
    ),
    ThrottleReason(0x40, "HwThermalSlowdown", tr("Too hot"),
                   tr("The hardware halved the clocks because the GPU is too hot"), Severity.FAIL),
    ThrottleReason(0x80, "HwPowerBrakeSlowdown", tr("Power brake"),
                   tr("The PSU or chassis asserted the external power brake"), Severity.FAIL),
    ThrottleReason(
        0x100, "DisplayClockSetting", tr("Display clocks"), tr("The attached display fixes the clocks"), Severity.WARN
    ),
)  # fmt: skip
"""Bits of nvmlDeviceGetCurrentClocksEventReasons (nvml.h, nvmlClocksEventReason*)."""

_KNOWN = sum(reason.bit for reason in THROTTLE_REASONS)


def reasons(mask: float | None) -> list[ThrottleReason]:
    """Every reason in a mask, lowest bit first; none for an unknown mask (None, NaN).

    Several bits are usually set together. Bits that a later driver invents are named by their number and warn.
    """
    if mask is None or not math.isfinite(mask):
        return []
    bits = int(mask)
    named = [reason for reason in THROTTLE_REASONS if bits & reason.bit]
    unknown = bits & ~_KNOWN
    return named + [_unnamed(1 << place) for place in range(unknown.bit_length()) if unknown & 1 << place]


def worst(mask: float | None) -> Severity:
    """The gravest severity in a mask; NORMAL for an empty or unknown one."""
    order = list(Severity)
    return max((reason.severity for reason in reasons(mask)), key=order.index, default=Severity.NORMAL)


def _unnamed(bit: int) -> ThrottleReason:
    name = f"0x{bit:x}"
    return ThrottleReason(
        bit, name, tr("Reason {name}", name=name), tr("A reason unknown to this version"), Severity.WARN
    )
