"""The figures of all categories by name: what they are called, which decide, what cannot be, and those of all parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from core.parts.figure import PLAIN, Figure, Range, Unless, declared, heading, plain_words, short_line
from core.parts.part import Origin, Part
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.words import Message, Worded


def figures_of(category: Category) -> dict[str, Figure]:
    """The figures of a category by the name of their field, in the order of its model."""
    return declared(spec_model(category))


def field_words(field: str) -> str:
    """The name of a figure for people: "power_limit_w" is "power limit". Also of rows within figures."""
    return Message(_labels().get(field) or plain_words(field), {}, context="figure")


def listed_word(field: str, stored: str) -> str:
    """A stored word of a figure for people: "open_air" is "open-air". A text of no list stays as it is."""
    return _value_labels().get((field, stored), stored)


def figure_heading(field: str) -> str:
    """The name of a figure as the head of a column, with its unit, in the language spoken now."""
    return heading(field, field_words(field))


def labels(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Every field of a model, and of the rows in it, with its name for people."""
    for name, info in model.model_fields.items():
        yield name, declared(model).get(name, PLAIN).label or plain_words(name)
        for row in rows_in(info.annotation):
            yield from labels(row)


@cache
def _labels() -> dict[str, str]:
    return {name: label for category in Category for name, label in labels(spec_model(category))}


@cache
def _value_labels() -> dict[tuple[str, str], str]:
    return {
        (name, one.value): one.label
        for category in Category
        for name, info in spec_model(category).model_fields.items()
        for kind in kinds_in(info.annotation)
        for one in kind
    } | {("origin", one.value): one.label for one in Origin}


def kinds_in(annotation: Any) -> Iterator[type[Worded]]:
    """The lists of words that a field of this type takes its values from."""
    if isinstance(annotation, type) and issubclass(annotation, Worded):
        yield annotation
    for inner in get_args(annotation):
        yield from kinds_in(inner)


def rows_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models of the rows that a field of this type holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from rows_in(inner)


# -- those that decide -------------------------------------------------------------------------------------------


def deciding(category: Category) -> tuple[str, ...]:
    """The figures that a rule or a prediction cannot do without, for any part of the category.

    The catalogue's coverage is counted over them, and a build's list of unknowns names them.
    """
    return tuple(name for name, figure in figures_of(category).items() if figure.decides)


def must_have(part: Part) -> tuple[str, ...]:
    """The deciding figures of this part: those of its category that apply to its kind."""
    field = kind_field(part.category)
    return deciding_for(part.category, getattr(part.spec, field) if field else None)


@cache
def deciding_for(category: Category, kind: Any) -> tuple[str, ...]:
    """The deciding figures of parts of a kind: the value of `kind_field`, None where it is unknown."""
    figures = figures_of(category)
    return tuple(name for name in deciding(category) if _applies(figures[name].decides, kind))


def _applies(decides: bool | Unless, kind: Any) -> bool:
    return kind not in decides.kinds if isinstance(decides, Unless) else decides


def kind_field(category: Category) -> str | None:
    """The figure that tells which of the deciding figures apply to a part; None where all always do."""
    limited = (figure.decides for figure in figures_of(category).values())
    return next((decides.field for decides in limited if isinstance(decides, Unless)), None)


# -- those that cannot be ----------------------------------------------------------------------------------------


@cache
def ranges(category: Category) -> dict[str, Range]:
    """The plausible ranges of a category's figures, of those that have one."""
    return {name: figure.within for name, figure in figures_of(category).items() if figure.within is not None}


def implausible(part: Part) -> list[tuple[str, float, Range]]:
    """The figures of a part that lie outside: name, value, range."""
    outside = []
    for field, (low, high) in ranges(part.category).items():
        value = getattr(part.spec, field)
        if value is not None and not low <= value <= high:
            outside.append((field, value, (low, high)))
    return outside


def summary(part: Part) -> str:
    """What decides between this part and the next of its category, in one line; unknown figures are left out."""
    return short_line(part.spec)


# -- those of all parts at once; parts that are alike in all of them are one kind -------------------------------------

BESIDE_SPEC = ("maker", "year", "price")
"""Figures of the part itself, as they are stored."""


@dataclass(frozen=True, slots=True)
class SpecColumn:
    """One figure of all kinds: a kind's value is `values[codes[kind]]`; equal codes mean equal values."""

    codes: tuple[int, ...]
    values: tuple[Any, ...]
    """As the part's spec has them; None is unknown."""


@dataclass(frozen=True, slots=True)
class SpecColumns:
    """The parts of a category with the number of their kind, and the kinds' figures by field."""

    ids: tuple[str, ...]
    kinds: tuple[int, ...]
    by_field: dict[str, SpecColumn]
    count: int
    """How many kinds."""

    def value(self, name: str, kind: int) -> Any:
        """A figure of a kind."""
        column = self.by_field[name]
        return column.values[column.codes[kind]]


def columns_sql(fields: Sequence[str]) -> str:
    """Id and figures, as one JSON list, of all parts of a category `?`."""
    # One path alone would give the bare value.
    paths = ", ".join(f"'{_path(name)}'" for name in ("category", "category", *fields))
    return f"SELECT id, json_extract(part, {paths}) FROM parts WHERE holds AND category = ?"


def _path(name: str) -> str:
    return f"$.{name}" if name in BESIDE_SPEC else f"$.spec.{name}"


def columns(category: Category, fields: Sequence[str], rows: Iterable[tuple[str, str]]) -> SpecColumns:
    """Rows of `columns_sql` as columns: each different list, and each different value in it, is read once."""
    numbers: dict[str, int] = {}
    numbered = [(part_id, numbers.setdefault(stored, len(numbers))) for part_id, stored in rows]
    lists = zip(*(json.loads(stored)[2:] for stored in numbers), strict=True)
    values = list(lists) or [()] * len(fields)
    return SpecColumns(
        tuple(part_id for part_id, _ in numbered),
        tuple(kind for _, kind in numbered),
        {name: _column(category, name, stored) for name, stored in zip(fields, values, strict=True)},
        len(numbers),
    )


def _column(category: Category, name: str, stored: Iterable[Any]) -> SpecColumn:
    numbers: dict[Any, int] = {}
    different: list[Any] = []
    codes = []
    for value in stored:
        key = repr(value) if isinstance(value, (list, dict)) else value
        if key not in numbers:
            numbers[key] = len(different)
            different.append(value)
        codes.append(numbers[key])
    return SpecColumn(tuple(codes), tuple(_read(category, name, value) for value in different))


def _read(category: Category, name: str, stored: Any) -> Any:
    """A stored figure as the spec has it; one that this program cannot read is unknown."""
    if name in BESIDE_SPEC:
        return stored
    model = spec_model(category)
    if stored is None:
        return model.model_fields[name].default
    needed = {other: "-" for other, info in model.model_fields.items() if info.is_required()}
    try:
        return getattr(model.model_validate(needed | {name: stored}), name)
    except ValidationError:
        return None
