"""Cards in slots as rules ask about them: those alike in what decides are one question."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from core.build.build import Card
from core.parts.part import Part
from core.phrasing import slots_listed
from core.rules.context import RuleContext
from core.rules.rule import placed_cards

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

RISER_READS = ("riser.lanes", "riser.generation", "riser.length_mm")
"""Figures that say which riser carries which card."""

LINK_READS = (
    "gpu.form",
    "gpu.pcie_lanes",
    "gpu.pcie_generation",
    "nic.pcie_lanes",
    "nic.pcie_generation",
    "motherboard.slots",
    "motherboard.m2",
    "motherboard.lane_cases",
    "cpu.pcie_lanes",
    "cpu.pcie_generation",
    "storage.form_factor",
    *RISER_READS,
)
"""Figures that the links of placed cards come from."""

PLACING_READS = tuple(
    dict.fromkeys(
        (
            *BODY_READS,
            *LINK_READS,
            "gpu.bracket_slots",
            "gpu.nvlink_links",
            "gpu.nvlink_generation",
            "gpu.nvlink_gbps",
            "water_block.bracket_slots",
            "nvlink_bridge.spacing_slots",
            "nvlink_bridge.fits_products",
            "nvlink_bridge.generation",
            "nvlink_bridge.bandwidth_gbps",
            "case.expansion_slots",
            "case.slot_offset",
        )
    )
)
"""Figures that the search for a placement looks at."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Cards of one line for which a rule has one answer, from the top."""

    cards: tuple[Card, ...]
    slots: tuple[int, ...]
    """Their positions."""

    @property
    def part(self) -> Part:
        """The part that they all are."""
        return self.cards[0].part

    @property
    def name(self) -> str:
        """Maker X in slots 1 and 3."""
        return f"{self.part.title} in {slots_listed(self.slots)}"

    @property
    def count(self) -> int:
        """How many."""
        return len(self.cards)


def alike(machine: RuleContext, kind: Callable[[Card], Hashable]) -> Iterable[Alike]:
    """Cards in the board's slots by line and kind."""
    groups: dict[tuple[str, Hashable], list[Card]] = {}
    for card in placed_cards(machine):
        groups.setdefault((card.part.id, kind(card)), []).append(card)
    return (Alike(tuple(cards), tuple([card.slot or 0 for card in cards])) for cards in groups.values())


def standing(machine: RuleContext, card: Card) -> tuple[bool, bool]:
    """Whether a card carries a water block, and whether it is on a riser: what its width depends on."""
    return machine.body(card) is not card.part, card.on_riser
