"""For every part of a category: does it fit into this build, added to it or in the place of another part?

The answer is that of check() on the changed build (see `verdict`). A rule is not asked again about a part that agrees
with one before in every figure that was looked at then, comes into the same slots, and stands at the same place in the
order of ids, in which rules and wiring go through a build. For that a proxy part notes which of its figures are looked
at, and goes by any name.
"""

from __future__ import annotations

import gc
import types
from bisect import bisect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache, cached_property
from operator import itemgetter
from typing import Any, Generic, Protocol, TypeVar

from core.advise.add_or_replace import add_or_replace, require_place
from core.advise.fit_verdict import ASKED, TITLE_PLACEHOLDER, Before, FitReason, FitVerdict, refused, verdict
from core.parts.figure import YEARS
from core.parts.figures import SpecColumns, deciding, deciding_for, kind_field
from core.parts.part import Part, Source
from core.parts.specs import CaseSpec, Value, WaterBlockSpec, spec_model
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.placement.best import BOARD_READS
from core.platform.errors import BadInput
from core.rules.context import RuleContext
from core.rules.engine import run
from core.rules.rule import Rule

BESIDE_SPEC = ("maker", "year")
"""Figures of the part itself that are noted like those of its spec."""

T = TypeVar("T")
Model = TypeVar("Model", bound=Value)
Figure = Callable[[str], Any]
"""The value of a figure by its name."""
Codes = tuple[int, ...]
"""Of a part: a number for each figure, equal where figures are equal."""
NO_ANSWER: Any = object()
"""No answer is known yet."""


def proxy_part(category: Category, part_id: str, figure: Figure) -> tuple[Part, set[str]]:
    """A part whose figures are asked of `figure` when they are first looked at; and the names of those looked at."""
    looked: set[str] = set()
    noted = {"_figure": figure, "_looked": looked}
    blank_part, blank_spec = _blank(category)
    spec = blank_spec.__copy__()
    vars(spec).update(noted)
    part = blank_part.__copy__()
    vars(part).update(noted, id=part_id, spec=spec)
    return part, looked


@cache
def _blank(category: Category) -> tuple[Part, Any]:
    """A part and a spec without figures."""
    model = spec_model(category)
    spec: Any = _noting(model).model_construct()
    vars(spec).clear()
    vars(spec)["category"] = category
    part = _noting(Part, title=property(lambda _: TITLE_PLACEHOLDER)).model_construct(
        id="this", maker="", name=TITLE_PLACEHOLDER, spec=spec, sources=(Source(title="the catalogue"),)
    )
    for name in BESIDE_SPEC:
        del vars(part)[name]
    return part, spec


def _noting(model: type[Model], **more: Any) -> type[Model]:
    """The model with values that come, and are noted, when they are first looked at."""

    fields = frozenset(model.model_fields)

    def look(self: Any, name: str) -> Any:
        own = vars(self)
        if name not in fields or "_looked" not in own:
            raise AttributeError(name)
        own["_looked"].add(name)
        own[name] = value = own["_figure"](name)
        return value

    own = {"__getattr__": look, "__eq__": object.__eq__, "__hash__": object.__hash__, "__module__": __name__, **more}
    noting: type[Model] = types.new_class(model.__name__, (model,), exec_body=lambda body: body.update(own))
    return noting


class EquivalenceCache(Generic[T]):
    """Answers of one question that depends on nothing but figures of the part.

    A part has the answer of another if it agrees with it in the figures that were looked at for that one: with these
    alike, the same figures are looked at, and the same is found.
    """

    __slots__ = ("_answers",)

    def __init__(self) -> None:
        self._answers: dict[Codes, tuple[Callable[[Codes], Any], dict[Any, T]]] = {}

    def find(self, codes: Codes) -> T:
        """The answer for a part, `NO_ANSWER` if none is known."""
        for key, answers in self._answers.values():
            answer: T = answers.get(key(codes), NO_ANSWER)
            if answer is not NO_ANSWER:
                return answer
        nothing: T = NO_ANSWER
        return nothing

    def keep(self, places: Codes, codes: Codes, answer: T) -> None:
        """The answer for all parts with the same codes at these places."""
        if places not in self._answers:
            self._answers[places] = (itemgetter(*places) if places else _any_part), {}
        key, answers = self._answers[places]
        answers[key(codes)] = answer


def _any_part(_codes: Codes) -> None:
    """The key of an answer for which no figure was looked at."""


# Which parts are listed first: those sold today before discontinued ones, then those with the most known figures.

SEEN_IN_SHOPS = ("street", "own")
"""Kinds of price that show that the part was sold on that day; a list keeps parts long after."""
SOLD_FOR_YEARS = 5
"""A part that came out longer ago counts as discontinued unless somebody noted a newer price; our own choice. Where it
is known that its sale ended, that holds."""
RANK_FIELDS: dict[Category, tuple[str, ...]] = {
    category: tuple(sorted({*deciding(category), *YEARS, "price", *filter(None, (kind_field(category),))}))
    for category in Category
}
"""The fields that `part_ranks` needs columns of, by category."""
PartRank = tuple[int, int]
"""0 sold today, 1 not known, 2 discontinued; and how many deciding figures are unknown. The smaller, the earlier."""


def part_ranks(category: Category, columns: SpecColumns, today: date) -> list[PartRank]:
    """The rank of each kind in `columns`, which hold the RANK_FIELDS of the category.

    `today` decides which parts count as discontinued.
    """
    sale_columns = [columns.by_field[name] for name in ("year", "discontinued", "price")]
    kinds = [*zip(*(column.codes for column in sale_columns), strict=True)]
    sales = {
        codes: _sale(*(column.values[code] for column, code in zip(sale_columns, codes, strict=True)), today=today)
        for codes in {*kinds}
    }
    unknown = _unknown(category, columns)
    return [(sales[codes], unknown[kind]) for kind, codes in enumerate(kinds)]


def _unknown(category: Category, columns: SpecColumns) -> list[int]:
    """How many of the deciding figures of each kind are unknown."""
    field = kind_field(category)
    sorts = columns.by_field[field] if field else None
    counts = [0] * columns.count
    for name in deciding(category):
        column = columns.by_field[name]
        applies = [name in deciding_for(category, value) for value in (sorts.values if sorts else (None,))]
        lacks = [value is None for value in column.values]
        if any(lacks):
            for kind, code in enumerate(column.codes):
                counts[kind] += lacks[code] and applies[sorts.codes[kind] if sorts else 0]
    return counts


def _sale(year: int | None, discontinued: int | None, price: dict[str, Any] | None, *, today: date) -> int:
    if discontinued is not None and discontinued <= today.year:
        return 2
    seen = date.fromisoformat(price["as_of"]).year if price and price["kind"] in SEEN_IN_SHOPS else None
    latest = max((one for one in (year, seen) if one is not None), default=None)
    if latest is None:
        return 1
    return 0 if today.year - latest <= SOLD_FOR_YEARS else 2


PLACING = {
    Category.GPU: ("form", "width_slots", "pcie_lanes", "cooling", "product"),
    Category.NIC: ("width_slots", "pcie_lanes"),
    Category.WATER_BLOCK: ("width_slots", "fits_parts", "fits_products"),
    Category.MOTHERBOARD: BOARD_READS,
}
"""Figures by which an edit chooses the slots of a card."""
Reasons = tuple[FitReason, ...]


class ColumnSource(Protocol):
    """The catalogue, as far as this needs it."""

    def columns(self, category: Category, fields: tuple[str, ...]) -> SpecColumns: ...


def fits(
    build: Build, category: Category, catalogue: ColumnSource, replaced: str | None = None
) -> dict[str, FitVerdict]:
    """By id of every part of the category: does it fit? `replaced` is the id of the part in whose place it would come;
    None: beside what is there. Raises BadInput when nothing can be put in like this."""
    with collector_at_rest():
        question = WhatFits(build, category, catalogue, replaced)
        return {part_id: question.verdict(part_id) for part_id in question.ids}


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Thousands of values are made that all stay to the end: looking for garbage takes longer than the answer."""
    awake = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if awake:
            gc.enable()


class WhatFits:
    """One build, one category, one way to put a part in. A verdict is found when it is asked for."""

    def __init__(
        self, build: Build, category: Category, catalogue: ColumnSource, replaced: str | None = None, quantity: int = 1
    ) -> None:
        """`quantity` of a part that is added. Raises BadInput when nothing can be put in like this."""
        require_place(build, category, replaced)
        self._build, self._category, self._replaced, self._quantity = build, category, replaced, quantity
        self._columns = catalogue.columns(category, tuple(sorted({*figures_of(category), *RANK_FIELDS[category]})))
        self._kinds = dict(zip(self._columns.ids, self._columns.kinds, strict=True))
        self._codes = [self._columns.by_field[name].codes for name in figures_of(category)]
        self._now = RuleContext(build)
        self._findings = {rule.id: run(rule, self._now) for rule in ASKED}
        self._before = Before((one for findings in self._findings.values() for one in findings), replaced)
        self._titles = {line.part.id: line.part.title for line in build.lines}
        self._others = sorted(line.part.id for line in build.lines if line.part.id != replaced)
        self._named = _named(build)
        self._positions: dict[Any, EquivalenceCache[Any]] = {}
        self._answers: dict[Any, list[EquivalenceCache[Reasons]]] = {}
        self._verdicts: dict[Reasons, FitVerdict] = {}
        self._ranks: list[PartRank] | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """All parts of the category."""
        return self._columns.ids

    def __contains__(self, part_id: str) -> bool:
        return part_id in self._kinds

    def verdict(self, part_id: str) -> FitVerdict:
        """Whether the part fits. Raises KeyError for a part that the category does not have."""
        line = self._build.line(part_id)
        try:
            reasons = self._of_another(part_id) if line is None else self._of_one_inside(line.part)
        except BadInput as error:
            return refused(str(error))
        if reasons not in self._verdicts:
            self._verdicts[reasons] = verdict(reasons)
        return self._verdicts[reasons]

    def rank(self, part_id: str, today: date) -> PartRank:
        """How soon the part is worth looking at, whether it fits or not: the smaller, the sooner."""
        if self._ranks is None:
            self._ranks = part_ranks(self._category, self._columns, today)
        return self._ranks[self._kinds[part_id]]

    def _of_one_inside(self, part: Part) -> Reasons:
        """Of a part that the build has already: more of it, or, in its own place, the build as it stands."""
        if part.id == self._replaced:
            machine = self._now
        else:
            edit = add_or_replace(self._build, part, self._replaced, self._quantity)
            machine = RuleContext(edit.apply(self._build), self._now)
        return tuple(reason for rule in ASKED for reason in self._counting(rule, machine, part.id))

    def _of_another(self, part_id: str) -> Reasons:
        kind = self._kinds[part_id]
        codes = tuple([of[kind] for of in self._codes])
        place = part_id if part_id in self._named else bisect(self._others, part_id)
        tried = _Tried(self, part_id, kind)
        position = place, self._position(tried, place, codes)
        if position not in self._answers:
            self._answers[position] = [EquivalenceCache() for _ in ASKED]
        reasons: list[FitReason] = []
        for (rule, reads), shared in zip(_asked_about(self._category), self._answers[position], strict=True):
            answer = shared.find(codes)
            if answer is NO_ANSWER:
                answer = self._counting(rule, tried.machine, part_id)
                shared.keep(_places(self._category, tried.looked & reads), codes, answer)
            reasons += answer
        return tuple(reasons)

    def _position(self, tried: _Tried, place: Any, codes: Codes) -> Any:
        """What the edit does to the lines beside bringing the part: slots, risers, who feeds what, the limit kept."""
        shared = self._positions.setdefault(place, EquivalenceCache())
        position = shared.find(codes)
        if position is NO_ANSWER:
            lines = tried.build.lines
            position = tuple((one.quantity, one.slots, one.risers, one.psus, one.power_limit_w) for one in lines)
            shared.keep(_places(self._category, tried.looked), codes, position)
        return position

    def _counting(self, rule: Rule[Any], machine: RuleContext, part_id: str) -> Reasons:
        findings = self._findings[rule.id] if machine is self._now else run(rule, machine)
        return tuple(self._before.counting(findings, part_id, self._titles))


class _Tried:
    """The build with a part put in, made when it is first needed."""

    def __init__(self, question: WhatFits, part_id: str, kind: int) -> None:
        self._question = question
        self.part_id = part_id
        self._kind = kind
        self.looked: set[str] = set()
        """Figures of the part that were looked at."""

    @cached_property
    def build(self) -> Build:
        """With the part."""
        of = self._question
        part, self.looked = proxy_part(of._category, self.part_id, self._figure)
        return add_or_replace(of._build, part, of._replaced, of._quantity).apply(of._build)

    @cached_property
    def machine(self) -> RuleContext:
        """As the rules see it."""
        return RuleContext(self.build, self._question._now)

    def _figure(self, name: str) -> Any:
        category = self._question._category
        assert name in figures_of(category), f"a rule looks at {name} of a {category} without saying so"
        return self._question._columns.value(name, self._kind)


@cache
def figures_of(category: Category) -> tuple[str, ...]:
    """All figures of a category that decide whether a part fits."""
    read = {field for rule in ASKED for field in _read_by(rule, category)}
    return tuple(sorted(read | {*PLACING.get(category, ())}))


@cache
def _asked_about(category: Category) -> tuple[tuple[Rule[Any], frozenset[str]], ...]:
    """The rules with what each reads of the category. Those that read the least come first: what a machine works out
    for several of them, such as the wiring, is laid to the account of all that follow."""
    reads = [(rule, _read_by(rule, category)) for rule in ASKED]
    return tuple(sorted(reads, key=lambda pair: (len(pair[1]), len(pair[0].reads))))


@cache
def _read_by(rule: Rule[Any], category: Category) -> frozenset[str]:
    fields = (name.partition(".") for name in rule.looks_at)
    return frozenset({field for whose, _, field in fields if whose == category} | {*BESIDE_SPEC})


def _places(category: Category, fields: set[str] | frozenset[str]) -> Codes:
    return tuple(place for place, name in enumerate(figures_of(category)) if name in fields)


def _named(build: Build) -> frozenset[str]:
    """Ids of parts that other things of the build name, and which are therefore like no other part."""
    measured = build.calibration
    tables = (measured.resistance, measured.blocks, measured.radiators, measured.fans_later_k)
    named = {measured.flow_case, *(own for table in tables for own, _ in table)}
    for line in build.lines:
        match line.part.spec:
            case WaterBlockSpec(fits_parts=parts) | CaseSpec(sold_with=parts):
                named |= {*(parts or ())}
    return frozenset(named)
