"""How prices of a class moved, month by month, which brings an old price to today (assets/prices/index.toml)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from core.parts.part import Part
from core.parts.specs import spec_model
from core.parts.values import Value
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_text, read_toml
from core.platform.paths import ASSETS
from core.words import tr
from core.words.refusal import refusals

INDEX_FILE = ASSETS / "prices" / "index.toml"
MAX_BYTES = 1_000_000
Month = Annotated[str, Field(pattern=r"^20\d\d-(0[1-9]|1[0-2])$")]
Share = Annotated[float, Field(gt=0, le=5)]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class IndexSource(Value):
    """A list of prices, or a report on some."""

    id: Id
    title: Annotated[str, Field(min_length=3)]
    url: Annotated[str, Field(pattern=r"^https?://")]


class _IndexRow(Value):
    name: Annotated[str, Field(min_length=2, max_length=60)]
    category: Category
    where: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    spread: Annotated[float, Field(gt=0, lt=1)]
    launch: Share | None = None
    launch_per_year: Annotated[float, Field(gt=0, le=1)] = 1.0
    sources: Annotated[tuple[Id, ...], Field(min_length=1)]
    points: Annotated[tuple[tuple[Month, Annotated[float, Field(gt=0)]], ...], Field(min_length=2)]


class _IndexFile(Value):
    source: tuple[IndexSource, ...]
    index: tuple[_IndexRow, ...]


@dataclass(frozen=True, slots=True)
class PriceIndex:
    """How prices of a class moved; levels count only as ratios to one another."""

    name: str
    category: Category
    where: tuple[tuple[str, frozenset[str]], ...]
    """Figures of a part of the class, with the values that they may have."""
    spread: float
    """How far nine of ten prices lie from what the index makes of older ones, as a share."""
    launch: float | None
    """What shops asked at level 100 as a share of what the maker asked; None, where nobody looked, is as much."""
    launch_per_year: float
    """What is left of that share a year later."""
    sources: tuple[IndexSource, ...]
    days: tuple[date, ...]
    """The middle of each month that it knows, in order."""
    levels: tuple[float, ...]

    def of(self, part: Part) -> bool:
        """Whether the part is of the class."""
        return all(str(getattr(part.spec, name)) in values for name, values in self.where)

    @property
    def until(self) -> date:
        """The last month that it knows; after it, the last level holds."""
        return self.days[-1]

    def level(self, day: date) -> float | None:
        """Its level on a day; None before its first month."""
        place = bisect_right(self.days, day)
        if place == 0:
            return self.levels[0] if day >= self.days[0].replace(day=1) else None
        if place == len(self.days):
            return self.levels[-1]
        before, low, high = self.days[place - 1], self.levels[place - 1], self.levels[place]
        passed: float = (day - before) / (self.days[place] - before)
        return low * math.pow(high / low, passed)


Indices = Mapping[Category, tuple[PriceIndex, ...]]


def index_of(part: Part, indices: Indices) -> PriceIndex | None:
    """The first index whose class the part is of."""
    return next((one for one in indices.get(part.category, ()) if one.of(part)), None)


@cache
def shipped_indices() -> Indices:
    """Those of the program, read when a price first needs one."""
    return read_indices(INDEX_FILE)


def read_indices(path: Path) -> Indices:
    """The indices of a file by category. Raises BadInput with all faults, one a line."""
    try:
        content = _IndexFile.model_validate(read_toml(read_text(path, MAX_BYTES)))
    except Unreadable as error:
        raise BadInput(tr("{path} is not valid TOML: {reason}.", path=path, reason=error.args[0])) from error
    except ValidationError as error:
        raise BadInput("\n".join(f"{path}, {field}: {reason}." for field, reason in refusals(error))) from error
    if faults := [f"{path}, {fault}" for fault in _faults(content)]:
        raise BadInput("\n".join(faults))
    sources = {one.id: one for one in content.source}
    indices: dict[Category, list[PriceIndex]] = defaultdict(list)
    for row in content.index:
        indices[row.category].append(
            PriceIndex(
                row.name,
                row.category,
                tuple((name, frozenset(values)) for name, values in row.where.items()),
                row.spread,
                row.launch,
                row.launch_per_year,
                tuple(sources[name] for name in row.sources),
                tuple(date.fromisoformat(f"{month}-15") for month, _ in row.points),
                tuple(level for _, level in row.points),
            )
        )
    return {category: tuple(rows) for category, rows in indices.items()}


def _faults(content: _IndexFile) -> Iterator[str]:
    """What its shape allows and nothing can be done with."""
    ids = {one.id for one in content.source}
    used = {name for row in content.index for name in row.sources}
    for row in content.index:
        for name in row.sources:
            if name not in ids:
                yield tr("index {name!r}: no [[source]] has the id {source!r}.", name=row.name, source=name)
        fields: Mapping[str, Any] = spec_model(row.category).model_fields
        for name in row.where:
            if name not in fields:
                yield tr(
                    "index {name!r}: {category} has no figure {field!r}.",
                    name=row.name,
                    category=row.category.value,
                    field=name,
                )
        months = [month for month, _ in row.points]
        for before, after in pairwise(months):
            if after <= before:
                yield tr(
                    "index {name!r}: {after} follows {before}. One point a month, in order.",
                    name=row.name,
                    after=after,
                    before=before,
                )
    for one in content.source:
        if one.id not in used:
            yield tr("source {source!r}: no index names it.", source=one.id)
