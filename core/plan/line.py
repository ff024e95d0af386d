"""A line of a build: a part, how many of it, and what is set for each of them. A card is one of a line's cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import TypeVar

from core.parts.part import Condition, Part
from core.parts.specs import GpuSpec, NicSpec, SystemSpec
from core.parts.vocabulary import Category
from core.plan.seats import MAX_POSITION, Host, SlotNumber, is_position, on_carrier
from core.words import Worded, tr, trc


class Role(Worded):
    """What the cards of a line are for. Rules on work, memory and speed ask for workers alone."""

    WORKER = "worker", trc("role of a GPU", "worker")
    DISPLAY = "display", trc("role of a GPU", "display")
    """Drives the display, and draws what an idle card draws while the others train."""
    SPARE = "spare", trc("role of a GPU", "spare")
    """Plugged, paid for and idle: it stands in when another fails."""


ROLE_READS = ("gpu.chips", "gpu.fp32_tflops", "gpu.memory_gb", "gpu.power_limit_w")
"""Figures that roles are guessed by, and workers counted."""

SLOT_FED_W, SLOT_FED_GB = 75.0, 8.0
"""What a slot alone feeds, and the memory that work needs: cards that are bought for the display have no more."""
LESS_MEMORY, FAR_LESS_MEMORY = 0.4, 1 / 8
"""Of the memory of a worker beside it: what such a card has at most, and what any other has."""
LESS_COMPUTE, FAR_LESS_COMPUTE, LESS_POWER = 0.45, 0.25, 1 / 3
"""Likewise of its FP32 rate; of its power limit where the rate of one is unknown. A GTX 1650 has 25 % of a P40's, an
RTX A400 40 % of a TITAN X's; a Tesla P4, which works, has 47 % of a P40's."""


def is_small_beside(spec: GpuSpec, other: GpuSpec) -> bool:
    """Whether a card is so small beside another that it can only be there for the display; False where figures lack."""
    if spec is other or spec.memory_gb is None or other.memory_gb is None:
        return False
    if spec.memory_gb > other.memory_gb * LESS_MEMORY:
        return False
    slot_fed = (spec.power_limit_w or inf) <= SLOT_FED_W and spec.memory_gb <= SLOT_FED_GB
    if not slot_fed and spec.memory_gb > other.memory_gb * FAR_LESS_MEMORY:
        return False
    if spec.fp32_tflops is not None and other.fp32_tflops is not None:
        return spec.fp32_tflops <= other.fp32_tflops * (LESS_COMPUTE if slot_fed else FAR_LESS_COMPUTE)
    if spec.power_limit_w is not None and other.power_limit_w is not None:
        return spec.power_limit_w <= other.power_limit_w * LESS_POWER
    return False


CARDS = (Category.GPU, Category.NIC)
"""Categories whose parts are placed in expansion slots."""

FED = (Category.MOTHERBOARD, Category.GPU, Category.RISER, Category.CARRIER)
"""Categories whose parts a PSU feeds that the user may choose."""

MAX_QUANTITY = 64

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Line:
    """A part, how many of it, and for cards their slot positions (see `SlotNumber`), in order of the cards.

    Fewer slots than quantity: the remaining cards are not placed yet. `risers` are those of the slots whose card is
    on a riser: it takes the slot's lanes, but stands elsewhere. `power_limit_w` is set in the driver for each GPU of
    the line; None is the card's own. `psus` are the PSUs that the user set for the cards, risers or the board, in
    the order of their numbers: 1 is "PSU 1"; None, and what is missing at the end, is chosen automatically. `role` is
    what the user says that the GPUs of the line are for; None: `Build.role` guesses it by their size. `sockets` are the
    labels of the M.2 or U.2 sockets that the user set for drives, in their order, as `psus`. `hosts` of a line of
    carriers is what each plugs into, in order; several where a plug takes several ports, none where it is not plugged
    yet. `condition` is whether they are bought new or used, or owned; None: as the build says.
    """

    part: Part
    quantity: int = 1
    slots: tuple[int, ...] = ()
    risers: tuple[int, ...] = ()
    power_limit_w: float | None = None
    psus: tuple[int | None, ...] = ()
    role: Role | None = None
    sockets: tuple[str | None, ...] = ()
    hosts: tuple[tuple[Host, ...], ...] = ()
    condition: Condition | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "slots", tuple(map(SlotNumber, self.slots)))
        if fault := next(self._faults(), None):
            raise ValueError(fault)
        object.__setattr__(self, "psus", _without_end(self.psus))
        object.__setattr__(self, "sockets", _without_end(self.sockets))

    def _faults(self) -> Iterator[str]:
        part, slots, quantity = self.part.title, list(self.slots), self.quantity
        if not 1 <= quantity <= MAX_QUANTITY:
            yield tr(
                "{part}: a quantity is 1 to {most}, not {quantity}", part=part, most=MAX_QUANTITY, quantity=quantity
            )
        if len(slots) > quantity:
            yield tr("{part} has {number} slots for {quantity} cards", part=part, number=len(slots), quantity=quantity)
        if slots and not is_card(self.part) and not (is_module(self.part) and all(map(on_carrier, slots))):
            yield tr("{part} does not sit in an expansion slot, but has slots {slots}", part=part, slots=slots)
        if len(set(slots)) != len(slots):
            yield tr("{part} names a slot twice: {slots}", part=part, slots=slots)
        if not all(map(is_position, slots)):
            yield tr("{part}: slot positions are 1 to {most}, not {slots}", part=part, most=MAX_POSITION, slots=slots)
        if not set(self.risers) <= set(slots) or len(set(self.risers)) != len(self.risers):
            risers = list(self.risers)
            yield tr("{part}: risers {risers} are not among its slots {slots}", part=part, risers=risers, slots=slots)
        if self.power_limit_w is not None:
            yield from _limit_faults(self.part, self.power_limit_w)
        hosts = len(self.hosts)
        if hosts and (hosts > quantity or self.part.category is not Category.CARRIER):
            yield tr("{part}: {number} hosts for {quantity} carriers", part=part, number=hosts, quantity=quantity)
        if self.role is not None and not isinstance(self.part.spec, GpuSpec):
            yield tr("{part} is no GPU and has no role", part=part)
        if self.psus:
            yield from _psu_faults(self)
        if self.sockets:
            yield from _socket_faults(self)

    def psu(self, number: int) -> int | None:
        """The PSU that is set for the card or riser of this number, from 1; None: chosen automatically."""
        return self.psus[number - 1] if number <= len(self.psus) else None

    def socket(self, number: int) -> str | None:
        """The label of the socket that is set for the drive of this number, from 1; None: chosen automatically."""
        return self.sockets[number - 1] if number <= len(self.sockets) else None

    def cards(self) -> Iterator[Card]:
        """Each part of the line as a card, from number 1, placed or not."""
        for number in range(self.quantity):
            slot = self.slots[number] if number < len(self.slots) else None
            yield Card(self.part, number + 1, slot, slot in self.risers)

    @property
    def limit_w(self) -> float | None:
        """What one card of a GPU line may draw, W: the limit that is set, else the card's own; None if unknown."""
        if self.power_limit_w is not None:
            return self.power_limit_w
        return self.part.spec.power_limit_w if isinstance(self.part.spec, GpuSpec) else None


@dataclass(frozen=True, slots=True)
class Card:
    """One physical card: the n-th of its line, and its slot position, or None if not placed."""

    part: Part
    number: int
    slot: int | None
    on_riser: bool = False

    @property
    def on_carrier(self) -> bool:
        """Whether it sits on a carrier, not in a slot of the board."""
        return on_carrier(self.slot)

    @property
    def off_board(self) -> bool:
        """Whether it stands elsewhere than in its slot of the board: on a riser or a carrier."""
        return self.on_riser or (self.slot is not None and self.slot > MAX_POSITION)

    @property
    def width_slots(self) -> float | None:
        """Slot pitches that the card takes, None if unknown."""
        return self.part.spec.width_slots if isinstance(self.part.spec, (GpuSpec, NicSpec)) else None


def _limit_faults(part: Part, limit_w: float) -> Iterator[str]:
    if part.category is not Category.GPU:
        yield tr("{part_id} is not a GPU and has no power limit to set", part_id=part.id)
    if not 1 <= limit_w <= 5000:
        yield tr("{part_id}: a power limit is 1 to 5000 W, not {limit_w:g}", part_id=part.id, limit_w=limit_w)


def _psu_faults(line: Line) -> Iterator[str]:
    if line.part.category not in FED:
        yield tr("{part_id} is not a GPU, riser or board: no PSU is set for it", part_id=line.part.id)
    if len(line.psus) > line.quantity:
        yield tr(
            "{part_id}: {number} PSUs set for a quantity of {quantity}",
            part_id=line.part.id,
            number=len(line.psus),
            quantity=line.quantity,
        )
    if any(place is not None and not 1 <= place <= MAX_QUANTITY for place in line.psus):
        yield tr(
            "{part_id}: PSUs are numbered 1 to {highest}, not {numbers}",
            part_id=line.part.id,
            highest=MAX_QUANTITY,
            numbers=list(line.psus),
        )


def _socket_faults(line: Line) -> Iterator[str]:
    part, labels = line.part.id, [label for label in line.sockets if label is not None]
    if line.part.category is not Category.STORAGE:
        yield tr("{part_id} is not a drive: no M.2 socket is set for it", part_id=part)
    if len(line.sockets) > line.quantity:
        count = len(line.sockets)
        yield tr("{part}: {number} sockets for {quantity} drives", part=part, number=count, quantity=line.quantity)
    if len(set(labels)) != len(labels):
        yield tr("{part} names a socket twice: {sockets}", part=part, sockets=labels)


def _without_end(choices: tuple[T | None, ...]) -> tuple[T | None, ...]:
    while choices and choices[-1] is None:
        choices = choices[:-1]
    return choices


def is_card(part: Part) -> bool:
    """Whether the part is placed in a slot (an SXM module is not)."""
    spec = part.spec
    return part.category in CARDS and not (isinstance(spec, GpuSpec) and spec.form != "pcie_card")


def is_module(part: Part) -> bool:
    """Whether the part sits in a module socket: SXM, OAM."""
    return isinstance(part.spec, GpuSpec) and part.spec.form != "pcie_card"


Lookup = Callable[[str], Part | None]
"""The part of this id, from a catalogue."""

IN_SYSTEM = tr("in the system")
"""In the place of a price."""


def contained(lines: Iterable[Line]) -> Mapping[str, int]:
    """By part id how many the systems among these lines bring."""
    counts: Counter[str] = Counter()
    for line in lines:
        if isinstance(line.part.spec, SystemSpec):
            for row in line.part.spec.includes:
                counts[row.part] += row.count * line.quantity
    return counts


def paid_for(lines: Iterable[Line]) -> Iterator[Line]:
    """What has a price of its own, with the number that must be bought: all but the contents of systems."""
    lines = tuple(lines)
    inside = contained(lines)
    for line in lines:
        left = line.quantity - inside.get(line.part.id, 0)
        if left == line.quantity:
            yield line
        elif left > 0:
            yield replace(line, quantity=left, slots=(), risers=(), psus=(), sockets=(), hosts=())
