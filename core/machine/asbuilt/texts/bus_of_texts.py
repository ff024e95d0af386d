"""The cards on the PCI bus as several texts give it: what one leaves out, another one has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace

from core.machine.asbuilt.aside import PciFunction, aside_of
from core.machine.asbuilt.identities import MAKERS, by_id
from core.machine.asbuilt.pci_tree import PciCard
from core.machine.asbuilt.texts.contents import BusEntry
from core.machine.telemetry.pci import way_of

_MOST_PORTS = 16
_FIELDS = tuple(one.name for one in fields(BusEntry) if one.name != "address")


def merged_entries(texts: Iterable[Iterable[BusEntry]]) -> dict[str, BusEntry]:
    """By address; the first text that tells something of a function is taken."""
    entries: dict[str, BusEntry] = {}
    for text in texts:
        for one in text:
            before = entries.get(one.address)
            if before is None:
                entries[one.address] = one
                continue
            more = {name: getattr(one, name) for name in _FIELDS if getattr(before, name) is None}
            entries[one.address] = replace(before, **more)
    return entries


def cards_of(entries: Mapping[str, BusEntry]) -> tuple[PciCard, ...]:
    """Display controllers and accelerators, in the order of their addresses."""
    functions = {address: _function(one) for address, one in entries.items()}
    bridges = {one.secondary_bus: address for address, one in entries.items() if one.secondary_bus}
    cards = (address for address, function in sorted(functions.items()) if function.is_card)
    return tuple(_card(entries[address], _ports(address, bridges), entries, functions) for address in cards)


def _function(one: BusEntry) -> PciFunction:
    return PciFunction(one.address, one.kind or "", one.vendor or "", one.device or "")


def _ports(address: str, bridges: Mapping[str, str]) -> tuple[str, ...]:
    """The bridges above it as far as a text has them, nearest first."""
    ports: list[str] = []
    while len(ports) < _MOST_PORTS and (bridge := bridges.get(address.rpartition(":")[0])) and bridge not in ports:
        ports.append(bridge)
        address = bridge
    return tuple(ports)


def _called(one: BusEntry, function: PciFunction) -> str:
    """As drivers write it: maker and product; the maker alone where nothing else is told."""
    maker = MAKERS.get(function.vendor, "")
    if one.product:
        return f"{maker} {one.product}".strip()
    return "" if function.device else maker


def _card(
    one: BusEntry, ports: tuple[str, ...], entries: Mapping[str, BusEntry], functions: Mapping[str, PciFunction]
) -> PciCard:
    function = functions[one.address]
    pci_id = function.pci_id if one.vendor and one.device else None
    several = pci_id is not None and any(same.gpus > 1 for same in by_id(pci_id, one.subsystem, one.revision))
    way = way_of(one.address, ports, lambda end: entries[end].vendor, several=several)
    ends = [entries[end] for end in way[-2:]]
    both = len(ends) > 1 and all(end.generation and end.lanes for end in ends)
    return PciCard(
        address=one.address,
        pci_id=pci_id,
        subsystem=one.subsystem,
        subsystem_vendor=one.subsystem_vendor,
        revision=one.revision,
        ports=ports,
        generation=min(end.generation or 0 for end in ends) if both else None,
        lanes=min(end.lanes or 0 for end in ends) if both else None,
        driver=one.driver,
        aside=aside_of(function, ports, functions.get),
        called=_called(one, function),
    )
