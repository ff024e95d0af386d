"""Counting and listing in sentences."""

from __future__ import annotations

from collections.abc import Sequence

_SINGULAR = {"are": "is", "go": "goes", "have": "has", "reach": "reaches"}


def listed(items: Sequence[str]) -> str:
    """a, b and c; nothing where there is none."""
    if not items:
        return "nothing"
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def count_of(count: int, thing: str) -> str:
    """1 card, 2 cards."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def verb(count: int, plural: str) -> str:
    """A verb for so many: 1 finds, 2 find."""
    return _SINGULAR.get(plural, f"{plural}s") if count == 1 else plural


def slots_words(positions: Sequence[int]) -> str:
    """slot 3; slots 3 to 5."""
    return f"slot {positions[0]}" if len(positions) == 1 else f"slots {positions[0]} to {positions[-1]}"


def slots_listed(positions: Sequence[int]) -> str:
    """slot 3; slots 1, 3 and 5."""
    return f"slot{'s' * (len(positions) > 1)} {listed([str(position) for position in positions])}"


def duration(seconds: float) -> str:
    """In units that leave a readable number: 45 s, 12 min, 1 h 20 min, 3 d 4 h."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if hours >= 48:
        days, hours = divmod(hours, 24)
        return f"{days} d {hours} h" if hours else f"{days} d"
    return f"{minutes} min" if not hours else f"{hours} h {rest} min" if rest else f"{hours} h"


def clock(seconds: float) -> str:
    """A time since a start: 4:05, 1:02:03."""
    whole = max(round(seconds), 0)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
