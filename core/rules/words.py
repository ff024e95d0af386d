"""Sentences for findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from core.build.build import Build
from core.parts.vocabulary import Category
from core.rules.machine import Machine

_UNITS = re.compile(r"_(k_per_w|gbps|gbit|bits|mhz|rpm|mts|dba|lph|pct|min|ml|mm|gb|va|w|g|c|v|a|m)$")
_NAMES = {
    "above_4g": "decoding above 4 GB",
    "apparent": "apparent power",
    "bar1": "BAR1 size",
    "bays_2_5": "2.5-inch bays",
    "bays_3_5": "3.5-inch bays",
    "bmc": "management controller (BMC)",
    "board_max_width": "room for board width",
    "bracket_slots": "bracket width",
    "cpu_cooler_max_height": "room for cooler height",
    "current_12v": "12 V current",
    "fan_max": "highest fan speed",
    "fan_stop": "fan stop at idle",
    "fan_stop_below": "load that starts the fan",
    "fins_per_inch": "fins per inch",
    "gpu_max_height": "room for card height",
    "gpu_max_length": "room for card length",
    "gpu_max_length_front_radiator": "room for card length behind front radiator",
    "fits_parts": "fitting cards",
    "fits_products": "fitting products",
    "input": "mains voltage",
    "lane_cases": "lane sharing",
    "m2": "M.2 sockets",
    "max_power": "sustained power limit",
    "max_sockets": "supported CPU count",
    "min": "lowest speed",
    "module": "module size",
    "nvlink": "NVLink bandwidth",
    "p2p": "peer-to-peer access",
    "port": "port speed",
    "power_limit_max": "highest power limit",
    "power_limit_min": "lowest power limit",
    "radiator": "radiator length",
    "ram_kinds": "kinds of RAM module",
    "ram_max": "largest RAM",
    "ram_module_max": "largest RAM module",
    "rated": "rated power",
    "resizable_bar": "resizable BAR",
    "runtime_full": "runtime at full load",
    "runtime_half": "runtime at half load",
    "temperature_max": "highest temperature",
    "temperature_shutdown": "shutdown temperature",
    "temperature_slowdown": "slowdown temperature",
    "temperature_target": "target temperature",
    "thermal_resistance": "thermal resistance",
    "width_slots": "width in slots",
}
_ACRONYMS = re.compile(r"\b(atx|bf16|cpu|ecc|fp8|fp16|fp32|fp64|gpu|psu|pwm|ram|sata|sm|tdp|tf32)\b")


def listed(items: Sequence[str]) -> str:
    """a, b and c."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def field_words(field: str) -> str:
    """The name of a figure for people: "power_limit_w" is "power limit"."""
    name = _UNITS.sub("", field.replace("_tflops", "_rate"))
    words = _NAMES.get(name, name.replace("_", " ")).replace("pcie", "PCIe").replace("nvlink", "NVLink")
    return _ACRONYMS.sub(lambda found: found[0].upper(), words)


def figure_words(machine: Machine, figures: Iterable[str]) -> str:
    """Names unknown figures by part: "length and height of ASUS X are unknown"."""
    pairs = [figure.rsplit(".", 1) for figure in sorted(figures)]
    phrases = []
    for part_id, group in groupby(pairs, key=lambda pair: pair[0]):
        line = machine.build.line(part_id)
        fields = [field_words(field) for _, field in group]
        phrases.append(f"{listed(fields)} of {line.part.title if line else part_id}")
    many = len(pairs) > 1 or bool(re.search(r"s( of|$)", field_words(pairs[0][1]))) if pairs else False
    return f"{'; '.join(phrases)} {'are' if many else 'is'} unknown" if phrases else "a figure is unknown"


def figures_by_part(build: Build, figures: Iterable[str]) -> list[tuple[str, str]]:
    """Title of each part and its figures ("part-id.field"): ("Maker X", "length, power limit")."""
    pairs = [figure.rpartition(".") for figure in sorted(set(figures))]
    titles = {line.part.id: line.part.title for line in build.lines}
    return [
        (titles.get(part_id, part_id), ", ".join(field_words(field) for _, _, field in group))
        for part_id, group in groupby(pairs, key=lambda pair: pair[0])
    ]


def figure_phrase(build: Build, figures: Iterable[str]) -> str:
    """All in one phrase: "Maker X: length, power limit; Maker Y: height"."""
    return "; ".join(f"{title}: {fields}" for title, fields in figures_by_part(build, figures))


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
