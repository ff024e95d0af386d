"""The figures of a part that a search can filter and sort by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.parts.part import Part, Price
from core.parts.specs import CpuSpec, FanSpec, GpuSpec, MotherboardSpec, PsuSpec, RamSpec, StorageSpec, Value
from core.parts.vocabulary import PowerConnector

Figure = tuple[str, float | str]
YES, NO = "yes", "no"
PRICE_FIGURES = ("price", "price_per_tflops", "price_per_core", "price_per_gb", "price_per_w")
"""In the currency of the part's price, which is the figure "currency"."""

_GRAPHICS_PLUGS = (
    PowerConnector.PCIE_6PIN,
    PowerConnector.PCIE_8PIN,
    PowerConnector.PCIE_16PIN,
    PowerConnector.PCIE_16PIN_2X6,
)


def figures(part: Part) -> list[Figure]:
    """Name and value of every searchable figure; lists give one row per member, unknown figures none."""
    found: list[Figure] = [("maker", part.maker), ("origin", str(part.origin))]
    if part.year is not None:
        found.append(("year", part.year))
    found += _stated(part)
    derive = _DERIVED.get(type(part.spec))
    if derive is not None:
        found += derive(part.spec)
    if part.price is not None:
        found += _prices(part, part.price)
    return found


def number(part: Part, name: str) -> float | None:
    """A figure that the catalogue can sort by; None if it is unknown or a word."""
    value = dict(figures(part)).get(name)
    return None if isinstance(value, str) else value


def _stated(part: Part) -> list[Figure]:
    found: list[Figure] = []
    for field, value in vars(part.spec).items():
        if value is None or field == "category":
            continue
        kind = type(value)
        if kind is float or kind is int:
            found.append((field, value))
        elif kind is bool:
            found.append((field, YES if value else NO))
        elif isinstance(value, str):
            found.append((field, str(value)))
        elif kind is tuple and value and isinstance(value[0], str):
            found += [(field, str(member)) for member in dict.fromkeys(value)]
    return found


def _of_board(spec: MotherboardSpec) -> Iterator[Figure]:
    if spec.slots is not None:
        yield "x16_slots", sum(slot.mechanical_lanes == 16 for slot in spec.slots)


def _of_kit(spec: RamSpec) -> Iterator[Figure]:
    if spec.modules and spec.module_gb:
        yield "total_gb", spec.modules * spec.module_gb


def _of_supply(spec: PsuSpec) -> Iterator[Figure]:
    if spec.cables is not None:
        plugs = [row for row in spec.cables if row.kind in _GRAPHICS_PLUGS]
        yield "graphics_plugs", sum(row.plugs for row in plugs)


def _of_fan(spec: FanSpec) -> Iterator[Figure]:
    flows = [point.airflow_m3h for point in spec.points or () if point.airflow_m3h]
    levels = [point.level_dba for point in spec.points or () if point.level_dba]
    yield from (("max_airflow_m3h", max(flows)),) if flows else ()
    yield from (("max_level_dba", max(levels)),) if levels else ()


_DERIVED: dict[type[Value], Callable[[Any], Iterator[Figure]]] = {
    MotherboardSpec: _of_board,
    RamSpec: _of_kit,
    PsuSpec: _of_supply,
    FanSpec: _of_fan,
}


def _prices(part: Part, price: Price) -> Iterator[Figure]:
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
