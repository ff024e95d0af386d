"""The processors and the memory that a GPU hangs on: from the other side of a machine with two sockets it is slower."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

PCI_DEVICES = Path("/sys/bus/pci/devices")


def pci_address(device: torch.device) -> str | None:
    """As the kernel writes it, "0000:65:00.0"; None where torch does not tell it."""
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
