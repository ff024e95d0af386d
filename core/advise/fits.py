"""For every part of a category: would putting it into this build make something fail that does not fail now?

A rule is asked once for all parts that it sees alike in every figure that it reads. Such parts also come in alike:
into the same slots, and to the same place in the order of the build's lines. Where one figure has many values, the
worst and the best are asked first: mostly they answer for all between.
"""

from __future__ import annotations

import gc
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from math import inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.advise.alike import PLACING, Scale, asked_once, scale
from core.advise.candidates import Candidates
from core.advise.seen import Seen
from core.advise.stand_in import name_of
from core.build.build import Build
from core.parts.columns import Columns, Numbers
from core.parts.vocabulary import Category
from core.rules.engine import failures
from core.rules.machine import Machine
from core.rules.registry import RULES
from core.rules.rule import Rule

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


CABLES = "psu.cables"
"""Who reads it asks for the wiring."""


@dataclass(slots=True)
class _Span:
    """What is known of a rule and of parts alike to it but for the figure of its scale, as values of that figure."""

    passes: float = -inf
    """Up to this value it does not fail."""
    fails: float = inf
    """From this value on it does."""
    unknown: bool | None = None
    """Whether it fails with the figure unknown, or where no figure has a scale."""

    def told(self, value: float | None) -> bool | None:
        """Whether the rule fails with this value; None if that is not known yet."""
        if value is None:
            return self.unknown
        return True if value >= self.fails else False if value <= self.passes else None

    def learn(self, value: float | None, *, fails: bool) -> None:
        if value is None:
            self.unknown = fails
        elif fails:
            self.fails = min(self.fails, value)
        else:
            self.passes = max(self.passes, value)


_Answers = dict[tuple[str, ...], tuple[list[tuple[int, ...]], dict[tuple[int, ...], _Span]]]
"""By the figures looked at, but for that of the scale: their codes, and what is known by the seat and these codes."""


class _Question:
    """One build, one category."""

    def __init__(self, build: Build, category: Category, shelf: Shelf, selected: tuple[str, ...]) -> None:
        self._build, self._category = build, category
        self._columns = shelf.columns(category, _fields(category))
        self._seen = Seen(build, category, self._columns)
        self._candidates = Candidates(build, category, selected, self._seen)
        self._kinds, self._seats = self._candidates.kinds.tolist(), self._candidates.seats.tolist()
        self._machine = Machine(build)
        self._failing = {rule.id: len(failures(rule, self._machine)) for rule in _asked()}
        self._machines: dict[tuple[tuple[str, ...], int, int], tuple[Machine, set[str]]] = {}

    def answer(self) -> dict[str, Obstacle | None]:
        obstacles: list[Obstacle | None] = [None] * (len(self._kinds) + 1)  # the last for those that are in
        left = np.arange(len(self._kinds))
        for rule in self._rules():
            failing = self._failing_of(rule, left) if len(left) else None
            if failing is not None:
                for row in left[failing].tolist():
                    obstacles[row] = Obstacle(rule.id, partial(self._say, rule, row))
                left = left[~failing]
        self._machines.clear()
        rows = self._candidates.rows.tolist()
        return {part_id: obstacles[row] for part_id, row in zip(self._columns.ids, rows, strict=True)}

    def _failing_of(self, rule: Rule[Any], left: Numbers) -> Flags | None:
        """Whether the rule fails with each of `left`; None if with none. Asked once for all that it sees alike."""
        if self._failing[rule.id] and asked_once(self._build, rule):
            return None
        along = scale(self._build, rule.id, self._category)
        fields = _read_of(rule, self._category)
        group = self._seen.groups(rule.id, [name for name in fields if along is None or name != along.field])
        steps, values = self._steps(rule, along)
        kinds, seats = self._candidates.kinds[left], self._candidates.seats[left]
        keys = (group[kinds] * (seats.max() + 1) + seats) * len(values) + steps[kinds]
        different, first, which = np.unique(keys, return_index=True, return_inverse=True)
        ladders: dict[int, list[tuple[float | None, int]]] = {}
        for number, key in enumerate(different.tolist()):
            ladders.setdefault(key // len(values), []).append((values[key % len(values)], number))
        ask = partial(self._fails, rule, along, left[first].tolist(), _Answers())
        failing = np.zeros(len(different), dtype=np.bool_)
        near = inf  # where the ladder before began to fail: mostly the next does there, too
        for ladder in ladders.values():
            failing[[rung[1] for rung in ladder if rung[0] is None and ask(rung)]] = True
            known = sorted((value, number) for value, number in ladder if value is not None)
            least = _first_failing(known, ask, near) if known else 0
            if least < len(known):
                failing[[number for _, number in known[least:]]] = True
                near = known[least][0] if least else min(near, known[0][0])
        return failing[which] if failing.any() else None

    def _steps(self, rule: Rule[Any], along: Scale | None) -> tuple[Numbers, list[float | None]]:
        """For each kind its place among the values of the scale's figure, the worse the greater; all alike without."""
        if along is None:
            return np.zeros(self._columns.count, dtype=np.int64), [None]
        column = self._seen.column(rule.id, along.field)
        values = [None if value is None else along.sign * value for value in column.values]
        return np.array(column.codes, dtype=np.int64), values

    def _fails(
        self, rule: Rule[Any], along: Scale | None, rows: list[int], answers: _Answers, rung: tuple[float | None, int]
    ) -> bool:
        value, row = rung[0], rows[rung[1]]
        for codes, known in answers.values():
            span = known.get(self._key(row, codes))
            told = None if span is None else span.told(value)
            if told is not None:
                return told
        machine, looked = self._tried(rule, row)
        fails = len(failures(rule, machine)) > self._failing[rule.id]
        looks = tuple(sorted(name for name in looked if along is None or name != along.field))
        assert looked <= self._columns.by_field.keys(), f"{rule.id} reads {looks} of a {self._category} unsaid"
        codes, known = answers.setdefault(looks, ([self._seen.column(rule.id, name).codes for name in looks], {}))
        known.setdefault(self._key(row, codes), _Span()).learn(value, fails=fails)
        return fails

    def _key(self, row: int, codes: list[tuple[int, ...]]) -> tuple[int, ...]:
        kind = self._kinds[row]
        return (self._seats[row], *[of[kind] for of in codes])

    def _say(self, rule: Rule[Any], row: int) -> str:
        machine, _ = self._tried(rule, row)
        failed = sorted(failures(rule, machine))
        own = name_of(self._category)
        return _sentence(next((message for message in failed if own in message), failed[0]), own)

    def _rules(self) -> list[Rule[Any]]:
        """Those that tell the fewest parts apart first: what fails with one of them need not be asked of others.

        Those for which the machine must be wired come last: a wiring takes longer than all else.
        """
        read = {rule: len(_read_of(rule, self._category)) for rule in _asked()}
        return sorted(_asked(), key=lambda rule: (CABLES in rule.reads, read[rule], len(rule.reads)))

    def _tried(self, rule: Rule[Any], row: int) -> tuple[Machine, set[str]]:
        """The build with a stand-in, and what of it was looked at; rules that read like figures share it."""
        shown = _read_of(rule, self._category)
        key = (shown, self._seats[row], int(self._columns.groups(shown)[self._kinds[row]]))
        if key not in self._machines:
            build, looked = self._candidates.with_one(row, shown)
            self._machines[key] = Machine(build, self._machine), looked
        return self._machines[key]


def _first_failing(known: list[tuple[float, int]], fails: Callable[[tuple[float, int]], bool], near: float) -> int:
    """The place from which on all fail, looked for `near` a value first, then at the ends: mostly it is one of them."""
    place = min(bisect_left(known, (near,)), len(known) - 1)
    if not fails(known[place]):
        if place == len(known) - 1 or not fails(known[-1]):
            return len(known)
        return bisect_left(known, True, place + 1, len(known) - 1, key=fails)
    if place == 0 or not fails(known[place - 1]):
        return place
    return 0 if fails(known[0]) else bisect_left(known, True, 1, place - 1, key=fails)


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


def _sentence(message: str, own: str) -> str:
    """A capital where a sentence begins with the part."""
    told = message.replace(f". {own}", f". {_begun(own)}")
    return _begun(told) if told.startswith(own) else told


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]
