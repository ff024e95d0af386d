"""The edit that seats cards as the placement search does: those that wait, or all of them on another board."""

from __future__ import annotations

from dataclasses import dataclass

from core.build.build import Build
from core.build.edits import LinesEdit
from core.language import tr
from core.parts.part import Part
from core.placement.best import EXHAUSTIVE_LIMIT, best_placement, placed_by_hand
from core.placement.candidates import PLACING_READS, problem_of

BOARD_READS = tuple(name.partition(".")[2] for name in PLACING_READS if name.startswith("motherboard."))
"""Figures of a board by which cards are seated."""


@dataclass(frozen=True, slots=True)
class SeatCards(LinesEdit):
    """Gives slots to the cards that wait for one; `anew`: to all, for the slots they have are those of another board.

    Boards of so many slots that only the solver could search them leave the cards where they are: it takes seconds.
    """

    anew: bool = False

    @property
    def title(self) -> str:
        return tr("Arrange all cards") if self.anew else tr("Place the cards that wait for a slot")

    def apply(self, build: Build) -> Build:
        pinned = () if self.anew else placed_by_hand(build)
        if not build.board_slots() or problem_of(build, pinned).arrangements > EXHAUSTIVE_LIMIT:
            return build
        placement = best_placement(build, pinned=pinned)
        return build if placement is None else placement.edit.apply(build)


def has_other_slots(board: Part, other: Part) -> bool:
    """Whether a slot of one board says nothing about the other: they differ in a figure by which cards are seated."""
    return any(getattr(board.spec, name) != getattr(other.spec, name) for name in BOARD_READS)
