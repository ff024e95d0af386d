"""The figures of a part that a search can filter and sort by."""

from __future__ import annotations

from collections.abc import Iterator

from core.parts.part import Part
from core.parts.specs import CpuSpec, FanSpec, GpuSpec, MotherboardSpec, PsuSpec, RamSpec, StorageSpec
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
    year = () if part.year is None else (("year", part.year),)
    return [
        *(("maker", part.maker), ("origin", part.origin.value), *year),
        *_stated(part),
        *_derived(part),
        *_prices(part),
    ]


def _stated(part: Part) -> list[Figure]:
    found: list[Figure] = []
    for field, value in vars(part.spec).items():
        kind = type(value)
        if value is None or field == "category":
            continue
        if kind is float or kind is int:
            found.append((field, value))
        elif kind is bool:
            found.append((field, YES if value else NO))
        elif isinstance(value, str):
            found.append((field, str(value)))
        elif kind is tuple and value and isinstance(value[0], str):
            found += [(field, str(member)) for member in dict.fromkeys(value)]
    return found


def _derived(part: Part) -> Iterator[Figure]:
    match part.spec:
        case MotherboardSpec(slots=slots) if slots is not None:
            yield "x16_slots", sum(slot.mechanical_lanes == 16 for slot in slots)
        case RamSpec(modules=modules, module_gb=module_gb) if modules and module_gb:
            yield "total_gb", modules * module_gb
        case PsuSpec(cables=cables) if cables is not None:
            yield (
                "graphics_plugs",
                sum(row.cables * row.connectors_per_cable for row in cables if row.kind in _GRAPHICS_PLUGS),
            )
        case FanSpec(points=points) if points:
            flows = [point.airflow_m3h for point in points if point.airflow_m3h]
            levels = [point.level_dba for point in points if point.level_dba]
            yield from (("max_airflow_m3h", max(flows)),) if flows else ()
            yield from (("max_level_dba", max(levels)),) if levels else ()


def _prices(part: Part) -> Iterator[Figure]:
    if part.price is None:
        return
    amount = part.price.amount
    yield "price", amount
    yield "currency", part.price.currency
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
