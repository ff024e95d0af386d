"""The edits of a build. Each is a value, gives a new build, and knows the edit that takes it back; several are one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Protocol

from core.build.build import MAX_POSITION, MAX_QUANTITY, Build, Line, excess, is_card
from core.build.mains import BY_ID
from core.build.psu_numbers import keeping_supplies
from core.build.slots import first_free_slot
from core.errors import BadInput
from core.parts.part import Part


class Edit(Protocol):
    """One change. `title` is what undo and redo show."""

    @property
    def title(self) -> str: ...

    def apply(self, build: Build) -> Build:
        """The build after the change. Raises BadInput, in a sentence, when it does not apply."""
        ...

    def inverse(self, before: Build) -> Edit:
        """The edit that leads from `apply(before)` back to `before`."""
        ...


@dataclass(frozen=True, slots=True)
class SetLines:
    """Replaces all lines: the inverse of every edit of lines."""

    title: str
    lines: tuple[Line, ...]

    def apply(self, build: Build) -> Build:
        return build.with_lines(self.lines)

    def inverse(self, before: Build) -> Edit:
        return SetLines(self.title, before.lines)


class LinesEdit(ABC):
    """Shared by the edits that change lines."""

    __slots__ = ()

    @property
    @abstractmethod
    def title(self) -> str: ...

    def inverse(self, before: Build) -> Edit:
        return SetLines(self.title, before.lines)


class LineEdit(LinesEdit):
    """Shared by the edits of a line that is there: they know its part by id alone."""

    __slots__ = ()
    part_id: str

    @property
    def title(self) -> str:
        return self.called(self.part_id)

    @abstractmethod
    def called(self, name: str) -> str:
        """The title with this name for the part."""


@dataclass(frozen=True, slots=True)
class AddPart(LinesEdit):
    """Adds parts; a card goes to the first slot where it fits."""

    part: Part
    quantity: int = 1

    @property
    def title(self) -> str:
        return f"Add {f'{self.quantity} ' if self.quantity > 1 else ''}{self.part.title}"

    def apply(self, build: Build) -> Build:
        _require_quantity(self.quantity)
        if too_many := excess((*build.lines, Line(self.part, self.quantity))):
            raise BadInput(f"{self.part.title} cannot be added: {too_many}.")
        before = build
        for _ in range(self.quantity):
            build = self._one_more(build)
        return keeping_supplies(before, build)

    def _one_more(self, build: Build) -> Build:
        line = build.line(self.part.id)
        if line is None:
            line = Line(self.part)
            build = build.with_lines((*build.lines, line))
        else:
            _require_quantity(line.quantity + 1)
            build = with_line(build, replace(line, quantity=line.quantity + 1))
        return _place_next(build, line.part)


@dataclass(frozen=True, slots=True)
class RemovePart(LineEdit):
    """Takes a line out."""

    part_id: str

    def called(self, name: str) -> str:
        return f"Remove {name}"

    def apply(self, build: Build) -> Build:
        require_line(build, self.part_id)
        left = build.with_lines(tuple(line for line in build.lines if line.part.id != self.part_id))
        return keeping_supplies(build, left)


@dataclass(frozen=True, slots=True)
class SetQuantity(LineEdit):
    """Changes how many of a part there are; further cards are placed, the last ones go first."""

    part_id: str
    quantity: int

    def called(self, name: str) -> str:
        return f"Set quantity of {name} to {self.quantity}"

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        _require_quantity(self.quantity)
        if self.quantity > line.quantity:
            return AddPart(line.part, self.quantity - line.quantity).apply(build)
        slots = line.slots[: self.quantity]
        risers = tuple(slot for slot in line.risers if slot in slots)
        supplies = line.supplies[: self.quantity]
        fewer = replace(line, quantity=self.quantity, slots=slots, risers=risers, supplies=supplies)
        return keeping_supplies(build, with_line(build, fewer))


@dataclass(frozen=True, slots=True)
class SwapPart(LineEdit):
    """Puts another part in a line's place; it keeps quantity and PSUs, and slots if both are cards."""

    part_id: str
    part: Part

    def called(self, name: str) -> str:
        return f"Replace {name} with {self.part.title}"

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        if self.part.category is not line.part.category:
            raise BadInput(f"{self.part.title} is a {self.part.category.label}, not a {line.part.category.label}.")
        if self.part.id != self.part_id and build.line(self.part.id):
            raise BadInput(f"{self.part.title} is already in the build. Change its quantity instead.")
        kept = (line.slots, line.risers) if is_card(self.part) else ((), ())
        swapped = Line(self.part, line.quantity, *kept, supplies=line.supplies)
        after = build.with_lines(tuple(swapped if old is line else old for old in build.lines))
        return keeping_supplies(build, after, {self.part_id: self.part.id})


@dataclass(frozen=True, slots=True)
class PlaceCards(LineEdit):
    """Puts the cards of a line into these slot positions."""

    part_id: str
    slots: tuple[int, ...]

    def called(self, name: str) -> str:
        if not self.slots:
            return f"Take {name} out of all slots"
        return f"Place {name} in slot{'s' * (len(self.slots) > 1)} {', '.join(map(str, self.slots))}"

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        if not is_card(line.part):
            raise BadInput(f"{line.part.title} does not sit in an expansion slot.")
        if len(self.slots) > line.quantity:
            raise BadInput(f"{line.part.title}: {len(self.slots)} slots given for {line.quantity} cards.")
        if len(set(self.slots)) != len(self.slots):
            raise BadInput(f"{line.part.title}: a slot is named twice.")
        if any(not 1 <= slot <= MAX_POSITION for slot in self.slots):
            raise BadInput(f"{line.part.title}: slot positions are 1 to {MAX_POSITION}, not {list(self.slots)}.")
        known = {slot.position for slot in build.board_slots()}
        missing = sorted(set(self.slots) - known)
        if known and missing:
            raise BadInput(f"The board has no slot {missing[0]}; it has {', '.join(map(str, sorted(known)))}.")
        # A card that hung on a riser does so in its new slot.
        hung = [number for number, slot in enumerate(line.slots) if slot in line.risers]
        risers = tuple(self.slots[number] for number in hung if number < len(self.slots))
        return with_line(build, replace(line, slots=self.slots, risers=risers))


@dataclass(frozen=True, slots=True)
class SetDetails:
    """Changes name, region or notes; None leaves a field as it is."""

    name: str | None = None
    region: str | None = None
    notes: str | None = None

    @property
    def title(self) -> str:
        if self.region is not None and self.name is None and self.notes is None:
            return f"Change region to {BY_ID[self.region].title if self.region in BY_ID else self.region}"
        changed = [key for key in ("name", "region", "notes") if getattr(self, key) is not None]
        return f"Change {' and '.join(changed) or 'nothing'}"

    def apply(self, build: Build) -> Build:
        if self.region is not None and self.region not in BY_ID:
            raise BadInput(f"Unknown region {self.region!r}. Known: {', '.join(BY_ID)}.")
        given = {key: getattr(self, key) for key in ("name", "region", "notes")}
        try:
            return replace(build, **{key: value for key, value in given.items() if value is not None})
        except ValueError as error:
            raise BadInput(f"This cannot be changed: {error}.") from error

    def inverse(self, before: Build) -> Edit:
        return SetDetails(before.name, before.region, before.notes)


def title_in(edit: Edit, build: Build) -> str:
    """The edit's title with the name of its part instead of its id, where the build that it changes has the part."""
    line = build.line(edit.part_id) if isinstance(edit, LineEdit) else None
    return edit.called(line.part.title) if isinstance(edit, LineEdit) and line is not None else edit.title


def require_line(build: Build, part_id: str) -> Line:
    """The line of a part. Raises BadInput when there is none."""
    line = build.line(part_id)
    if line is None:
        raise BadInput(f"The build has no part {part_id!r}.")
    return line


def _require_quantity(quantity: int) -> None:
    if not 1 <= quantity <= MAX_QUANTITY:
        raise BadInput(f"A quantity is 1 to {MAX_QUANTITY}, not {quantity}. To take a part out, remove it.")


def with_line(build: Build, line: Line) -> Build:
    """The build with this line in the place of the one of the same part."""
    return build.with_lines(tuple(line if old.part.id == line.part.id else old for old in build.lines))


def _place_next(build: Build, part: Part) -> Build:
    line = require_line(build, part.id)
    slot = first_free_slot(build, part) if len(line.slots) == line.quantity - 1 else None
    return build if slot is None else with_line(build, replace(line, slots=(*line.slots, slot)))


@dataclass(frozen=True, slots=True)
class Several:
    """Applies its edits one after the other, all or none."""

    title: str
    edits: tuple[Edit, ...]

    def apply(self, build: Build) -> Build:
        for edit in self.edits:
            build = edit.apply(build)
        return build

    def inverse(self, before: Build) -> Edit:
        back: list[Edit] = []
        for edit in self.edits:
            back.insert(0, edit.inverse(before))
            before = edit.apply(before)
        return Several(self.title, tuple(back))
