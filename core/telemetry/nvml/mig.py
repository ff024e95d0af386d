"""Shares of a GPU that MIG has divided: each a device of its own, which tells of its memory and programs alone.

Power, temperature, clocks, links and errors belong to the whole card and are measured there: none is made up for a
share (MIG user guide, "Monitoring").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.language import tr
from core.telemetry.device import Device, DeviceKind
from core.telemetry.nvml.device import MB, read_memory
from core.telemetry.nvml.fields import Sample
from core.telemetry.nvml.gate import Gate, text_of
from core.telemetry.plausible import plausible, possible

MOST_SHARES = 64
"""Far more than any card has; a driver that says more is not believed."""


class MigShare:
    """One share, which is asked again and again. Methods raise DeviceLost."""

    def __init__(self, gate: Gate, device: Device) -> None:
        self.gate = gate
        self.device = device

    def read(self) -> Sample:
        """What the driver tells of the share by itself."""
        self.gate.tick()
        memory, running = read_memory(self.gate), self.gate.call("nvmlDeviceGetComputeRunningProcesses")
        return possible(
            {
                "memory_used_mb": None if memory is None else round(memory.used / MB, 1),
                "processes": None if running is None else float(len(running)),
            }
        )


def shares_of(library: Any, gate: Gate, card: Device) -> Iterator[MigShare]:
    """The shares of a card in the driver's order; none where MIG is off. Raises DeviceLost."""
    if not card.mig:
        return
    for index in range(min(gate.call("nvmlDeviceGetMaxMigDeviceCount") or 0, MOST_SHARES)):
        handle = gate.call("nvmlDeviceGetMigDeviceHandleByIndex", index)
        if handle is None:
            continue  # a place that no share takes
        share = Gate(library, handle)
        uuid = text_of(share.call("nvmlDeviceGetUUID"))
        if uuid is not None:
            yield MigShare(share, _described(share, uuid, card))


def _described(share: Gate, uuid: str, card: Device) -> Device:
    memory, running = read_memory(share), share.call("nvmlDeviceGetComputeRunningProcesses")
    total = None if memory is None else plausible("memory_used_mb", memory.total / MB)
    return Device(
        id=uuid,
        kind=DeviceKind.GPU,
        name=text_of(share.call("nvmlDeviceGetName")) or f"{card.name} MIG",
        parent=card.id,
        memory_mb=round(total) if total else None,
        architecture=card.architecture,
        compute_capability=card.compute_capability,
        driver=card.driver,
        cuda_version=card.cuda_version,
        processes=None if running is None else len(running),
        limited=tr("a MIG instance of {card}: power, temperature, clocks and errors are that card's", card=card.title),
    )
