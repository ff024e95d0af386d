"""Measures all NVIDIA GPUs of this machine through NVML, tick by tick."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.language import tr
from core.telemetry.device import Device
from core.telemetry.incident import Report
from core.telemetry.nvml.card import NvmlCard
from core.telemetry.nvml.device import describe, describe_driver, unreadable
from core.telemetry.nvml.events import Events
from core.telemetry.nvml.fields import Sample
from core.telemetry.nvml.gate import NO_PERMISSION, DeviceLost, Gate, NoDriver, open_library
from core.telemetry.nvml.links import read_ways
from core.telemetry.nvml.mig import MigShare, shares_of
from core.telemetry.pci import PCI, lanes_of_link


@dataclass(slots=True)
class _Found:
    """A GPU in the driver's list: what measures it, or why it is lost."""

    device: Device
    gate: Gate
    handle: Any = None
    card: NvmlCard | None = None
    shares: list[MigShare] = field(default_factory=list)
    lost: str | None = None


class NvmlSource:
    """All GPUs of this machine. Raises NoDriver when there is none to talk to."""

    def __init__(self, *, pci: Path = PCI) -> None:
        self._library = open_library()
        driver = Gate(self._library)
        try:
            self.driver = describe_driver(driver)
            count = driver.call("nvmlDeviceGetCount") or 0
        except DeviceLost as loss:
            raise NoDriver(tr("The NVIDIA driver does not answer: {loss}. Restart the machine.", loss=loss)) from loss
        found = [self._find(index) for index in range(count)]
        self._gpus = [gpu for gpu in found if gpu is not None]
        for gpu in self._gpus:
            with _noting_its_loss(gpu):
                self._open(gpu, pci)

    def devices(self) -> list[Device]:
        """In NVML's order, which is the order of the PCI bus; the shares of a card that MIG divides come after it."""
        return [device for gpu in self._gpus for device in (gpu.device, *(share.device for share in gpu.shares))]

    def read(self) -> dict[str, Sample]:
        """One sample of every GPU that answers."""
        samples: dict[str, Sample] = {}
        now_s = time.monotonic()
        for gpu, card in self._answering():
            with _noting_its_loss(gpu):
                samples[gpu.device.id] = card.read(now_s)
                samples |= {share.device.id: share.read() for share in gpu.shares}
        return samples

    def count(self) -> dict[str, Sample]:
        """Of every GPU that answers."""
        counts: dict[str, Sample] = {}
        for gpu, card in self._answering():
            with _noting_its_loss(gpu):
                counts[gpu.device.id] = card.count()
        return counts

    def lost(self) -> Mapping[str, str]:
        """GPUs that stopped answering, with the reason; they are not asked again."""
        gone: dict[str, str] = {}
        for gpu in self._gpus:
            if gpu.lost is not None:
                gone |= dict.fromkeys((gpu.device.id, *(share.device.id for share in gpu.shares)), gpu.lost)
        return gone

    def set_activity(self, device_id: str, load: float) -> None:
        """Real GPUs feel their load by themselves."""

    def listen(self, report: Report) -> None:
        """Waits for the events of the driver, where it offers any."""
        there = [gpu for gpu in self._gpus if gpu.lost is None]
        handles = {gpu.device.id: gpu.handle for gpu in there}
        supported = {gpu.device.id: gpu.device.events or 0 for gpu in there}
        Events(self._library, handles, supported).start(report)

    def asking(self) -> str | None:
        """The function of the driver that has not returned, and for which GPU."""
        for gpu in self._gpus:
            if (function := gpu.gate.asking) is not None:
                return tr("{function} of {device}", function=function, device=gpu.device.title)
        return None

    def slowest(self) -> str | None:
        """The field that the driver itself says it took longest for."""
        slowest = max(self._gpus, key=lambda gpu: gpu.gate.slowest_field, default=None)
        if slowest is None or slowest.gate.slowest_field[0] == 0:
            return None
        took_us, number = slowest.gate.slowest_field
        for gpu in self._gpus:
            gpu.gate.slowest_field = (0, 0)
        return tr(
            "field {number} of {device}: {took_us} us", number=number, device=slowest.device.title, took_us=took_us
        )

    def close(self) -> None:
        """Lets go of the driver."""
        for gpu, card in self._answering():
            with _noting_its_loss(gpu):
                card.close()
        Gate(self._library).call("nvmlShutdown")

    def _answering(self) -> list[tuple[_Found, NvmlCard]]:
        return [(gpu, gpu.card) for gpu in self._gpus if gpu.card is not None and gpu.lost is None]

    def _find(self, index: int) -> _Found | None:
        """A card that fails while it is described is kept as a lost one: it is there, so it counts.

        One that this user may not open (a container's share of a bigger machine) is not ours: None.
        """
        opening = Gate(self._library)
        uuid: str | None = None
        try:
            handle = opening.call("nvmlDeviceGetHandleByIndex", index)
            if handle is None and opening.last_error == NO_PERMISSION:
                return None
            if handle is None:
                raise DeviceLost(
                    tr(
                        "the driver lists this GPU but does not open it (error {last_error})",
                        last_error=opening.last_error,
                    )
                )
            gate = Gate(self._library, handle)
            uuid = gate.call("nvmlDeviceGetUUID")
            if uuid is None:
                raise DeviceLost(
                    tr("the GPU does not report its identity (error {last_error})", last_error=gate.last_error)
                )
            return _Found(describe(gate, uuid=uuid, index=index, driver=self.driver), gate, handle)
        except DeviceLost as loss:
            return _Found(unreadable(index, str(loss), uuid=uuid), opening, lost=str(loss))

    def _open(self, gpu: _Found, pci: Path) -> None:
        if gpu.lost is not None:
            return
        others = {other.device.id: other.handle for other in self._gpus if other is not gpu and other.lost is None}
        access, meeting = read_ways(gpu.gate, others)
        several = bool(gpu.device.several_gpus)
        lanes = lanes_of_link(gpu.device.bus_id, gpu.device.pcie_lanes_max, pci, several=several)
        gpu.device = replace(gpu.device, p2p=access, topology=meeting, pcie_lanes_max=lanes)
        gpu.card = NvmlCard(self._library, gpu.gate, gpu.device, pci=pci)
        gpu.shares = list(shares_of(self._library, gpu.gate, gpu.device))


@contextmanager
def _noting_its_loss(gpu: _Found) -> Iterator[None]:
    try:
        yield
    except DeviceLost as loss:
        gpu.lost = str(loss)
