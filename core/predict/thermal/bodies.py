"""The cards of a build as the thermal model sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.parts.specs import GpuSpec, WaterBlockSpec
from core.parts.vocabulary import CaseKind, Category, GpuCooling
from core.plan.boxes import boxes
from core.plan.build import Build
from core.plan.line import Card
from core.plan.water_blocks import Fitted, body_of, fitted_blocks
from core.predict.band import Triple
from core.predict.conditions import LoadCase
from core.predict.power import PowerDraw
from core.predict.thermal.calibrated import cooler_as_measured, corrected, surroundings_as_measured
from core.predict.thermal.coolers import BLOCK_K_PER_W, Cooler, cooler
from core.predict.thermal.neighbours import surroundings
from core.predict.thermal.steady import Body


def gpu_cards(build: Build) -> list[Card]:
    """Every GPU that sits in a slot or may, in the order of part ids and numbers; not those in external boxes."""
    outside = [card for box in boxes(build) for card in box.cards]
    cards = (card for card in build.cards() if card.part.category is Category.GPU)
    return sorted((card for card in cards if card not in outside), key=lambda card: (card.part.id, card.number))


def bodies_of(build: Build, cards: Sequence[Card], power: PowerDraw, load: LoadCase = LoadCase.TRAINING) -> list[Body]:
    """One per card, each with its own place among the others, as a measured run corrects them."""
    measured = build.calibration
    blocks = fitted_blocks(build)
    kinds = [GpuCooling.WATER_BLOCK if _fitted(card, blocks) else _spec(card).cooling for card in cards]
    watts = _watts_each(power, load)
    return [
        Body(
            cooler_as_measured(cooler(_spec(card)), measured, card.part.id),
            watts[card.part.id],
            surroundings_as_measured(around, measured.coupling),
            kind is GpuCooling.WATER_BLOCK,
            corrected(_block_resistance(card, blocks), measured.block_of(body_of(card, blocks).id)),
        )
        for card, kind, around in zip(cards, kinds, surroundings(cards, kinds), strict=True)
    ]


def depends_on_a_duct(build: Build, body_cooler: Cooler) -> bool:
    """A card without a fan, outside a chassis that drives air through it: nobody can say how warm it gets."""
    ducted = build.case is not None and build.case[1].kind in (CaseKind.RACK, CaseKind.SYSTEM)
    return body_cooler.kind is GpuCooling.PASSIVE and not ducted


def _spec(card: Card) -> GpuSpec:
    assert isinstance(card.part.spec, GpuSpec)
    return card.part.spec


def _fitted(card: Card, blocks: Mapping[str, Fitted]) -> WaterBlockSpec | None:
    fitted = blocks.get(card.part.id)
    spec = fitted.block.spec if fitted and card.number <= fitted.count else None
    return spec if isinstance(spec, WaterBlockSpec) else None


def _block_resistance(card: Card, blocks: Mapping[str, Fitted]) -> Triple:
    """Chip over coolant, K/W: as stated of the block, or of a card that is sold with one, else as usual."""
    block = _fitted(card, blocks)
    own = _spec(card)
    stated = None
    if block is not None:
        stated = block.thermal_resistance_k_per_w
    elif own.cooling is GpuCooling.WATER_BLOCK:
        stated = own.thermal_resistance_k_per_w
    return (stated, stated, stated) if stated is not None else BLOCK_K_PER_W


def _watts_each(power: PowerDraw, load: LoadCase) -> dict[str, Triple]:
    """What one card of each line asks for under a load, W; a card of unknown limit has a wide range."""
    bands = {part.part_id: (part.dc_w[load], part.count) for part in power.components}
    return {
        part_id: (band.low / count, band.expected / count, band.high / count)
        for part_id, (band, count) in bands.items()
    }
