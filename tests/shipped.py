"""The shipped parts and templates, read once in a process."""

from functools import cache

from core.parts.part import Part
from core.parts.shipped import shipped_parts
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.file import load_build
from core.platform.paths import ASSETS


@cache
def every_part() -> tuple[Part, ...]:
    """All shipped parts."""
    return tuple(shipped_parts())


@cache
def parts_by_id() -> dict[str, Part]:
    """The same by id."""
    return {part.id: part for part in every_part()}


@cache
def shipped_of(category: Category) -> tuple[Part, ...]:
    """The shipped parts of a category."""
    return tuple(part for part in every_part() if part.category is category)


@cache
def templates() -> dict[str, Build]:
    """The template builds by name."""
    return {
        path.name.removesuffix(".rig.json"): load_build(path, parts_by_id().get)
        for path in sorted((ASSETS / "templates").glob("*.rig.json"))
    }
