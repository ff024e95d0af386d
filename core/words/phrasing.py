"""Lists, ranges, slots and durations in sentences, and values of unknown origin as text."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from core.words.catalog import written
from core.words.message import Message, current_language, tr, trn


def names_in(text: str) -> tuple[str, ...]:
    """Names in a list separated by commas, each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def listed(items: Sequence[str]) -> str:
    """a, b and c; nothing where there is none."""
    if not items:
        return tr("nothing")
    if len(items) == 1:
        return items[0]
    first = items[0]
    for item in items[1:-1]:
        first = tr("{items}, {item}", items=first, item=item)
    return tr("{items} and {last}", items=first, last=items[-1])


def enumerated(items: Sequence[str]) -> str:
    """a, b, c."""
    return _chained(items, lambda left, right: tr("{items}, {item}", items=left, item=right))


def clauses(items: Sequence[str]) -> str:
    """a; b; c."""
    return _chained(items, lambda left, right: tr("{items}; {item}", items=left, item=right))


def all_together(items: Sequence[str]) -> str:
    """a; a and b; a and b and c."""
    return _chained(items, lambda left, right: tr("{items} and {last}", items=left, last=right))


def either(items: Sequence[str]) -> str:
    """a; a or b; a or b or c."""
    return _chained(items, lambda left, right: tr("{items} or {item}", items=left, item=right))


def _chained(items: Sequence[str], chain: Callable[[str, str], str]) -> str:
    return reduce(chain, items) if items else ""


def slots_listed(positions: Sequence[int]) -> str:
    """slot 3; slots 1, 3 and 5."""
    slots = listed([str(position) for position in positions])
    return trn("slot {slots}", "slots {slots}", slots=slots, count=len(positions))


def duration(seconds: float) -> str:
    """In units that leave a readable number: 45 s, 12 min, 1 h 20 min, 3 d 4 h."""
    if seconds < 90:
        return tr("{seconds:.0f} s", seconds=max(seconds, 0))
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if hours >= 48:
        days, hours = divmod(hours, 24)
        return tr("{days} d {hours} h", days=days, hours=hours) if hours else tr("{days} d", days=days)
    if not hours:
        return tr("{minutes} min", minutes=minutes)
    return tr("{hours} h {minutes} min", hours=hours, minutes=rest) if rest else tr("{hours} h", hours=hours)


def clock(seconds: float) -> str:
    """A time since a start: 4:05, 1:02:03."""
    whole = max(round(seconds), 0)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


MAX_SHOWN = 80
"""Characters."""
UNSEEN = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""For the brackets of a pattern: controls, marks that turn the direction of text, half characters."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_STEERING = re.compile(rf"[\x00-\x08\x0b-\x1f{UNSEEN}]")


def visible(text: str) -> str:
    """The text with a sign in the place of each character that would steer a terminal or turn what a reader sees.

    Line ends and tabs stay.
    """
    return text if text.isprintable() else _STEERING.sub(REPLACEMENT, text)


def shown(value: Any) -> str:
    """Any value as one printable line of at most 80 characters, however long or deeply nested it is."""
    text = value if isinstance(value, str) else reprlib.repr(value)
    line = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * MAX_SHOWN])
    return line if len(line) <= MAX_SHOWN else f"{line[: MAX_SHOWN - 1]}…"


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
