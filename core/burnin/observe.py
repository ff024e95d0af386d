"""Judges the stages in which the runner only watches: preflight, idle baseline, cool-down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.follow import COLUMN
from core.burnin.record import Result, ResultStatus
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import BY_NAME, LOAD_METRICS, METRICS

Samples = NDArray[np.float64]

IDLE_POWER_SHARE_WARN = 0.25
"""Of the power limit; more at rest points to another program, a stuck clock or a display."""
BUSY_AT_REST_PCT = 20.0


def observe(kind: str, device: Device, samples: Samples) -> Result:
    """The result of a watching stage on one device, from the samples of that stage alone."""
    if not len(samples):
        return ResultStatus.NOT_RUN, "Nothing was measured on this device during the stage.", {}
    match kind:
        case "preflight":
            return _preflight(device, samples)
        case "idle":
            return _idle(device, samples)
        case "cooldown":
            return _cooldown(samples)
        case _:
            raise ValueError(f"{kind} is not a watching stage")


def _preflight(device: Device, samples: Samples) -> Result:
    measured = [m.name for m in METRICS if m.name not in LOAD_METRICS and _mean(samples, m.name) is not None]
    missing = [m.title for m in METRICS if m.name not in LOAD_METRICS and m.name not in measured]
    warnings = []
    limit, default = _mean(samples, "power_limit_w"), device.power_limit_w
    if limit is not None and default is not None and limit < default - 0.5:
        warnings.append(f"The power limit is set to {limit:.0f} W, the card's default is {default:.0f} W.")
    if "temperature_c" not in measured:
        warnings.append("The temperature is not measured: cooling cannot be judged.")
    return (
        ResultStatus.PASSED,
        f"{len(measured)} quantities are measured.",
        {"measured": measured, "not_measured": missing, "warnings": warnings},
    )


def _idle(device: Device, samples: Samples) -> Result:
    evidence: dict[str, Any] = _means(samples, ("temperature_c", "power_w", "utilisation_pct", "clock_mhz", "fan_pct"))
    warnings = []
    power, busy = evidence.get("power_w"), evidence.get("utilisation_pct")
    is_gpu = device.kind is DeviceKind.GPU
    if is_gpu and power and device.power_limit_w and power > IDLE_POWER_SHARE_WARN * device.power_limit_w:
        warnings.append(f"It draws {power:.0f} W at rest, a quarter of its limit or more.")
    if busy is not None and busy > BUSY_AT_REST_PCT:
        warnings.append(f"It is {busy:.0f} % busy at rest: another program uses it.")
    figures = ", ".join(
        f"{BY_NAME[name].title.lower()} {value:.0f} {BY_NAME[name].unit}" for name, value in evidence.items()
    )
    return ResultStatus.PASSED, f"At rest: {figures or 'no sensor reports'}.", evidence | {"warnings": warnings}


def _cooldown(samples: Samples) -> Result:
    temperature = _column(samples, "temperature_c")
    temperature = temperature[~np.isnan(temperature)]
    if not len(temperature):
        return ResultStatus.NOT_RUN, "The temperature is not measured on this device.", {}
    first, last = float(temperature[0]), float(temperature[-1])
    evidence = {"first_c": first, "last_c": last, **_means(samples[-3:], ("power_w", "utilisation_pct", "clock_mhz"))}
    warnings = [f"It grew hotter after the load: {first:.0f} to {last:.0f} °C."] if last > first + 2 else []
    return ResultStatus.PASSED, f"From {first:.0f} to {last:.0f} °C.", evidence | {"warnings": warnings}


def _means(samples: Samples, names: tuple[str, ...]) -> dict[str, float]:
    means = {name: _mean(samples, name) for name in names}
    return {name: round(value, 2) for name, value in means.items() if value is not None}


def _mean(samples: Samples, name: str) -> float | None:
    column = _column(samples, name)
    known = column[~np.isnan(column)]
    return float(known.mean()) if len(known) else None


def _column(samples: Samples, name: str) -> Samples:
    return samples[:, COLUMN[name]]
