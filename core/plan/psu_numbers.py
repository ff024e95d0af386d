"""Which PSU is meant by "PSU 2", and how what the user set follows when the PSUs change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.plan.build import Build
from core.plan.line import Line

Unit = tuple[str, int]
"""One PSU: part id, and which of its line, from 1."""


def psus_by_place(build: Build) -> tuple[Unit, ...]:
    """PSU 1 comes first: the strongest by its rating, W, then in the order of part ids."""
    ranked = sorted(build.psus(), key=lambda pair: (-(pair[1].power_w or 0.0), pair[0].part.id))
    return tuple((line.part.id, number) for line, _ in ranked for number in range(1, line.quantity + 1))


def keeping_psus(before: Build, after: Build, swapped: Mapping[str, str] | None = None) -> Build:
    """`after`, with each card on the PSU that was set for it in `before`, whatever its number is now.

    `swapped` names the part that took another one's place. Where the PSU is gone, the choice is automatic again.
    """
    if not any(line.psus for line in after.lines):
        return after
    places = {unit: place for place, unit in enumerate(psus_by_place(after), 1)}
    names = swapped or {}
    renumbered = {
        place: places.get((names.get(part_id, part_id), number))
        for place, (part_id, number) in enumerate(psus_by_place(before), 1)
    }
    if all(old == new for old, new in renumbered.items()):
        return after
    return after.with_lines(tuple(_renumbered(line, renumbered) for line in after.lines))


def _renumbered(line: Line, places: Mapping[int, int | None]) -> Line:
    if not line.psus:
        return line
    return replace(line, psus=tuple(places.get(place, place) if place else None for place in line.psus))
