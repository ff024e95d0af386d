"""Display controllers that are no cards to be tested: of the board's management, within the CPU, of a virtual machine.

Told by vendor, place on the bus and neighbours, since lists of ids age. Vendors after the PCI ID project
(pci-ids.ucw.cz).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

DISPLAY, ACCELERATOR = "03", "12"
"""Display controllers and processing accelerators (PCI code and ID assignment specification)."""
_AMD_GPU, _AMD_CPU = "1002", "1022"
_MANAGEMENT = frozenset(("1a03", "102b", "126f", "19e5", "18ca"))
"""ASPEED, Matrox, Silicon Motion, HiSilicon, XGI."""
_MANAGEMENT_IDS = frozenset(("1002:515e", "1002:4752"))
"""ES1000 and Rage XL: of ATI, soldered to server boards."""
_VIRTUAL = frozenset(("1af4", "1b36", "1234", "1013", "15ad", "80ee", "1414", "1ab8", "5853", "1d0f", "fb5d"))
"""virtio, QXL, Bochs and QEMU, Cirrus, VMware, VirtualBox, Hyper-V, Parallels, Xen, Amazon, bhyve."""
_EMULATED_HOSTS = frozenset(("8086:1237", "8086:29c0", "8086:7190", "8086:7192", "8086:0d57"))
"""Host bridges of virtual machines, which bear the numbers of real ones: what sits beside them was passed through."""


class Aside(StrEnum):
    """What a display controller is, where it is no card of its own."""

    MANAGEMENT = "management"
    INTEGRATED = "integrated"
    VIRTUAL = "virtual"
    PART = "part"
    """A further function of a card, or a virtual one (SR-IOV)."""


@dataclass(frozen=True, slots=True)
class PciFunction:
    """One function of the bus; "" where it is not told."""

    address: str
    kind: str
    """The class as the specification numbers it: "030000", or its first digits."""
    vendor: str
    device: str
    virtual: bool = False
    """Whether it is one that a card makes for virtual machines (SR-IOV)."""

    @property
    def pci_id(self) -> str:
        """ "10de:2204"."""
        return f"{self.vendor}:{self.device}"

    @property
    def is_card(self) -> bool:
        """Whether its class is that of a display controller or an accelerator."""
        return self.kind.startswith((DISPLAY, ACCELERATOR))


FunctionAt = Callable[[str], PciFunction | None]
"""The function at an address; None where there is none."""


def aside_of(one: PciFunction, ports: Sequence[str], at: FunctionAt) -> Aside | None:
    """By a controller, the ports above it and its neighbours; None for a card."""
    display = one.kind.startswith(DISPLAY)
    if one.virtual or _follows_another(one, at):
        return Aside.PART
    if display and (one.vendor in _MANAGEMENT or one.pci_id in _MANAGEMENT_IDS):
        return Aside.MANAGEMENT
    if display and one.vendor in _VIRTUAL:
        return Aside.VIRTUAL
    if (not ports and _of_the_host(one, at)) or (display and one.vendor == _AMD_GPU and _beside_amd_cpu(one, at)):
        return Aside.INTEGRATED
    return None


def _follows_another(one: PciFunction, at: FunctionAt) -> bool:
    """Whether it is a second controller of a card whose first one counts."""
    place, _, function = one.address.partition(".")
    first = at(f"{place}.0")
    return function != "0" and first is not None and first.is_card


def _of_the_host(one: PciFunction, at: FunctionAt) -> bool:
    """Whether what sits on the root bus is of the maker of the host bridge, which is within the CPU."""
    host = at(f"{one.address.partition(':')[0]}:00:00.0")
    if host is None or host.pci_id in _EMULATED_HOSTS:
        return False
    return host.vendor == (_AMD_CPU if one.vendor == _AMD_GPU else one.vendor)


def _beside_amd_cpu(one: PciFunction, at: FunctionAt) -> bool:
    """AMD's CPUs show their graphics below a port, together with their own security processor and USB."""
    place = one.address.partition(".")[0]
    others = (at(f"{place}.{number}") for number in range(1, 8))
    return any(other is not None and other.vendor == _AMD_CPU for other in others)
