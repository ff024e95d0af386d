"""One row of the data set, read with suspicion: what cannot be true is noted and left out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeVar

from core.parts.figure import Range
from core.parts.figures import ranges
from core.parts.vocabulary import Category
from core.words import tr

MAX_TEXT = 160
_MARKUP = re.compile(r"<\s*[a-zA-Z/!?]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]|^\s*[=+@]")
T = TypeVar("T")
_GONE: tuple[Any, ...] = (None, "", [], {})
_NUMBERS = (int, float)
"""A bool is none."""


class RowReading:
    """Figures of one raw row. Zero and nothing are unknown; the rest is kept if it is plausible, else noted."""

    __slots__ = ("_ranges", "doubts", "raw")

    def __init__(self, raw: dict[str, Any], category: Category) -> None:
        self.raw = raw
        self.doubts: list[tuple[str, Any, str]] = []
        """Field, value and reason of each figure that was not taken."""
        self._ranges = ranges(category)

    def at(self, path: str) -> Any:
        """The value at a dotted path; None if there is none."""
        if "." not in path:
            return self.raw.get(path)
        value: Any = self.raw
        for step in path.split("."):
            if not isinstance(value, dict):
                return None
            value = value.get(step)
        return value

    def doubt(self, field: str, value: Any, reason: str) -> None:
        """Notes a figure that is left out."""
        self.doubts.append((field, value, reason))

    def number(self, path: str, field: str, *, times: float = 1, within: Range | None = None) -> float | None:
        """A number above zero, `times` the data set's, in the unit of `field`; `within`, or else the field's range."""
        value = self.at(path)
        if type(value) not in _NUMBERS:
            if value not in _GONE and value is not False:
                self.doubt(field, value, tr("is not a number"))
            return None
        if value == 0:
            return None
        low, high = within or self._ranges[field]
        scaled: float = round(value * times, 6)
        if not low <= scaled <= high:
            self.doubt(field, value, tr("is outside {low:g} to {high:g}", low=low, high=high))
            return None
        return scaled

    def whole(self, path: str, field: str) -> int | None:
        """A whole number above zero."""
        value = self.number(path, field)
        if value is not None and value != int(value):
            self.doubt(field, value, tr("is not a whole number"))
            return None
        return None if value is None else int(value)

    def text(self, path: str) -> str | None:
        """A short text; None if there is none, it is no text, or something else is hidden in it."""
        value = self.at(path)
        return _plain(value) if isinstance(value, str) and len(value) <= MAX_TEXT else None

    def word(self, path: str, field: str, vocabulary: dict[str, T]) -> T | None:
        """A word of a closed list; one that is not in it is noted."""
        value = self.at(path)
        if value in _GONE:
            return None
        if isinstance(value, str) and value in vocabulary:
            return vocabulary[value]
        self.doubt(field, value, tr("is a value that the catalogue does not know"))
        return None

    def words(self, path: str, vocabulary: dict[str, T]) -> tuple[T, ...] | None:
        """The members of a list that the catalogue knows; None if there is none."""
        value = self.at(path)
        if not isinstance(value, list):
            return None
        members = dict.fromkeys(vocabulary[word] for word in value if isinstance(word, str) and word in vocabulary)
        return tuple(members) or None

    def yes(self, path: str) -> bool | None:
        """True if it is said so. "No" is the data set's default for "nobody looked", so it is unknown."""
        return True if self.at(path) is True else None


@lru_cache(maxsize=4096)
def _plain(text: str) -> str | None:
    """The text with single spaces; None where something else is hidden in it. Looked at once: many rows have it."""
    words = " ".join(text.split())
    return words if words and not hides_something(words) else None


def hides_something(text: str) -> bool:
    """Whether there is in it what no name or word of a part has: HTML, control or half characters, a formula's start.

    Nearly every text is seen to be plain without the slow search.
    """
    plain = text[:1].isalnum() and text.isprintable() and "<" not in text
    return not plain and _MARKUP.search(text) is not None
