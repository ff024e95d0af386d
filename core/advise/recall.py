"""Answers about parts, each given once for all parts that agree in what was looked at to find it."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Codes = tuple[int, ...]
"""Of a part: a number for each figure, equal where figures are equal."""
NOTHING: Any = object()
"""No answer is known yet."""


class Recall(Generic[T]):
    """Answers of one question that depends on nothing but figures of the part.

    A part has the answer of another if it agrees with it in the figures that were looked at for that one: with these
    alike, the same figures are looked at, and the same is found.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Codes, tuple[Callable[[Codes], Any], dict[Any, T]]] = {}

    def find(self, codes: Codes) -> T:
        """The answer for a part, `NOTHING` if none is known."""
        for key, answers in self._known.values():
            found: T = answers.get(key(codes), NOTHING)
            if found is not NOTHING:
                return found
        nothing: T = NOTHING
        return nothing

    def keep(self, places: Codes, codes: Codes, answer: T) -> None:
        """The answer for all parts with the same codes at these places."""
        if places not in self._known:
            self._known[places] = (itemgetter(*places) if places else _alike), {}
        key, answers = self._known[places]
        answers[key(codes)] = answer


def _alike(_codes: Codes) -> None:
    """The key of an answer for which no figure was looked at."""
