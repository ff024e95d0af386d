"""Single changes to the good machine, for tables of cases."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from core.plan.build import Build
from core.plan.card_edits import SetSlotGeneration
from core.plan.edits import SetDetails
from tests.rules.machines import changed, part, slot, with_line

Change = Callable[[Build], Build]


def figures(category: str, **changes: Any) -> Change:
    return lambda build: changed(build, category, **changes)


def adding(category: str, quantity: int = 1, slots: tuple[int, ...] = (), **changes: Any) -> Change:
    return lambda build: with_line(build, part(category, suffix="-2", **changes), quantity, slots)


def placing(*slots: int, **changes: Any) -> Change:
    return lambda build: with_line(build, part("gpu", **changes), max(len(slots), 1), slots)


def count(category: str, quantity: int) -> Change:
    return lambda build: with_line(build, part(category), quantity)


def region(name: str) -> Change:
    return lambda build: SetDetails(region=name).apply(build)


def both(*changes: Change) -> Change:
    def apply(build: Build) -> Build:
        for change in changes:
            build = change(build)
        return build

    return apply


def board_slots(*positions: int, **changes: Any) -> Change:
    return figures("motherboard", slots=[slot(position, **changes) for position in positions])


def on_riser(*slots: int) -> Change:
    """Cards of the good machine that hang on risers."""

    def apply(build: Build) -> Build:
        lines = (replace(line, risers=slots) if line.slots else line for line in build.lines)
        return build.with_lines(tuple(lines))

    return apply


def in_socket(*labels: str | None) -> Change:
    """The drives of the good machine in these sockets."""

    def apply(build: Build) -> Build:
        return build.with_lines(
            tuple(replace(line, sockets=labels) if line.part.id == "storage" else line for line in build.lines)
        )

    return apply


def set_to(generation: int, *slots: int) -> Change:
    """Slots set to a PCIe generation in the firmware."""
    return SetSlotGeneration(slots, generation).apply


def aged(category: str, year: int | None) -> Change:
    """The part of a category came out in another year."""
    return lambda build: with_line(build, part(category).model_copy(update={"year": year}))


def made_by(category: str, maker: str) -> Change:
    """The build's part of a category as another maker's."""

    def apply(build: Build) -> Build:
        old = next(line.part for line in build.lines if line.part.category == category)
        return with_line(build, old.model_copy(update={"maker": maker}))

    return apply
