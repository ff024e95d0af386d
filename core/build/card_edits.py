"""Edits of cards: where all of them sit, which are on risers, what they may draw, which PSU feeds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.build.build import FED, Build
from core.build.edits import LineEdit, LinesEdit, PlaceCards, require_line, with_line
from core.build.psu_numbers import psus_by_place
from core.errors import BadInput


@dataclass(frozen=True, slots=True)
class PutOnRisers(LineEdit):
    """Says which of a line's cards, by slot, are on a riser."""

    part_id: str
    slots: tuple[int, ...]

    def called(self, name: str) -> str:
        if not self.slots:
            return f"Take {name} off risers"
        return f"Put {name} in slot{'s' * (len(self.slots) > 1)} {', '.join(map(str, self.slots))} on risers"

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        try:
            return with_line(build, replace(line, risers=self.slots))
        except ValueError as error:
            raise BadInput(f"This cannot go on risers: {error}.") from error


@dataclass(frozen=True, slots=True)
class SetPowerLimit(LineEdit):
    """Sets what each GPU of a line may draw, W; None is the card's own limit."""

    part_id: str
    limit_w: float | None

    def called(self, name: str) -> str:
        if self.limit_w is None:
            return f"Give {name} its own power limit back"
        return f"Limit {name} to {self.limit_w:g} W"

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        try:
            return with_line(build, replace(line, power_limit_w=self.limit_w))
        except ValueError as error:
            raise BadInput(f"This limit cannot be set: {error}.") from error


@dataclass(frozen=True, slots=True)
class SetSupply(LineEdit):
    """Sets the PSU, by its number from 1, that feeds cards or risers of a line, or the board; None: automatic.

    `numbers` are those of the cards or risers within the line, from 1; empty means all of them.
    """

    part_id: str
    place: int | None
    numbers: tuple[int, ...] = ()

    def called(self, name: str) -> str:
        which = f" {', '.join(map(str, self.numbers))}" if self.numbers else ""
        if self.place is None:
            return f"Choose the PSU of {name}{which} automatically"
        return f"Feed {name}{which} from PSU {self.place}"

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        if line.part.category not in FED:
            raise BadInput(f"{line.part.title} is no GPU, riser or board: no PSU can be set for it.")
        count = len(psus_by_place(build))
        if self.place is not None and not 1 <= self.place <= count:
            has = f"it has {count}, counted from 1" if count else "it has none yet"
            raise BadInput(f"The build has no PSU {self.place}; {has}.")
        numbers = self.numbers or tuple(range(1, line.quantity + 1))
        wrong = [number for number in numbers if not 1 <= number <= line.quantity]
        if wrong:
            raise BadInput(f"{line.part.title}: there is no number {wrong[0]} of {line.quantity}.")
        supplies = [line.supply(number) for number in range(1, line.quantity + 1)]
        for number in numbers:
            supplies[number - 1] = self.place
        return with_line(build, replace(line, supplies=tuple(supplies)))


@dataclass(frozen=True, slots=True)
class PlaceAll(LinesEdit):
    """Puts the cards of several lines into slots at once: slot positions by part id.

    `risers` are those of the slots whose card is on a riser, by part id; a line without an entry keeps its cards on
    risers where they are.
    """

    slots: Mapping[str, tuple[int, ...]]
    risers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return "Arrange all cards"

    def apply(self, build: Build) -> Build:
        for part_id, slots in self.slots.items():
            build = PlaceCards(part_id, slots).apply(build)
            if part_id in self.risers:
                build = PutOnRisers(part_id, self.risers[part_id]).apply(build)
        return build
