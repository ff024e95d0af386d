"""Cards as several texts give them: those on the PCI bus, those that NVIDIA's driver lists, and how these meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace

from core.machine.asbuilt.bus import BusCard, cause_of
from core.machine.asbuilt.identities import MAKERS, by_id, by_name, plain, products_of
from core.machine.asbuilt.pci_tree import PciCard, PciFunction, aside_of
from core.machine.asbuilt.texts.contents import BusEntry, TextContents, TextKind
from core.machine.telemetry.device import Device, DeviceKind
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


_PLACES = {
    "PIX": "a PCIe switch",
    "PXB": "several PCIe switches",
    "PHB": "a host bridge",
    "NODE": "a CPU",
    "SYS": "the link between CPUs",
}
"""As the driver's library names them (core/machine/telemetry/nvml/device.py)."""


def gpus_of(texts: Sequence[TextContents], cards: Sequence[PciCard]) -> tuple[Device, ...]:
    """Those that the driver lists, each once, then the cards that only the bus has.

    A list of names without places and the bus may count differently, where one text is cut: the longer one is taken.
    """
    served = _served(texts, cards)
    places = {device.bus_id for device in served}
    unnamed = len([device for device in served if device.bus_id is None])
    others = [card for card in cards if card.aside is None and card.address not in places]
    of_nvidia = [card for card in others if card.of_nvidia]
    beside_list = others
    if unnamed and unnamed >= len(of_nvidia):
        beside_list = [card for card in others if card not in of_nvidia]
    elif unnamed:
        served = [device for device in served if device.bus_id]
    devices = (*_with_topology(served, texts), *(card.as_device() for card in beside_list))
    return devices or tuple(_named(next((text.card_names for text in texts if text.card_names), ())))


def _named(names: Sequence[str]) -> Iterator[Device]:
    """Cards of which a text has nothing but the name."""
    for index, name in enumerate(names):
        yield Device(f"GPU {index}", DeviceKind.GPU, name, index=index)


def unserved_of(texts: Sequence[TextContents], cards: Sequence[PciCard]) -> tuple[BusCard, ...]:
    """NVIDIA's cards that its driver does not list, where a text has the whole list of it."""
    query = next((text for text in texts if text.kind is TextKind.SMI_QUERY and text.gpus), None)
    if query is None or query.attached_gpus != len(query.gpus) or not any(text.has_drivers for text in texts):
        return ()
    places = {device.bus_id for device in query.gpus}
    return tuple(
        BusCard(
            card.address, card.name, cause_of(card), card.driver, card.shows_boot, card.pci_id, card.subsystem,
            card.revision,
        )
        for card in cards
        if card.aside is None and card.address not in places and card.of_nvidia
    )  # fmt: skip


def _served(texts: Sequence[TextContents], cards: Sequence[PciCard]) -> list[Device]:
    """By UUID, or by place; those of a list without places are put on the bus where there are as many cards there."""
    by_id: dict[str, Device] = {}
    for text in texts:
        for device in text.gpus:
            if device.id not in by_id and device.bus_id not in {one.bus_id for one in by_id.values() if one.bus_id}:
                by_id[device.id] = device
    devices = _joined_by_index(sorted(by_id.values(), key=lambda one: one.index))
    placeless = [device for device in devices if device.bus_id is None]
    taken_places = {one.bus_id for one in devices}
    free = [card for card in cards if card.aside is None and card.of_nvidia and card.address not in taken_places]
    if placeless and len(placeless) == len(free) and all(map(_may_be, free, placeless)):
        pairs = {device.id: card for device, card in zip(placeless, free, strict=True)}
        devices = [replace(one, bus_id=pairs[one.id].address) if one.id in pairs else one for one in devices]
    return devices


def _joined_by_index(devices: Sequence[Device]) -> list[Device]:
    """The table has places, the list UUIDs: one GPU has the same index and name in both."""
    placeless = {(one.index, plain(one.name)): one for one in devices if one.bus_id is None}
    joined = {
        one.id: placeless[key]
        for one in devices
        if one.id == one.bus_id and (key := (one.index, plain(one.name))) in placeless
    }
    absorbed = {one.id for one in joined.values()}
    return [
        replace(one, id=joined[one.id].id) if one.id in joined else one for one in devices if one.id not in absorbed
    ]


def _may_be(card: PciCard, device: Device) -> bool:
    """Whether nothing speaks against a card of the bus being the one that the driver names."""
    on_bus, by_driver = products_of(card.as_device()), by_name(device.name)
    return not on_bus or not by_driver or bool(on_bus & by_driver)


def _with_topology(devices: Sequence[Device], texts: Sequence[TextContents]) -> Iterator[Device]:
    topology = next((text.topology for text in texts if len(text.topology) == len(devices)), ())
    if not topology:
        yield from devices
        return
    for device, row in zip(devices, topology, strict=True):
        yield replace(device, topology=_meetings(devices, row))


def _meetings(devices: Sequence[Device], row: Sequence[str]) -> dict[str, str]:
    return {other.id: _PLACES[way] for other, way in zip(devices, row, strict=True) if way in _PLACES}
