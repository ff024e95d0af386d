"""Display controllers that are no cards to be tested: of the board's management, within the CPU, of a virtual machine.

Told by vendor, place on the bus and neighbours, since lists of ids age. Vendors after the PCI ID project
(pci-ids.ucw.cz).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from core.telemetry.host.hwmon import read_text
from core.telemetry.pci import read_hex

DISPLAY, ACCELERATOR = "0x03", "0x12"
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


def aside_of(path: Path, ports: Sequence[str]) -> Aside | None:
    """By the folder of a controller in sysfs, and the ports above it; None for a card."""
    vendor, display = read_hex(path / "vendor"), (read_text(path / "class") or "").startswith(DISPLAY)
    if (path / "physfn").exists() or _follows_another(path):
        return Aside.PART
    if display and (vendor in _MANAGEMENT or f"{vendor}:{read_hex(path / 'device')}" in _MANAGEMENT_IDS):
        return Aside.MANAGEMENT
    if display and vendor in _VIRTUAL:
        return Aside.VIRTUAL
    if (not ports and _of_the_host(path, vendor)) or (display and vendor == _AMD_GPU and _beside_amd_cpu(path)):
        return Aside.INTEGRATED
    return None


def _follows_another(path: Path) -> bool:
    """Whether it is a second controller of a card whose first one counts."""
    place, _, function = path.name.partition(".")
    first = read_text(path.with_name(f"{place}.0") / "class") or ""
    return function != "0" and first.startswith((DISPLAY, ACCELERATOR))


def _of_the_host(path: Path, vendor: str | None) -> bool:
    """Whether what sits on the root bus is of the maker of the host bridge, which is within the CPU."""
    host = path.with_name(f"{path.name.partition(':')[0]}:00:00.0")
    maker = read_hex(host / "vendor")
    if f"{maker}:{read_hex(host / 'device')}" in _EMULATED_HOSTS:
        return False
    return maker == (_AMD_CPU if vendor == _AMD_GPU else vendor)


def _beside_amd_cpu(path: Path) -> bool:
    """AMD's CPUs show their graphics below a port, together with their own security processor and USB."""
    place = path.name.partition(".")[0]
    others = path.parent.glob(f"{place}.[1-7]")
    return any(read_hex(other / "vendor") == _AMD_CPU for other in others)
