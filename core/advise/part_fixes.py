"""Fixes with parts of the catalogue: another one, or one more. Shipped and own parts come before imported ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.advise.fix import Shelf
from core.advise.trial import Trial
from core.build.build import Line
from core.build.edits import AddPart, Edit, RemovePart, SetQuantity, SwapPart
from core.parts.part import Origin
from core.parts.query import Filter, Query
from core.parts.vocabulary import Category

NEEDED = (Category.CPU, Category.MOTHERBOARD, Category.RAM, Category.STORAGE, Category.PSU, Category.CASE)
"""Without any of these nothing is fixed."""
KNOWN, LITTLE_KNOWN = 8, 4
"""How many parts are tried: of those whose figures somebody read, and of imported ones."""

Maker = Callable[[Trial, Shelf], Iterator[Edit]]
Wanted = Callable[[Trial, Line], tuple[Filter, ...]]


def any_part(_: Trial, __: Line) -> tuple[Filter, ...]:
    """No limit."""
    return ()


@dataclass(frozen=True, slots=True)
class Swap:
    """Another part of a category in the place of each line of it; calling it gives the edits to try.

    `wanted` limits the figures for the catalogue, so that few trials suffice; `sort` puts the modest ones first.
    """

    category: Category
    sort: str = "price"
    wanted: Wanted = any_part
    descending: bool = False

    def __call__(self, trial: Trial, shelf: Shelf) -> Iterator[Edit]:
        lines = trial.build.of(self.category)
        for line in [line for line in lines if line.part.id in trial.finding.parts] or lines:
            for origins, count in (((Origin.SHIPPED, Origin.USER), KNOWN), ((Origin.IMPORTED,), LITTLE_KNOWN)):
                limits = (*self.wanted(trial, line), Filter("origin", tuple(origins)))
                query = Query("", self.category, limits, self.sort, self.descending, count)
                for hit in shelf.find(query):
                    part = shelf.part(hit.id)
                    if part is not None and trial.build.line(part.id) is None:
                        yield SwapPart(line.part.id, part)


@dataclass(frozen=True, slots=True)
class Add:
    """One more part of a category, or as many as are lacking; `limits` are those of figures for the catalogue."""

    category: Category
    most: int = 4
    limits: tuple[Filter, ...] = ()

    def __call__(self, trial: Trial, shelf: Shelf) -> Iterator[Edit]:
        hits = shelf.find(Query("", self.category, self.limits, "price", limit=KNOWN))
        for quantity in _quantities(trial, self.most):
            for hit in hits:
                if (part := shelf.part(hit.id)) is not None:
                    yield AddPart(part, quantity)


def one_more(category: Category) -> Maker:
    """One more of what is there already."""

    def more(trial: Trial, _: Shelf) -> Iterator[Edit]:
        for line in trial.build.of(category):
            yield SetQuantity(line.part.id, line.quantity + 1)

    return more


def fewer(category: Category) -> Maker:
    """Fewer of what is there, or without it, if the machine runs without."""

    def less(trial: Trial, _: Shelf) -> Iterator[Edit]:
        lines = trial.build.of(category)
        for line in [line for line in lines if line.part.id in trial.finding.parts] or lines:
            for left in range(line.quantity - 1, 0, -1):
                yield SetQuantity(line.part.id, left)
            if len(lines) > 1 or category not in NEEDED:
                yield RemovePart(line.part.id)

    return less


def _quantities(trial: Trial, most: int) -> list[int]:
    measured, limit = trial.finding.measured, trial.finding.limit
    lacking = abs(round(measured - limit)) if measured is not None and limit is not None else 1
    return sorted({1, min(max(lacking, 1), most)})


def at_least(field: str, share: float = 1.0) -> Wanted:
    """Parts whose figure reaches what the finding measured."""

    def wanted(trial: Trial, _: Line) -> tuple[Filter, ...]:
        measured = trial.finding.measured
        return () if measured is None else (Filter(field, low=measured / share),)

    return wanted


def at_most(field: str) -> Wanted:
    """Parts whose figure stays within the finding's limit."""

    def wanted(trial: Trial, _: Line) -> tuple[Filter, ...]:
        limit = trial.finding.limit
        return () if limit is None else (Filter(field, high=limit),)

    return wanted


def no_less(*fields: str) -> Wanted:
    """Parts that have at least what this one has."""

    def wanted(_: Trial, line: Line) -> tuple[Filter, ...]:
        known = {field: getattr(line.part.spec, field) for field in fields}
        return tuple(Filter(field, low=value) for field, value in known.items() if value is not None)

    return wanted


def like_the(category: Category, **fields: str) -> Wanted:
    """Parts whose figure (a key) is that (a value) of the build's part of another category: the board's socket."""

    def wanted(trial: Trial, _: Line) -> tuple[Filter, ...]:
        others = trial.build.of(category)
        if len(others) != 1:
            return ()
        spec = others[0].part.spec
        pairs = ((own, getattr(spec, other)) for own, other in fields.items())
        return tuple(
            Filter(own, tuple(map(str, value)) if isinstance(value, tuple) else (str(value),))
            for own, value in pairs
            if value
        )

    return wanted


def of_the_same(*fields: str) -> Wanted:
    """Parts that have the same figure as this one, where that is known: other cards of one product."""

    def wanted(_: Trial, line: Line) -> tuple[Filter, ...]:
        known = {field: getattr(line.part.spec, field) for field in fields}
        return tuple(Filter(field, (str(value),)) for field, value in known.items() if value is not None)

    return wanted


def all_of(*some: Wanted) -> Wanted:
    """Several limits together."""

    def wanted(trial: Trial, line: Line) -> tuple[Filter, ...]:
        return tuple(limit for one in some for limit in one(trial, line))

    return wanted
