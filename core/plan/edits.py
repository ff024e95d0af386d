"""The edits of a build. Each is a value, gives a new build, and knows the edit that takes it back; several are one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from core.parts.compute import GpuSpec
from core.parts.part import Condition, Part
from core.parts.vocabulary import Category
from core.plan.build import Build, excess
from core.plan.hosts import keeping_carriers, with_hosts
from core.plan.line import MAX_QUANTITY, Line, contained, is_card, is_module
from core.plan.mains import BY_ID
from core.plan.psus import keeping_psus
from core.plan.seats import MAX_POSITION, is_position, on_carrier
from core.plan.slots import first_free_slot
from core.platform.errors import BadInput
from core.words import listed, tr, trn

DETAILS = {"name": tr("name"), "region": tr("region"), "notes": tr("notes")}
"""What `SetDetails` changes, as its title names it."""


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
        if self.quantity > 1:
            return tr("Add {quantity} {part}", quantity=self.quantity, part=self.part.title)
        return tr("Add {part}", part=self.part.title)

    def apply(self, build: Build) -> Build:
        _require_quantity(self.quantity)
        if too_many := excess((*build.lines, Line(self.part, self.quantity))):
            raise BadInput(tr("{part} cannot be added: {too_many}.", part=self.part.title, too_many=too_many))
        before = build
        for _ in range(self.quantity):
            build = self._one_more(build)
        return _keeping(before, build)

    def _one_more(self, build: Build) -> Build:
        line = build.line(self.part.id)
        if line is None:
            line = Line(self.part)
            build = build.with_lines((*build.lines, line))
        else:
            _require_quantity(line.quantity + 1)
            build = with_line(build, replace(line, quantity=line.quantity + 1))
        if line.part.category in (Category.CARRIER, Category.MOTHERBOARD):
            build = with_hosts(build)
        return _place_next(build, line.part)


@dataclass(frozen=True, slots=True)
class RemovePart(LineEdit):
    """Takes a line out; that of a system with what it contains."""

    part_id: str

    def called(self, name: str) -> str:
        return tr("Remove {name}", name=name)

    def apply(self, build: Build) -> Build:
        gone = require_line(build, self.part_id)
        left = build.with_lines(tuple(line for line in build.lines if line is not gone))
        for part_id, count in contained((gone,)).items():
            inside = left.line(part_id)
            if inside is not None:
                more = inside.quantity - count
                left = (SetQuantity(part_id, more) if more > 0 else RemovePart(part_id)).apply(left)
        return _keeping(build, left)


@dataclass(frozen=True, slots=True)
class SetQuantity(LineEdit):
    """Changes how many of a part there are; further cards are placed, the last ones go first."""

    part_id: str
    quantity: int

    def called(self, name: str) -> str:
        return tr("Set quantity of {name} to {quantity}", name=name, quantity=self.quantity)

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        _require_quantity(self.quantity)
        if self.quantity > line.quantity:
            return AddPart(line.part, self.quantity - line.quantity).apply(build)
        slots = line.slots[: self.quantity]
        risers = tuple(slot for slot in line.risers if slot in slots)
        psus, sockets, hosts = line.psus[: self.quantity], line.sockets[: self.quantity], line.hosts[: self.quantity]
        fewer = replace(
            line, quantity=self.quantity, slots=slots, risers=risers, psus=psus, sockets=sockets, hosts=hosts
        )
        return _keeping(build, with_line(build, fewer))


@dataclass(frozen=True, slots=True)
class SwapPart(LineEdit):
    """Puts another part in a line's place; it keeps quantity, PSUs and sockets, slots if both are cards, the power
    limit that is set if it is another card of one product that takes it, and whether it is bought used; not that it
    is owned."""

    part_id: str
    part: Part

    def called(self, name: str) -> str:
        return tr("Replace {name} with {part}", name=name, part=self.part.title)

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        if self.part.category is not line.part.category:
            raise BadInput(
                tr(
                    "{part} is a {category}, not a {wanted}.",
                    part=self.part.title,
                    category=self.part.category.label,
                    wanted=line.part.category.label,
                )
            )
        if self.part.id != self.part_id and build.line(self.part.id):
            raise BadInput(tr("{part} is already in the build. Change its quantity instead.", part=self.part.title))
        slots, risers = (line.slots, line.risers) if is_card(self.part) is is_card(line.part) else ((), ())
        limit_w = _limit_kept(line, self.part)
        condition = None if line.condition is Condition.OWNED else line.condition
        swapped = replace(line, part=self.part, slots=slots, risers=risers, power_limit_w=limit_w, condition=condition)
        after = build.with_lines(tuple(swapped if old is line else old for old in build.lines))
        return _keeping(build, after, {self.part_id: self.part.id})


@dataclass(frozen=True, slots=True)
class PlaceCards(LineEdit):
    """Puts the cards of a line into these slot positions."""

    part_id: str
    slots: tuple[int, ...]

    def called(self, name: str) -> str:
        if not self.slots:
            return tr("Remove {name} from all slots", name=name)
        return trn(
            "Place {name} in slot {slots}",
            "Place {name} in slots {slots}",
            name=name,
            slots=", ".join(map(str, self.slots)),
            count=len(self.slots),
        )

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        if not is_card(line.part) and not (is_module(line.part) and all(map(on_carrier, self.slots))):
            raise BadInput(tr("{part} does not sit in an expansion slot.", part=line.part.title))
        if len(self.slots) > line.quantity:
            raise BadInput(
                tr(
                    "{part}: {number} slots given for {quantity} cards.",
                    part=line.part.title,
                    number=len(self.slots),
                    quantity=line.quantity,
                )
            )
        if len(set(self.slots)) != len(self.slots):
            raise BadInput(tr("{part}: a slot is named twice.", part=line.part.title))
        if not all(map(is_position, self.slots)):
            raise BadInput(
                tr(
                    "{part}: slot positions are 1 to {most}, not {slots}.",
                    part=line.part.title,
                    most=MAX_POSITION,
                    slots=list(self.slots),
                )
            )
        positions = {slot.position for slot in build.seats()}
        missing = sorted(set(self.slots) - positions)
        if positions and missing:
            raise BadInput(
                tr(
                    "The board has no slot {slot}; it has {slots}.",
                    slot=missing[0],
                    slots=", ".join(map(str, sorted(positions))),
                )
            )
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
            return tr(
                "Change region to {region}", region=BY_ID[self.region].title if self.region in BY_ID else self.region
            )
        return tr(
            "Change {details}",
            details=listed([words for key, words in DETAILS.items() if getattr(self, key) is not None]),
        )

    def apply(self, build: Build) -> Build:
        if self.region is not None and self.region not in BY_ID:
            raise BadInput(
                tr("Unknown region {region!r}. Known: {regions}.", region=self.region, regions=", ".join(BY_ID))
            )
        details = {key: getattr(self, key) for key in DETAILS}
        try:
            return replace(build, **{key: value for key, value in details.items() if value is not None})
        except ValueError as error:
            raise BadInput(tr("This cannot be changed: {reason}.", reason=error.args[0])) from error

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
        raise BadInput(tr("The build has no part {part_id!r}.", part_id=part_id))
    return line


def _require_quantity(quantity: int) -> None:
    if not 1 <= quantity <= MAX_QUANTITY:
        raise BadInput(
            tr(
                "A quantity is 1 to {most}, not {quantity}. To take a part out, remove it.",
                most=MAX_QUANTITY,
                quantity=quantity,
            )
        )


def with_line(build: Build, line: Line) -> Build:
    """The build with this line in the place of the one of the same part."""
    return build.with_lines(tuple(line if old.part.id == line.part.id else old for old in build.lines))


def _keeping(before: Build, after: Build, swapped: Mapping[str, str] | None = None) -> Build:
    """`after`, with PSUs and carriers meant as before, whatever their numbers are now."""
    return keeping_psus(before, keeping_carriers(before, after, swapped), swapped)


def _limit_kept(line: Line, part: Part) -> float | None:
    old, new, limit_w = line.part.spec, part.spec, line.power_limit_w
    if limit_w is None or not isinstance(old, GpuSpec) or not isinstance(new, GpuSpec) or old.product != new.product:
        return None
    lowest, highest = new.power_limit_min_w or 0.0, new.power_limit_max_w or new.power_limit_w or limit_w
    return limit_w if lowest <= limit_w <= highest else None


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
