"""What a field of a part says of itself: name, range, whether it decides, its place in the short line, its import.

A figure is one line of its category's model: `length_mm: Annotated[Positive | None, Figure(within=(100, 500))] = None`.
Its unit is in its name. Forms, lists, filters, coverage, checks, schema and imports follow from that line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Field

from core.words import Message, Worded, english, into, joined, plain, tr, trn
from core.words.units import unit_of, without_unit

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class WordedValue:
    """How the short line words a figure by its value alone: a sentence with it, or of a yes the words."""

    words: Callable[[Any], str]


Words = Callable[[Any], str | None] | WordedValue | None
"""A function makes them of the whole spec; None is the value with its unit."""
_ACRONYMS = re.compile(r"\b(atx|bf16|cpu|ecc|fp8|fp16|fp32|fp64|gpu|psu|pwm|ram|sata|sm|tdp|tf32)\b")


@dataclass(frozen=True, slots=True)
class Unless:
    """Of all parts of the category but those of these kinds."""

    field: str
    """The figure that tells the kind."""
    kinds: tuple[StrEnum, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """The metadata of a field."""

    label: str = ""
    """Its name for people where the field's own does not read as one; the same wherever the field's name is."""
    within: Range | None = None
    """What no part ever left: outside stands a wrong unit, a zero for "unknown", or another column's figure. Wide on
    purpose, rounded outwards from what was ever sold: a rare part must pass, a length in cm must not."""
    decides: bool | Unless = False
    """Whether a rule or a prediction cannot do without it."""
    of_chip: bool = False
    """Whether all parts with one chip share it, so that a source about the chip confirms it."""
    short: int | tuple[int, Words] | None = None
    """Its place in the short line of a part, and its words where they are not the value with its unit."""
    opendb: str = ""
    """Where BuildCores OpenDB has it, as a dotted path; empty where it has not, or needs a judgement."""


PLAIN = Figure()
LAST = 99
"""The place at the end of every short line."""
Discontinued = Annotated[
    Annotated[int, Field(ge=1995, le=2100)] | None,
    Figure(
        "discontinued by",
        within=(1995, 2100),
        short=(LAST, WordedValue(lambda year: tr("discontinued by {year}", year=str(year)))),
    ),
]
"""The year by which the maker had ended the sale of a part, of any category. None: not known to have ended."""
YEARS = ("year", "discontinued")
"""Figures that are years, written without a separator of thousands."""


@cache
def declared(model: type[BaseModel]) -> dict[str, Figure]:
    """The figures of a model, in its order."""
    return {
        name: next((one for one in info.metadata if isinstance(one, Figure)), PLAIN)
        for name, info in model.model_fields.items()
        if name != "category"
    }


@cache
def figures_of_chip(model: type[BaseModel]) -> frozenset[str]:
    """The names of the figures that a part has from its chip."""
    return frozenset(name for name, figure in declared(model).items() if figure.of_chip)


def bare_type(annotation: Any) -> Any:
    """A field's type without "or unknown" and without its limits."""
    if get_origin(annotation) is Annotated:
        return bare_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return bare_type(next(one for one in get_args(annotation) if one is not NoneType))
    return annotation


def plain_words(name: str) -> str:
    """A field's name as words, without its unit: "pcie_lanes" is "PCIe lanes"."""
    bare = without_unit(name.replace("_tflops", "_rate"))
    words = bare.replace("_", " ").replace("pcie", "PCIe").replace("nvlink", "NVLink")
    return _ACRONYMS.sub(lambda match: match[0].upper(), words)


def heading(name: str, words: str) -> str:
    """The head of a column, with the unit unless the words have it, in the language spoken now: "Power limit, W"."""
    unit = unit_of(name)
    words = into(words)
    head = words[:1].upper() + words[1:]
    return f"{head}, {unit}" if unit and unit not in words.lower().split() else head


def short_line(spec: BaseModel) -> Message:
    """What decides between this part and the next of its category: "24 GB, 350 W, 3 slots, 313 mm, blower"."""
    words = (one.words(spec) if one.words else one.value_words(getattr(spec, one.name)) for one in _short(type(spec)))
    return joined(filter(None, words), ", ")


def short_line_in_english(spec: BaseModel) -> str:
    """The same in English, for the index: thousands of parts have the same words of the same values, made once."""
    words = (
        english(one.words(spec)) if one.words else _english(one, getattr(spec, one.name)) for one in _short(type(spec))
    )
    return ", ".join(filter(None, words))


@dataclass(frozen=True, slots=True)
class _InShort:
    """A figure of the short line: a function of the spec, or of the value."""

    name: str
    words: Callable[[Any], str | None] | None
    of_value: Callable[[Any], str]

    def value_words(self, value: Any) -> str | None:
        """The value in its words; None where it is unknown or says nothing."""
        return None if value is None or value is False or value == () else self.of_value(value)


def stated_value(value: Any, unit: str) -> str:
    """A value of a figure in words: "2.7 slots", "blower", "A, B"."""
    if isinstance(value, str):
        return value.label if isinstance(value, Worded) else value
    if isinstance(value, tuple):
        return joined([stated_value(one, unit) for one in value], ", ")
    if unit == "slots":
        return trn("{count:g} slot", "{count:g} slots", count=value)
    return plain("{value:g} {unit}", value=value, unit=unit) if unit else plain("{value:g}", value=value)


@lru_cache(maxsize=20_000, typed=True)
def _english(one: _InShort, value: Any) -> str | None:
    words: str | None = english(one.value_words(value))
    return words


@cache
def _short(model: type[BaseModel]) -> tuple[_InShort, ...]:
    """The figures of the short line in its order."""
    placed = []
    for name, figure in declared(model).items():
        if figure.short is not None:
            place, words = (figure.short, None) if isinstance(figure.short, int) else figure.short
            placed.append((place, _in_short(name, words)))
    return tuple(one for _, one in sorted(placed, key=lambda row: row[0]))


def _in_short(name: str, words: Words) -> _InShort:
    if isinstance(words, WordedValue):
        return _InShort(name, None, words.words)
    unit = unit_of(name)
    return _InShort(name, words, lambda value: stated_value(value, unit))
