"""GPUs of the plan and those that were found: the card of each slot, its link, and VBIOS versions side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.machine.asbuilt.as_built import AsBuiltLine, BuiltCard, LineState, LineSubject
from core.machine.asbuilt.binding import Bound
from core.machine.asbuilt.bus import BusCard
from core.machine.asbuilt.identities import gpus_of, products_of, same_card
from core.machine.telemetry.device import Device
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.plan.build import Build
from core.plan.line import Card, Role
from core.plan.placement.links import CardLink, link_gbps, links
from core.plan.placement.risers import key_of
from core.plan.slots import slot_at
from core.words import joined, tr

RESEAT = tr("Check power, seating and risers, and whether a different card was installed.")
REBIND = tr("If it is in the planned slot, confirm it: {rigwright as-built --slot}")
NARROWER = tr("Check the riser, what shares the slot's lanes, and the slot's BIOS setting.")
SLOWER = 0.99
"""Of the planned rate: below it a link is narrower or older."""


@dataclass(frozen=True, slots=True)
class PlannedCard:
    """One GPU of the plan."""

    part: Part
    spec: GpuSpec
    position: int | None
    label: str
    link: CardLink | None
    role: Role = Role.WORKER
    """As the build names it: a guess by size leaves no card out of a test."""


@dataclass(frozen=True, slots=True)
class CardMatch:
    """A planned card and the one that takes its place; one of them may be missing."""

    place: PlannedCard | None
    device: Device | None
    moved: bool = False
    """The right card, but in another slot."""


def places_of(plan: Build) -> list[PlannedCard]:
    """Every GPU of the plan singly, also modules that sit in no slot."""
    cards: list[PlannedCard] = []
    linked = links(plan)
    for line, spec in plan.gpus():
        for number in range(1, line.quantity + 1):
            at = line.slots[number - 1] if number <= len(line.slots) else None
            slot = slot_at(plan, at) if at is not None else None
            label = slot.label if slot else tr("slot {slot}", slot=at) if at is not None else f"GPU {len(cards) + 1}"
            link = linked.get(key_of(Card(line.part, number, at)))
            cards.append(PlannedCard(line.part, spec, at, label, link, line.role or Role.WORKER))
    return cards


def match_cards(
    places: Sequence[PlannedCard], devices: Sequence[Device], bound: Mapping[str, Bound]
) -> list[CardMatch]:
    """Each planned card with the one in its slot; then cards whose slot is not known, by product; then the rest.

    A card of several GPUs stands as its first one.
    """
    matches: list[CardMatch] = []
    left = _whole_cards(places, devices)
    open_places = []
    for place in places:
        here = next((d for d in left if place.position is not None and _position(d, bound) == place.position), None)
        if here is None:
            open_places.append(place)
        else:
            left.remove(here)
            matches.append(CardMatch(place, here))
    for place in sorted(open_places, key=lambda one: -((one.link and one.link.gbps) or 0)):
        fitting = sorted((d for d in left if same_card(place.spec, d)), key=lambda d: (_knows(d, bound), -_gbps(d)))
        chosen = fitting[0] if fitting else None
        if chosen is not None:
            left.remove(chosen)
        matches.append(CardMatch(place, chosen, moved=chosen is not None and _knows(chosen, bound)))
    in_order = sorted(matches, key=lambda match: places.index(match.place) if match.place else 0)
    return in_order + [CardMatch(None, device) for device in left]


def card_lines(
    matches: Sequence[CardMatch], bound: Mapping[str, Bound], unserved: Mapping[str, BusCard]
) -> Iterator[AsBuiltLine]:
    """What is in each slot, then links, then VBIOS versions that differ among cards of one product.

    `unserved` are the cards that the driver does not list, by their address.
    """
    for match in matches:
        line = _card_line(match, bound)
        card = unserved.get(line.device or "")
        if card and line.state is LineState.AS_PLANNED:
            line = replace(line, state=LineState.NOT_SERVED, why=joined([card.why, card.remedy]))
        yield line
    for match in matches:
        if match.place and match.device and not match.moved and same_card(match.place.spec, match.device):
            yield from _link_line(match.place, match.device)
    yield from _vbios_lines(matches)


def built_cards(
    matches: Sequence[CardMatch], bound: Mapping[str, Bound], serials: Mapping[str, str]
) -> Iterator[BuiltCard]:
    """The cards as they were found, in the order of the plan."""
    for match in matches:
        if match.device is not None:
            yield _built(match, match.device, bound.get(match.device.bus_id or ""), serials)


def product_name(device: Device) -> str | None:
    """What the catalogue calls it; None for a card that it does not know."""
    products = sorted(one.product for one in products_of(device))
    return joined(products, " or ") or None


def _built(match: CardMatch, device: Device, bound: Bound | None, serials: Mapping[str, str]) -> BuiltCard:
    place = match.place
    right = place is not None and same_card(place.spec, device)
    typed = serials.get(device.id)
    return BuiltCard(
        device=device.id,
        name=device.name,
        product=place.spec.product if place and right else product_name(device),
        part=place.part.id if place and right else None,
        slot=bound.label if bound else None,
        position=bound.position if bound else None,
        bound_by=bound.by if bound else None,
        serial=device.serial or typed,
        serial_typed=device.serial is None and typed is not None,
        uuid=device.id if device.id.startswith("GPU-") else None,
        vbios=device.vbios,
        pci_address=device.bus_id,
        link_generation=device.pcie_generation_max,
        link_lanes=device.pcie_lanes_max,
        power_limit_w=device.power_limit_w,
        power_limit_max_w=device.power_limit_max_w,
    )


def _card_line(match: CardMatch, bound: Mapping[str, Bound]) -> AsBuiltLine:
    place, device = match.place, match.device
    if place is None:
        assert device is not None
        name, at = _shown(device), bound.get(device.bus_id or "")
        label, slot = (at.label, at.position) if at else (name, None)
        return AsBuiltLine(LineSubject.CARD, label, "", name, LineState.NOT_PLANNED, device.id, slot)
    planned, label, slot = place.spec.product, place.label, place.position
    if device is None:
        return AsBuiltLine(LineSubject.CARD, label, planned, "", LineState.MISSING, slot=slot, why=RESEAT)
    if not same_card(place.spec, device):
        return AsBuiltLine(
            LineSubject.CARD, label, planned, _shown(device), LineState.DIFFERENT, device.id, slot, RESEAT
        )
    if match.moved:
        elsewhere = tr("{card} in {slot}", card=planned, slot=bound[device.bus_id or ""].label)
        why: str = joined([REBIND, f"{device.bus_id}={slot}."])
        return AsBuiltLine(LineSubject.SLOT, label, planned, elsewhere, LineState.DIFFERENT, device.id, slot, why)
    why = ""
    if slot is not None and _position(device, bound) != slot:
        why = tr(
            "Which of these cards is in this slot is not known. Set it: {rigwright as-built --slot} {address}=N.",
            address=device.bus_id,
        )
    return AsBuiltLine(LineSubject.CARD, label, planned, planned, LineState.AS_PLANNED, device.id, slot, why)


def _link_line(place: PlannedCard, device: Device) -> Iterator[AsBuiltLine]:
    link = place.link
    if link is None or not link.gbps or link.lanes is None or link.generation is None:
        return
    planned = _link_words(link.generation, link.lanes)
    readable = device.pcie_generation_max and device.pcie_lanes_max
    actual = _link_words(device.pcie_generation_max or 0, device.pcie_lanes_max or 0) if readable else ""
    state = LineState.AS_PLANNED if readable else LineState.NOT_READABLE
    why = "" if readable else tr("Neither driver nor kernel reports this card's link.")
    if readable and _gbps(device) < SLOWER * link.gbps:
        state, why = (LineState.DIFFERENT, NARROWER)
    yield AsBuiltLine(LineSubject.LINK, place.label, planned, actual, state, device.id, place.position, why)


def _vbios_lines(matches: Sequence[CardMatch]) -> Iterator[AsBuiltLine]:
    by_product: dict[str, list[CardMatch]] = {}
    for match in matches:
        if match.place and match.device and match.device.vbios:
            by_product.setdefault(match.place.spec.product, []).append(match)
    for same in by_product.values():
        counts = Counter(match.device.vbios for match in same if match.device)
        usual, most = counts.most_common(1)[0]
        if len(counts) == 1:
            continue
        for match in same:
            if match.place and match.device and match.device.vbios != usual:
                why = tr(
                    "{most} of {cards} cards have {usual}; it may clock and cool differently.",
                    most=most,
                    cards=len(same),
                    usual=usual,
                )
                yield AsBuiltLine(
                    LineSubject.VBIOS, match.place.label, usual or "", match.device.vbios or "", LineState.DIFFERENT,
                    match.device.id, match.place.position, why,
                )  # fmt: skip


def _whole_cards(places: Sequence[PlannedCard], devices: Sequence[Device]) -> list[Device]:
    """One device for each card, where a card has several GPUs: they follow each other on the bus."""
    left = sorted(devices, key=lambda device: (device.bus_id or "", device.index))
    for spec in {place.spec.product: place.spec for place in places if gpus_of(place.spec) > 1}.values():
        same = [device for device in left if same_card(spec, device)]
        others = [device for number, device in enumerate(same) if number % gpus_of(spec)]
        left = [device for device in left if device not in others]
    return left


def _position(device: Device, bound: Mapping[str, Bound]) -> int | None:
    place = bound.get(device.bus_id or "")
    return place.position if place else None


def _knows(device: Device, bound: Mapping[str, Bound]) -> bool:
    return _position(device, bound) is not None


def _gbps(device: Device) -> float:
    if not device.pcie_generation_max or not device.pcie_lanes_max:
        return 0.0
    return link_gbps(device.pcie_generation_max, device.pcie_lanes_max)


def _link_words(generation: int, lanes: int) -> str:
    return f"PCIe {generation}.0 x{lanes}"


def _shown(device: Device) -> str:
    return product_name(device) or device.name
