"""How loud a machine of the search gets at least: what a limit of noise excludes before a machine is complete.

The levels of its sources add up at the high ends of their bands, and none becomes quieter by a further part: cards that
share their air with more heat turn their fans faster, PSUs that deliver more do too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf

from core.find.bounds import Bounds, core_count
from core.find.candidates import Choice
from core.find.machine import Machines
from core.find.tables import Chosen
from core.find.wish import Wish
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line
from core.predict.conditions import LoadCase
from core.predict.noise.acoustics import enclosure, energy_sum, identical, shifted
from core.predict.noise.noise import cooler_source
from core.predict.noise.sources import psu_levels

BARE_CARDS_DB = 4.5
"""How much quieter cards may be in a case than without: of 960 pairs tried the quietest took 3.9 dB off."""
HEARD = frozenset({Category.GPU, Category.CASE, Category.CPU, Category.CPU_COOLER, Category.STORAGE})
"""With each of them the level that a machine cannot stay under becomes higher."""


class QuietBounds:
    """The floors of one wish's choices; what was worked out is remembered."""

    def __init__(
        self,
        choices: Mapping[Category, Sequence[Choice]],
        wish: Wish,
        base: Build,
        *,
        machines: Machines,
        bounds: Bounds,
    ) -> None:
        self._choices, self._wish, self._base = choices, wish, base
        self._machines, self._bounds = machines, bounds
        self._most_dba = inf if wish.noise_dba is None else wish.noise_dba
        self._least_w = {
            category: min((bounds.watts(one)[0] for one in group), default=0.0)
            for category, group in choices.items()
            if category not in (Category.GPU, Category.PSU)
        }
        self._cpus: dict[object, Choice | None] = {}
        self._coolers: dict[object, float] = {}
        self._psus: dict[object, float] = {}
        self._cases: dict[object, int] = {}

    def dba(self, chosen: Chosen, cards: Line | None) -> float:
        """The level that no completion stays under: of what is chosen, and of the quietest cooler if none is."""
        if cards is not None and Category.CPU in chosen:
            level = self._machines.so_far(chosen, cards).noise_load.high
            return level if Category.CPU_COOLER in chosen else energy_sum([level, self._cooler_dba(chosen)])
        level = self._machines.noise(chosen, cards)
        return energy_sum([level, self._cooler_dba(chosen)]) if Category.CASE in chosen else level - BARE_CARDS_DB

    def cases(self, cards: Choice, go_on: Callable[[], None]) -> int:
        """The cases in which cards that nothing else heats may be quiet enough; a bit for each.

        `go_on` is called before each is looked at.
        """
        key = self._machines.sound(cards)
        bits = self._cases.get(key)
        if bits is None:
            bits = 0
            for place, case in enumerate(self._choices[Category.CASE]):
                go_on()
                bits |= (self.dba({Category.GPU: cards, Category.CASE: case}, None) <= self._most_dba) << place
            self._cases[key] = bits
        return bits

    def coolers(self, chosen: Chosen, cards: Line) -> int:
        """The coolers beside which cards, board and case are quiet enough; a bit for each."""
        level, bits = self._machines.noise(chosen, cards), 0
        for place, cooler in enumerate(self._choices[Category.CPU_COOLER]):
            cooler_dba = self._cooler_dba({Category.CASE: chosen[Category.CASE], Category.CPU_COOLER: cooler})
            bits |= (energy_sum([level, cooler_dba]) <= self._most_dba) << place
        return bits

    def psus(self, chosen: Chosen, cards: Line, among: int) -> int:
        """Of the PSU lines of `among` those that a machine with this case is quiet enough with, and with the CPU that
        warms it least if none is chosen."""
        if Category.CPU not in chosen:
            cpu = self._coolest_cpu(chosen)
            if cpu is None:
                return 0
            chosen = {**chosen, Category.CPU: cpu}
        drawn_w = self._machines.so_far(chosen, cards).dc_w[LoadCase.TRAINING].expected
        drawn_w += sum(least_w for category, least_w in self._least_w.items() if category not in chosen)
        level = self.dba(chosen, cards)
        left, quiet = among, among
        while left:
            lowest = left & -left
            left ^= lowest
            psus = self._choices[Category.PSU][lowest.bit_length() - 1]
            if energy_sum([level, self._psu_dba(psus, chosen[Category.CASE], drawn_w)]) > self._most_dba:
                quiet ^= lowest
        return quiet

    def _coolest_cpu(self, chosen: Chosen) -> Choice | None:
        """Of those that fit the board's socket and have the cores that the cards ask for."""
        socket, cores = chosen[Category.MOTHERBOARD].spec.socket, self._bounds.cores(chosen[Category.GPU])
        key = socket, cores
        if key not in self._cpus:
            fitting = (one for one in self._choices[Category.CPU] if one.spec.socket == socket)
            able = (one for one in fitting if core_count(one) >= cores)
            self._cpus[key] = min(able, key=lambda one: self._bounds.watts(one)[0], default=None)
        return self._cpus[key]

    def _cooler_dba(self, chosen: Chosen) -> float:
        case, cooler, board = chosen[Category.CASE], chosen.get(Category.CPU_COOLER), chosen.get(Category.MOTHERBOARD)
        socket = None if board is None else board.spec.socket
        key = case.part.id, socket, None if cooler is None else cooler.part.id
        if key not in self._coolers:
            fitting = [one for one in self._choices[Category.CPU_COOLER] if socket in (None, *one.spec.sockets)]
            alike = {(one.spec.kind, one.spec.fan_count == 0, one.spec.noise): one for one in fitting}
            coolers = alike.values() if cooler is None else (cooler,)
            build = self._base.with_lines((case.line,))
            conditions = self._wish.conditions
            levels = (cooler_source(one.part, build, conditions).load.high for one in coolers)
            self._coolers[key] = min(levels, default=inf)
        return self._coolers[key]

    def _psu_dba(self, psus: Choice, case: Choice, drawn_w: float) -> float:
        """The high end in training, where they deliver so much or more: of the quietest point that was measured."""
        spec, count = psus.spec, psus.line.quantity
        share = drawn_w / (spec.power_w * count)
        at = LoadCase.TRAINING
        if spec.noise and not (spec.fan_stop_below_pct is not None and share * 100 < spec.fan_stop_below_pct):
            shares = [point.load_w / spec.power_w for point in spec.noise if point.load_w is not None] or [share]
        else:
            shares = [share]
        levels = [psu_levels(psus.part, spec, {LoadCase.IDLE: one, at: one})[at] for one in shares]
        level = min(levels, key=lambda band: band.high)
        key = case.part.id, level.triple, count
        if key not in self._psus:
            around = enclosure(self._base.with_lines((case.line,)), self._wish.distance_m)
            self._psus[key] = identical(shifted(level, around.opening, around.floor_dba), count).high
        return self._psus[key]
