"""Boards whose slots stand nobody knows how far apart: taken as if they stood where that is least favourable.

Packed together at the lower edge of the board, slots are as near to each other as their order allows, and each is as
low as it may be: cards that fit there, within the openings of a case, fit wherever the slots are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.parts.part import Part
from core.parts.specs import MotherboardSpec
from core.parts.vocabulary import FormFactor
from core.plan.build import Build
from core.plan.line import Line

LOWEST: Mapping[FormFactor, int] = {
    FormFactor.MINI_ITX: 1,
    FormFactor.MICRO_ATX: 4,
    FormFactor.ATX: 7,
    FormFactor.E_ATX: 7,
    FormFactor.SSI_CEB: 7,
    FormFactor.SSI_EEB: 8,
}
"""The last place of a slot on boards of each size: that no board whose places are stated has a lower one is tested."""


def packed(board: Part) -> Part | None:
    """The board with its slots at the least favourable places; None where its size does not say where they end, or has
    fewer places than the board has slots."""
    spec = board.spec
    assert isinstance(spec, MotherboardSpec)
    slots = sorted(spec.slots or (), key=lambda slot: slot.position)
    lowest = LOWEST.get(spec.form_factor, 0) if spec.form_factor else 0
    if not slots or len(slots) > lowest:
        return None
    first = lowest - len(slots) + 1
    places = tuple(slot.model_copy(update={"position": first + at}) for at, slot in enumerate(slots))
    return board.model_copy(update={"spec": spec.model_copy(update={"slots": places, "places_assumed": False})})


def on_real_board(build: Build, board: Part) -> Build:
    """A build on the packed board as one on the board itself: each card in the slot of the same rank."""
    only = build.motherboard
    if only is None or only[0] is board:
        return build
    ranks = {slot.position: rank for rank, slot in enumerate(only[1].slots or ())}
    real = board.spec
    assert isinstance(real, MotherboardSpec)
    places = sorted(slot.position for slot in real.slots or ())
    return build.with_lines(tuple(_on(line, only[0], board, ranks, places) for line in build.lines))


def _on(line: Line, packed_board: Part, board: Part, ranks: Mapping[int, int], places: list[int]) -> Line:
    if line.part is packed_board:
        return replace(line, part=board)
    slots = tuple(places[ranks[at]] for at in line.slots)
    return replace(line, slots=slots, risers=tuple(places[ranks[at]] for at in line.risers))
