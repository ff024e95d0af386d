"""The temperature limits of an NVIDIA GPU, from thresholds or, on Ada and later, from margins."""

from __future__ import annotations

from dataclasses import dataclass

from core.telemetry.nvml import Gate
from core.telemetry.plausible import plausible, plausible_limit_c

# nvmlTemperatureThresholds_t.
_SHUTDOWN, _SLOWDOWN, _MEMORY_MAX, _GPU_MAX, _TARGET = 0, 1, 2, 3, 5
# NVML_FI_DEV_TEMPERATURE_*_TLIMIT: on Ada and later, degrees of margin at which each limit acts.
_MEMORY_MARGIN_FIELD = 195  # NVML_FI_DEV_TEMPERATURE_MEM_MAX_TLIMIT
_MARGIN_FIELDS = {_SHUTDOWN: 193, _SLOWDOWN: 194, _GPU_MAX: 196}


@dataclass(frozen=True, slots=True)
class Limits:
    """Temperature limits in C."""

    target: float | None
    maximum: float | None
    slowdown: float | None
    shutdown: float | None
    memory_maximum: float | None
    memory_margin_k: float | None
    """The margin at which the driver slows down for the memory's sake."""


def read_temperature_c(gate: Gate) -> float | None:
    """Core temperature. Raises DeviceLost."""
    core = 0  # NVML_TEMPERATURE_GPU
    return plausible("temperature_c", gate.either("nvmlDeviceGetTemperatureV", "nvmlDeviceGetTemperature", core))


def read_limits(gate: Gate) -> Limits:
    """Absolute limits; where the driver tells only margins (Ada and later), they are added to the temperature now.

    The margin is zero at the maximum operating temperature: maximum = temperature + margin, and a limit that acts at
    a margin of -2 lies 2 above it (nvml.h, NVML_FI_DEV_TEMPERATURE_*_TLIMIT). Raises DeviceLost.
    """
    temperature, margin = read_temperature_c(gate), plausible("margin_c", gate.call("nvmlDeviceGetMarginTemperature"))
    zero_margin_c = None if temperature is None or margin is None else temperature + margin

    def limit(threshold: int) -> float | None:
        stated = plausible_limit_c(gate.call("nvmlDeviceGetTemperatureThreshold", threshold))
        if stated is not None or zero_margin_c is None or threshold not in _MARGIN_FIELDS:
            return stated
        offset = gate.field(_MARGIN_FIELDS[threshold])
        return None if offset is None else plausible_limit_c(zero_margin_c - offset)

    # The margin is that of the whole GPU: a temperature of the memory does not follow from it.
    memory_margin_k = plausible("margin_c", gate.field(_MEMORY_MARGIN_FIELD))
    return Limits(
        limit(_TARGET), limit(_GPU_MAX), limit(_SLOWDOWN), limit(_SHUTDOWN), limit(_MEMORY_MAX), memory_margin_k
    )
