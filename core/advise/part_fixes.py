"""Fixes with parts of the catalogue: another one, one more, or one fewer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.advise.fix import Shelf
from core.advise.trial import Trial
from core.advise.worth import figure, has_mount_for_one_more, is_worth, reluctance, runs_at
from core.build.build import Line
from core.build.edits import AddPart, Edit, RemovePart, SetQuantity, SwapPart
from core.build.several import Several
from core.parts.part import Origin, Part
from core.parts.query import Filter, Query
from core.parts.specs import RamSpec
from core.parts.vocabulary import Category

NEEDED = (Category.CPU, Category.MOTHERBOARD, Category.RAM, Category.STORAGE, Category.PSU, Category.CASE)
"""Without any of these nothing is fixed."""
KNOWN, LITTLE_KNOWN = 120, 60
"""How many parts are looked at: of those whose figures somebody read, and of imported ones."""
KNOWN_TRIED, IMPORTED_TRIED = 6, 3
LEAST_STEP = 0.01
"""By so much two figures must differ to be more, or less."""

Maker = Callable[[Trial, Shelf], Iterator[Edit]]
Wanted = Callable[[Trial, Line], tuple[Filter, ...]]


def any_part(_: Trial, __: Line) -> tuple[Filter, ...]:
    """No limit."""
    return ()


@dataclass(frozen=True, slots=True)
class Swap:
    """Another part of a category in the place of each line of it; calling it gives the edits to try.

    `wanted` limits the figures for the catalogue, so that few trials suffice. The first are those nearest in `near` to
    what is needed (the end of its limit), else to what is there; further ones follow in growing steps.
    """

    category: Category
    near: str = ""
    wanted: Wanted = any_part

    def __call__(self, trial: Trial, shelf: Shelf) -> Iterator[Edit]:
        lines = trial.build.of(self.category)
        for line in [line for line in lines if line.part.id in trial.finding.parts] or lines:
            for part in self._parts(trial, shelf, line):
                yield self._swap(trial, line, part)

    def _swap(self, _: Trial, line: Line, part: Part) -> Edit:
        return SwapPart(line.part.id, part)

    def _parts(self, trial: Trial, shelf: Shelf, line: Line) -> Iterator[Part]:
        limits = self.wanted(trial, line)
        target = self._target(limits, line)
        down = any(limit.field == self.near and limit.low is None and limit.high is not None for limit in limits)

        def offered(count: int, *origins: Origin) -> list[Part]:
            query = Query("", self.category, (*limits, Filter("origin", origins)), self.near, down, count)
            found = (shelf.part(hit.id) for hit in shelf.find(query))
            worth = [part for part in found if part is not None and self._would_do(trial, part, line)]
            return sorted(worth, key=lambda part: (reluctance(part, self.near, target), -(part.year or 0), part.id))

        yield from in_growing_steps(offered(KNOWN, Origin.SHIPPED, Origin.USER), KNOWN_TRIED)
        makers = _makers(shelf, self.category)
        others = offered(LITTLE_KNOWN, Origin.IMPORTED)
        yield from in_growing_steps([part for part in others if part.maker in makers], IMPORTED_TRIED)

    def _would_do(self, trial: Trial, part: Part, line: Line) -> bool:
        return trial.build.line(part.id) is None and is_worth(trial.build, part, line.part)

    def _target(self, limits: Iterable[Filter], line: Line) -> float | None:
        for limit in limits:
            if limit.field == self.near:
                return limit.low if limit.low is not None else limit.high
        return figure(line.part, self.near) if self.near else None


@dataclass(frozen=True, slots=True)
class SwapModules(Swap):
    """Other memory: as many kits as make the modules that there are, and that the board has slots for."""

    def _swap(self, trial: Trial, line: Line, part: Part) -> Edit:
        old, new = line.part.spec, part.spec
        assert isinstance(old, RamSpec)
        assert isinstance(new, RamSpec)
        board = trial.build.motherboard
        slots = board[1].ram_slots if board else None
        modules = line.quantity * (old.modules or 1)
        kits = max(1, min(modules, slots or modules) // (new.modules or 1))
        swap = SwapPart(line.part.id, part)
        if kits == line.quantity:
            return swap
        return Several(f"Swap {line.part.title} for {kits} x {part.title}", (swap, SetQuantity(part.id, kits)))


def in_growing_steps(parts: Sequence[Part], most: int) -> Iterator[Part]:
    """The first ones, then further and further ones: the nearest that does is near the front, and none is too far."""
    at = 0
    for step in range(most):
        if at < len(parts):
            yield parts[at]
        at += max(1, step)


def _makers(shelf: Shelf, category: Category) -> frozenset[str]:
    """Those that the shipped catalogue knows, or the user: others are no names to a builder."""
    known = Filter("origin", (Origin.SHIPPED, Origin.USER))
    hits = shelf.find(Query("", category, (known,), limit=KNOWN))
    return frozenset(part.maker for hit in hits if (part := shelf.part(hit.id)) is not None)


@dataclass(frozen=True, slots=True)
class Add:
    """One more part of a category, or as many as are lacking; `limits` are those of figures for the catalogue.

    The most modest first: the least of `near`.
    """

    category: Category
    near: str = ""
    most: int = 4
    limits: tuple[Filter, ...] = ()
    tried: int = KNOWN_TRIED
    """Kinds of part."""

    def __call__(self, trial: Trial, shelf: Shelf) -> Iterator[Edit]:
        hits = shelf.find(Query("", self.category, self.limits, self.near, limit=KNOWN))
        found = (shelf.part(hit.id) for hit in hits)
        worth = [part for part in found if part is not None and is_worth(trial.build, part)]
        worth.sort(key=lambda part: (*_ends(figure(part, self.near)), reluctance(part, "", None), part.id))
        for quantity in _quantities(trial, self.most):
            for part in worth[: self.tried]:
                yield AddPart(part, quantity)


def _ends(known: float | None) -> tuple[bool, float]:
    """The least first, the unknown last."""
    return known is None, known or 0.0


def one_more(category: Category) -> Maker:
    """One more of what is there already."""

    def more(trial: Trial, _: Shelf) -> Iterator[Edit]:
        for line in _running(trial, category):
            yield SetQuantity(line.part.id, line.quantity + 1)

    return more


def _running(trial: Trial, category: Category) -> list[Line]:
    """What is there and runs at the mains of the build: more of a UPS for 120 V are no help at 230 V."""
    return [line for line in trial.build.of(category) if runs_at(trial.build, line.part)]


def second_supply(trial: Trial, shelf: Shelf) -> Iterator[Edit]:
    """One more of the supplies, where the case has a mount for it, with what starts it together with the first."""
    hits = shelf.find(Query("", Category.CABLE, (Filter("source_kind", ("atx_24pin",)),)))
    build = trial.build
    starters = (part for hit in hits if (part := shelf.part(hit.id)) is not None)
    starter = next((part for part in starters if is_worth(build, part)), None)
    for line, spec in build.psus():
        if spec.cables != () and has_mount_for_one_more(build, line.part):
            again = SetQuantity(line.part.id, line.quantity + 1)
            title = f"Add a further {line.part.title}, and an adapter that starts both together"
            yield again if starter is None else Several(title, (again, AddPart(starter)))


def several_times(category: Category) -> Maker:
    """One more of what is there, then twice as many, four and eight times."""

    def times(trial: Trial, _: Shelf) -> Iterator[Edit]:
        for line in _running(trial, category):
            for quantity in dict.fromkeys((line.quantity + 1, *(line.quantity * factor for factor in (2, 4, 8)))):
                yield SetQuantity(line.part.id, quantity)

    return times


@dataclass(frozen=True, slots=True)
class Fewer:
    """Fewer of what is there, or without it, if the machine runs without."""

    category: Category

    def __call__(self, trial: Trial, _: Shelf) -> Iterator[Edit]:
        lines = trial.build.of(self.category)
        for line in [line for line in lines if line.part.id in trial.finding.parts] or lines:
            for left in range(line.quantity - 1, 0, -1):
                yield SetQuantity(line.part.id, left)
            if len(lines) > 1 or self.category not in NEEDED:
                yield RemovePart(line.part.id)


def _quantities(trial: Trial, most: int) -> list[int]:
    measured, limit = trial.finding.measured, trial.finding.limit
    lacking = abs(round(measured - limit)) if measured is not None and limit is not None else 1
    return sorted({1, min(2, most), min(max(lacking, 1), most)})


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
        known = {field: figure(line.part, field) for field in fields}
        return tuple(Filter(field, low=value) for field, value in known.items() if value is not None)

    return wanted


def more(field: str) -> Wanted:
    """Parts that have more than this one has, as far as that is known."""

    def wanted(_: Trial, line: Line) -> tuple[Filter, ...]:
        known = figure(line.part, field)
        return () if known is None else (Filter(field, low=known * (1 + LEAST_STEP)),)

    return wanted


def less(field: str) -> Wanted:
    """Parts that have less than this one has, as far as that is known."""

    def wanted(_: Trial, line: Line) -> tuple[Filter, ...]:
        known = figure(line.part, field)
        return () if known is None else (Filter(field, high=known * (1 - LEAST_STEP)),)

    return wanted


def one_of(field: str, *values: str) -> Wanted:
    """Parts whose figure is one of these words."""
    return lambda _, __: (Filter(field, values),)


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
