"""What a fault followed: the one thing that was at every place where it showed, and at none where it did not. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """What a fault can come from, in the order in which it is moved."""

    CARD = "card"
    CABLE = "cable"
    SUPPLY = "supply"
    SLOT = "slot"


@dataclass(frozen=True, slots=True)
class Placement:
    """One card in one run: what it was made up of, by the name of each thing, and whether it failed."""

    run: int
    card: str
    slot: str
    cable: str
    supply: str
    failed: bool

    def name(self, part: Part) -> str:
        """Of the thing."""
        return str(getattr(self, part.value))


class Answer(StrEnum):
    """How far the test has come."""

    FOUND = "found"
    """One thing explains all that was seen."""
    OPEN = "open"
    """Several still do: another move tells them apart."""
    GONE = "gone"
    """The fault did not come back after a move: contact, or a fault that shows seldom."""
    SEVERAL = "several"
    """No single thing explains it: more than one is at fault."""
    UNTESTED = "untested"
    """The last run did not come to a verdict on the cards that matter."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`parts` are what still explains the fault, with the name of each."""

    answer: Answer
    parts: tuple[tuple[Part, str], ...] = ()

    @property
    def next_move(self) -> Part | None:
        """What to move next; None where nothing is open. What stays when all else was moved is the slot."""
        if self.answer is not Answer.OPEN:
            return None
        return next((part for part in (Part.CARD, Part.CABLE, Part.SUPPLY) if part in dict(self.parts)), None)


def what_it_followed(placements: Sequence[Placement]) -> Finding:
    """From all runs of the test, the first of which is the one that failed."""
    failed = [one for one in placements if one.failed]
    if not failed:
        return Finding(Answer.UNTESTED)
    last = max(one.run for one in placements)
    if last != min(one.run for one in placements) and not any(one.failed for one in placements if one.run == last):
        return Finding(Answer.GONE)
    left = {(part, failed[0].name(part)) for part in Part}
    for one in failed[1:]:
        left &= {(part, one.name(part)) for part in Part}
    sound = {(part, one.name(part)) for one in placements if not one.failed for part in Part}
    parts = tuple(sorted(left - sound, key=lambda one: list(Part).index(one[0])))
    if not parts:
        return Finding(Answer.SEVERAL)
    return Finding(Answer.FOUND if len(parts) == 1 else Answer.OPEN, parts)


def moved(before: Iterable[Placement], part: Part, one_slot: str, other_slot: str) -> dict[str, dict[Part, str]]:
    """By slot the cable and supply after those of two slots were exchanged; all others stay. `part` CARD moves none."""
    found = {one.slot: {Part.CABLE: one.cable, Part.SUPPLY: one.supply} for one in before}
    if part in (Part.CABLE, Part.SUPPLY) and one_slot in found and other_slot in found:
        first, second = found[one_slot], found[other_slot]
        first[part], second[part] = second[part], first[part]
    return found
