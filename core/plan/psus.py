"""The PSUs of a build: their numbers, their PDUs and circuits, and boxes and systems that bring their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.parts.board import CarrierSpec
from core.parts.part import Part
from core.parts.specs import PduSpec
from core.parts.vocabulary import CarrierKind, Category
from core.plan.build import Build
from core.plan.line import Card, Line
from core.plan.seats import Carrier, SlotNumber

Unit = tuple[str, int]
"""One PSU: part id, and which of its line, from 1."""


def psus_by_place(build: Build) -> tuple[Unit, ...]:
    """PSU 1 comes first: the strongest by its rating, W, then in the order of part ids."""
    ranked = sorted(build.psus(), key=lambda pair: (-(pair[1].power_w or 0.0), pair[0].part.id))
    return tuple((line.part.id, number) for line, _ in ranked for number in range(1, line.quantity + 1))


def keeping_psus(before: Build, after: Build, swapped: Mapping[str, str] | None = None) -> Build:
    """`after`, with each card on the PSU that was set for it in `before`, whatever its number is now.

    `swapped` names the part that took another one's place. Where the PSU is gone, the choice is automatic again.
    """
    if not any(line.psus for line in after.lines):
        return after
    places = {unit: place for place, unit in enumerate(psus_by_place(after), 1)}
    names = swapped or {}
    renumbered = {
        place: places.get((names.get(part_id, part_id), number))
        for place, (part_id, number) in enumerate(psus_by_place(before), 1)
    }
    if all(old == new for old, new in renumbered.items()):
        return after
    return after.with_lines(tuple(_renumbered(line, renumbered) for line in after.lines))


def _renumbered(line: Line, places: Mapping[int, int | None]) -> Line:
    if not line.psus:
        return line
    return replace(line, psus=tuple(places.get(place, place) if place else None for place in line.psus))


@dataclass(frozen=True, slots=True)
class PluggedPdu:
    """One PDU with its PSUs."""

    part: Part
    spec: PduSpec
    number: int
    """PDU 1 carries most."""
    circuit: int
    """From 0."""
    psus: tuple[int, ...]
    """The places of the PSUs in its outlets."""


def plugged_pdus(build: Build) -> tuple[PluggedPdu, ...]:
    """PDUs take the circuits in turn, the strongest first, and the PSUs of a circuit its PDUs. Where a circuit has no
    PDU, its PSUs go into the wall."""
    if Category.PDU not in build.by_category:
        return ()
    units = [(line.part, spec) for line, spec in build.pdus() for _ in range(line.quantity)]
    units.sort(key=lambda unit: (-(unit[1].current_a or 0.0), unit[0].id))
    circuits, places = len(build.other_loads_w), range(1, build.count(Category.PSU) + 1)
    plugged = []
    for at, (part, spec) in enumerate(units):
        circuit, nth = at % circuits, at // circuits
        beside = len(range(circuit, len(units), circuits))
        psus = [place for place in places if (place - 1) % circuits == circuit]
        plugged.append(PluggedPdu(part, spec, at + 1, circuit, tuple(psus[nth::beside])))
    return tuple(plugged)


BOX_READS = ("carrier.kind", "carrier.seats", "carrier.psu_w", "carrier.psu_included")
"""Figures that say which boxes feed their cards."""


class Box(NamedTuple):
    """One external box, and the cards on it and on carriers in it."""

    carrier: Carrier
    cards: tuple[Card, ...]

    @property
    def psu_w(self) -> float | None:
        """Rating of its PSU; None if unknown."""
        return self.carrier.spec.psu_w


def has_own_psu(spec: CarrierSpec) -> bool:
    """Whether it comes with a PSU for its cards, as external boxes do unless their maker leaves it to the buyer."""
    return spec.psu_w is not None or (spec.kind is CarrierKind.EXTERNAL_BOX and spec.psu_included is not False)


def boxes(build: Build) -> tuple[Box, ...]:
    """Every box with a PSU of its own, by its number."""
    if Category.CARRIER not in build.by_category:
        return ()
    carriers = {carrier.number: carrier for carrier in build.carriers}
    inside: dict[int, list[Card]] = {number: [] for number, one in carriers.items() if has_own_psu(one.spec)}
    if inside:
        for card in build.cards():
            box = _box_over(card.slot, carriers)
            if box is not None:
                inside[box].append(card)
    return tuple(Box(carriers[number], tuple(cards)) for number, cards in inside.items())


def in_boxes(build: Build) -> Mapping[str, int]:
    """How many cards of each line are in boxes with a PSU of their own, and how many systems there are, by part id."""
    counts = {line.part.id: line.quantity for line in build.by_category.get(Category.SYSTEM, ())}
    if Category.CARRIER not in build.by_category:
        return counts  # asked in every check
    for box in boxes(build):
        for card in box.cards:
            counts[card.part.id] = counts.get(card.part.id, 0) + 1
    return counts


def _box_over(slot: int | None, carriers: Mapping[int, Carrier]) -> int | None:
    """The box that a seat is in: its carrier, or what that one is plugged into."""
    seen: set[int] = set()
    while slot is not None:
        number = SlotNumber(slot).carrier
        if number is None or number in seen or number not in carriers:
            return None
        if has_own_psu(carriers[number].spec):
            return number
        seen.add(number)
        slot = next((host for host in carriers[number].hosts if isinstance(host, int)), None)
    return None
