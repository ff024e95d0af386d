"""What the systems of a build contain: parts that stand in lines of their own and are paid for with the system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from core.parts.part import Part
from core.parts.specs import SystemSpec
from core.plan.line import Line
from core.words import tr

Lookup = Callable[[str], Part | None]
"""The part of this id, from a catalogue."""

IN_SYSTEM = tr("in the system")
"""In the place of a price."""


def contained(lines: Iterable[Line]) -> Mapping[str, int]:
    """By part id how many the systems among these lines bring."""
    counts: Counter[str] = Counter()
    for line in lines:
        if isinstance(line.part.spec, SystemSpec):
            for row in line.part.spec.includes:
                counts[row.part] += row.count * line.quantity
    return counts


def paid_for(lines: Iterable[Line]) -> Iterator[Line]:
    """What has a price of its own, with the number that must be bought: all but the contents of systems."""
    lines = tuple(lines)
    inside = contained(lines)
    for line in lines:
        left = line.quantity - inside.get(line.part.id, 0)
        if left == line.quantity:
            yield line
        elif left > 0:
            yield replace(line, quantity=left, slots=(), risers=(), psus=(), sockets=(), hosts=())
