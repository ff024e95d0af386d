"""Which cables and which PSU feed each slot, as the plan wires them: what a fault can also come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.asbuilt.as_built import AsBuilt
from core.build.build import Build
from core.language import tr
from core.telemetry.device import Device
from core.wiring.kinds import NAMES
from core.wiring.wire import wire
from core.wiring.wiring import Cable


@dataclass(frozen=True, slots=True)
class SlotFeed:
    """What brings power to the card in a slot, by the names of the cables and of the PSU."""

    cables: tuple[str, ...]
    psu: str
    planned: bool = False
    """Whether the plan says so: then each cable stays in its PSU when it is put into another card."""
    psu_part: str | None = None
    """Part id of the PSU: cables of different ones are not interchangeable."""


def slot_name(device: Device, as_built: AsBuilt | None) -> str:
    """As the board's maker prints it, else the address on the bus."""
    card = as_built.card(device.id) if as_built else None
    return (card.slot if card else None) or device.bus_id or device.id


def unknown_feed(slot: str) -> SlotFeed:
    """Of a slot of which no plan tells what feeds it: cable and PSU of its own."""
    return SlotFeed((tr("cable of {slot}", slot=slot),), tr("PSU of {slot}", slot=slot))


def planned_feeds(plan: Build | None, as_built: AsBuilt | None) -> dict[str, SlotFeed]:
    """By name of the slot; without those that the plan does not wire, or of which nobody knows which slot they are."""
    if plan is None or as_built is None:
        return {}
    wiring = wire(plan)
    psus = {psu.place: psu.part_id for psu in wiring.psus}
    found = {}
    for card in as_built.cards:
        name = card.slot or card.pci_address or card.device
        plugs = [
            plug
            for feed in wiring.feeds
            if card.position is not None and feed.socket.slot == card.position
            for plug in feed.plugs
        ]
        if wiring.by_chassis:
            found[name] = SlotFeed((tr("cable of {slot}", slot=name),), tr("power distribution of the chassis"))
        elif plugs:
            cables = tuple(cable_name(cable) for cable in sorted({plug.cable for plug in plugs}))
            place = plugs[0].cable.psu
            found[name] = SlotFeed(cables, tr("PSU {number}", number=place), planned=True, psu_part=psus[place])
    return found


def cable_name(cable: Cable) -> str:
    """PCIe 8-pin cable 3 of PSU 1; a plug where the PSU's plugs are counted but not its cables."""
    if not cable.independent:
        return tr("{kind} plug {number} of PSU {psu}", kind=NAMES[cable.kind], number=cable.number, psu=cable.psu)
    return tr("{kind} cable {number} of PSU {psu}", kind=NAMES[cable.kind], number=cable.number, psu=cable.psu)


def exchanged(feeds: Mapping[str, SlotFeed], one: str, other: str, *, at_psu: bool) -> dict[str, SlotFeed]:
    """After the cables of two slots were put into each other's card, or their ends at the PSUs were exchanged.

    Where the plan tells, a cable takes its PSU along; elsewhere the cable alone changes its slot.
    """
    found = dict(feeds)
    if one not in found or other not in found:
        return found
    first, second = found[one], found[other]
    if at_psu:
        found[one] = SlotFeed(first.cables, second.psu, first.planned, second.psu_part)
        found[other] = SlotFeed(second.cables, first.psu, second.planned, first.psu_part)
    elif first.planned and second.planned:
        found[one], found[other] = second, first
    else:
        found[one] = SlotFeed(second.cables, first.psu, psu_part=first.psu_part)
        found[other] = SlotFeed(first.cables, second.psu, psu_part=second.psu_part)
    return found
