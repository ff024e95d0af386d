"""How a part comes into a build: in the place of another, or beside it. A board that comes places the cards."""

from __future__ import annotations

from core.parts.part import Part
from core.parts.specs import SystemSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import AddPart, Edit, RemovePart, Several, SwapPart, title_in
from core.plan.line import Line, Lookup, contained
from core.plan.placement.best import SeatCards, has_other_slots
from core.platform.errors import BadInput
from core.words import tr

ONCE = (Category.CPU, Category.MOTHERBOARD, Category.RAM, Category.CASE, Category.CPU_COOLER, Category.PSU)
"""Of these a machine has one kind: another one takes its place."""
ALONE = (Category.MOTHERBOARD, Category.CASE)
"""Of these a machine has one part: beside it stands no other."""


def replaceable(build: Build, category: Category) -> tuple[Part, ...]:
    """The parts of the build whose place another of the category can take."""
    return tuple(line.part for line in build.of(category))


def usually_replaced(build: Build, category: Category) -> str | None:
    """The id of the part that another one replaces where nobody says how: the only one where a machine has one kind."""
    lines = build.of(category)
    return lines[0].part.id if category in ONCE and len(lines) == 1 else None


def require_place(build: Build, category: Category, replaced: str | None) -> None:
    """Raises BadInput, in words, where a part of the category cannot be put in like this."""
    there = replaceable(build, category)
    names = ", ".join(part.id for part in there)
    what = category.phrase
    fields = {"category": what, "replaced": replaced, "names": names}
    if replaced is not None and replaced not in {part.id for part in there}:
        raise BadInput(
            tr("The build has no {category} {replaced!r} to replace. Its {category}: {names}.", **fields)
            if there
            else tr("The build has no {category} {replaced!r} to replace. It has none; add one.", **fields)
        )
    if replaced is None and category in ALONE and there:
        raise BadInput(
            tr("A machine has one {category}, and the build already has {names}. Replace it instead.", **fields)
        )


def add_or_replace(
    build: Build, part: Part, replaced: str | None, quantity: int = 1, lookup: Lookup | None = None
) -> Edit:
    """Puts the part in the place of the line of this id; None: so many of it beside what is there.

    Cards that wait for a board are placed on the one that comes; all of them, where its slots are others. A system
    brings the parts that it contains, as `lookup` has them by their id, and takes those of the one that it replaces.
    """
    if isinstance(part.spec, SystemSpec) and (replaced is not None or part.spec.includes):
        return _system(build, part, replaced, quantity, lookup)
    edit = AddPart(part, quantity) if replaced is None else SwapPart(replaced, part)
    if part.category is not Category.MOTHERBOARD or not build.cards():
        return edit
    boards = [line.part for line in build.of(Category.MOTHERBOARD) if line.part.id == replaced]
    seats = SeatCards(anew=any(has_other_slots(board, part) for board in boards))
    return Several(title_in(edit, build), (edit, seats))


def _system(build: Build, part: Part, replaced: str | None, quantity: int, lookup: Lookup | None) -> Edit:
    title = title_in(AddPart(part, quantity) if replaced is None else SwapPart(replaced, part), build)
    inside = (
        (lookup(part_id) if lookup else None, count) for part_id, count in contained((Line(part, quantity),)).items()
    )
    adds = [AddPart(part, quantity), *(AddPart(one, count) for one, count in inside if one is not None)]
    boards_first = sorted(adds, key=lambda add: add.part.category is not Category.MOTHERBOARD)
    seats = [SeatCards(anew=True)] if any(add.part.category is Category.MOTHERBOARD for add in adds) else []
    return Several(title, (*([RemovePart(replaced)] if replaced else []), *boards_first, *seats))
