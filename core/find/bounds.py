"""What no machine that begins with some parts can stay under: in price, power at the wall, noise; or exceed: in speed.

Each bound holds of all machines of the search that have these parts; `tests/find/test_bounds.py` tries it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from math import ceil, inf
from operator import or_

from core.find.candidates import MOST_PSUS, Choice
from core.find.tables import Chosen
from core.find.wish import Wish
from core.parts.specs import GpuSpec, MotherboardSpec, Slot
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.components import components, dc_power
from core.predict.conditions import LoadCase
from core.predict.power import CONTINUOUS_SHARE

BEST_EFFICIENCY = 0.97
"""More of what it draws no PSU delivers: 80 PLUS Titanium asks for 96 % at half load, on 230 V."""


def card_count(cards: Choice) -> int:
    """How many GPUs these cards are."""
    return int(cards.line.quantity * cards.spec.chips)


class Bounds:
    """Floors and ceilings over one set of choices."""

    def __init__(self, choices: Mapping[Category, Sequence[Choice]], wish: Wish, base: Build) -> None:
        self._choices, self._wish = choices, wish
        self._volts = base.circuit.voltage_v
        self._circuit_w = base.circuit.continuous_w * wish.circuits
        self._watts: dict[int, tuple[float, float]] = {}
        self._outputs: dict[int, float] = {}
        self._room: dict[tuple[int, int, int], int] = {}
        self._floors: dict[object, float] = {}
        self._feeding: dict[tuple[float, float], int] = {}
        self._strengths = {count: self._strength(count) for count in range(1, MOST_PSUS + 1)}

    def ram_gb(self, cards: Choice) -> float:
        """RAM that a machine with these cards has at least."""
        return max(self._wish.ram_gb, float(cards.spec.memory_gb * cards.line.quantity))

    def cores(self, cards: Choice) -> int:
        """Cores of its CPU, at least."""
        return ceil(self._wish.cores_per_card * card_count(cards))

    def watts(self, choice: Choice) -> tuple[float, float]:
        """What it draws of the PSUs in training and in the electrical worst case, as expected."""
        watts = self._watts.get(id(choice))
        if watts is None:
            drawn = components(Build("x", (choice.line,)))
            training, worst = (dc_power(drawn, load).expected for load in (LoadCase.TRAINING, LoadCase.EVERYTHING))
            watts = self._watts[id(choice)] = training, worst
        return watts

    def output_w(self, psus: Choice) -> float:
        """What the PSUs of a line give at these mains."""
        output = self._outputs.get(id(psus))
        if output is None:
            output = self._outputs[id(psus)] = (psus.spec.output_w(self._volts) or 0.0) * psus.line.quantity
        return output

    def is_fed(self, psus: Choice, training_w: float, worst_w: float) -> bool:
        """Whether PSUs bear so much, the worst case within their rating, training for days; and the fullest circuit, as
        equal PSUs take the circuits in turn."""
        output = self.output_w(psus)
        fed = worst_w <= output and training_w <= CONTINUOUS_SHARE * output
        return fed and self._fits_circuit(psus.line.quantity, worst_w)

    def feeding(self, training_w: float, worst_w: float) -> int:
        """The PSU lines of which `is_fed` holds: a bit for each."""
        key = training_w, worst_w
        bits = self._feeding.get(key)
        if bits is None:
            bits = 0
            for count, (outputs, for_days, weaker) in self._strengths.items():
                if self._fits_circuit(count, worst_w):
                    at = max(bisect_left(outputs, worst_w), bisect_left(for_days, training_w))
                    bits |= weaker[-1] & ~weaker[at]
            self._feeding[key] = bits
        return bits

    def _strength(self, count: int) -> tuple[list[float], list[float], list[int]]:
        """Of the lines of so many PSUs, the weakest first: what they give, what for days, and bits of all before."""
        lines = self._choices.get(Category.PSU, ())
        ranked = sorted((self.output_w(one), place) for place, one in enumerate(lines) if one.line.quantity == count)
        weaker = [*accumulate((1 << place for _, place in ranked), or_, initial=0)]
        return [watts for watts, _ in ranked], [CONTINUOUS_SHARE * watts for watts, _ in ranked], weaker

    def _fits_circuit(self, count: int, worst_w: float) -> bool:
        """Whether so many PSUs leave the fullest circuit its share."""
        share = ceil(count / self._wish.circuits) / count
        return share * worst_w / BEST_EFFICIENCY <= self._circuit_w / self._wish.circuits

    def is_within_circuits(self, worst_w: float) -> bool:
        """Whether circuits may carry what PSUs draw to deliver so much."""
        return worst_w / BEST_EFFICIENCY <= self._circuit_w

    def seats(self, board: Choice, width: int, lanes: int) -> int:
        """How many cards of this width in slots and these lanes find a slot of a board without overlap, at most."""
        key = id(board), width, lanes
        room = self._room.get(key)
        if room is None:
            room = self._room[key] = _seats(board.spec, width, lanes)
        return room

    def most_seats(self, cards: Choice) -> int:
        """How many such cards find a slot on the board that has the most for them."""
        body = _body(cards.spec)
        boards = self._choices[Category.MOTHERBOARD]
        most = self._memo(("seats", *body), lambda: max((self.seats(one, *body) for one in boards), default=0))
        return int(most)

    def has_seats(self, board: Choice, cards: Choice) -> bool:
        """Whether the board may have a slot for each of the cards."""
        return self.seats(board, *_body(cards.spec)) >= cards.line.quantity

    def rest_cents(self, chosen: Chosen, psus: int, beside: Category | None = None) -> float:
        """What the categories that are still to be chosen cost at least; infinite where nothing can complete them.

        `psus` has a bit for each PSU line that is left. `beside` is a category that is not counted: any part of it may
        come.
        """
        cards, board = chosen[Category.GPU], chosen.get(Category.MOTHERBOARD)
        left = [category for category in self._choices if category not in chosen and category is not beside]
        rest = 0.0
        if board is None:
            rest += self._host_cents(cards, with_board=Category.MOTHERBOARD in left)
        for category in left:
            match category:
                case Category.CPU if board is not None:
                    rest += self._cpu_cents(board.spec, self.cores(cards))
                case Category.RAM if board is not None:
                    rest += self._ram_cents(board.spec.ram_type, self.ram_gb(cards))
                case Category.CPU_COOLER if board is not None:
                    cpus = chosen.get(Category.CPU)
                    rest += self._cooler_cents(board.spec.socket, 1 if cpus is None else cpus.line.quantity)
                case Category.PSU:
                    rest += self._psu_cents(psus, *self.drawn(chosen))
                case Category.STORAGE:
                    rest += self._least(category)
                case Category.CASE:
                    rest += self._case_cents(cards.line.quantity)
        return rest

    def drawn(self, chosen: Chosen) -> tuple[float, float]:
        """What the chosen parts draw of the PSUs, in training and in the worst case."""
        each = [self.watts(choice) for choice in chosen.values()]
        return sum(one[0] for one in each), sum(one[1] for one in each)

    def _memo(self, key: object, find: Callable[[], float]) -> float:
        floor = self._floors.get(key)
        if floor is None:
            floor = self._floors[key] = find()
        return floor

    def _host_cents(self, cards: Choice, *, with_board: bool) -> float:
        """CPU, RAM and CPU cooler of the board for which they cost least, and that board."""
        width, lanes = _body(cards.spec)
        count, cores, gb = cards.line.quantity, self.cores(cards), self.ram_gb(cards)

        def cheapest() -> float:
            return min(
                (
                    board.cents * with_board
                    + self._cpu_cents(board.spec, cores)
                    + self._ram_cents(board.spec.ram_type, gb)
                    + self._cooler_cents(board.spec.socket, 1)
                    for board in self._choices[Category.MOTHERBOARD]
                    if self.seats(board, width, lanes) >= count
                ),
                default=inf,
            )

        return self._memo(("host", with_board, width, lanes, count, cores, gb), cheapest)

    def _cpu_cents(self, board: MotherboardSpec, cores: int) -> float:
        def cheapest() -> float:
            fitting = (one for one in self._choices[Category.CPU] if one.spec.socket == board.socket)
            return _least(one for one in fitting if one.line.quantity <= board.cpu_sockets and core_count(one) >= cores)

        return self._memo(("cpu", board.socket, board.cpu_sockets, cores), cheapest)

    def _ram_cents(self, kind: object, gb: float) -> float:
        def cheapest() -> float:
            return _least(
                one for one in self._choices[Category.RAM] if one.spec.ram_type == kind and size_gb(one) >= gb
            )

        return self._memo(("ram", kind, gb), cheapest)

    def _cooler_cents(self, socket: object, count: int) -> float:
        def cheapest() -> float:
            coolers = (one for one in self._choices[Category.CPU_COOLER] if one.line.quantity == count)
            return _least(one for one in coolers if socket in one.spec.sockets)

        return self._memo(("cooler", socket, count), cheapest)

    def _case_cents(self, openings: int) -> float:
        def cheapest() -> float:
            return _least(one for one in self._choices[Category.CASE] if one.spec.expansion_slots >= openings)

        return self._memo(("case", openings), cheapest)

    def _least(self, category: Category) -> float:
        return self._memo(category, lambda: _least(self._choices[category]))

    def _psu_cents(self, psus: int, training_w: float, worst_w: float) -> float:
        psus &= self.feeding(training_w, worst_w)
        return self._choices[Category.PSU][(psus & -psus).bit_length() - 1].cents if psus else inf


def core_count(cpus: Choice) -> int:
    """Of all CPUs of a line together."""
    return int(cpus.spec.cores * cpus.line.quantity)


def channel_count(chosen: Chosen) -> int:
    """Memory channels that board and CPUs have both, without those of an empty socket; 1 where neither is stated."""
    board, cpus = chosen[Category.MOTHERBOARD].spec, chosen[Category.CPU]
    count, own = cpus.line.quantity, cpus.spec.ram_channels
    wired = None if board.ram_channels is None else board.ram_channels * min(count, board.cpu_sockets)
    stated = [wired and wired // board.cpu_sockets, own and own * count]
    return min((one for one in stated if one is not None), default=1)


def size_gb(ram: Choice) -> float:
    """Of all modules together."""
    return float(ram.spec.modules * ram.spec.module_gb * ram.line.quantity)


def _least(choices: Iterable[Choice]) -> float:
    return min((one.cents for one in choices), default=inf)


def _body(spec: GpuSpec) -> tuple[int, int]:
    """Slots that a card covers, and the lanes of its connector."""
    return ceil(spec.width_slots or 1), spec.pcie_lanes or 1


def _seats(spec: MotherboardSpec, width: int, lanes: int) -> int:
    def takes(slot: Slot) -> bool:
        return slot.mechanical_lanes >= lanes or slot.open_ended

    free, count = 0, 0
    pitch = 1 if spec.places_assumed else width
    for position in sorted(slot.position for slot in spec.slots or () if takes(slot)):
        if position >= free:
            free, count = position + pitch, count + 1
    return count
