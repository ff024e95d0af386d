"""The figures of all categories by name: what they are called, which of them decide, and which a part cannot have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from core.parts.figure import PLAIN, Figure, Range, Unless, declared, heading, plain_words, short_line
from core.parts.figure_words import figure_words
from core.parts.part import Part
from core.parts.specs import spec_model
from core.parts.vocabulary import Category


def figures_of(category: Category) -> dict[str, Figure]:
    """The figures of a category by the name of their field, in the order of its model."""
    return declared(spec_model(category))


def field_words(field: str) -> str:
    """The name of a figure for people: "power_limit_w" is "power limit". Also of rows within figures."""
    return figure_words(_labels().get(field) or plain_words(field))


def figure_heading(field: str) -> str:
    """The name of a figure as the head of a column, with its unit, in the language spoken now."""
    return heading(field, field_words(field))


def labels(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Name and label of every field of a model, and of the rows in it, that has one."""
    for name, info in model.model_fields.items():
        label = declared(model).get(name, PLAIN).label
        if label:
            yield name, label
        for row in rows_in(info.annotation):
            yield from labels(row)


@cache
def _labels() -> dict[str, str]:
    return {name: label for category in Category for name, label in labels(spec_model(category))}


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
    found = []
    for field, (low, high) in ranges(part.category).items():
        value = getattr(part.spec, field)
        if value is not None and not low <= value <= high:
            found.append((field, value, (low, high)))
    return found


def summary(part: Part) -> str:
    """What decides between this part and the next of its category, in one line; unknown figures are left out."""
    return short_line(part.spec)
