"""Which part a PCI device is: a card with a GPU, or another device."""

from __future__ import annotations

from core.language import tr
from core.telemetry.kernel_log.finding import Part

NVIDIA, AMD, INTEL = "10de", "1002", "8086"
_SWITCHES = frozenset({"1ac0", "1ac1", "1ac2", "1af1", "22a3"})
"""Of NVIDIA: NVSwitches, which are no cards."""
_OF_CARDS = frozenset({"1478", "1479"})
"""Of AMD: the switch on its cards, above the GPU."""
DRIVERS = frozenset({"nvidia", "nouveau", "amdgpu", "radeon", "xe", "i915"})
"""Of GPUs, as the kernel's lines name them before an address."""
_DISPLAY = "03"
"""Class of GPUs."""


def part_of(vendor: str, device: str, *, class_code: str = "", driver: str = "", port: bool = False) -> Part:
    """From what a record says of it: numbers in hex without 0x, "" where unknown."""
    if vendor == NVIDIA and device in _SWITCHES:
        return Part.FABRIC
    if driver in DRIVERS or class_code.removeprefix("0x").startswith(_DISPLAY):
        return Part.GPU
    if vendor == AMD and (device in _OF_CARDS or not port):
        return Part.GPU
    return Part.GPU if vendor == NVIDIA and not port else Part.PCIE


def link_action(part: Part) -> str:
    """What to do about errors of a link."""
    if part is Part.GPU:
        return tr("Reseat card and riser; try another slot, a lower PCIe generation.")
    return tr("Find the device at this address (lspci), reseat it; try another slot.")
