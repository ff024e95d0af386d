"""Which cards are behind which port: from the folders of the kernel, or from what a log tells of the bus."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from core.machine.telemetry.device import Device
from core.machine.telemetry.kernel_log.finding import PLACE, Finding, Part, bus_id, slot_of
from core.machine.telemetry.pci import PCI, ports_above, way_to_slot


class Watched:
    """The GPUs of this machine by the addresses that errors of theirs can have."""

    def __init__(self, devices: Iterable[Device], pci: Path = PCI) -> None:
        self._ids: dict[str, str] = {}
        above: dict[str, set[str]] = {}
        for device in devices:
            for end in way_to_slot(device.bus_id, pci, several=bool(device.several_gpus)):
                self._ids.setdefault(slot_of(end), device.id)
            for port in ports_above(device.bus_id, pci) if device.bus_id else ():
                above.setdefault(port, set()).add(device.id)
        self._above = above

    def device(self, address: str | None) -> str | None:
        """Of the GPU at an address, or of the only one behind the port that has it."""
        if address is None:
            return None
        if (device_id := self._ids.get(slot_of(address))) is not None:
            return device_id
        behind = self._above.get(address, set())
        return next(iter(behind)) if len(behind) == 1 else None

    def on_the_way(self, address: str | None) -> bool:
        """Whether a port is above some of them."""
        return address in self._above


_DISPLAY = re.compile(rf"pci (?P<place>{PLACE}): \[[0-9a-f]{{4}}:[0-9a-f]{{4}}\] type 0\d class 0x03", re.I)
_BRIDGE = re.compile(
    rf"pci (?P<place>{PLACE}): PCI bridge to \[bus (?P<first>[0-9a-f]{{2}})(?:-(?P<last>[0-9a-f]{{2}}))?\]", re.I
)


_DRIVEN = re.compile(rf"\b(?P<driver>amdgpu|radeon|nouveau|i915|xe) (?P<place>{PLACE}): ")


class Charted:
    """The bus of a machine that is not here, as far as its log tells: what the kernel found when it started."""

    def __init__(self) -> None:
        self._cards: set[str] = set()
        self._behind: dict[str, tuple[int, int]] = {}
        self._driven: dict[str, set[str]] = {}
        """By driver of GPUs: the cards that its lines name."""
        self._card_at: dict[str, str] = {}
        """By port: the only card behind it, where a record said so."""

    def take(self, line: str) -> None:
        """A line of the log."""
        if (" 0000:" in line or " 0001:" in line) and (match := _DRIVEN.search(line)):
            self._driven.setdefault(match["driver"], set()).add(bus_id(match["place"]))
        if "pci 0" not in line and "pci 1" not in line:
            return
        if match := _DISPLAY.search(line):
            self._cards.add(bus_id(match["place"]))
        elif match := _BRIDGE.search(line):
            first = int(match["first"], 16)
            self._behind[bus_id(match["place"])] = (first, int(match["last"] or match["first"], 16))

    def meet(self, finding: Finding) -> None:
        """A record that names a card, or a port with the bus behind it."""
        if finding.part is Part.GPU and finding.address:
            self._cards.add(finding.address)
        if finding.port and finding.address:
            self._card_at[finding.port] = finding.address
        if finding.behind is not None and finding.address:
            self._behind.setdefault(finding.address, (finding.behind, finding.behind))

    def resolved(self, finding: Finding) -> Finding:
        """With the card's address where it is the only one behind a port, the port is a function of it, or it is the
        only one of its driver."""
        if finding.part is Part.GPU and finding.address is None and len(self._driven.get(finding.name, ())) == 1:
            return replace(finding, address=next(iter(self._driven[finding.name])), name="")
        if finding.part is not Part.PCIE or finding.address is None:
            return finding
        card = self._card(finding.address)
        return replace(finding, part=Part.GPU, address=card) if card else finding

    def _card(self, address: str) -> str | None:
        slots = {slot_of(card): card for card in sorted(self._cards, reverse=True)}
        if (own := slots.get(slot_of(address))) is not None:
            return own
        if address not in self._behind:
            return self._card_at.get(address)
        domain, (first, last) = address[:4], self._behind[address]
        behind = [card for slot, card in slots.items() if slot[:4] == domain and first <= int(slot[5:7], 16) <= last]
        return behind[0] if len(behind) == 1 else None
