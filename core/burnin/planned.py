"""The plan against what is here: cards by product and memory, their links, main memory; products of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from core.machine.asbuilt.identities import gpus_of, same_card
from core.machine.telemetry.device import Device, DeviceKind
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.parts.shipped import CATALOGUE, parts_of
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.file import parse_build
from core.plan.line import Line
from core.plan.placement.links import CardLink, links
from core.plan.placement.nvlink import built_in, joined_pairs
from core.plan.placement.risers import key_of
from core.platform.errors import BadInput
from core.words import tr


@dataclass(frozen=True, slots=True)
class Lacking:
    """Cards of a product of which there are fewer than planned."""

    product: str
    planned: int
    present: int


def read_plan(text: str | None) -> Build | None:
    """The build in a run's record; None without one, or where this program cannot read it any more."""
    if text is None:
        return None
    try:
        return parse_build(text, lambda _: None, tr("The plan of this run"))
    except BadInput:
        return None


def lacking_cards(plan: Build, present: Sequence[Device]) -> Iterator[Lacking]:
    """By product, whoever made the board."""
    gpus = _cards(present)
    for spec, planned in _products(plan):
        count = sum(same_card(spec, device) for device in gpus) // gpus_of(spec)
        if count < planned:
            yield Lacking(spec.product, planned, count)


def unplanned_cards(plan: Build, present: Sequence[Device]) -> list[Device]:
    """GPUs that are here and not in the plan."""
    gpus = _cards(present)
    return [device for device in gpus if not any(same_card(spec, device) for _, spec in plan.gpus())]


def least_planned_link(plan: Build, device: Device) -> CardLink | None:
    """The slowest link that the plan gives to a card of this product: which card sits in which slot is not known."""
    products = {spec.product for _, spec in plan.gpus() if same_card(spec, device)}
    rated = [link for link in links(plan).values() if link.gbps and _product(link) in products]
    return min(rated, key=lambda link: link.gbps or 0.0, default=None)


def joined_by_nvlink(plan: Build, device: Device) -> bool:
    """Whether the plan joins every card of this product by NVLink: which card sits in which slot is not known."""
    joined = {key for pair in joined_pairs(plan) for key in pair.cards}
    cards = [c for c in plan.cards() if isinstance(c.part.spec, GpuSpec) and same_card(c.part.spec, device)]
    return bool(cards) and all(key_of(card) in joined or built_in(plan, card.part) for card in cards)


def planned_memory_gb(plan: Build) -> float | None:
    """Main memory of the plan; None where a figure is unknown or the plan has none."""
    sizes = [line.quantity * (spec.modules or 0) * (spec.module_gb or 0) for line, spec in plan.ram()]
    return sum(sizes) if sizes and all(sizes) else None


def _cards(present: Sequence[Device]) -> list[Device]:
    """Whole ones: shares of a card (MIG) are in no plan."""
    return [device for device in present if device.kind is DeviceKind.GPU and not device.parent]


def _products(plan: Build) -> list[tuple[GpuSpec, int]]:
    """A spec of each product that does work, and how many cards of it there are."""
    counts: dict[str, int] = {}
    specs: dict[str, GpuSpec] = {}
    for line, spec in plan.workers():
        counts[spec.product] = counts.get(spec.product, 0) + line.quantity
        specs.setdefault(spec.product, spec)
    return [(specs[product], count) for product, count in counts.items()]


def _product(link: CardLink) -> str | None:
    spec = link.card.part.spec
    return spec.product if isinstance(spec, GpuSpec) else None


def planned_card(build: Build, device: Device) -> Line | None:
    """The build's line of a card that is here; None where it plans none, or several boards of the product."""
    same = [line for line, spec in build.gpus() if same_card(spec, device)]
    return same[0] if len(same) == 1 else None


def shipped_card(device: Device) -> Part | None:
    """A part of the shipped catalogue of the card's product, the one with the lowest clock; None without any.

    Boards of one product differ in little but their clocks.
    """
    same = [part for part in _shipped_cards() if isinstance(part.spec, GpuSpec) and same_card(part.spec, device)]
    return min(same, key=lambda part: (_boost_mhz(part), part.id), default=None)


@cache
def _shipped_cards() -> tuple[Part, ...]:
    return tuple(part for path in sorted((CATALOGUE / Category.GPU).glob("*.toml")) for part in parts_of(path))


def _boost_mhz(part: Part) -> float:
    clock = part.spec.boost_clock_mhz if isinstance(part.spec, GpuSpec) else None
    return float("inf") if clock is None else clock
