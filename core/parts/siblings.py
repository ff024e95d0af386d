"""Figures in which a part alone differs from its siblings: of the same chip, platform, or maker and size.

No fault by itself: a maker may build one card otherwise. It is where a wrong unit, a neighbour's row or a typing error
shows, so that somebody looks again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from core.parts.part import Part
from core.parts.vocabulary import Category

ALIKE: dict[Category, tuple[tuple[str, ...], ...]] = {
    Category.GPU: (("product", "memory_gb", "form"),),
    Category.CPU: (("socket", "architecture"),),
    Category.MOTHERBOARD: (("socket", "chipset"),),
    Category.RAM: (("ram_type", "kind", "speed_mts"),),
    Category.STORAGE: (("kind", "form_factor"),),
    Category.PSU: (("maker", "efficiency_level"), ("form_factor", "power_w")),
    Category.CPU_COOLER: (("maker", "kind", "radiator_mm"),),
    Category.FAN: (("maker", "size_mm"),),
    Category.RADIATOR: (("length_mm", "fan_size_mm"),),
    Category.NVLINK_BRIDGE: (("generation",),),
    Category.RISER: (("maker", "kind"),),
}
"""By category, the figures (and the maker) in which siblings agree."""
MIN_SIBLINGS = 4
"""So many others must have one value, and no other value than the odd one may be among them."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A figure that differs from that of all siblings."""

    part: Part
    field: str
    value: Any
    usual: Any
    siblings: int
    shared: tuple[str, ...]
    """In what the siblings agree."""


def odd_figures(parts: Iterable[Part], among: Iterable[Part] = ()) -> list[Odd]:
    """The figures of `parts` that differ from those of their siblings, here and in `among`."""
    checked = {part.id: part for part in parts}
    compared = checked | {part.id: part for part in among if part.id not in checked}
    differing: dict[tuple[str, str], Odd] = {}
    for shared, group in _groups(compared.values()):
        for odd in _odd_in(shared, group):
            if odd.part.id in checked:
                differing.setdefault((odd.part.id, odd.field), odd)
    return list(differing.values())


def _groups(parts: Iterable[Part]) -> Iterator[tuple[tuple[str, ...], list[Part]]]:
    groups: dict[tuple[Any, ...], list[Part]] = defaultdict(list)
    for part in parts:
        for shared in ALIKE.get(part.category, ()):
            values = tuple(part.maker if name == "maker" else getattr(part.spec, name) for name in shared)
            if None not in values:
                groups[(part.category, shared, values)].append(part)
    yield from ((shared, group) for (_, shared, _), group in groups.items() if len(group) > MIN_SIBLINGS)


def _odd_in(shared: tuple[str, ...], group: list[Part]) -> Iterator[Odd]:
    for field in type(group[0].spec).model_fields:
        having: dict[str, list[Part]] = defaultdict(list)
        for part in group:
            value = getattr(part.spec, field)
            if value not in (None, ()):
                having[repr(value)].append(part)
        if len(having) != 2:
            continue
        (odd, *more), many = sorted(having.values(), key=len)
        if not more and len(many) >= MIN_SIBLINGS:
            yield Odd(odd, field, getattr(odd.spec, field), getattr(many[0].spec, field), len(many), shared)
