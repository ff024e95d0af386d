"""How large a machine may be: far above what stands on a desk or in a rack, small enough to be judged at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from core.parts.vocabulary import Category

if TYPE_CHECKING:
    from core.build.build import Line

MOST_PARTS: Mapping[Category, int] = {
    Category.GPU: 64,
    Category.CPU: 8,
    Category.MOTHERBOARD: 8,
    Category.RAM: 128,
    Category.STORAGE: 128,
    Category.PSU: 16,
    Category.CASE: 8,
    Category.CPU_COOLER: 8,
    Category.FAN: 128,
    Category.RADIATOR: 16,
    Category.PUMP: 16,
    Category.WATER_BLOCK: 64,
    Category.RISER: 64,
    Category.NVLINK_BRIDGE: 64,
    Category.NIC: 16,
    Category.UPS: 16,
    Category.CABLE: 128,
}
"""Parts of each category in one build, all lines together."""


def excess(lines: Iterable[Line]) -> str | None:
    """What there is too much of, in words without a full stop; None if the lines keep within the bounds."""
    counts: Counter[Category] = Counter()
    for line in lines:
        counts[line.part.category] += line.quantity
    for category, count in counts.items():
        if count > MOST_PARTS[category]:
            return (
                f"a build has at most {MOST_PARTS[category]} parts of the category {category.label}, not {count}; "
                "plan several machines"
            )
    return None
