"""Display and compute cards on the PCI bus, whatever their driver: ids, the ports above each, what its link can do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.asbuilt.identities import by_id
from core.telemetry.device import Device, DeviceKind
from core.telemetry.host.hwmon import read_text

_ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_CLASSES = ("0x03", "0x12")
"""Display controllers and processing accelerators (PCI code and ID assignment specification)."""
_GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
"""By GT/s (PCIe base specification)."""
_MOST_LANES = 32


@dataclass(frozen=True, slots=True)
class PciCard:
    """One function of the bus."""

    address: str
    pci_id: str
    subsystem: str | None
    revision: str | None
    ports: tuple[str, ...]
    """Bridges above it, nearest first."""
    generation: int | None
    lanes: int | None
    """What it and the port above can do together."""

    def as_device(self) -> Device | None:
        """As a device of the product that its ids name; None for what the catalogue does not know."""
        known = sorted(one.product for one in by_id(self.pci_id, self.subsystem, self.revision))
        if not known:
            return None
        return Device(
            id=self.address,
            kind=DeviceKind.GPU,
            name=known[0],
            bus_id=self.address,
            pci_id=self.pci_id,
            pci_subsystem=self.subsystem,
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
    found = ((read_text(slot / "address"), slot.name) for slot in sorted((root / "sys/bus/pci/slots").glob("*")))
    return {address: name for address, name in found if address}


def _is_card(path: Path) -> bool:
    return bool(_ADDRESS.fullmatch(path.name)) and (read_text(path / "class") or "").startswith(_CLASSES)


def _card(devices: Path, path: Path) -> PciCard:
    ports = tuple(_ports(path))
    ends = [path, *([devices / ports[0]] if ports else [])]
    return PciCard(
        address=path.name,
        pci_id=f"{_hex(path / 'vendor') or '0000'}:{_hex(path / 'device') or '0000'}",
        subsystem=_hex(path / "subsystem_device"),
        revision=(_hex(path / "revision") or "")[-2:] or None,
        ports=ports,
        generation=min((one for end in ends if (one := _generation(end))), default=None),
        lanes=min((one for end in ends if (one := _lanes(end))), default=None),
    )


def _ports(path: Path) -> Iterator[str]:
    """The kernel nests the folder of each device in that of the port above."""
    for folder in path.resolve().parents:
        if not _ADDRESS.fullmatch(folder.name):
            return
        yield folder.name


def _hex(path: Path) -> str | None:
    text = (read_text(path) or "").strip()
    return text.removeprefix("0x").lower() or None


def _generation(end: Path) -> int | None:
    rate = (read_text(end / "max_link_speed") or "").partition(" ")[0]
    return _GENERATIONS.get(float(rate)) if rate.replace(".", "", 1).isdecimal() else None


def _lanes(end: Path) -> int | None:
    text = (read_text(end / "max_link_width") or "").strip()
    return int(text) if text.isdecimal() and 1 <= int(text) <= _MOST_LANES else None
