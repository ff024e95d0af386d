"""Names that a price set spreads over columns, put together: "Asus TUF GAMING", GeForce RTX 5090, 32 are one card."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.parts.vocabulary import Category

_PAIR = re.compile(r"\s*(\d+)\s*[,x×]\s*(\d+(?:\.\d+)?)\s*(?:gb)?\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_LARGEST = 1e6
"""No figure of a part is beyond it, in the units of these columns."""
Cells = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SpreadName:
    """What a row of a table calls its part, with what its other columns say."""

    text: str
    category: Category | None
    """Of all rows of the table, by the columns that it has."""


def category_of(columns: Collection[str]) -> Category | None:
    """What a table is about, by columns that only tables of one category have."""
    return next((category for category, needed, _ in _TABLES if needed <= set(columns)), None)


def category_of_row(cells: Cells, category: Category | None) -> Category | None:
    """What a row is about: nothing that its table says, where all columns of that category are empty in it."""
    needed = next((needed for one, needed, _ in _TABLES if one is category), frozenset())
    return category if any(_text(cells, column) for column in needed) else None


def spread_name(name: str, cells: Cells, category: Category | None) -> SpreadName:
    """The name with the words and figures of its row that it does not say itself."""
    words = next((words for one, _, words in _TABLES if one is category), None)
    own_words = _words(name)
    more = (text for text in (words(cells) if words and name else ()) if text and not _words(text) <= own_words)
    return SpreadName(" ".join(dict.fromkeys((name, *more))), category)


def _gpu(cells: Cells) -> Iterator[str]:
    yield _text(cells, "chipset")
    yield _figure(cells, "memory", "GB")
    yield _text(cells, "color")


def _ram(cells: Cells) -> Iterator[str]:
    speed = _PAIR.fullmatch(_text(cells, "speed"))
    yield f"DDR{speed[1]}-{speed[2]}" if speed else _text(cells, "speed")
    modules = _PAIR.fullmatch(_text(cells, "modules"))
    yield f"{modules[1]} x {modules[2]} GB" if modules else ""
    latency = _number(cells, "cas_latency")
    yield f"CL{latency:g}" if latency else ""
    yield _text(cells, "color")


def _storage(cells: Cells) -> Iterator[str]:
    yield _figure(cells, "capacity", "GB")
    yield _figure(cells, "type", "rpm") or _text(cells, "type")
    yield _text(cells, "form_factor")
    yield _text(cells, "interface")


def _psu(cells: Cells) -> Iterator[str]:
    yield _figure(cells, "wattage", "W")
    level = _text(cells, "efficiency")
    yield f"80+ {level}" if level.casefold() not in ("", "plus") else ""
    yield _text(cells, "type")
    yield "Non-Modular" if _text(cells, "modular").casefold() == "false" else ""
    yield _text(cells, "color")


def _ups(cells: Cells) -> Iterator[str]:
    yield _figure(cells, "capacity_w", "W")
    yield _figure(cells, "capacity_va", "VA")


def _cooler(cells: Cells) -> Iterator[str]:
    yield _figure(cells, "size", "mm")
    yield _text(cells, "color")


def _of_colour(cells: Cells) -> Iterator[str]:
    yield _text(cells, "color")


_TABLES: tuple[tuple[Category, frozenset[str], Callable[[Cells], Iterator[str]]], ...] = (
    (Category.GPU, frozenset(("chipset", "memory")), _gpu),
    (Category.RAM, frozenset(("speed", "modules")), _ram),
    (Category.STORAGE, frozenset(("capacity", "type")), _storage),
    (Category.PSU, frozenset(("wattage", "efficiency")), _psu),
    (Category.UPS, frozenset(("capacity_va",)), _ups),
    (Category.MOTHERBOARD, frozenset(("socket", "memory_slots")), lambda _: iter(())),
    (Category.CPU, frozenset(("core_count", "tdp")), lambda _: iter(())),
    (Category.FAN, frozenset(("size", "airflow")), _cooler),
    (Category.CPU_COOLER, frozenset(("rpm", "noise_level", "size")), _cooler),
    (Category.CASE, frozenset(("side_panel", "external_volume")), _of_colour),
)
"""By category: columns that tell a table of it, and what they add to a name, the likeliest first."""


def _text(cells: Cells, column: str) -> str:
    value = cells.get(column)
    return "" if value is None else str(value).strip()


def _number(cells: Cells, column: str) -> float | None:
    try:
        value = float(_text(cells, column))
    except ValueError:
        return None
    return value if 0 < value < _LARGEST else None


def _figure(cells: Cells, column: str, unit: str) -> str:
    """A figure with its unit; as it stands where it has one."""
    value = _number(cells, column)
    if value is not None:
        return f"{value:g} {unit}"
    text = _text(cells, column)
    return text if any(letter.isdigit() for letter in text) and not text.replace(".", "").isdigit() else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
