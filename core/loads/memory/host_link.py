"""The link between host and GPU: each way and both at once, every transfer checked. Finds bad risers, narrow slots and
links that fall back."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from core.errors import EnvironmentProblem
from core.language import joined, plain, tr
from core.loads.checksum import WORD_BYTES
from core.loads.load import StepReport, alive_through
from core.loads.memory.blocks import MIB
from core.loads.memory.contract import HostLinkEvidence, HostLinkParams
from core.loads.memory.faults import try_transfers
from core.loads.memory.transfers import Direction, Transfers
from core.loads.meter import Meter
from core.loads.room import give_back
from core.loads.verified_load import DeviceLoad


class HostLinkLoad(DeviceLoad[HostLinkParams]):
    """The "host_link" load."""

    def __init__(self, params: HostLinkParams, device: torch.device) -> None:
        self._bytes = params.buffer_mib * MIB
        super().__init__(params, device)

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._meters = {direction: Meter() for direction in Direction}
        self._rounds = 0
        self._stayed_on: set[int] = set()
        words = self._bytes // WORD_BYTES
        self._transfers = Transfers(self._device, words, self._params.seed, self._drill)

    def _smaller(self) -> bool:
        """Half the buffers, down to 1 MiB."""
        if self._bytes // 2 < MIB:
            return False
        self._bytes //= 2
        return True

    def _prepare(self) -> Iterator[StepReport]:
        """Raises EnvironmentProblem on a CPU."""
        if self._device.type != "cuda":
            raise EnvironmentProblem(tr("A CPU has no link to the host: it is the host."))
        return try_transfers(self._self_test, self._device, seed=self._params.seed)

    def _run(self) -> Iterator[StepReport]:
        """Rounds of so many transfers each way and both at once, at least one."""
        with staying_near(processors_near(pci_address(self._device))) as self._stayed_on:
            yield from self._rounds_until(self._deadline)
        give_back(self._device)

    def _unfinished(self) -> str | None:
        return None if self._rounds else tr("Ended before every direction of the link was tested.")

    def _passed(self) -> str:
        told = joined(
            (
                plain("{way} {rate:.1f} GB/s", way=Direction(name).label, rate=rate)
                for name, rate in self._rates().items()
            ),
            ", ",
        )
        return tr("{rates}; {checks} transfers checked, none wrong.", rates=told, checks=self._findings.checks)

    def _rounds_until(self, deadline: float) -> Iterator[StepReport]:
        yield from alive_through(self._transfers.prepare())
        while not self._rounds or time.monotonic() < deadline:
            for direction in Direction:
                for _ in range(self._params.transfers):
                    if self._rounds and time.monotonic() >= deadline:
                        return
                    yield from self._one(direction)
            self._rounds += 1

    def _one(self, direction: Direction) -> Iterator[StepReport]:
        seconds, problem = yield from self._transfers.go(direction)
        moved = self._transfers.bytes_of(direction)
        self._meters[direction].add(moved, seconds)
        report = self._findings.checked(problem and tr("The data arrived corrupted: {problem}", problem=problem))
        yield StepReport(busy_s=seconds, moved_bytes=moved, checks=1, faults=report.faults)

    def _rates(self) -> dict[str, float]:
        rates = {direction.value: meter.rate() for direction, meter in self._meters.items()}
        return {name: round(rate / 1e9, 3) for name, rate in rates.items() if rate is not None}

    def _evidence(self) -> HostLinkEvidence:
        return HostLinkEvidence(
            buffer_bytes=self._bytes,
            pinned=self._device.type == "cuda",
            near_processors=len(self._stayed_on),
            rounds=self._rounds,
            transfers=self._transfers.done,
            rates=self._rates(),
            rate_unit="GB/s",
        )


PCI_DEVICES = Path("/sys/bus/pci/devices")


def pci_address(device: torch.device) -> str | None:
    """As the kernel writes it, "0000:65:00.0"; None where torch does not tell it, and for a CPU."""
    if device.type != "cuda":
        return None
    properties = torch.cuda.get_device_properties(device)
    names = ("pci_domain_id", "pci_bus_id", "pci_device_id")
    domain, bus, slot = (getattr(properties, name, None) for name in names)
    if domain is None or bus is None or slot is None:
        return None
    return f"{domain:04x}:{bus:02x}:{slot:02x}.0"


def processors_near(address: str | None, devices: Path = PCI_DEVICES) -> set[int]:
    """Logical processors on the socket of a PCI device; empty where the system does not tell."""
    if address is None:
        return set()
    try:
        return parsed((devices / address / "local_cpulist").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return set()


def parsed(cpu_list: str) -> set[int]:
    """The numbers in a list such as "0-3,8". Raises ValueError for anything else."""
    found: set[int] = set()
    for part in filter(None, cpu_list.strip().split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


@contextmanager
def staying_near(processors: set[int]) -> Iterator[set[int]]:
    """Keeps the calling thread, and so the memory that it touches first, on these processors as far as it may run
    there; gives those that it stays on, none where nothing was changed."""
    if not hasattr(os, "sched_setaffinity"):
        yield set()
        return
    before = os.sched_getaffinity(0)
    chosen = before & processors
    try:
        if chosen:
            os.sched_setaffinity(0, chosen)
        yield chosen
    finally:
        os.sched_setaffinity(0, before)
