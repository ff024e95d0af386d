"""Some figures of all parts of a category at once; parts that are alike in all of them are one kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from core.parts.specs import spec_model
from core.parts.vocabulary import Category

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
    found = [(part_id, numbers.setdefault(stored, len(numbers))) for part_id, stored in rows]
    lists = zip(*(json.loads(stored)[2:] for stored in numbers), strict=True)
    values = list(lists) or [()] * len(fields)
    return SpecColumns(
        tuple(part_id for part_id, _ in found),
        tuple(kind for _, kind in found),
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
