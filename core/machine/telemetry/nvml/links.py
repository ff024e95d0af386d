"""How NVIDIA GPUs reach each other: NVLinks, direct access, the place where their ways meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.machine.telemetry.nvml.gate import Gate, text_of
from core.machine.telemetry.pci import kernel_bus_id
from core.machine.telemetry.plausible import plausible_link_gbps
from core.words import tr

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
