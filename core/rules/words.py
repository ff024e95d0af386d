"""Sentences for findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from core.parts.vocabulary import Category
from core.rules.machine import Machine

_UNITS = {"w": "", "mm": "", "g": "", "gb": "", "c": "", "v": "", "gbps": "", "dba": ""}
_NAMES = {
    "width_slots": "width in slots",
    "bracket_slots": "bracket width",
    "pcie_lanes": "PCIe lanes",
    "pcie_generation": "PCIe generation",
    "psu_mounts": "PSU mounts",
    "ram_type": "RAM type",
    "ram_types": "RAM types",
    "ram_kinds": "kinds of RAM module",
    "ram_slots": "RAM slots",
    "ram_max_gb": "largest RAM",
    "gpu_max_length_mm": "room for card length",
    "cpu_cooler_max_height_mm": "room for cooler height",
    "gpu_max_height_mm": "room for card height",
    "atx_version": "ATX version",
    "tdp_w": "TDP",
    "included_fans": "included fans",
}


def listed(items: Sequence[str]) -> str:
    """a, b and c."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def field_words(field: str) -> str:
    """The name of a figure for people: "power_limit_w" is "power limit"."""
    if field in _NAMES:
        return _NAMES[field]
    steps = field.split("_")
    return " ".join(steps[:-1] if len(steps) > 1 and steps[-1] in _UNITS else steps)


def figure_words(machine: Machine, figures: Iterable[str]) -> str:
    """Names unknown figures by part: "length and height of ASUS X are unknown"."""
    pairs = [figure.rsplit(".", 1) for figure in sorted(figures)]
    phrases = []
    for part_id, group in groupby(pairs, key=lambda pair: pair[0]):
        line = machine.build.line(part_id)
        fields = [field_words(field) for _, field in group]
        phrases.append(f"{listed(fields)} of {line.part.title if line else part_id}")
    many = len(pairs) > 1 or field_words(pairs[0][1]).endswith("s") if pairs else False
    return f"{'; '.join(phrases)} {'are' if many else 'is'} unknown" if phrases else "a figure is unknown"


def category_words(category: Category) -> str:
    """A category within a sentence: "motherboard", but "CPU cooler"."""
    label = category.label
    return label if label[1].isupper() else label[0].lower() + label[1:]


def count_of(count: int, thing: str) -> str:
    """1 card, 2 cards."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def verb(count: int, plural: str) -> str:
    """A verb for so many: 1 finds, 2 find."""
    return f"{plural}s" if count == 1 else plural


def slots_words(positions: Sequence[int]) -> str:
    """slot 3; slots 3 to 5."""
    return f"slot {positions[0]}" if len(positions) == 1 else f"slots {positions[0]} to {positions[-1]}"
