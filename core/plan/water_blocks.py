"""Which cards lose their cooler to a water block of the build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.parts.part import Part
from core.parts.specs import GpuSpec, WaterBlockSpec
from core.parts.vocabulary import CaseKind, Category, GpuCooling
from core.plan.build import Build
from core.plan.line import Card, Line

BODY_READS = (
    "gpu.form",
    "gpu.width_slots",
    "gpu.product",
    "gpu.cooling",
    "nic.width_slots",
    "water_block.fits_products",
    "water_block.fits_parts",
    "water_block.width_slots",
)
"""Figures that say how wide a card is with the water block that it may carry."""
BLOCK_READS = ("gpu.cooling", "gpu.product", "water_block.fits_parts", "water_block.fits_products")
"""Figures that say which cards carry a water block of the build."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The first `count` cards of a line carry this block."""

    block: Part
    count: int


def fitted_blocks(build: Build) -> dict[str, Fitted]:
    """Blocks by id of the card they sit on. A line of cards takes one kind of block, the first by id that fits.

    A card that is sold with a block needs none. The order of lines does not matter.
    """
    left = {line.part.id: line.quantity for line in build.of(Category.WATER_BLOCK)}
    blocks = sorted(build.of(Category.WATER_BLOCK), key=lambda line: line.part.id)
    fitted: dict[str, Fitted] = {}
    for line, spec in sorted(build.gpus(), key=lambda pair: pair[0].part.id) if blocks else ():
        if spec.cooling is GpuCooling.WATER_BLOCK:
            continue
        block = next((b for b in blocks if left[b.part.id] and _fits(b.part, line, spec)), None)
        if block:
            count = min(line.quantity, left[block.part.id])
            left[block.part.id] -= count
            fitted[line.part.id] = Fitted(block.part, count)
    return fitted


def uncooled(build: Build) -> frozenset[tuple[str, int]]:
    """Cards under water, by part id and number, of a build that has no radiator and no maker who built the loop."""
    if build.of(Category.RADIATOR) or (build.case is not None and build.case[1].kind is CaseKind.SYSTEM):
        return frozenset()
    fitted = fitted_blocks(build)
    return frozenset(
        (line.part.id, number)
        for line, spec in build.gpus()
        for number in range(1, line.quantity + 1)
        if spec.cooling is GpuCooling.WATER_BLOCK or (line.part.id in fitted and number <= fitted[line.part.id].count)
    )


def body_of(card: Card, fitted: Mapping[str, Fitted]) -> Part:
    """The part whose width and height count: the water block, if the card carries one of these, else the card."""
    on = fitted.get(card.part.id)
    return on.block if on and card.number <= on.count else card.part


def _fits(block: Part, line: Line, card: GpuSpec) -> bool:
    assert isinstance(block.spec, WaterBlockSpec)
    if block.spec.fits_parts:
        # Boards of one product differ: where the maker lists boards, the product alone is not enough.
        return line.part.id in block.spec.fits_parts
    return card.product in (block.spec.fits_products or ())
