"""How large things are in the picture: as the catalogue says, else as the standard of their kind has it (guessed)."""

from __future__ import annotations

from typing import NamedTuple

from core.parts.part import Part
from core.parts.specs import CaseSpec, GpuSpec, MotherboardSpec, NicSpec, PsuSpec
from core.parts.vocabulary import CaseKind, FormFactor
from core.plan.build import Build
from core.plan.line import Card, is_module
from core.present.picture.scene import PITCH_MM

CARD_LENGTH_MM = 267.0
"""A card of unknown length; full length by PCIe CEM is 312."""
MODULE = (94.0, 120.0)
"""Width and length of a module: OCP Accelerator Module is 102 x 165 mm, SXM a little smaller; drawn to fit."""
ATX_PSU = (150.0, 86.0)
"""Width and height of an ATX PSU, ATX12V; it is drawn with its length along the floor."""
PSU_LENGTH_MM = 180.0
BOARDS: dict[FormFactor, tuple[float, float]] = {
    FormFactor.MINI_ITX: (170.0, 170.0),
    FormFactor.MICRO_ATX: (244.0, 244.0),
    FormFactor.ATX: (305.0, 244.0),
    FormFactor.E_ATX: (305.0, 330.0),
    FormFactor.XL_ATX: (345.0, 262.0),
    FormFactor.HPTX: (345.0, 381.0),
    FormFactor.SSI_CEB: (305.0, 267.0),
    FormFactor.SSI_EEB: (305.0, 330.0),
    FormFactor.SSI_MEB: (411.0, 330.0),
}
"""Height along the slots' row and width, mm: ATX, EATX and SSI specifications."""
UNKNOWN_BOARD = (330.0, 305.0)


class Size(NamedTuple):
    """mm; `guessed` where a figure of it is not known."""

    width: float
    height: float
    guessed: bool = False


def board_size(spec: MotherboardSpec) -> Size:
    """Width towards the front, height along the row of slots."""
    height, width = BOARDS.get(spec.form_factor, UNKNOWN_BOARD) if spec.form_factor else UNKNOWN_BOARD
    rows = max((slot.position for slot in spec.slots or ()), default=7)
    tall = max(spec.height_mm or height, CPU_ZONE_MM + rows * PITCH_MM)
    return Size(spec.width_mm or width, tall, spec.form_factor not in BOARDS and spec.width_mm is None)


CPU_ZONE_MM = 150.0
"""Of a board above its slots: sockets, coolers and memory."""


def card_size(card: Card, body: Part) -> Size:
    """Length, and what it takes of the row of slots: of a card under a water block, its `body`, the block's width."""
    spec = card.part.spec
    assert isinstance(spec, (GpuSpec, NicSpec))
    if is_module(card.part):
        return Size(*MODULE)
    width: float | None = getattr(body.spec, "width_slots", None)
    length = spec.length_mm
    return Size(length or CARD_LENGTH_MM, (width or 2.0) * PITCH_MM - 1.5, length is None or width is None)


def psu_size(spec: PsuSpec) -> Size:
    """Length along the floor, and height."""
    return Size(spec.length_mm or PSU_LENGTH_MM, ATX_PSU[1], spec.length_mm is None)


def case_size(build: Build, needed: Size) -> Size:
    """Depth and height of the case; where its maker does not say, what the parts in it need."""
    case = build.case
    spec = case[1] if case else None
    depth = spec.depth_mm if spec else None
    height = _height(spec)
    return Size(max(depth or 0.0, needed.width), max(height or 0.0, needed.height), not depth or not height)


def is_rack(spec: CaseSpec | None) -> bool:
    """Whether the board lies flat: cards stand on it, and the side view shows one behind the other."""
    return spec is not None and spec.kind in (CaseKind.RACK, CaseKind.SYSTEM)


def _height(spec: CaseSpec | None) -> float | None:
    """Of a rack chassis, whose board lies flat, the width: the picture looks at it from above."""
    if spec is None:
        return None
    return spec.width_mm if is_rack(spec) else spec.height_mm
