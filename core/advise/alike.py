"""What tells parts apart for the rules besides the figures that a rule reads, and what does not."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from core.build.build import CARDS, Build
from core.parts.part import Part
from core.parts.specs import GpuSpec, NvlinkBridgeSpec, WaterBlockSpec
from core.parts.vocabulary import Category
from core.rules.rule import Rule, whole

PLACING = {
    Category.GPU: ("form", "width_slots", "pcie_lanes"),
    Category.NIC: ("width_slots", "pcie_lanes"),
}
"""Figures by which an edit chooses the slots of a card."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A figure of which more (or, with sign -1, less) never makes a rule fail less.

    What else the rule looks at does not depend on it, as long as it is known.
    """

    field: str
    sign: int = 1


SCALES = {
    ("card-length", Category.GPU): Scale("length_mm"),
    ("card-length", Category.CASE): Scale("gpu_max_length_mm", -1),
    ("cooler-height", Category.CPU_COOLER): Scale("height_mm"),
    ("cooler-height", Category.CASE): Scale("cpu_cooler_max_height_mm", -1),
    ("slot-placed", Category.GPU): Scale("width_slots"),
    ("slot-placed", Category.NIC): Scale("width_slots"),
    ("psu-power", Category.GPU): Scale("power_limit_w"),
    ("psu-power", Category.CPU): Scale("max_power_w"),
    ("psu-power", Category.PSU): Scale("power_w", -1),
    ("mains-circuit", Category.GPU): Scale("power_limit_w"),
    ("mains-circuit", Category.CPU): Scale("max_power_w"),
    ("mains-inlet", Category.GPU): Scale("power_limit_w"),
    ("cpu-rail", Category.GPU): Scale("power_limit_w"),
    ("psu-balance", Category.GPU): Scale("power_limit_w"),
    ("gpu-cables", Category.GPU): Scale("power_limit_w"),
    ("board-cables", Category.GPU): Scale("power_limit_w"),
    ("eps-not-pcie", Category.GPU): Scale("power_limit_w"),
    ("sense-coding", Category.GPU): Scale("power_limit_w"),
    ("adapter-rating", Category.GPU): Scale("power_limit_w"),
    ("ups-power", Category.GPU): Scale("power_limit_w"),
    ("ups-apparent", Category.GPU): Scale("power_limit_w"),
}
"""By rule and category: the one figure that has many values, and on which the rule fails from some value on."""


def scale(build: Build, rule: str, category: Category) -> Scale | None:
    """The scale of a rule in this build. Between several circuits a load may shift: more of it may ease one of them."""
    shifts = rule == "mains-circuit" and len(build.other_loads_w) > 1
    return None if shifts else SCALES.get((rule, category))


def asked_once(build: Build, rule: Rule[Any]) -> bool:
    """Whether the rule asks one question at most, whatever is put in: failing already, it cannot fail more."""
    return rule.subjects is whole or (rule.id == "mains-circuit" and len(build.other_loads_w) == 1)


BY_NAME = ("slot-placed", "slot-overlap", "slot-mechanical", "case-openings", "nvlink-bridge", "nvlink-generation")
"""Rules to which a card's product matters only as far as other parts of the build name it: blocks, bridges, cards."""
BLIND = {
    ("slot-placed", Category.GPU): ("pcie_generation", "nvlink_links", "nvlink_generation", "nvlink_gbps"),
    ("slot-placed", Category.NIC): ("pcie_generation",),
    **{
        (rule, Category.PSU): ("power_w", "input_limits")
        for rule in ("cpu-rail", "gpu-cables", "board-cables", "eps-not-pcie", "adapter-rating", "sense-coding")
    },
}
"""Figures that a rule looks at without letting them decide. Whether all cards find a slot comes before how well; a
PSU's output evens out the loads, which comes after everything that feeds a socket."""
PLACING_RULE = "placing"
"""The choice of slots, where it is asked like a rule."""
WHOLE = {
    (rule, category): "width_slots"
    for category in PLACING
    for rule in (PLACING_RULE, "slot-placed", "slot-overlap", "case-openings")
}
"""Figures of which a rule looks at the next whole number alone: a card of 2.2 slots covers three."""
WITHOUT_BLOCKS = {("slot-placed", Category.GPU): ("cooling",)}
"""The same in a build without water blocks: what cools a card decides which block it takes, and so how wide it is."""


def blind(build: Build, rule: str, category: Category) -> tuple[str, ...]:
    """Figures of the category that do not decide this rule in this build."""
    more = () if build.of(Category.WATER_BLOCK) else WITHOUT_BLOCKS.get((rule, category), ())
    return (*BLIND.get((rule, category), ()), *more)


def places(build: Build, category: Category, replaced: str | None, ids: Iterable[str]) -> list[int]:
    """What of each id a rule may tell apart, as a number: lines stand in the order of ids, and water blocks name cards
    by id."""
    alike = CARDS if category in CARDS else (category,)
    others = sorted(line.part.id for line in build.lines if line.part.category in alike and line.part.id != replaced)
    blocks = build.of(Category.WATER_BLOCK) if category is Category.GPU else ()
    named = {own: len(others) + at for at, own in enumerate(sorted({*_named_by(line.part for line in blocks)}), 1)}
    return [named[own] if own in named else bisect(others, own) for own in ids]


def products_named(build: Build) -> Iterator[str]:
    for line in build.lines:
        match line.part.spec:
            case GpuSpec(product=product):
                yield product
            case WaterBlockSpec(fits_products=products) | NvlinkBridgeSpec(fits_products=products):
                yield from products or ()


def _named_by(blocks: Iterable[Part]) -> Iterator[str]:
    for block in blocks:
        assert isinstance(block.spec, WaterBlockSpec)
        yield from block.spec.fits_parts or ()
