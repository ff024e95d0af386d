"""The immutable `Build`: lines of parts, the mains, what is assumed, measured and set, and how large it may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any, TypeVar

from core.parts.part import Condition, Part, no_longer_sold
from core.parts.specs import (
    CarrierSpec,
    CaseSpec,
    CpuSpec,
    GpuSpec,
    MotherboardSpec,
    PduSpec,
    PsuSpec,
    RamSpec,
    Slot,
    SystemSpec,
)
from core.parts.vocabulary import Category
from core.plan.assumptions import DEFAULT_ASSUMPTIONS, Assumptions
from core.plan.budget import Budget
from core.plan.calibration import NOTHING, Calibration
from core.plan.line import LESS_MEMORY, Card, Line, Role, contained, is_card, is_module, is_small_beside
from core.plan.mains import BY_ID, DEFAULT_REGION, MAX_CIRCUITS, Circuit
from core.plan.seats import MAX_POSITION, Carrier, seats_of
from core.words import tr

MOST_PARTS: Mapping[Category, int] = {
    Category.GPU: 64,
    Category.CPU: 8,
    Category.MOTHERBOARD: 8,
    Category.RAM: 128,
    Category.STORAGE: 128,
    Category.PSU: 16,
    Category.CASE: 8,
    Category.SYSTEM: 16,
    Category.CPU_COOLER: 8,
    Category.FAN: 128,
    Category.RADIATOR: 16,
    Category.PUMP: 16,
    Category.WATER_BLOCK: 64,
    Category.RISER: 64,
    Category.CARRIER: 32,
    Category.NVLINK_BRIDGE: 64,
    Category.NIC: 16,
    Category.UPS: 16,
    Category.PDU: 16,
    Category.CABLE: 128,
}
"""Parts of each category in one build, all lines together."""


def excess(lines: Iterable[Line]) -> str | None:
    """What there is too much of, in words without a full stop; None if the lines keep within the bounds."""
    counts: Counter[Category] = Counter()
    for line in lines:
        counts[line.part.category] += line.quantity
    for category, count in counts.items():
        if count > MOST_PARTS[category]:
            return tr(
                "a build has at most {most} parts of the category {category}, not {number}; plan several machines",
                most=MOST_PARTS[category],
                category=category.label,
                number=count,
            )
    return None


MAX_GENERATION = 7
MAX_NAME = 200
MAX_NOTES = 20_000
SLOWEST_FANS = 0.2
"""Of their highest speed: below it many do not start."""

T = TypeVar("T")


@dataclass(frozen=True)
class Build:
    """A machine on paper. Part ids are unique among the lines; edits give a new build.

    Without slots, so that what many rules ask again and again is found out once.
    """

    name: str = field(default_factory=lambda: str(tr("New build")))
    lines: tuple[Line, ...] = ()
    region: str = DEFAULT_REGION
    notes: str = ""
    custom_circuit: Circuit | None = None
    """In the place of the region's circuit."""
    other_loads_w: tuple[float, ...] = (0.0,)
    """One entry per circuit that feeds the machine: what else draws from it, W. PSUs take the circuits in turn."""
    assumptions: Assumptions = DEFAULT_ASSUMPTIONS
    calibration: Calibration = NOTHING
    """What a measured run corrects in the predictions."""
    fan_share: float | None = None
    """What case and radiator fans are set to in training, of their highest speed; None: nobody set them."""
    slot_generations: tuple[tuple[int, int], ...] = ()
    """PCIe generations that slots are set to in the firmware, by slot position; the others run as fast as they can."""
    condition: Condition = Condition.NEW
    """Of lines that do not say it themselves."""
    budget: Budget | None = None
    """What all parts may cost together."""

    def __post_init__(self) -> None:
        if fault := next(self._faults(), None):
            raise ValueError(fault)

    def _faults(self) -> Iterator[str]:
        ids = [line.part.id for line in self.lines]
        if len(ids) != len(set(ids)):
            yield tr("a part is in two lines of the build")
        if too_many := excess(self.lines):
            yield too_many
        if not 1 <= len(self.name) <= MAX_NAME:
            yield tr(
                "the name of a build has 1 to {most} characters, not {length}", most=MAX_NAME, length=len(self.name)
            )
        if len(self.notes) > MAX_NOTES:
            yield tr("notes have at most {most} characters, not {length}", most=MAX_NOTES, length=len(self.notes))
        if self.region not in BY_ID:
            yield tr("unknown region {region!r}; known: {regions}", region=self.region, regions=", ".join(BY_ID))
        if not 1 <= len(self.other_loads_w) <= MAX_CIRCUITS:
            yield tr(
                "a machine is fed by 1 to {most} circuits, not {circuits}",
                most=MAX_CIRCUITS,
                circuits=len(self.other_loads_w),
            )
        if any(not 0 <= watts <= 100_000 for watts in self.other_loads_w):
            yield tr("other loads on a circuit are 0 to 100000 W, not {watts}", watts=list(self.other_loads_w))
        if self.fan_share is not None and not SLOWEST_FANS <= self.fan_share <= 1:
            yield tr(
                "fans run at {slowest:g} to 1 of full speed, not {fan_share:g}",
                slowest=SLOWEST_FANS,
                fan_share=self.fan_share,
            )

        for position, generation in self.slot_generations:
            if not (1 <= position <= MAX_POSITION and 1 <= generation <= MAX_GENERATION):
                yield tr(
                    "a slot of position 1 to {most} is set to Gen1 to Gen{newest}, not slot {position} to "
                    "Gen{generation}",
                    most=MAX_POSITION,
                    newest=MAX_GENERATION,
                    position=position,
                    generation=generation,
                )

    def of(self, category: Category) -> tuple[Line, ...]:
        """The lines of one category."""
        return self.by_category.get(category, ())

    @cached_property
    def kinds(self) -> Mapping[Category, int]:
        """How many different parts there are of each category that the build has."""
        return {category: len(lines) for category, lines in self.by_category.items()}

    def line(self, part_id: str) -> Line | None:
        """The line of a part, if the build has it."""
        return self._by_id.get(part_id)

    def condition_of(self, line: Line, today: date) -> Condition:
        """Whether a line is bought new or used, or owned: as it says, else as the build does; what is no longer sold is
        bought used."""
        if line.condition is not None or self.condition is not Condition.NEW:
            return line.condition or self.condition
        return Condition.USED if no_longer_sold(line.part, today) else Condition.NEW

    def count(self, category: Category) -> int:
        """How many parts of a category there are."""
        return sum(line.quantity for line in self.of(category))

    @property
    def circuit(self) -> Circuit:
        """The kind of mains circuit: the user's own, else the region's."""
        return self.custom_circuit or BY_ID[self.region]

    @property
    def motherboard(self) -> tuple[Part, MotherboardSpec] | None:
        """The board, if there is exactly one kind."""
        return self._single(Category.MOTHERBOARD, MotherboardSpec)

    @property
    def case(self) -> tuple[Part, CaseSpec] | None:
        """The case, if there is exactly one kind."""
        return self._single(Category.CASE, CaseSpec)

    def cpus(self) -> Iterator[tuple[Line, CpuSpec]]:
        """CPU lines with their spec."""
        return self._typed(Category.CPU, CpuSpec)

    def gpus(self) -> Iterator[tuple[Line, GpuSpec]]:
        """GPU lines with their spec."""
        return self._typed(Category.GPU, GpuSpec)

    def role(self, part_id: str) -> Role:
        """What the GPUs of a line are for: as the user says, else by their size beside the others."""
        return self.roles.get(part_id, Role.WORKER)

    def workers(self) -> tuple[tuple[Line, GpuSpec], ...]:
        """The GPU lines that do the work, with their spec: what trains, and what speed and memory are counted of."""
        return self._workers

    @cached_property
    def worker_count(self) -> int:
        """How many GPUs do the work, as the driver lists them: a card of two chips is two."""
        return sum(line.quantity * spec.chips for line, spec in self.workers())

    def psus(self) -> Iterator[tuple[Line, PsuSpec]]:
        """PSU lines with their spec."""
        return self._typed(Category.PSU, PsuSpec)

    def systems(self) -> Iterator[tuple[Line, SystemSpec]]:
        """Lines of complete machines with their spec."""
        return self._typed(Category.SYSTEM, SystemSpec)

    @cached_property
    def _contained(self) -> Mapping[str, int]:
        return contained(self.lines)

    def is_contained(self, line: Line) -> bool:
        """Whether a system of the build contains all of a line, and its price is theirs."""
        return line.quantity <= self._contained.get(line.part.id, 0)

    def pdus(self) -> Iterator[tuple[Line, PduSpec]]:
        """PDU lines with their spec."""
        return self._typed(Category.PDU, PduSpec)

    def ram(self) -> Iterator[tuple[Line, RamSpec]]:
        """Memory lines with their spec."""
        return self._typed(Category.RAM, RamSpec)

    def cards(self) -> tuple[Card, ...]:
        """Every GPU and network card singly, in line order."""
        return self._cards

    def board_slots(self) -> tuple[Slot, ...]:
        """The board's slots from the top, at the generation that they are set to; empty if unknown or without board."""
        return self._board_slots

    def seats(self) -> tuple[Slot, ...]:
        """All places for cards: the board's slots from the top, then the seats of the carriers."""
        return self._seats

    @cached_property
    def carriers(self) -> tuple[Carrier, ...]:
        """Every carrier singly. Carrier 1 comes first in the order of part ids: that of the lines does not matter."""
        lines = sorted(self._typed(Category.CARRIER, CarrierSpec), key=lambda pair: pair[0].part.id)
        units = [(line, spec, unit) for line, spec in lines for unit in range(line.quantity)]
        return tuple(
            Carrier(number, line.part, spec, unit + 1, line.hosts[unit] if unit < len(line.hosts) else ())
            for number, (line, spec, unit) in enumerate(units, 1)
        )

    def with_lines(self, lines: tuple[Line, ...]) -> Build:
        """The same build with other lines."""
        return replace(self, lines=lines)

    @cached_property
    def by_category(self) -> Mapping[Category, tuple[Line, ...]]:
        """Lines by the categories that the build has."""
        grouped: dict[Category, list[Line]] = {}
        for line in self.lines:
            grouped.setdefault(line.part.category, []).append(line)
        return {category: tuple(lines) for category, lines in grouped.items()}

    @cached_property
    def roles(self) -> Mapping[str, Role]:
        """The role of each GPU line, by part id."""
        lines = tuple(self.gpus())
        others = [spec for line, spec in lines if line.role in (None, Role.WORKER)]
        least_gb = LESS_MEMORY * max([spec.memory_gb or 0.0 for spec in others], default=0.0)
        return {
            line.part.id: line.role
            or (
                Role.DISPLAY
                if (spec.memory_gb or 0.0) <= least_gb and any(is_small_beside(spec, other) for other in others)
                else Role.WORKER
            )
            for line, spec in lines
        }

    @cached_property
    def _workers(self) -> tuple[tuple[Line, GpuSpec], ...]:
        roles = self.roles
        return tuple([pair for pair in self.gpus() if roles[pair[0].part.id] is Role.WORKER])

    @cached_property
    def _by_id(self) -> dict[str, Line]:
        return {line.part.id: line for line in self.lines}

    @cached_property
    def _cards(self) -> tuple[Card, ...]:
        seats = Category.CARRIER in self.by_category and any(carrier.takes_modules for carrier in self.carriers)
        return tuple(
            card
            for line in self.lines
            if is_card(line.part) or line.slots or (seats and is_module(line.part))
            for card in line.cards()
        )

    @cached_property
    def _seats(self) -> tuple[Slot, ...]:
        if not self.of(Category.CARRIER):
            return self._board_slots
        board = self.motherboard
        return (*self._board_slots, *seats_of(self.carriers, self._board_slots, board[1] if board else None))

    @cached_property
    def _board_slots(self) -> tuple[Slot, ...]:
        board = self.motherboard
        if board is None:
            return ()
        slots = sorted(board[1].slots or (), key=lambda slot: slot.position)
        limits = dict(self.slot_generations)
        return tuple(
            slot.model_copy(update={"generation": limits[slot.position]})
            if limits.get(slot.position, slot.generation) < slot.generation
            else slot
            for slot in slots
        )

    def _single(self, category: Category, spec_type: type[T]) -> tuple[Part, T] | None:
        lines = tuple(self._typed(category, spec_type))
        return (lines[0][0].part, lines[0][1]) if len(lines) == 1 else None

    def _typed(self, category: Category, _: type[T]) -> Iterator[tuple[Line, T]]:
        pairs = self._pairs.get(category)
        if pairs is None:
            pairs = self._pairs[category] = tuple([(line, line.part.spec) for line in self.of(category)])
        return iter(pairs)

    @cached_property
    def _pairs(self) -> dict[Category, tuple[tuple[Line, Any], ...]]:
        """Lines with their spec by category, as far as they were asked for."""
        return {}
