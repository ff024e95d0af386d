"""Number formats in turns: who is next and until when, and in which turns a memory stream runs beside the products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

BESIDE_MEMORY = "+memory"
"""What is added to the name of a format whose products run beside a memory stream."""
LEAST_BESIDE_S = 6.0
"""A shorter stretch says nothing of power, which drivers report as the mean of a second."""


@dataclass(frozen=True, slots=True)
class FormatTurn:
    """One format until `until_s` after the start of the load."""

    name: str
    until_s: float

    @property
    def format(self) -> str:
        """Its name alone."""
        return format_of(self.name)

    @property
    def beside_memory(self) -> bool:
        """Whether a memory stream runs beside it."""
        return self.name.endswith(BESIDE_MEMORY)


@dataclass(frozen=True, slots=True)
class Rotation:
    """The first format for `first_s`, then each of them for `each_s` again and again; 0: each of them once."""

    each_s: float = 0.0
    first_s: float = 0.0


def beside_memory(name: str) -> str:
    """The name of a format beside a memory stream."""
    return f"{name}{BESIDE_MEMORY}"


def format_of(name: str) -> str:
    """The name of the format alone."""
    return name.removesuffix(BESIDE_MEMORY)


def names_in(dtypes: str) -> tuple[str, ...]:
    """Names in a list separated by commas, each once."""
    return tuple(dict.fromkeys(name.strip() for name in dtypes.split(",") if name.strip()))


def turns(names: Sequence[str], seconds: float, *, rotation: Rotation, beside_pct: float = 0.0) -> Iterator[FormatTurn]:
    """Shares `seconds` among the formats. With `beside_pct` each ends with that share of its time beside a memory
    stream, where that is long enough to tell its power; turns that rotate are not divided."""
    if rotation.each_s > 0 and len(names) > 1:
        yield from _rotating(names, seconds, rotation)
        return
    for place, name in enumerate(names):
        began_s, until_s = (seconds * (place + more) / len(names) for more in (0, 1))
        beside_s = (until_s - began_s) * beside_pct / 100
        divided = beside_s >= LEAST_BESIDE_S and not name.endswith(BESIDE_MEMORY)
        if divided:
            yield FormatTurn(name, until_s - beside_s)
        yield FormatTurn(beside_memory(name) if divided else name, until_s)


def _rotating(names: Sequence[str], seconds: float, rotation: Rotation) -> Iterator[FormatTurn]:
    """What is left for the last turn is joined to the one before where it is less than half of one."""
    until_s, place = min(max(rotation.first_s, rotation.each_s), seconds), 0
    while seconds - until_s >= rotation.each_s / 2:
        yield FormatTurn(names[place % len(names)], until_s)
        until_s, place = min(until_s + rotation.each_s, seconds), place + 1
    yield FormatTurn(names[place % len(names)], seconds)
