"""What edits have changed in a build, in a line for each change."""

from __future__ import annotations

from collections.abc import Iterator

from core.build.build import Build, Line, is_card
from core.words import listed, slots_listed


def changes(before: Build, after: Build) -> tuple[str, ...]:
    """A sentence for each difference; empty where there is none."""
    return (*_details(before, after), *_lines(before, after))


def _details(before: Build, after: Build) -> Iterator[str]:
    if before.name != after.name:
        yield f"Name: {after.name}; was {before.name}."
    if before.notes != after.notes:
        yield "Notes: changed." if after.notes else "Notes: removed."
    for what, now, was in (
        ("Mains", _mains_words(after), _mains_words(before)),
        ("Fans", _fan_words(after), _fan_words(before)),
        ("Power peaks that meet", f"{after.assumptions.coincidence:g}", f"{before.assumptions.coincidence:g}"),
        ("Room for plugs", f"{after.assumptions.plug_room_mm:g} mm", f"{before.assumptions.plug_room_mm:g} mm"),
    ):
        if now != was:
            yield f"{what}: {now}; was {was}."


def _lines(before: Build, after: Build) -> Iterator[str]:
    for line in before.lines:
        now = after.line(line.part.id)
        if now is None:
            yield f"Removed: {_line_words(line)}."
        elif now != line:
            yield f"Changed: {_line_words(now)}; was {line.quantity}{_seats(line)}."
    for line in after.lines:
        if before.line(line.part.id) is None:
            yield f"Added: {_line_words(line)}."


def _line_words(line: Line) -> str:
    return f"{line.quantity} x {line.part.title} ({line.part.id}){_seats(line)}"


def _seats(line: Line) -> str:
    """Where its cards are and what they may draw, behind a comma each."""
    words = [f"in {slots_listed(line.slots)}"] if line.slots else []
    if is_card(line.part) and len(line.slots) < line.quantity:
        words.append(f"{line.quantity - len(line.slots)} without a slot")
    if line.risers:
        words.append(f"on risers in {slots_listed(line.risers)}")
    if line.power_limit_w is not None:
        words.append(f"limited to {line.power_limit_w:g} W")
    if line.supplies:
        words.append(f"fed from PSU {listed([str(place or 'auto') for place in line.supplies])}")
    return "".join(f", {word}" for word in words)


def _mains_words(build: Build) -> str:
    count, loads = len(build.other_loads_w), build.other_loads_w
    circuits = build.circuit.title if count == 1 else f"{count} circuits {build.circuit.title}"
    return f"{circuits} with {listed([f'{watts:g} W' for watts in loads])} of other loads" if any(loads) else circuits


def _fan_words(build: Build) -> str:
    return "automatic" if build.fan_share is None else f"{100 * build.fan_share:.0f} % of their highest speed"
