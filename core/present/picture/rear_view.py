"""The machine from behind, as one plugs it in: openings of the slots with what fills them, and the PSUs."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from core.assessment import Assessment
from core.plan.build import Build
from core.plan.water_blocks import body_of, fitted_blocks
from core.present.picture.scene import PITCH_MM, Box, Paint, PicturedPart, Scene, Shape, Text
from core.present.picture.sizes import ATX_PSU, is_rack
from core.words import tr

SIDE, HEAD = 230.0, 52.0
"""Right of the case, for the names of what is in it; above it, for the title."""
EDGE = 20.0
BRACKET_MM, BRACKET_HIGH = 118.0, 15.0
"""Length and height of a bracket's opening: PCIe CEM, 120.02 mm without its tab."""
IO_PANEL = (44.5, 158.8)
"""Width and height of the board's panel: ATX specification 2.2."""
USUAL_OPENINGS = 7
USUAL_WIDTH_MM = 230.0


def rear_view(assessment: Assessment) -> Scene:
    """Slot 1 is the topmost opening that the board reaches; cards on risers are not seen from behind."""
    build = assessment.build
    case = build.case
    spec = case[1] if case else None
    last = max((slot.position for slot in build.board_slots()), default=USUAL_OPENINGS)
    openings = max(spec.expansion_slots or USUAL_OPENINGS if spec else USUAL_OPENINGS, last)
    rows = len(range(0, sum(line.quantity for line, _ in build.psus())))
    width = max((spec.height_mm if is_rack(spec) else spec.width_mm) or 0.0 if spec else 0.0, USUAL_WIDTH_MM)
    psus_high = rows * (ATX_PSU[1] + 8)
    needed = EDGE + IO_PANEL[1] + 14 + openings * PITCH_MM + 20 + psus_high + EDGE
    stated = (spec.width_mm if is_rack(spec) else spec.height_mm) if spec else None
    height = max(stated or 0.0, needed)
    title = tr("{case}, from behind", case=case[0].title if case else tr("No case yet"))
    housing = Box(
        EDGE, HEAD, width, height, Paint.CASE, PicturedPart(case[0].id) if case else None, guessed=stated is None
    )
    shapes: list[Shape] = [housing, Text(EDGE, HEAD - 18, title, 16, bold=True)]
    shapes += _board(build, housing)
    shapes += _slots(build, openings, housing, HEAD + EDGE + IO_PANEL[1] + 14)
    shapes += _psus(build, housing, HEAD + height - EDGE - psus_high + 8)
    return Scene(title, width + EDGE + SIDE + EDGE, height + HEAD + EDGE, tuple(shapes))


def _board(build: Build, case: Box) -> Iterator[Shape]:
    motherboard = build.motherboard
    if motherboard is None:
        return
    x, y = case.x + EDGE, case.y + EDGE
    yield Box(x, y, *IO_PANEL, Paint.BOARD, PicturedPart(motherboard[0].id))
    yield Text(case.x + case.width + 10, y + 14, motherboard[0].title, 11, room_mm=SIDE)


def _slots(build: Build, openings: int, case: Box, top: float) -> Iterator[Shape]:
    """Each opening with its number; a card fills as many as it is wide."""
    fitted = fitted_blocks(build)
    x = case.x + EDGE
    for position in range(1, openings + 1):
        y = top + (position - 1) * PITCH_MM
        yield Box(x, y, BRACKET_MM, BRACKET_HIGH, Paint.PANEL, slot=position)
        yield Text(x - 5, y + 13, str(position), 11, "end", paint=Paint.QUIET)
    for card in build.cards():
        if card.slot is None or card.off_board:
            continue
        wide: float | None = getattr(body_of(card, fitted).spec, "width_slots", None)
        pitches = ceil(wide or 2)
        y = top + (card.slot - 1) * PITCH_MM
        high = (pitches - 1) * PITCH_MM + BRACKET_HIGH
        yield Box(
            x,
            y,
            BRACKET_MM,
            high,
            Paint.CARD,
            PicturedPart(card.part.id, card.number),
            guessed=wide is None,
            slot=card.slot,
        )
        yield Text(case.x + case.width + 10, y + 12, f"{card.slot}  {card.part.name}", 11, room_mm=SIDE)


def _psus(build: Build, case: Box, top: float) -> Iterator[Shape]:
    place = 0
    for line, spec in build.psus():
        for number in range(1, line.quantity + 1):
            y = top + place * (ATX_PSU[1] + 8)
            place += 1
            yield Box(case.x + EDGE, y, *ATX_PSU, Paint.PSU, PicturedPart(line.part.id, number))
            name = tr("PSU {place}", place=place)
            if spec.inlet:
                name = tr("PSU {place}, {inlet}", place=place, inlet=spec.inlet.value)
            yield Text(case.x + EDGE + 8, y + 18, name, 12, bold=True)
            yield Text(case.x + case.width + 10, y + 18, line.part.name, 11, room_mm=SIDE)
