"""Display and compute cards on the PCI bus, whatever their driver, and those set aside as no cards to be tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.machine.asbuilt.identities import MAKERS, by_id, names_of_id
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.host.hwmon import read_text
from core.machine.telemetry.pci import BUS_ID, max_lanes, ports_above, read_hex, way_to_slot

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


_GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
"""By GT/s (PCIe base specification)."""


@dataclass(frozen=True, slots=True)
class PciCard:
    """One function of the bus."""

    address: str
    pci_id: str | None
    """None where a text gives names alone."""
    subsystem: str | None
    revision: str | None
    ports: tuple[str, ...]
    """Bridges above it, nearest first."""
    generation: int | None
    lanes: int | None
    """What it and its slot can do together."""
    driver: str | None = None
    """Of the kernel, that is bound to it: "nvidia", "amdgpu", "vfio-pci"."""
    shows_boot: bool = False
    """Whether the firmware showed the start of the machine on it."""
    aside: Aside | None = None
    """What it is where it is no card to be tested."""
    subsystem_vendor: str | None = None
    """The board maker's PCI vendor id, four digits."""
    called: str = ""
    """What a text calls it, whose list of ids has more names than ours."""

    @property
    def of_nvidia(self) -> bool:
        """Whether NVIDIA made its chip."""
        return self.pci_id.startswith("10de:") if self.pci_id else self.called.startswith(MAKERS["10de"])

    @property
    def name(self) -> str:
        """What its ids are called, several where they are shared; else what a text calls it, else its maker and ids."""
        if self.pci_id is None:
            return self.called
        names = names_of_id(self.pci_id, self.subsystem, self.revision)
        maker = MAKERS.get(self.pci_id.partition(":")[0])
        return " / ".join(names) or self.called or " ".join(filter(None, (maker, self.pci_id)))

    def as_device(self) -> Device:
        """As a device of the product that its ids name."""
        return Device(
            id=self.address,
            kind=DeviceKind.GPU,
            name=self.name,
            bus_id=self.address,
            pci_id=self.pci_id,
            pci_subsystem=self.subsystem,
            pci_subsystem_vendor=self.subsystem_vendor,
            pci_revision=self.revision,
            pcie_generation_max=self.generation,
            pcie_lanes_max=self.lanes,
        )


def read_cards(root: Path = Path("/")) -> tuple[PciCard, ...]:
    """In the order of their addresses."""
    devices = root / "sys/bus/pci/devices"
    return tuple(_card(devices, path) for path in sorted(devices.glob("*")) if _is_card(path))


def slot_addresses(root: Path = Path("/")) -> dict[str, str]:
    """Names of slots that ACPI or the hot-plug driver give, by address without the function: "0000:41:00" -> "3"."""
    named = ((read_text(slot / "address"), slot.name) for slot in sorted((root / "sys/bus/pci/slots").glob("*")))
    return {address: name for address, name in named if address}


def _is_card(path: Path) -> bool:
    return bool(BUS_ID.fullmatch(path.name)) and _function(path).is_card


def _function(path: Path) -> PciFunction:
    kind, vendor, device = (read_hex(path / name) or "" for name in ("class", "vendor", "device"))
    return PciFunction(path.name, kind, vendor, device, virtual=(path / "physfn").exists())


def _card(devices: Path, path: Path) -> PciCard:
    one = _function(path)
    subsystem, revision = read_hex(path / "subsystem_device"), (read_hex(path / "revision") or "")[-2:] or None
    ports = ports_above(path.name, devices)
    several = any(identity.gpus > 1 for identity in by_id(one.pci_id, subsystem, revision))
    ends = [devices / end for end in way_to_slot(path.name, devices, several=several)[-2:]]
    return PciCard(
        address=path.name,
        pci_id=one.pci_id,
        subsystem=subsystem,
        subsystem_vendor=read_hex(path / "subsystem_vendor"),
        revision=revision,
        ports=ports,
        generation=min((rate for end in ends if (rate := _generation(end))), default=None),
        lanes=min((lanes for end in ends if (lanes := max_lanes(end))), default=None),
        driver=_driver(path),
        shows_boot=(read_text(path / "boot_vga") or "") == "1",
        aside=aside_of(one, ports, lambda address: _at(devices, address)),
    )


def _at(devices: Path, address: str) -> PciFunction | None:
    return _function(devices / address) if (devices / address).exists() else None


def _driver(path: Path) -> str | None:
    try:
        return (path / "driver").readlink().name
    except OSError:
        return None


def generation_of(rate: str) -> int | None:
    """Of a link's rate in GT/s: "16.0" is the fourth."""
    return _GENERATIONS.get(float(rate)) if rate.replace(".", "", 1).isdecimal() else None


def _generation(end: Path) -> int | None:
    return generation_of((read_text(end / "max_link_speed") or "").partition(" ")[0])
