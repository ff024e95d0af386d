"""Describes an NVIDIA GPU as a Device, from what its driver says once: limits, links, ways to others."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import psutil

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.nvml.gate import Gate, text_of
from core.machine.telemetry.pci import kernel_bus_id
from core.machine.telemetry.plausible import plausible, plausible_limit_c, plausible_link_gbps
from core.words import joined, tr

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
    margin_k = plausible("margin_c", gate.field(_MEMORY_MARGIN_FIELD))
    return Limits(limit(_TARGET), limit(_GPU_MAX), limit(_SLOWDOWN), limit(_SHUTDOWN), limit(_MEMORY_MAX), margin_k)


MB = 2**20
MEMORY_V2 = 0x02000028
"""nvmlMemory_v2: the version that counts the driver's own reserve apart."""

_CORRUPTED_INFOROM = 14  # NVML_ERROR_CORRUPTED_INFOROM
_CORRECTED, _UNCORRECTED, _LIFETIME, _SRAM = 0, 1, 1, 7
"""nvmlMemoryErrorType_t, nvmlEccCounterType_t and nvmlMemoryLocation_t."""
_ARCHITECTURES = {
    2: "Kepler", 3: "Maxwell", 4: "Pascal", 5: "Volta", 6: "Turing", 7: "Ampere", 8: "Ada", 9: "Hopper",
    10: "Blackwell", 13: "Rubin",
}  # fmt: skip
"""nvmlDeviceArchitecture_t."""
_COMPUTE_MODES = {0: "default", 1: "exclusive thread", 2: "prohibited", 3: "exclusive process"}
"""nvmlComputeMode_t."""
_SM, _MEMORY = 1, 2  # nvmlClockType_t
_PASSED_THROUGH, _VGPU = 1, 2  # nvmlGpuVirtualizationMode_t


@dataclass(frozen=True, slots=True)
class Driver:
    """Versions of the driver and of the newest CUDA that it can run."""

    version: str | None
    cuda: str | None


def describe_driver(driver: Gate) -> Driver:
    """Raises DeviceLost."""
    cuda = driver.either("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion")
    version = text_of(driver.call("nvmlSystemGetDriverVersion"))
    return Driver(version, f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else None)


def describe(gate: Gate, *, uuid: str, index: int, driver: Driver) -> Device:
    """Everything that is known of the GPU behind `gate`, but for its ways to other GPUs. Raises DeviceLost."""
    limits, capability = read_limits(gate), gate.call("nvmlDeviceGetCudaComputeCapability")
    power_range = gate.call("nvmlDeviceGetPowerManagementLimitConstraints") or (None, None)
    processes = _processes(gate)
    mig, pci = _switch(gate.call("nvmlDeviceGetMigMode")), _pci(gate)
    repairs = gate.call("nvmlDeviceGetRepairStatus")
    return Device(
        id=uuid,
        kind=DeviceKind.GPU,
        name=text_of(gate.call("nvmlDeviceGetName")) or "NVIDIA GPU",
        index=index,
        bus_id=pci.bus_id,
        pci_id=pci.id,
        pci_subsystem=pci.subsystem,
        pci_subsystem_vendor=pci.subsystem_vendor,
        memory_mb=_memory_mb(gate),
        power_limit_w=_watts(
            gate.either("nvmlDeviceGetPowerManagementDefaultLimit", "nvmlDeviceGetEnforcedPowerLimit")
        ),
        power_limit_min_w=_watts(power_range[0]),
        power_limit_max_w=_watts(power_range[1]),
        temperature_target_c=limits.target,
        temperature_slowdown_c=limits.slowdown,
        temperature_shutdown_c=limits.shutdown,
        temperature_max_c=limits.maximum,
        memory_temperature_max_c=limits.memory_maximum,
        memory_margin_limit_k=limits.memory_margin_k,
        serial=text_of(gate.call("nvmlDeviceGetSerial")),
        board_part=text_of(gate.call("nvmlDeviceGetBoardPartNumber")),
        vbios=text_of(gate.call("nvmlDeviceGetVbiosVersion")),
        inforom=text_of(gate.call("nvmlDeviceGetInforomImageVersion")),
        inforom_ok=_inforom_ok(gate),
        architecture=_ARCHITECTURES.get(gate.call("nvmlDeviceGetArchitecture") or -1),
        compute_capability="{}.{}".format(*capability) if capability else None,
        pcie_generation_max=gate.call("nvmlDeviceGetMaxPcieLinkGeneration"),
        pcie_generation_card=gate.call("nvmlDeviceGetGpuMaxPcieLinkGeneration"),
        pcie_lanes_max=gate.call("nvmlDeviceGetMaxPcieLinkWidth"),
        several_gpus=_switch(gate.call("nvmlDeviceGetMultiGpuBoard")),
        ecc=_switch(gate.call("nvmlDeviceGetEccMode")),
        mig=mig,
        persistence=_switch(gate.call("nvmlDeviceGetPersistenceMode")),
        display=_switch(gate.call("nvmlDeviceGetDisplayActive")),
        compute_mode=_COMPUTE_MODES.get(_or(gate.call("nvmlDeviceGetComputeMode"), -1)),
        processes=None if processes is None else len(processes),
        clock_max_mhz=plausible("clock_mhz", gate.call("nvmlDeviceGetMaxClockInfo", _SM)),
        memory_clock_max_mhz=plausible("memory_clock_mhz", gate.call("nvmlDeviceGetMaxClockInfo", _MEMORY)),
        repair_pending=None if repairs is None else any(repairs),
        numa_node=gate.call("nvmlDeviceGetNumaNodeId"),
        fans=gate.call("nvmlDeviceGetNumFans"),
        throttle_reasons=gate.either(
            "nvmlDeviceGetSupportedClocksEventReasons", "nvmlDeviceGetSupportedClocksThrottleReasons"
        ),
        events=gate.call("nvmlDeviceGetSupportedEventTypes"),
        ecc_lifetime_corrected=gate.call("nvmlDeviceGetTotalEccErrors", _CORRECTED, _LIFETIME),
        ecc_lifetime_uncorrected=gate.call("nvmlDeviceGetTotalEccErrors", _UNCORRECTED, _LIFETIME),
        sram_lifetime_uncorrected=gate.call("nvmlDeviceGetMemoryErrorCounter", _UNCORRECTED, _LIFETIME, _SRAM),
        nvlinks=read_nvlinks(gate),
        nvlink_gbps=read_nvlink_gbps(gate),
        limited=_limited(gate, mig=mig),
        detail=_detail(gate, processes),
        driver=driver.version,
        cuda_version=driver.cuda,
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


def read_memory(gate: Gate) -> Any | None:
    """The driver's memory record, in bytes. Raises DeviceLost."""
    return gate.call("nvmlDeviceGetMemoryInfo", MEMORY_V2) or gate.call("nvmlDeviceGetMemoryInfo")


class _Pci(NamedTuple):
    bus_id: str | None = None
    id: str | None = None
    subsystem: str | None = None
    subsystem_vendor: str | None = None


def _pci(gate: Gate) -> _Pci:
    """Place on the bus and ids; the driver packs the device's number above the vendor's (nvml.h, nvmlPciInfo_t)."""
    pci = gate.call("nvmlDeviceGetPciInfo")
    if pci is None:
        return _Pci()
    ids, subsystem = int(pci.pciDeviceId), int(pci.pciSubSystemId)
    return _Pci(
        kernel_bus_id(text_of(pci.busId)),
        f"{ids & 0xFFFF:04x}:{ids >> 16:04x}" if ids else None,
        f"{subsystem >> 16:04x}" if subsystem else None,
        f"{subsystem & 0xFFFF:04x}" if subsystem else None,
    )


def _memory_mb(gate: Gate) -> int | None:
    memory = read_memory(gate)
    total = None if memory is None else plausible("memory_used_mb", memory.total / MB)
    return round(total) if total else None


def _watts(milliwatts: float | None) -> float | None:
    return None if milliwatts is None else plausible("power_limit_w", milliwatts / 1000)


def _inforom_ok(gate: Gate) -> bool | None:
    """The check answers with its return code alone."""
    gate.call("nvmlDeviceValidateInforom")
    return {None: True, _CORRUPTED_INFOROM: False}.get(gate.last_error)


def _processes(gate: Gate) -> list[int] | None:
    """Process ids of programs that compute on it; None where they are not told."""
    running = gate.call("nvmlDeviceGetComputeRunningProcesses")
    return None if running is None else [process.pid for process in running]


def _limited(gate: Gate, *, mig: bool | None) -> str | None:
    virtual = gate.call("nvmlDeviceGetVirtualizationMode")
    if mig:
        return tr("MIG is on: each MIG instance is burned in, not the whole card")
    if virtual == _VGPU:
        return tr("part of a card (vGPU): most sensors are missing")
    if virtual == _PASSED_THROUGH:
        return tr("passed through to a virtual machine: the host's ports are not visible")
    return tr("WSL: most sensors are missing") if "microsoft" in platform.release().lower() else None


def _detail(gate: Gate, processes: list[int] | None) -> dict[str, str]:
    """What is shown beside the figures; what the driver does not tell is left out."""
    bits, cores = gate.call("nvmlDeviceGetMemoryBusWidth"), gate.call("nvmlDeviceGetNumGpuCores")
    facts = {
        "cores": str(cores) if cores else "",
        "memory bus": tr("{bits} bits", bits=bits) if bits else "",
        "GSP firmware": text_of(gate.call("nvmlDeviceGetGspFirmwareVersion")) or "",
        "programs": joined(map(_program, processes or []), ", "),
    }
    return {name: text for name, text in facts.items() if text}


def _program(pid: int) -> str:
    try:
        return f"{psutil.Process(pid).name()} ({pid})"
    except psutil.Error:
        return tr("process {pid}", pid=pid)


def _or(value: Any | None, otherwise: Any) -> Any:
    return otherwise if value is None else value


def _switch(answer: Any | None) -> bool | None:
    """On or off now; ECC and MIG answer [now, after the next reset]."""
    state = answer[0] if isinstance(answer, list) else answer
    return None if state is None else state != 0


MOST_LINKS = 18
"""NVML_NVLINK_MAX_LINKS."""
_LINK_SPEED_FIELD = 90  # NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON: MB/s of all links that are up
_LINK_COUNT_FIELD = 91  # NVML_FI_DEV_NVLINK_LINK_COUNT

_CAPABILITIES = {"read": 0, "write": 1, "nvlink": 2, "atomics": 3, "pci": 4}
"""nvmlGpuP2PCapsIndex_t."""
_ANSWERS = {
    0: "ok",
    1: tr("not supported by the chipset"),
    2: tr("not supported by the GPU"),
    3: tr("not supported by the path between them"),
    4: tr("switched off in the driver"),
    5: tr("not supported"),
}
"""nvmlGpuP2PStatus_t."""
_MEETING_PLACES = {
    0: tr("the same board"),
    10: tr("a PCIe switch"),
    20: tr("several PCIe switches"),
    30: tr("a host bridge"),
    40: tr("a CPU"),
    50: tr("the link between CPUs"),
}
"""nvmlGpuTopologyLevel_t."""


def read_nvlinks(gate: Gate) -> dict[str, str | None]:
    """By number of the link: bus id of the other end, None where it is down; empty without NVLink. Raises DeviceLost.

    The chip's links count, not the board's: on a bridged pair of cards some may have nowhere to go.
    """
    count = gate.field(_LINK_COUNT_FIELD)
    links: dict[str, str | None] = {}
    for link in range(MOST_LINKS if count is None else min(int(count), MOST_LINKS)):
        state = gate.call("nvmlDeviceGetNvLinkState", link)
        if state is None and count is None:
            break
        links[str(link)] = _other_end(gate, link) if state else None
    return links


def read_nvlink_gbps(gate: Gate) -> float | None:
    """What a link that is up carries each way. Raises DeviceLost."""
    speed = gate.field(_LINK_SPEED_FIELD)
    return None if speed is None else plausible_link_gbps(speed / 1000)


def read_ways(gate: Gate, others: Mapping[str, Any]) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Direct access and meeting place by id of the other GPU; `others` are their handles. Raises DeviceLost."""
    access: dict[str, dict[str, str]] = {}
    meeting: dict[str, str] = {}
    for other_id, handle in others.items():
        statuses = {
            name: gate.call_with(handle, "nvmlDeviceGetP2PStatus", index) for name, index in _CAPABILITIES.items()
        }
        answers = {name: _ANSWERS.get(status, "unknown") for name, status in statuses.items() if status is not None}
        if answers:
            access[other_id] = answers
        level = gate.call_with(handle, "nvmlDeviceGetTopologyCommonAncestor")
        if level in _MEETING_PLACES:
            meeting[other_id] = _MEETING_PLACES[level]
    return access, meeting


def _other_end(gate: Gate, link: int) -> str:
    """A link that is up but does not tell where it ends is still up."""
    pci = gate.call("nvmlDeviceGetNvLinkRemotePciInfo", link)
    return kernel_bus_id(None if pci is None else text_of(pci.busId)) or "unknown"
