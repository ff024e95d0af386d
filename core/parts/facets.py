"""What a list of parts can be filtered, sorted and narrowed by: the stated figures, and those made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from core.parts.board import MotherboardSpec, cpu_x8_slots, x16_slots
from core.parts.compute import CpuSpec, GpuSpec, RamSpec, StorageSpec
from core.parts.cooling import FanSpec
from core.parts.figures import figure_heading
from core.parts.housing import CaseSpec
from core.parts.money import COMPARED
from core.parts.part import Part, Price
from core.parts.power import PsuSpec
from core.parts.price_ageing import amount_in_lists
from core.parts.values import Value
from core.parts.vocabulary import PowerConnector

NamedValue = tuple[str, float | str]
YES, NO = "yes", "no"
MAX_CHOICES = 40
"""More different values than this are not offered one by one: numbers as a range, words not at all."""

_GRAPHICS_PLUGS = (
    PowerConnector.PCIE_6PIN,
    PowerConnector.PCIE_8PIN,
    PowerConnector.PCIE_16PIN,
    PowerConnector.PCIE_16PIN_2X6,
)


@dataclass(frozen=True, slots=True)
class Made:
    """A figure that a search knows and no part states."""

    spec: type[Value]
    made_from: tuple[str, ...]
    value: Callable[[Any], float | None]
    """From the spec; None where a figure that it is made from is unknown."""


def _kit_gb(spec: RamSpec) -> float | None:
    return spec.modules * spec.module_gb if spec.modules and spec.module_gb else None


def _psu_mount_count(spec: CaseSpec) -> int | None:
    return None if spec.psu_mounts is None else len(spec.psu_mounts)


def _graphics_plugs(spec: PsuSpec) -> int | None:
    """None where it is not known which plugs share a cable: such a PSU is not suggested for its plugs."""
    if spec.cables is None or any(row.total_plugs for row in spec.cables):
        return None
    return sum(row.plugs for row in spec.cables if row.kind in _GRAPHICS_PLUGS)


def _most_airflow(spec: FanSpec) -> float | None:
    return max((point.airflow_m3h for point in spec.points or () if point.airflow_m3h), default=None)


def _highest_level(spec: FanSpec) -> float | None:
    return max((point.level_dba for point in spec.points or () if point.level_dba), default=None)


MADE: dict[str, Made] = {
    "x16_slots": Made(MotherboardSpec, ("slots",), x16_slots),
    "cpu_x8_slots": Made(MotherboardSpec, ("slots",), cpu_x8_slots),
    "psu_mount_count": Made(CaseSpec, ("psu_mounts",), _psu_mount_count),
    "total_gb": Made(RamSpec, ("modules", "module_gb"), _kit_gb),
    "graphics_plugs": Made(PsuSpec, ("cables",), _graphics_plugs),
    "max_airflow_m3h": Made(FanSpec, ("points",), _most_airflow),
    "max_level_dba": Made(FanSpec, ("points",), _highest_level),
}
PRICE_FIGURES = ("price", "price_per_tflops", "price_per_core", "price_per_gb", "price_per_w")
"""In dollars where a rate is known, else in the currency of the price; which of them is the figure "currency"."""
MADE_FROM: dict[str, tuple[str, ...]] = {
    **{name: made.made_from for name, made in MADE.items()},
    "price_per_tflops": ("price", "fp32_tflops"),
    "price_per_core": ("price", "cores"),
    "price_per_gb": ("price", "modules", "module_gb", "capacity_gb"),
    "price_per_w": ("price", "power_w"),
}
"""Of each figure that no part states, those that it is made from."""


def searchable(part: Part) -> list[NamedValue]:
    """Name and value of every searchable figure; lists give one row per member, unknown figures none."""
    named_values: list[NamedValue] = [("maker", part.maker), ("origin", str(part.origin))]
    if part.year is not None:
        named_values.append(("year", part.year))
    named_values += _stated(part)
    for name, made in _BY_SPEC.get(type(part.spec), ()):
        if (value := made.value(part.spec)) is not None:
            named_values.append((name, value))
    if price := amount_in_lists(part, date.today()):
        named_values += _prices(part, price if isinstance(price, Price) else price.as_price)
    return named_values


def number(part: Part, name: str) -> float | None:
    """A figure that the catalogue can sort by; None if it is unknown or a word."""
    value = dict(searchable(part)).get(name)
    return None if isinstance(value, str) else value


def _stated(part: Part) -> list[NamedValue]:
    named_values: list[NamedValue] = []
    for field, value in vars(part.spec).items():
        if value is None or field == "category":
            continue
        kind = type(value)
        if kind is float or kind is int:
            named_values.append((field, value))
        elif kind is bool:
            named_values.append((field, YES if value else NO))
        elif isinstance(value, str):
            named_values.append((field, str(value)))
        elif kind is tuple and value and isinstance(value[0], str):
            named_values += [(field, str(member)) for member in dict.fromkeys(value)]
    return named_values


_BY_SPEC = {
    made.spec: tuple((name, one) for name, one in MADE.items() if one.spec is made.spec) for made in MADE.values()
}


def _prices(part: Part, listed: Price) -> Iterator[NamedValue]:
    price = COMPARED.shown(listed)
    amount = price.amount
    yield "price", amount
    yield "currency", price.currency
    match part.spec:
        case GpuSpec(fp32_tflops=rate) if rate:
            yield "price_per_tflops", amount / rate
        case CpuSpec(cores=cores) if cores:
            yield "price_per_core", amount / cores
        case RamSpec(modules=modules, module_gb=module_gb) if modules and module_gb:
            yield "price_per_gb", amount / (modules * module_gb)
        case StorageSpec(capacity_gb=capacity) if capacity:
            yield "price_per_gb", amount / capacity
        case PsuSpec(power_w=power) if power:
            yield "price_per_w", amount / power


@dataclass(frozen=True, slots=True)
class FacetChoice:
    """A value and how many parts have it."""

    value: str | float
    count: int


@dataclass(frozen=True, slots=True)
class Facet:
    """One figure over a list of parts."""

    field: str
    parts: int
    """How many values are known; a part can have several (sockets of a cooler)."""
    choices: tuple[FacetChoice, ...]
    """By value; empty when there are too many."""
    low: float | None
    """Smallest and largest value of a numeric figure."""
    high: float | None

    @property
    def label(self) -> str:
        """The figure's name for people, with its unit."""
        return figure_heading(self.field)


def facets(counted: Iterable[tuple[str, str | float, int]]) -> tuple[Facet, ...]:
    """Facets by name, from rows of (field, value, count). Figures in which no two parts differ are left out."""
    ordered = sorted(counted, key=lambda row: (row[0], isinstance(row[1], str), row[1]))
    made = (
        _facet(field, [FacetChoice(*row[1:]) for row in rows]) for field, rows in groupby(ordered, lambda row: row[0])
    )
    return tuple(facet for facet in made if facet is not None)


def _facet(field: str, choices: list[FacetChoice]) -> Facet | None:
    if len(choices) < 2:
        return None
    numbers = [choice.value for choice in choices if not isinstance(choice.value, str)]
    low, high = (min(numbers), max(numbers)) if numbers else (None, None)
    few = len(choices) <= MAX_CHOICES
    if not few and low is None:
        choices = sorted(choices, key=lambda choice: -choice.count)[:MAX_CHOICES]
        few = True
    return Facet(field, sum(choice.count for choice in choices), tuple(choices) if few else (), low, high)
