"""Measures all NVIDIA GPUs of this machine through NVML, tick by tick."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.nvml.card import NvmlCard, Sample
from core.machine.telemetry.nvml.device import MB, describe, describe_driver, read_memory, read_ways, unreadable
from core.machine.telemetry.nvml.gate import NO_PERMISSION, DeviceLost, Gate, NoDriver, open_library, text_of
from core.machine.telemetry.pci import PCI, lanes_of_link
from core.machine.telemetry.plausible import plausible, possible
from core.machine.telemetry.source import Incident, Report
from core.machine.telemetry.xid import xid
from core.words import tr


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
        gpus = [self._find(index) for index in range(count)]
        self._gpus = [gpu for gpu in gpus if gpu is not None]
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


# Shares of a GPU that MIG has divided: each a device of its own, which tells of its memory and programs alone.
#
# Power, temperature, clocks, links and errors belong to the whole card and are measured there: none is made up for a
# share (MIG user guide, "Monitoring").

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


# Waits for errors that the NVIDIA driver tells of by itself, in a thread of its own (Linux only).

_TIMEOUT = 10  # NVML_ERROR_TIMEOUT
_WAIT_MS = 1000
_PAUSE_S = 1.0
_MOST_FAILURES = 5
"""A driver that refuses so often in a row has nothing to tell any more; the kernel's log still does."""

_XID = 0x8  # nvmlEventTypeXidCriticalError
_OTHERS = {0x2: 48, 0x200: 92, 0x400: 63, 0x800: 64, 0x1000: 94, 0x2000: 95, 0x4000: 79, 0x8000: 154}
"""Events of recent drivers (nvmlEventType*) that say what an Xid says; those carry no number themselves."""
WANTED = _XID | sum(_OTHERS)


class Events:
    """The driver's events of several GPUs. What happened before `start` is lost: the kernel's log has it."""

    def __init__(self, library: Any, handles: Mapping[str, Any], supported: Mapping[str, int]) -> None:
        self._library = library
        self._handles = {id_: handle for id_, handle in handles.items() if supported.get(id_, 0) & WANTED}
        self._supported = supported
        self._ids = {_address(handle): id_ for id_, handle in self._handles.items()}

    def start(self, report: Report) -> None:
        """Begins to listen for as long as the process lives; nothing happens where no GPU offers events."""
        if self._handles:
            threading.Thread(target=self._listen, args=(report,), name="driver events", daemon=True).start()

    def _listen(self, report: Report) -> None:
        failures = 0
        while failures < _MOST_FAILURES:
            events = self._register()
            answered = events is not None and self._wait(events, report)
            failures = 0 if answered else failures + 1
            time.sleep(_PAUSE_S)

    def _register(self) -> Any | None:
        """A set that all GPUs are in which still answer; None where there is none."""
        try:
            events = self._library.nvmlEventSetCreate()
        except self._library.NVMLError:
            return None
        for id_, handle in self._handles.items():
            with contextlib.suppress(self._library.NVMLError):
                self._library.nvmlDeviceRegisterEvents(handle, self._supported[id_] & WANTED, events)
        return events

    def _wait(self, events: Any, report: Report) -> bool:
        """Until the driver refuses; whether it ever answered. After an unknown error a set is of no use any more."""
        answered = False
        while True:
            try:
                event = self._library.nvmlEventSetWait_v2(events, _WAIT_MS)
            except self._library.NVMLError as error:
                if error.value != _TIMEOUT:
                    break
            else:
                if incident := self._incident(event):
                    report(incident)
            answered = True
        with contextlib.suppress(self._library.NVMLError):
            self._library.nvmlEventSetFree(events)
        return answered

    def _incident(self, event: Any) -> Incident | None:
        number = int(event.eventData) if event.eventType == _XID else _OTHERS.get(int(event.eventType))
        if number is None:
            return None
        return Incident("xid", xid(number).sentence, "nvml", self._ids.get(_address(event.device)), number)


def _address(handle: Any) -> int | None:
    """Handles of the binding are pointers; the same GPU has the same one."""
    return ctypes.cast(handle, ctypes.c_void_p).value
