"""A build as the rules see it: sorted, with what several rules derive from it worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from core.build.build import Build, Card, Line
from core.parts.part import Part
from core.parts.specs import MotherboardSpec, Slot, StorageSpec
from core.parts.vocabulary import Category
from core.predict.blocks import Fitted, fitted_blocks
from core.predict.power import Power, predict_power


class Machine:
    """Read-only. Lines stand in the order of part ids, so that findings do not depend on the order of the user's."""

    def __init__(self, build: Build) -> None:
        self.build = build.with_lines(tuple(sorted(build.lines, key=lambda line: line.part.id)))
        self.unconfirmed: dict[tuple[str, str], bool] = {}
        """Whether figures (part id, field) lack a confirmed source: filled by the readers, asked many times."""
        self._widths: dict[int | None, dict[str, int]] = {}

    @cached_property
    def board(self) -> Part | None:
        """The board, if there is exactly one kind."""
        found = self.build.motherboard
        return found[0] if found else None

    @cached_property
    def case(self) -> Part | None:
        """The case, if there is exactly one kind."""
        found = self.build.case
        return found[0] if found else None

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """Every card of every line."""
        return self.build.cards()

    @cached_property
    def placed(self) -> tuple[Card, ...]:
        """Cards that sit in a slot, from the top."""
        return tuple(sorted((c for c in self.cards if c.slot), key=lambda c: (c.slot or 0, c.part.id, c.number)))

    @cached_property
    def power(self) -> Power:
        """The predicted power."""
        return predict_power(self.build)

    @cached_property
    def _blocks(self) -> Mapping[str, Fitted]:
        return fitted_blocks(self.build)

    @cached_property
    def _by_category(self) -> dict[Category, tuple[Line, ...]]:
        return {
            category: tuple(line for line in self.build.lines if line.part.category is category)
            for category in Category
        }

    def lines(self, *categories: Category) -> tuple[Line, ...]:
        """Lines of some categories."""
        if len(categories) == 1:
            return self._by_category[categories[0]]
        return tuple(line for line in self.build.lines if line.part.category in categories)

    def count(self, category: Category) -> int:
        """How many parts of a category."""
        return sum(line.quantity for line in self.lines(category))

    def quantity(self, part: Part) -> int:
        """How many of one part."""
        line = self.build.line(part.id)
        return line.quantity if line else 0

    @cached_property
    def slots(self) -> dict[int, Slot]:
        """The board's slots by position, from the top."""
        return {slot.position: slot for slot in self.build.board_slots()}

    def blocks_on(self, part_id: str) -> int:
        """How many cards of a line carry a water block of the build."""
        fitted = self._blocks.get(part_id)
        return fitted.count if fitted else 0

    def body(self, card: Card) -> Part:
        """The part whose width and height count: the water block, if the card carries one."""
        fitted = self._blocks.get(card.part.id)
        return fitted.block if fitted and card.number <= fitted.count else card.part

    def slot_of(self, card: Card) -> Slot | None:
        """The board's slot under a card, None if it is not placed or the board has no such slot."""
        return self.slots.get(card.slot) if card.slot is not None else None

    @cached_property
    def used_m2(self) -> tuple[str, ...]:
        """Labels of the M.2 sockets in use: drives take them in the board's order."""
        sockets = self.board.spec.m2 if self.board and isinstance(self.board.spec, MotherboardSpec) else None
        count = 0
        for line in self.lines(Category.STORAGE):
            if isinstance(spec := line.part.spec, StorageSpec) and (spec.form_factor or "").startswith("M.2"):
                count += line.quantity
        return tuple(socket.label for socket in (sockets or ())[:count])

    def widths(self, cpu_lanes: int | None = None) -> dict[str, int]:
        """Electrical lanes by slot label with the cards where they are.

        The population row with the most filled entries that all hold wins (see `LaneCase`).
        """
        if cpu_lanes not in self._widths:
            self._widths[cpu_lanes] = self._find_widths(cpu_lanes)
        return self._widths[cpu_lanes]

    def _find_widths(self, cpu_lanes: int | None) -> dict[str, int]:
        slots = self.slots.values()
        positions = {card.slot for card in self.placed}
        in_use = {slot.label for slot in slots if slot.position in positions} | set(self.used_m2)
        widths = {slot.label: int(slot.lanes) for slot in slots}
        spec = self.board.spec if self.board else None
        assert spec is None or isinstance(spec, MotherboardSpec)
        rows = [
            row
            for row in (spec.lane_cases if spec else ())
            if set(row.filled) <= in_use and (row.cpu_lanes is None or (cpu_lanes or 10_000) <= row.cpu_lanes)
        ]
        if rows:
            widths |= max(rows, key=lambda row: (len(row.filled), row.cpu_lanes is not None)).widths
        return widths
