"""What a fault followed: that which was at every place where it showed, and at none where it did not.

And which cables and which PSU feed each slot, as the plan wires them: what a fault can also come from. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.machine.asbuilt.as_built import AsBuilt
from core.machine.telemetry.device import Device
from core.plan.build import Build
from core.plan.wiring.wire import wire
from core.plan.wiring.wiring import NAMES, Cable
from core.words import tr


class Suspect(StrEnum):
    """What a fault can come from, in the order in which it is moved."""

    CARD = "card"
    CABLE = "cable"
    PSU = "psu"
    SLOT = "slot"

    @classmethod
    def _missing_(cls, value: object) -> Suspect | None:
        """A swap test that version 0.1 began says supply."""
        return cls.PSU if value == "supply" else None


@dataclass(frozen=True, slots=True)
class CardInRun:
    """One card in one run: what it was made up of, by the name of each thing, and whether it failed."""

    run: int
    card: str
    slot: str
    cables: tuple[str, ...]
    psu: str
    failed: bool

    @property
    def things(self) -> frozenset[tuple[Suspect, str]]:
        """All that it was made up of."""
        cables = ((Suspect.CABLE, cable) for cable in self.cables)
        return frozenset({(Suspect.CARD, self.card), (Suspect.SLOT, self.slot), (Suspect.PSU, self.psu), *cables})


class Conclusion(StrEnum):
    """How far the test has come."""

    FOUND = "found"
    """One thing explains all that was seen, or the cables of one card do."""
    OPEN = "open"
    """Several still do: another move tells them apart."""
    GONE = "gone"
    """The fault did not come back after a move: contact, or a fault that shows seldom."""
    SEVERAL = "several"
    """No single thing explains it: more than one is at fault."""
    UNTESTED = "untested"
    """The last run did not come to a verdict on the cards that matter."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`parts` are what still explains the fault, with the name of each."""

    answer: Conclusion
    parts: tuple[tuple[Suspect, str], ...] = ()

    @property
    def next_move(self) -> Suspect | None:
        """What to move next; None where nothing is open. What stays when all else was moved is the slot.

        A cable that is put into another card may take its PSU along: these two are told apart at the PSU.
        """
        kinds = {part for part, _ in self.parts}
        if self.answer is not Conclusion.OPEN:
            return None
        if kinds == {Suspect.CABLE, Suspect.PSU}:
            return Suspect.PSU
        return next((part for part in (Suspect.CARD, Suspect.CABLE, Suspect.PSU) if part in kinds), None)


def what_it_followed(placements: Sequence[CardInRun]) -> Diagnosis:
    """From all runs of the test, the first of which is the one that failed."""
    failed = [one for one in placements if one.failed]
    if not failed:
        return Diagnosis(Conclusion.UNTESTED)
    last = max(one.run for one in placements)
    if last != min(one.run for one in placements) and not any(one.failed for one in placements if one.run == last):
        return Diagnosis(Conclusion.GONE)
    left = failed[0].things.intersection(*(one.things for one in failed))
    sound = {thing for one in placements if not one.failed for thing in one.things}
    parts = tuple(sorted(left - sound, key=lambda one: (list(Suspect).index(one[0]), one[1])))
    if not parts:
        return Diagnosis(Conclusion.SEVERAL)
    return Diagnosis(Conclusion.FOUND if len({part for part, _ in parts}) == 1 else Conclusion.OPEN, parts)


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
    feeds = {}
    for card in as_built.cards:
        name = card.slot or card.pci_address or card.device
        plugs = [
            plug
            for feed in wiring.feeds
            if card.position is not None and feed.socket.slot == card.position
            for plug in feed.plugs
        ]
        if wiring.by_chassis:
            feeds[name] = SlotFeed((tr("cable of {slot}", slot=name),), tr("power distribution of the chassis"))
        elif plugs:
            cables = tuple(cable_name(cable) for cable in sorted({plug.cable for plug in plugs}))
            place = plugs[0].cable.psu
            feeds[name] = SlotFeed(cables, tr("PSU {number}", number=place), planned=True, psu_part=psus[place])
    return feeds


def cable_name(cable: Cable) -> str:
    """PCIe 8-pin cable 3 of PSU 1; a plug where the PSU's plugs are counted but not its cables."""
    if not cable.independent:
        return tr("{kind} plug {number} of PSU {psu}", kind=NAMES[cable.kind], number=cable.number, psu=cable.psu)
    return tr("{kind} cable {number} of PSU {psu}", kind=NAMES[cable.kind], number=cable.number, psu=cable.psu)


def exchanged(feeds: Mapping[str, SlotFeed], one: str, other: str, *, at_psu: bool) -> dict[str, SlotFeed]:
    """After the cables of two slots were put into each other's card, or their ends at the PSUs were exchanged.

    Where the plan tells, a cable takes its PSU along; elsewhere the cable alone changes its slot.
    """
    after = dict(feeds)
    if one not in after or other not in after:
        return after
    first, second = after[one], after[other]
    if at_psu:
        after[one] = SlotFeed(first.cables, second.psu, first.planned, second.psu_part)
        after[other] = SlotFeed(second.cables, first.psu, second.planned, first.psu_part)
    elif first.planned and second.planned:
        after[one], after[other] = second, first
    else:
        after[one] = SlotFeed(second.cables, first.psu, psu_part=first.psu_part)
        after[other] = SlotFeed(first.cables, second.psu, psu_part=second.psu_part)
    return after
