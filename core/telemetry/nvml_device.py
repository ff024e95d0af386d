"""Describes an NVIDIA GPU as a Device, from what its driver says once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.telemetry.device import Device, DeviceKind
from core.telemetry.nvml import Gate
from core.telemetry.plausible import plausible, plausible_limit_c

MB = 2**20
MEMORY_V2 = 0x02000028
"""nvmlMemory_v2: the version that counts the driver's own reserve apart."""

# nvmlTemperatureThresholds_t.
_SHUTDOWN, _SLOWDOWN, _MEMORY_MAX, _GPU_MAX, _TARGET = 0, 1, 2, 3, 5
# NVML_FI_DEV_TEMPERATURE_*_TLIMIT: on Ada and later, degrees of margin at which each limit acts.
_MARGIN_FIELDS = {_SHUTDOWN: 193, _SLOWDOWN: 194, _GPU_MAX: 196}


@dataclass(frozen=True, slots=True)
class Limits:
    """Temperature limits in C."""

    target: float | None
    maximum: float | None
    slowdown: float | None
    shutdown: float | None
    memory_maximum: float | None


def describe_driver(driver: Gate) -> dict[str, str]:
    """Versions of the driver, for the detail of each device. Raises DeviceLost."""
    cuda = driver.either("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion")
    known = {
        "driver": _text(driver.call("nvmlSystemGetDriverVersion")),
        "CUDA of the driver": f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else "",
    }
    return {name: text for name, text in known.items() if text}


def describe(gate: Gate, *, uuid: str, index: int, driver: dict[str, str]) -> Device:
    """Everything that is known of the GPU behind `gate`. Raises DeviceLost."""
    limits = read_limits(gate)
    return Device(
        id=uuid,
        kind=DeviceKind.GPU,
        name=_text(gate.call("nvmlDeviceGetName")) or "NVIDIA GPU",
        index=index,
        bus_id=_bus_id(gate),
        memory_mb=_memory_mb(gate),
        power_limit_w=_power_limit_w(gate),
        temperature_target_c=limits.target,
        temperature_slowdown_c=limits.slowdown,
        temperature_shutdown_c=limits.shutdown,
        temperature_max_c=limits.maximum,
        memory_temperature_max_c=limits.memory_maximum,
        detail=driver | _detail(gate),
    )


def unreadable(index: int, reason: str, *, uuid: str | None = None) -> Device:
    """Stands for a GPU that is plugged in but cannot be asked, so that its loss shows."""
    return Device(
        id=uuid or f"GPU-{index}-unreadable",
        kind=DeviceKind.GPU,
        name="NVIDIA GPU that does not answer",
        index=index,
        detail={"problem": reason},
    )


def read_temperature_c(gate: Gate) -> float | None:
    """Core temperature. Raises DeviceLost."""
    core = 0  # NVML_TEMPERATURE_GPU
    return plausible("temperature_c", gate.either("nvmlDeviceGetTemperatureV", "nvmlDeviceGetTemperature", core))


def read_memory(gate: Gate) -> Any | None:
    """The driver's memory record, in bytes. Raises DeviceLost."""
    return gate.call("nvmlDeviceGetMemoryInfo", MEMORY_V2) or gate.call("nvmlDeviceGetMemoryInfo")


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

    return Limits(limit(_TARGET), limit(_GPU_MAX), limit(_SLOWDOWN), limit(_SHUTDOWN), limit(_MEMORY_MAX))


def _bus_id(gate: Gate) -> str | None:
    """NVML writes the PCI domain with eight digits, the kernel with four."""
    pci = gate.call("nvmlDeviceGetPciInfo")
    if pci is None:
        return None
    domain, _, place = _text(pci.busId).lower().partition(":")
    return f"{domain[-4:]}:{place}" if place else None


def _memory_mb(gate: Gate) -> int | None:
    memory = read_memory(gate)
    total = None if memory is None else plausible("memory_used_mb", memory.total / MB)
    return round(total) if total else None


def _power_limit_w(gate: Gate) -> float | None:
    milliwatts = gate.either("nvmlDeviceGetPowerManagementDefaultLimit", "nvmlDeviceGetEnforcedPowerLimit")
    return None if milliwatts is None else plausible("power_limit_w", milliwatts / 1000)


def _detail(gate: Gate) -> dict[str, str]:
    """What is shown beside the figures; what the driver does not tell is left out."""
    capability = gate.call("nvmlDeviceGetCudaComputeCapability")
    generation, lanes = gate.call("nvmlDeviceGetMaxPcieLinkGeneration"), gate.call("nvmlDeviceGetMaxPcieLinkWidth")
    known = {
        "compute capability": "{}.{}".format(*capability) if capability else "",
        "VBIOS": _text(gate.call("nvmlDeviceGetVbiosVersion")),
        "serial number": _text(gate.call("nvmlDeviceGetSerial")),
        "PCIe at most": f"generation {generation}, {lanes} lanes" if generation and lanes else "",
        "ECC": _switch(gate.call("nvmlDeviceGetEccMode")),
        "MIG": _switch(gate.call("nvmlDeviceGetMigMode")),
        "persistence mode": _switch(gate.call("nvmlDeviceGetPersistenceMode")),
    }
    return {name: text for name, text in known.items() if text}


def _switch(answer: Any | None) -> str:
    """Words for an on/off answer; ECC and MIG answer [now, after the next reset]."""
    words = ["off" if state == 0 else "on" for state in (answer if isinstance(answer, list) else [answer])]
    if answer is None:
        return ""
    return words[0] if words[0] == words[-1] else f"{words[0]}, {words[-1]} after a reset"


def _text(value: Any | None) -> str:
    """NVML's strings are bytes in some versions of the binding."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return "" if value is None else str(value)
