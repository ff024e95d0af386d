"""How figures that a search can use are called, ordered and written."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log10

from core.parts.facets import MADE_FROM, NO, PRICE_FIGURES, YES, Facet
from core.parts.figure import YEARS
from core.parts.figures import deciding, field_words, listed_word
from core.parts.query import BY_TITLE, Filter
from core.parts.vocabulary import Category
from core.words import joined, plain, tr, trc
from core.words.units import counted, unit_of
from gui.widgets.figures import DASH, number
from gui.widgets.units import unit_here, value_here

COMMON = (*PRICE_FIGURES, "maker", *YEARS, "origin", "currency")
"""What every category has, in the order of use."""
SHARED = ("price", "maker", *YEARS, "origin", "currency")
"""What can be asked of all categories together."""
_PER = {
    "price_per_tflops": "TFLOPS",
    "price_per_core": trc("price per", "core"),
    "price_per_gb": "GB",
    "price_per_w": "W",
}


def ordered(facets: Iterable[Facet], category: Category | None) -> list[Facet]:
    """The deciding figures of the category first, then price, maker and year, then the rest by name."""
    if category is None:
        return sorted((facet for facet in facets if facet.field in SHARED), key=lambda row: SHARED.index(row.field))
    first = deciding(category)

    def place(facet: Facet) -> tuple[int, int, str]:
        base = facet.field if facet.field in PRICE_FIGURES else MADE_FROM.get(facet.field, (facet.field,))[0]
        if base in first:
            return 0, first.index(base), facet.field
        if facet.field in COMMON:
            return 1, COMMON.index(facet.field), facet.field
        return 2, 0, figure_name(facet.field)

    return sorted(facets, key=place)


def figure_name(field: str) -> str:
    """The figure as a heading, without its unit."""
    if field == BY_TITLE:
        return tr("Name")
    words = field_words(field)
    if field in _PER:
        words = tr("price per {unit}", unit=_PER[field])
    return words[:1].upper() + words[1:]


def heading(field: str, currency: str = "") -> str:
    """The figure with its unit, unless the name has it already."""
    name = figure_name(field)
    unit = currency if field in PRICE_FIGURES else figure_unit(field)
    return f"{name}, {unit}" if unit and unit not in name.split() else name


def figure_unit(field: str, currency: str = "") -> str:
    """The unit as printed; of prices the currency, where there is only one."""
    if field == "price":
        return currency
    if field in PRICE_FIGURES:
        return f"{currency}/{_PER[field]}" if currency else ""
    return unit_here(unit_of(field))


def value_words(field: str, value: str | float) -> str:
    """One value without its unit."""
    if not isinstance(value, str):
        return str(value) if field in YEARS else rounded(value_here(value, unit_of(field)))
    if value in (YES, NO):
        return tr("yes") if value == YES else tr("no")
    return listed_word(field, value)


def with_unit(field: str, value: str | float, currency: str = "") -> str:
    """One value as it is listed."""
    unit = figure_unit(field, currency)
    thing = counted(value, unit) if isinstance(value, (int, float)) else unit
    return f"{value_words(field, value)} {thing}".strip()


def limit_words(limit: Filter, currency: str = "") -> str:
    """A limit as on its chip: "Memory: 24, 48 GB"."""
    parts: list[str] = []
    if limit.values:
        parts.append(joined((value_words(limit.field, value) for value in limit.values), ", "))
    if limit.low is not None and limit.high is not None:
        parts.append(f"{value_words(limit.field, limit.low)}{DASH}{value_words(limit.field, limit.high)}")
    elif limit.low is not None:
        parts.append(f"≥ {value_words(limit.field, limit.low)}")
    elif limit.high is not None:
        parts.append(f"≤ {value_words(limit.field, limit.high)}")
    unit = figure_unit(limit.field, currency)
    return plain("{name}: {limits}", name=figure_name(limit.field), limits=f"{joined(parts, ', ')} {unit}".strip())


def rounded(value: float) -> str:
    """Three digits that count, whole numbers whole: 0.0432, 2.75, 1600."""
    if value == 0 or abs(value) >= 100 or float(value).is_integer():
        return number(value)
    return plain("{value:g}", value=round(value, 2 - floor(log10(abs(value)))))
