"""For every part of a category: would putting it into this build make something fail that does not fail now?

A rule is asked once for all parts that are alike in every figure that it reads. Such parts also come in alike: into
the same slots, and to the same place in the order of the build's lines.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

from core.advise.putting_in import putting_in, replaced_by
from core.advise.stand_in import name_of, stand_in
from core.build.build import CARDS, Build
from core.parts.columns import Columns
from core.parts.part import Part
from core.parts.specs import WaterBlockSpec, spec_model
from core.parts.vocabulary import Category
from core.rules.engine import run
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.registry import RULES
from core.rules.rule import Rule

PLACING = {
    Category.GPU: ("form", "width_slots", "pcie_lanes"),
    Category.NIC: ("width_slots", "pcie_lanes"),
}
"""Figures by which an edit chooses the slots of a card."""


class Shelf(Protocol):
    """The catalogue, as far as this needs it."""

    def columns(self, category: Category, fields: tuple[str, ...]) -> Columns: ...


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A rule that would fail, and how it says so of "this GPU"."""

    rule: str
    sentence: str


@dataclass(frozen=True, slots=True)
class _Alike:
    """Parts alike in every figure that any rule reads, which also come into the build alike."""

    ids: list[str]
    kind: int
    """Their number in the columns."""
    seat: int


def fits(build: Build, category: Category, shelf: Shelf, selected: tuple[str, ...] = ()) -> dict[str, Obstacle | None]:
    """By id of every part of the category: what would fail with it, None if nothing would.

    A part that the build has already fits. `selected` are ids of the build's parts that would be replaced.
    """
    return _Question(build, category, shelf, selected).answer()


_Answers = dict[tuple[str, ...], dict[tuple[int, ...], Obstacle | None]]
"""By the figures looked at: by the codes of those figures."""


class _Question:
    """One build, one category."""

    def __init__(self, build: Build, category: Category, shelf: Shelf, selected: tuple[str, ...]) -> None:
        self._build, self._category, self._selected = build, category, selected
        replaced = replaced_by(build, category, selected)
        ids = [line.part.id for line in build.lines]
        self._at = ids.index(replaced) if replaced else len(ids)
        """Where the part stands among the lines: of the one it replaces, or behind all."""
        self._place = _places(build, category, replaced)
        self._seated: dict[int, Build] = {}
        self._columns = shelf.columns(category, _fields(category))
        self._machine = Machine(build)
        self._failing = _failures(self._machine)
        self._machines: dict[Any, tuple[Machine, set[str]]] = {}

    def answer(self) -> dict[str, Obstacle | None]:
        found: dict[str, Obstacle | None] = dict.fromkeys(self._columns.ids)
        left = self._alike()
        for rule in self._rules():
            answers = self._answers(rule, left)
            if any(answers):
                for parts, obstacle in zip(left, answers, strict=True):
                    if obstacle:
                        found.update(dict.fromkeys(parts.ids, obstacle))
                left = [parts for parts, obstacle in zip(left, answers, strict=True) if not obstacle]
        return found

    def _answers(self, rule: Rule[Any], asked: list[_Alike]) -> list[Obstacle | None]:
        """What the rule says of each, asked once for all that agree in the figures that it looked at."""
        fields = _read_of(rule, self._category)
        group = self._columns.groups(fields)
        by_group: dict[tuple[int, int], Obstacle | None] = {}
        by_looks: _Answers = {}
        for parts in asked:
            key = (group[parts.kind], parts.seat)
            if key not in by_group:
                by_group[key] = self._answer(rule, fields, parts, by_looks)
        return [by_group[group[parts.kind], parts.seat] for parts in asked]

    def _answer(self, rule: Rule[Any], fields: tuple[str, ...], parts: _Alike, by_looks: _Answers) -> Obstacle | None:
        for looks, answers in by_looks.items():
            if (key := self._codes(looks, parts)) in answers:
                return answers[key]
        machine, looked = self._tried(fields, parts)
        answer = self._ask(rule, machine)
        looks = tuple(sorted(looked))
        assert looked <= self._columns.by_field.keys(), f"{rule.id} reads {looks} of a {self._category} unsaid"
        by_looks.setdefault(looks, {})[self._codes(looks, parts)] = answer
        return answer

    def _codes(self, fields: tuple[str, ...], parts: _Alike) -> tuple[int, ...]:
        by_field = self._columns.by_field
        return (parts.seat, *[by_field[name].codes[parts.kind] for name in fields])

    def _rules(self) -> list[Rule[Any]]:
        """The rules that tell the fewest parts apart first: what fails with one of them need not be asked of others."""
        return sorted(_asked(), key=lambda rule: len(rule.reads))

    def _alike(self) -> list[_Alike]:
        """All parts that are not in the build, by figures, slots and place in the order."""
        members: dict[tuple[int, Any], list[str]] = {}
        inside = {line.part.id for line in self._build.lines}
        for part_id, kind in zip(self._columns.ids, self._columns.kinds, strict=True):
            if part_id not in inside:
                members.setdefault((kind, self._place(part_id)), []).append(part_id)
        shapes = self._columns.groups(PLACING.get(self._category, ()))
        builds: dict[int, Build] = {}
        seats: dict[Any, int] = {}
        found = []
        for (kind, where), ids in members.items():
            if shapes[kind] not in builds:
                builds[shapes[kind]] = self._put_in(ids[0], kind)
            build = builds[shapes[kind]]
            seat = seats.setdefault((build.lines[self._at].slots, where), len(seats))
            self._seated.setdefault(seat, build)
            found.append(_Alike(ids, kind, seat))
        return found

    def _put_in(self, part_id: str, kind: int) -> Build:
        part, _ = self._stand_in(part_id, kind, ())
        edit = putting_in(self._build, part, self._selected)
        assert edit is not None  # only parts that the build lacks are asked about
        return edit.apply(self._build)

    def _ask(self, rule: Rule[Any], machine: Machine) -> Obstacle | None:
        failed = sorted(finding.message for finding in run(rule, machine) if finding.status is Status.FAIL)
        if len(failed) <= self._failing[rule.id]:
            return None
        own = name_of(self._category)
        told = next((message for message in failed if own in message), failed[0])
        return Obstacle(rule.id, _sentence(told, own))

    def _tried(self, fields: tuple[str, ...], parts: _Alike) -> tuple[Machine, set[str]]:
        """The build with a stand-in, and what of it was looked at; rules that read the same figures share it."""
        key = (fields, self._codes(fields, parts))
        if key not in self._machines:
            part, looked = self._stand_in(parts.ids[0], parts.kind, fields)
            lines = list(self._seated[parts.seat].lines)
            lines[self._at] = replace(lines[self._at], part=part)
            looked.clear()
            self._machines[key] = Machine(self._build.with_lines(tuple(lines)), self._machine), looked
        return self._machines[key]

    def _stand_in(self, part_id: str, kind: int, fields: tuple[str, ...]) -> tuple[Part, set[str]]:
        wanted = {*PLACING.get(self._category, ()), *fields}
        return stand_in(self._category, part_id, {name: self._columns.value(name, kind) for name in wanted})


def _failures(machine: Machine) -> Counter[str]:
    """How often each rule fails."""
    return Counter(finding.rule for rule in _asked() for finding in run(rule, machine) if finding.status is Status.FAIL)


@cache
def _asked() -> tuple[Rule[Any], ...]:
    """The rules that can fail."""
    return tuple(rule for rule in RULES if rule.can_fail)


@cache
def _fields(category: Category) -> tuple[str, ...]:
    """All figures of a category that decide whether a part fits."""
    read = {field for rule in _asked() for field in _read_of(rule, category)}
    return tuple(sorted(read | set(PLACING.get(category, ()))))


@cache
def _read_of(rule: Rule[Any], category: Category) -> tuple[str, ...]:
    if not rule.reads:  # it has not said yet what it reads
        return tuple(sorted(name for name in spec_model(category).model_fields if name != "category"))
    return tuple(sorted(name.partition(".")[2] for name in rule.reads if name.partition(".")[0] == category))


def _places(build: Build, category: Category, replaced: str | None) -> Callable[[str], tuple[int, str]]:
    """What of an id a rule may tell apart: lines stand in the order of ids, and water blocks name cards by id."""
    alike = CARDS if category in CARDS else (category,)
    others = sorted(line.part.id for line in build.lines if line.part.category in alike and line.part.id != replaced)
    blocks = build.of(Category.WATER_BLOCK) if category is Category.GPU else ()
    named = frozenset(_named_by(line.part for line in blocks))
    return lambda part_id: (bisect(others, part_id), part_id if part_id in named else "")


def _named_by(blocks: Iterable[Part]) -> Iterator[str]:
    for block in blocks:
        assert isinstance(block.spec, WaterBlockSpec)
        yield from block.spec.fits_parts or ()


def _sentence(message: str, own: str) -> str:
    """A capital where a sentence begins with the part."""
    told = message.replace(f". {own}", f". {_begun(own)}")
    return _begun(told) if told.startswith(own) else told


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]
