"""Display and compute cards on the PCI bus, whatever their driver: ids, the ports above each, what its link can do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.machine.asbuilt.aside import Aside, PciFunction, aside_of
from core.machine.asbuilt.identities import MAKERS, by_id, names_of_id
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.host.hwmon import read_text
from core.machine.telemetry.pci import BUS_ID, max_lanes, ports_above, read_hex, way_to_slot

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
        return (
            " / ".join(names)
            or self.called
            or " ".join(filter(None, (MAKERS.get(self.pci_id.partition(":")[0]), self.pci_id)))
        )

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
