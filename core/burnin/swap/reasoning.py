"""What a fault followed: that which was at every place where it showed, and at none where it did not. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


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
