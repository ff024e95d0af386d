"""Finds slots for the cards of a line, for the fixes of slot rules."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from core.build.build import Build, Card, Line
from core.build.edits import PlaceCards
from core.parts.specs import CaseSpec, GpuSpec, NicSpec, Slot
from core.placement.links import links
from core.rules.machine import Machine


def reseat(machine: Machine, part_id: str) -> tuple[PlaceCards, ...]:
    """An edit that puts the line's cards where they overlap nothing, fit mechanically and end within the case.

    All its cards if possible, else as many as are placed now; the other lines stay. Empty when there is no such
    arrangement, or a figure that decides is unknown.
    """
    line = machine.build.line(part_id)
    if line is None:
        return ()
    for count in sorted({line.quantity, len(line.slots)} - {0}, reverse=True):
        seats = _arrange(machine, line, count)
        if seats is not None:
            return () if seats == line.slots else (PlaceCards(part_id, seats),)
    return ()


def _arrange(machine: Machine, line: Line, count: int) -> tuple[int, ...] | None:
    widths = [_width(machine, Card(line.part, number + 1, None)) for number in range(count)]
    others = [card for card in machine.placed if card.part.id != line.part.id]
    taken: set[int] = set()
    for card in others:
        width = _width(machine, card)
        if width is None or card.slot is None:
            return None
        taken |= set(range(card.slot, card.slot + width))
    if any(width is None for width in widths):
        return None
    usable = [slot for slot in machine.build.board_slots() if _plugs(line, slot)]
    slots = sorted(usable, key=lambda slot: (-slot.lanes, slot.position))
    wanted = [width or 0 for width in widths]
    for found in _search(slots, wanted, taken, _last_opening(machine)):
        seats = tuple(sorted(found)) if len(set(wanted)) == 1 else found
        if _all_have_lanes(machine.build, line, seats):
            return seats
    return None


def _search(slots: list[Slot], widths: list[int], taken: set[int], last: int) -> Iterator[tuple[int, ...]]:
    """All arrangements in order of preference of the slots; cards of equal width are not swapped."""
    if not widths:
        yield ()
        return
    width, rest = widths[0], widths[1:]
    alike = bool(rest) and rest[0] == width
    for index, slot in enumerate(slots):
        own = set(range(slot.position, slot.position + width))
        if own & taken or max(own) > last:
            continue
        left = slots[index + 1 :] if alike else [other for other in slots if other is not slot]
        for seats in _search(left, rest, taken | own, last):
            yield (slot.position, *seats)


def _all_have_lanes(build: Build, line: Line, seats: tuple[int, ...]) -> bool:
    lines = tuple(Line(old.part, old.quantity, seats) if old.part.id == line.part.id else old for old in build.lines)
    return all(link.lanes != 0 for link in links(build.with_lines(lines)).values())


def _width(machine: Machine, card: Card) -> int | None:
    width = getattr(machine.body(card).spec, "width_slots", None)
    return None if width is None else ceil(width)


def _plugs(line: Line, slot: Slot) -> bool:
    spec = line.part.spec
    lanes = spec.pcie_lanes if isinstance(spec, (GpuSpec, NicSpec)) else None
    return lanes is not None and (slot.mechanical_lanes >= lanes or slot.open_ended)


def _last_opening(machine: Machine) -> int:
    spec = machine.case.spec if machine.case else None
    if not isinstance(spec, CaseSpec) or spec.expansion_slots is None:
        return 99
    return spec.expansion_slots - spec.slot_offset
