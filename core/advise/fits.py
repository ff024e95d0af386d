"""For every part of a category: would putting it into this build make something fail that does not fail now?

A rule is asked once for all parts that are alike in every figure that it reads. Such parts also come in alike: into
the same slots, and to the same place in the order of the build's lines.
"""

from __future__ import annotations

import gc
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from math import ceil
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.advise.alike import BY_NAME, PLACING, SCALES, WHOLE, Scale, blind, places, products_named
from core.advise.putting_in import putting_in, replaced_by
from core.advise.stand_in import name_of, stand_in
from core.build.build import Build
from core.parts.columns import Columns, Numbers
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.rules.engine import run
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.registry import RULES
from core.rules.rule import Rule, whole

Flags = NDArray[np.bool_]


class Shelf(Protocol):
    """The catalogue, as far as this needs it."""

    def columns(self, category: Category, fields: tuple[str, ...]) -> Columns: ...


class Obstacle:
    """A rule that would fail; how it says so of "this GPU" is worked out when somebody reads it."""

    def __init__(self, rule: str, say: Callable[[], str]) -> None:
        self.rule = rule
        self._say = say

    @cached_property
    def sentence(self) -> str:
        """What the rule would say."""
        return self._say()


@dataclass(frozen=True, slots=True)
class _Alike:
    """Parts alike in every figure that any rule reads, which also come into the build alike."""

    ids: list[str]
    kind: int
    """Their number in the columns."""
    seat: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything that is asked about, with kinds and seats as columns."""

    parts: list[_Alike]
    kinds: Numbers
    seats: Numbers

    @classmethod
    def of(cls, parts: list[_Alike]) -> _Asked:
        kinds, seats = ([getattr(alike, name) for alike in parts] for name in ("kind", "seat"))
        return cls(parts, np.array(kinds, dtype=np.int64), np.array(seats, dtype=np.int64))


def fits(build: Build, category: Category, shelf: Shelf, selected: tuple[str, ...] = ()) -> dict[str, Obstacle | None]:
    """By id of every part of the category: what would fail with it, None if nothing would.

    A part that the build has already fits. `selected` are ids of the build's parts that would be replaced.
    """
    with _collector_at_rest():
        return _Question(build, category, shelf, selected).answer()


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Thousands of values are made that all stay to the end: looking for garbage is a third of the time."""
    awake = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if awake:
            gc.enable()


_Answers = dict[tuple[str, ...], dict[tuple[int, ...], bool]]
"""By the figures looked at: by the codes of those figures."""


class _Question:
    """One build, one category."""

    def __init__(self, build: Build, category: Category, shelf: Shelf, selected: tuple[str, ...]) -> None:
        self._build, self._category, self._selected = build, category, selected
        replaced = replaced_by(build, category, selected)
        ids = [line.part.id for line in build.lines]
        self._at = ids.index(replaced) if replaced else len(ids)
        """Where the part stands among the lines: of the one it replaces, or behind all."""
        self._place = places(build, category, replaced)
        self._named = frozenset(products_named(build))
        self._seated: dict[int, Build] = {}
        self._columns = shelf.columns(category, _fields(category))
        self._machine = Machine(build)
        self._failing = {rule.id: len(_failed(rule, self._machine)) for rule in _asked()}
        self._machines: dict[Any, tuple[Machine, set[str]]] = {}

    def answer(self) -> dict[str, Obstacle | None]:
        found: dict[str, Obstacle | None] = dict.fromkeys(self._columns.ids)
        asked = _Asked.of(self._alike())
        left = np.arange(len(asked.parts))
        for rule in self._rules():
            failing = self._failing_of(rule, asked, left) if len(left) else None
            if failing is not None:
                for number in left[failing]:
                    obstacle = Obstacle(rule.id, partial(self._say, rule, asked.parts[number]))
                    found.update(dict.fromkeys(asked.parts[number].ids, obstacle))
                left = left[~failing]
        self._machines.clear()
        return found

    def _failing_of(self, rule: Rule[Any], asked: _Asked, left: Numbers) -> Flags | None:
        """Whether the rule fails with each of `left`; None if with none. Asked once for all alike in what it reads."""
        if rule.subjects is whole and self._failing[rule.id]:
            return None  # one question, which fails already
        fields = _read_of(rule, self._category)
        scale = SCALES.get((rule.id, self._category))
        group = self._columns.groups(tuple(name for name in fields if scale is None or name != scale.field))
        steps, values = self._steps(scale)
        kinds = asked.kinds[left]
        keys = (group[kinds] * (asked.seats.max() + 1) + asked.seats[left]) * len(values) + steps[kinds]
        different, first, which = np.unique(keys, return_index=True, return_inverse=True)
        ladders: dict[int, dict[float | None, int]] = {}
        for number, key in enumerate(different.tolist()):
            ladders.setdefault(key // len(values), {})[values[key % len(values)]] = number
        answers: _Answers = {}
        failing = np.zeros(len(different), dtype=np.bool_)
        for ladder in ladders.values():
            alike = {value: asked.parts[left[first[number]]] for value, number in ladder.items()}
            for value in self._failing_rungs(rule, fields, alike, answers):
                failing[ladder[value]] = True
        return failing[which] if failing.any() else None

    def _steps(self, scale: Scale | None) -> tuple[Numbers, list[float | None]]:
        """For each kind its place among the values of the scale's figure, the worse the greater; all alike without."""
        if scale is None:
            return np.zeros(self._columns.count, dtype=np.int64), [None]
        column = self._columns.by_field[scale.field]
        values = [None if value is None else scale.sign * value for value in column.values]
        return np.array(column.codes, dtype=np.int64), values

    def _failing_rungs(
        self, rule: Rule[Any], fields: tuple[str, ...], ladder: dict[float | None, _Alike], answers: _Answers
    ) -> set[float | None]:
        """Where a rule fails with one value, it does with all that are worse: the first is found by halving."""

        def fails(value: float | None) -> bool:
            return self._fails(rule, fields, ladder[value], answers)

        known = sorted(value for value in ladder if value is not None)
        failing: set[float | None] = set(known[bisect_left(known, True, key=fails) :])
        return failing | ({None} if None in ladder and fails(None) else set())

    def _fails(self, rule: Rule[Any], fields: tuple[str, ...], parts: _Alike, answers: _Answers) -> bool:
        for looks, known in answers.items():
            if (key := self._codes(looks, parts, rule.id)) in known:
                return known[key]
        machine, looked = self._tried(fields, parts)
        fails = len(_failed(rule, machine)) > self._failing[rule.id]
        looks = tuple(sorted(looked))
        assert looked <= self._columns.by_field.keys(), f"{rule.id} reads {looks} of a {self._category} unsaid"
        answers.setdefault(looks, {})[self._codes(looks, parts, rule.id)] = fails
        return fails

    def _say(self, rule: Rule[Any], parts: _Alike) -> str:
        machine, _ = self._tried(_read_of(rule, self._category), parts)
        failed = _failed(rule, machine)
        own = name_of(self._category)
        return _sentence(next((message for message in failed if own in message), failed[0]), own)

    def _codes(self, fields: tuple[str, ...], parts: _Alike, rule: str = "") -> tuple[int, ...]:
        """The seat and the codes of these figures; what the rule does not tell apart has one code."""
        by_field, same = self._columns.by_field, blind(self._build, rule, self._category)
        codes = [-1 if name in same else by_field[name].codes[parts.kind] for name in fields]
        if rule in BY_NAME and "product" in fields and self._columns.value("product", parts.kind) not in self._named:
            codes[fields.index("product")] = -1
        rounded = WHOLE.get((rule, self._category))
        if rounded in fields and (value := self._columns.value(rounded, parts.kind)) is not None:
            codes[fields.index(rounded)] = -1 - ceil(value)
        return (parts.seat, *codes)

    def _rules(self) -> list[Rule[Any]]:
        """The rules that tell the fewest parts apart first: what fails with one of them need not be asked of others."""
        return sorted(_asked(), key=lambda rule: (len(_read_of(rule, self._category)), len(rule.reads)))

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

    def _tried(self, fields: tuple[str, ...], parts: _Alike) -> tuple[Machine, set[str]]:
        """The build with a stand-in, and what of it was looked at; rules that read like figures share it."""
        shown = _most_read_with(fields, self._category)
        key = (shown, self._codes(shown, parts))
        if key not in self._machines:
            part, looked = self._stand_in(parts.ids[0], parts.kind, shown)
            lines = list(self._seated[parts.seat].lines)
            lines[self._at] = replace(lines[self._at], part=part)
            looked.clear()
            self._machines[key] = Machine(self._build.with_lines(tuple(lines)), self._machine), looked
        return self._machines[key]

    def _stand_in(self, part_id: str, kind: int, fields: tuple[str, ...]) -> tuple[Part, set[str]]:
        wanted = {*PLACING.get(self._category, ()), *fields}
        return stand_in(self._category, part_id, {name: self._columns.value(name, kind) for name in wanted})


def _failed(rule: Rule[Any], machine: Machine) -> list[str]:
    return sorted(finding.message for finding in run(rule, machine) if finding.status is Status.FAIL)


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
    return tuple(sorted(name.partition(".")[2] for name in rule.reads if name.partition(".")[0] == category))


@cache
def _most_read_with(fields: tuple[str, ...], category: Category) -> tuple[str, ...]:
    """The most figures that any rule reads which reads these: one stand-in that shows them serves all such rules."""
    every = (_read_of(rule, category) for rule in _asked())
    return max((read for read in every if set(read) >= set(fields)), key=len)


def _sentence(message: str, own: str) -> str:
    """A capital where a sentence begins with the part."""
    told = message.replace(f". {own}", f". {_begun(own)}")
    return _begun(told) if told.startswith(own) else told


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]
