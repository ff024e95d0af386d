"""How rules read figures: every look is noted, and a figure that is unknown ends the question.

A rule that reads through it cannot pass on silence, nor forget to say which figures it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.parts.part import Part
from core.rules.context import RuleContext


class UnknownFigure(Exception):
    """A rule needed a figure that the part does not have. Only the engine catches it."""


class Reader:
    """Collects what one question looked at."""

    __slots__ = ("_missing", "_needed", "_parts", "_unconfirmed", "machine")

    def __init__(self, machine: RuleContext) -> None:
        self.machine = machine
        self._parts: dict[str, None] = {}
        self._unconfirmed: set[str] = set()
        self._missing: set[str] = set()
        self._needed: set[str] = set()

    def __call__(self, part: Part, field: str) -> Any:
        """A figure that the question cannot do without. Raises UnknownFigure."""
        value = self.maybe(part, field)
        if value is None:
            self._needed.add(f"{part.id}.{field}")
            raise UnknownFigure
        return value

    def all(self, *wanted: tuple[Part, str]) -> list[Any]:
        """Several figures; when some are unknown, all of those are named. Raises UnknownFigure."""
        values = [self.maybe(part, field) for part, field in wanted]
        if None in values:
            pairs = zip(wanted, values, strict=True)
            self._needed.update(f"{part.id}.{field}" for (part, field), value in pairs if value is None)
            raise UnknownFigure
        return values

    def maybe(self, part: Part, field: str) -> Any:
        """A figure that the question can answer without; None if unknown."""
        value = getattr(part.spec, field)
        part_id = part.id
        self._parts[part_id] = None
        if value is None:
            self._missing.add(f"{part_id}.{field}")
            return None
        try:
            by_field, others = self.machine.confirmed[part_id]
        except KeyError:
            by_field, others = self.machine.confirmed[part_id] = part.confirmations()
        if not by_field.get(field, others):
            self._unconfirmed.add(f"{part_id}.{field}")
        return value

    def about(self, *parts: Part) -> None:
        """Parts that the answer concerns without reading a figure of theirs."""
        for part in parts:
            self._parts[part.id] = None

    def lacking(self, figures: Iterable[str]) -> None:
        """Figures ("part-id.field") for which a prediction used wide defaults."""
        self._missing.update(figures)

    def give_up(self, part: Part, field: str) -> UnknownFigure:
        """To raise when a figure is there but incomplete."""
        self._parts[part.id] = None
        self._missing.add(f"{part.id}.{field}")
        self._needed.add(f"{part.id}.{field}")
        return UnknownFigure()

    @property
    def board(self) -> Part:
        """The board. Only for rules that require one: the engine asks them of machines with a single kind."""
        assert self.machine.board is not None
        return self.machine.board

    @property
    def case(self) -> Part:
        """The case, as `board`."""
        assert self.machine.case is not None
        return self.machine.case

    def looked_at(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Ids of the parts, figures read that have no confirmed source, and figures that were unknown."""
        parts, unconfirmed = tuple(sorted(self._parts)), self._unconfirmed
        return parts, tuple(sorted(unconfirmed)) if unconfirmed else (), self.missing

    @property
    def missing(self) -> tuple[str, ...]:
        """Figures that were unknown."""
        return tuple(sorted(self._missing)) if self._missing else ()

    @property
    def needed(self) -> tuple[str, ...]:
        """Those without which the question could not be answered."""
        return tuple(sorted(self._needed or self._missing))
