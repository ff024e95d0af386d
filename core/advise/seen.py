"""Parts as a rule sees them: figures that do not decide it, or not to the last digit, are alike to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from core.advise.alike import BY_NAME, WHOLE, blind, products_named
from core.build.build import Build
from core.parts.columns import Column, Columns, Numbers
from core.parts.vocabulary import Category

Sight = Callable[[Any], Any]
"""What is seen of a figure."""


class Seen:
    """The figures of a category, for questions about one build."""

    def __init__(self, build: Build, category: Category, columns: Columns) -> None:
        self._build, self._category, self.columns = build, category, columns
        self._blurred: dict[tuple[Sight, str], Column] = {}

    def column(self, rule: str, name: str) -> Column:
        """A figure of all kinds; equal codes where the rule sees no difference."""
        sight = self._sight(rule, name)
        if sight is None:
            return self.columns.by_field[name]
        if (sight, name) not in self._blurred:
            self._blurred[sight, name] = _blurred(self.columns.by_field[name], sight)
        return self._blurred[sight, name]

    def groups(self, rule: str, fields: Iterable[str]) -> Numbers:
        """A number for each kind: those with the same one are alike to the rule in these figures."""
        sharp = tuple(name for name in fields if self._sight(rule, name) is None)
        found = self.columns.groups(sharp)
        for name in fields:
            column = self.column(rule, name)
            if name not in sharp and len(column.values) > 1:
                found = found * len(column.values) + np.array(column.codes, dtype=np.int64)
        return found

    def _sight(self, rule: str, name: str) -> Sight | None:
        """None: the rule sees the figure as it is."""
        if name in blind(self._build, rule, self._category):
            return _nothing
        if name == "product" and rule in BY_NAME:
            return self._if_named
        return _whole if WHOLE.get((rule, self._category)) == name else None

    @cached_property
    def _if_named(self) -> Sight:
        named = frozenset(products_named(self._build))
        return lambda product: product if product in named else None


def _nothing(_: object) -> None:
    return None


def _whole(figure: float | None) -> int | None:
    return None if figure is None else ceil(figure)


def _blurred(column: Column, sight: Sight) -> Column:
    numbers: dict[Any, int] = {}
    codes = [numbers.setdefault(sight(value), len(numbers)) for value in column.values]
    return Column(tuple(codes[code] for code in column.codes), tuple(numbers))
