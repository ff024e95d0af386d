"""One sentence for several that differ in their figures alone: "At rest: 26 to 28 °C" of eight cards."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from core.words.catalog import written
from core.words.message import Message, current_language


def shape(text: str) -> Hashable:
    """Equal for sentences that `over` can say as one: all but the figures."""
    if not isinstance(text, Message):
        return text
    template, fields, plural, context = text.parts
    return (template, plural, context, tuple(sorted((name, _shape(value)) for name, value in fields.items())))


def over(texts: Sequence[str]) -> str:
    """The sentence of all of them, with the range of each figure that differs. They are of one `shape`."""
    first = texts[0]
    if not isinstance(first, Message):
        return first
    template, fields, plural, context = first.parts
    every = [text.parts[1] for text in texts if isinstance(text, Message)]
    merged = {name: _over([one[name] for one in every]) for name in fields}
    return Message(template, merged, plural, context)


@dataclass(frozen=True, slots=True)
class _Range:
    """Stands in the place of a figure, and is written as the figure would be."""

    low: float
    high: float

    def __format__(self, spec: str) -> str:
        """With the marks of the language; one figure where both ends are written alike."""
        low, high = (written(value, spec, current_language()) for value in (self.low, self.high))
        return low if low == high else f"{low}–{high}"

    def __str__(self) -> str:
        return format(self, "")

    def __int__(self) -> int:
        """Which decides the plural."""
        return int(self.high)


def _shape(value: Any) -> str:
    if isinstance(value, Message):
        return repr(shape(value))
    return "figure" if _is_figure(value) else repr(value)


def _over(values: Sequence[Any]) -> Any:
    first = values[0]
    if isinstance(first, Message):
        return over(values)
    if not _is_figure(first) or all(value == first for value in values):
        return first
    return _Range(min(values), max(values))


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
