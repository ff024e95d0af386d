"""What a build still lacks before it is a machine."""

from __future__ import annotations

from core.parts.vocabulary import CaseKind, Category
from core.plan.build import Build
from core.words import tr, trn

ESSENTIAL = (Category.GPU, Category.CPU, Category.MOTHERBOARD, Category.RAM, Category.PSU)
"""Without these it does not run."""
EXPECTED = (*ESSENTIAL, Category.STORAGE, Category.CASE, Category.CPU_COOLER)
"""Without these nobody would call it done: a boot drive, a place, cooling."""

BROUGHT_ALONG = (Category.CPU_COOLER, Category.PSU)
"""What the chassis of a server or of a maker's workstation contains."""


def absent_categories(build: Build) -> tuple[Category, ...]:
    """Essential categories of which the build has no part."""
    return tuple(category for category in still_missing(build) if category in ESSENTIAL)


def still_missing(build: Build) -> tuple[Category, ...]:
    """What to choose next, in the order of the list. What a complete system brings along is not missing."""
    if any(spec.lacks_nothing for _, spec in build.systems()):
        return ()
    complete = is_complete(build)
    lacking = (category for category in EXPECTED if not build.of(category))
    return tuple(category for category in lacking if not (complete and category in BROUGHT_ALONG))


def is_sealed(build: Build) -> bool:
    """Whether it is nothing but systems that lack nothing, their parts not in the build: no rule waits for any."""
    systems = tuple(build.systems()) if Category.SYSTEM in build.by_category else ()
    return len(systems) == len(build.lines) > 0 and all(spec.lacks_nothing and not spec.includes for _, spec in systems)


def is_complete(build: Build) -> bool:
    """Whether the machine was sold complete, or as a barebone: what its maker fitted stays."""
    if Category.SYSTEM in build.by_category:
        return True
    case = build.case
    return case is not None and (case[1].kind is CaseKind.SYSTEM or bool(case[1].sold_with))


def seatless_words(build: Build, cards: int) -> str:
    """What so many cards without a slot wait for: a board, which places them, or somebody who does."""
    if not build.of(Category.MOTHERBOARD):
        return trn("{count} waits for a board", "{count} wait for a board", count=cards)
    return tr("{number} without a slot", number=cards)
