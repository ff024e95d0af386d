"""From the parts' watts to the wall, and to what feeds the machine: in training, and in the electrical worst case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, inf
from types import MappingProxyType
from typing import Any, NamedTuple

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.psus import Box, boxes
from core.plan.wiring.wiring import Wiring
from core.platform.json_value import JsonValue
from core.predict.band import Band, total
from core.predict.components import CPU_TRAINING, DRAW_READS, Component, Drawn, components, dc_power, summed
from core.predict.conditions import ByLoad, LoadCase
from core.predict.psu import box_wall_power, power_factor, wall_power
from core.words import plain, tr

WALL_READS: tuple[str, ...] = (*DRAW_READS, "psu.efficiency", "psu.efficiency_level", "psu.power_w")
"""Figures that the power at the wall comes from."""

BTU_PER_HOUR_PER_W = 3.412
TRAINING_ASSUMPTION = tr("Training: GPUs at 88 to 102 % of their power limit, CPUs at 25 to 50 % of theirs.")


class AtLimits(NamedTuple):
    """A state in which nothing throttles: what it is called, and what is at its limit."""

    name: str
    parts: str

    @property
    def title(self) -> str:
        """ "Electrical worst case: CPU and GPU at their limits"."""
        return tr("{case}: {parts}", case=self.name, parts=self.parts)


AT_LIMITS: Mapping[LoadCase, AtLimits] = MappingProxyType(
    {
        LoadCase.TRAINING: AtLimits(tr("Unthrottled training"), tr("GPU at its limit")),
        LoadCase.EVERYTHING: AtLimits(tr("Electrical worst case"), tr("CPU and GPU at their limits")),
    }
)
"""What PSUs and circuits are checked against."""


@dataclass(frozen=True, slots=True)
class Electrical(JsonValue):
    """One state of the machine as its PSUs and circuits feel it."""

    dc_w: Band
    wall_w: Band
    apparent_va: Band
    current_a: Band


class PowerDraw:
    """What a build draws by load with busy parts at their limits, at the mains voltage of its region.

    Heat may leave them less: `core.predict.prediction` has what is really drawn. Worked out when first asked for: many
    questions end at the direct current.
    """

    def __init__(self, build: Build, drawn: Drawn | None = None) -> None:
        """`drawn` as in `components`."""
        self.components = components(build, drawn)
        self._build = build

    @cached_property
    def dc_w(self) -> Mapping[LoadCase, Band]:
        """What all parts draw from the PSUs."""
        return ByLoad(self._dc)

    @cached_property
    def wall_w(self) -> Mapping[LoadCase, Band]:
        """What the PSUs draw from the wall, and external boxes and systems beside them."""
        return ByLoad(lambda load: self.with_boxes(drawn_at_the_wall(self._build, self.dc_w[load]), load))

    @cached_property
    def apparent_va(self) -> Mapping[LoadCase, Band]:
        """The same with its reactive share."""
        return ByLoad(lambda load: apparent_of(self._build, self.wall_w[load], self.dc_w[load]))

    @cached_property
    def current_a(self) -> Mapping[LoadCase, Band]:
        """What flows through the cord."""
        return ByLoad(lambda load: current_of(self._build, self.apparent_va[load]))

    @cached_property
    def boxes(self) -> tuple[BoxDraw, ...]:
        """External boxes with a PSU of their own that feed cards."""
        used = [box for box in boxes(self._build) if box.cards]
        each = {part.part_id: part for part in self.components} if used else {}
        return tuple([_box_draw(box, each, self._build.circuit.voltage_v) for box in used])

    @cached_property
    def beside_psus(self) -> tuple[Mapping[LoadCase, Band], ...]:
        """What each box draws from the wall by itself, and the systems of each line."""
        systems = (part.dc_w for part in self.components if part.category is Category.SYSTEM)
        return (*(box.wall_w for box in self.boxes), *systems)

    def with_boxes(self, psus_w: Band, load: LoadCase) -> Band:
        """What the PSUs draw from the wall, with what boxes and systems draw beside them."""
        return total([psus_w, *(drawn[load] for drawn in self.beside_psus)], "W") if self.beside_psus else psus_w

    def psu_share(self, load: LoadCase) -> float:
        """Of what is drawn at the wall, what the machine's PSUs draw."""
        if not self.beside_psus:
            return 1.0
        whole = self.wall_w[load].expected
        return 1 - fsum(drawn[load].expected for drawn in self.beside_psus) / whole if whole else 1.0

    def electrical(self, load: LoadCase) -> Electrical:
        """All of a load, nothing held back by heat."""
        return Electrical(*(by[load] for by in (self.dc_w, self.wall_w, self.apparent_va, self.current_a)))

    @property
    def worst_case(self) -> Electrical:
        """CPU and GPU at their limits at once: what PSUs and circuits must bear."""
        return self.electrical(LoadCase.EVERYTHING)

    def _dc(self, load: LoadCase) -> Band:
        drawn = dc_power(self.components, load)
        return drawn.noting([TRAINING_ASSUMPTION]) if load is LoadCase.TRAINING else drawn


class BoxDraw(NamedTuple):
    """What an external box with a PSU of its own bears and draws."""

    box: Box
    dc_w: Mapping[LoadCase, Band]
    wall_w: Mapping[LoadCase, Band]


def _box_draw(box: Box, each: Mapping[str, Component], mains_v: float) -> BoxDraw:
    own_w = box.carrier.spec.load_power_w or 0.0

    def delivered(load: LoadCase) -> Band:
        cards = (each[card.part.id] for card in box.cards)
        drawn = summed((part.category, part.dc_w[load].times(1 / part.count)) for part in cards)
        return drawn + Band(own_w, own_w, own_w, "W")

    return BoxDraw(box, ByLoad(delivered), ByLoad(lambda load: box_wall_power(box.psu_w, delivered(load), mains_v)))


def predict_power(build: Build, drawn: Drawn | None = None) -> PowerDraw:
    """Everything electrical of a build whose busy parts draw what their limits allow."""
    return PowerDraw(build, drawn)


def rated_power_w(build: Build) -> float | None:
    """Output of all PSUs together, None if there is none or one is unknown."""
    powers = [(spec.power_w, line.quantity) for line, spec in build.psus()]
    if not powers or any(power is None for power, _ in powers):
        return None
    return sum((power or 0.0) * count for power, count in powers)


def supplied_w(build: Build) -> float | None:
    """What all PSUs together give at the mains voltage of the build, None if there is none or one is unknown."""
    outputs = [(spec.output_w(build.circuit.voltage_v), line.quantity) for line, spec in build.psus()]
    if not outputs or any(output is None for output, _ in outputs):
        return None
    return sum((output or 0.0) * count for output, count in outputs)


def left_of_circuits_w(build: Build) -> float:
    """What the machine may draw for hours until the first of its circuits is full, beside what else draws from them, W.

    PSUs take the circuits in turn, the strongest first, then the external boxes with a PSU of their own; they share the
    load by their ratings, equally where one is unknown. A circuit without a PSU carries nothing.
    """
    ratings = sorted((spec.power_w or 0.0 for line, spec in build.psus() for _ in range(line.quantity)), reverse=True)
    ratings += [box.psu_w or 0.0 for box in boxes(build) if box.cards]
    if not ratings or not all(ratings):
        ratings = [1.0] * max(1, len(ratings))
    circuits = len(build.other_loads_w)
    shares = [sum(ratings[at::circuits]) / sum(ratings) for at in range(circuits)]
    left = [max(0.0, build.circuit.continuous_w - other) for other in build.other_loads_w]
    return min(watts / share for watts, share in zip(left, shares, strict=True) if share)


def drawn_at_the_wall(build: Build, dc_w: Band) -> Band:
    """What the PSUs of a build draw from the wall to deliver so much, W; none lacks where systems feed themselves."""
    if not dc_w.high and Category.SYSTEM in build.by_category and Category.PSU not in build.by_category:
        return dc_w
    psus = tuple(sorted(build.psus(), key=lambda pair: pair[0].part.id))
    return wall_power(psus, dc_w, build.circuit.voltage_v)


def apparent_of(build: Build, wall_w: Band, dc_w: Band) -> Band:
    """Power at the wall with its reactive share, VA."""
    rated_w = rated_power_w(build)
    low, expected, high = power_factor(dc_w.expected / rated_w if rated_w else 0.5)
    return wall_w.times(1 / high, 1 / expected, 1 / low).measured_in("VA")


def current_of(build: Build, apparent_va: Band) -> Band:
    """What flows through the cords, A."""
    return apparent_va.times(1 / build.circuit.voltage_v).measured_in("A")


CONTINUOUS_SHARE = 0.8
"""What a PSU should bear for days at most, over what it gives."""


@dataclass(frozen=True, slots=True)
class SupplyLoad(JsonValue):
    """What PSUs, a circuit or a UPS must bear with every busy part at its limit, whatever heat takes back.

    Gauge, table, finding and report say these two shares in these words.
    """

    training: Band
    """CPUs feeding GPUs at their limits."""
    worst: Band
    """CPUs and GPUs at their limits at once."""
    limit: float
    """What it gives, or carries for hours, in the unit of the bands."""

    @property
    def at_most(self) -> SupplyLoad:
        """The same, should all that is not known be at the high end."""
        training, worst = (replace(band, expected=band.high) for band in (self.training, self.worst))
        return replace(self, training=training, worst=worst)

    @property
    def training_share(self) -> float:
        """In training, as expected; infinite where nothing is given."""
        return self._share(self.training)

    @property
    def worst_share(self) -> float:
        """In the electrical worst case, as expected."""
        return self._share(self.worst)

    def _share(self, band: Band) -> float:
        return band.expected / self.limit if self.limit else inf

    @property
    def words(self) -> str:
        """ "unthrottled training 58 %, worst case 71 %": heat may leave less of the first, see `at_limits`."""
        if not self.limit:
            return tr("nothing left")
        fields = {"training": 100 * self.training_share, "worst": 100 * self.worst_share}
        return tr("unthrottled training {training:.0f} %, worst case {worst:.0f} %", **fields)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        shares = {"training": self.training_share, "worst_case": self.worst_share} if self.limit else None
        return {"limit": self.limit, "unit": self.training.unit, "share": shares}

    def times(self, share: float, limit: float) -> SupplyLoad:
        """A part of the load, on something that gives so much."""
        return SupplyLoad(self.training.times(share), self.worst.times(share), limit)


def psu_load(build: Build, power: PowerDraw) -> SupplyLoad | None:
    """All PSUs together at the mains voltage of the build; None without one, or where one's power is unknown."""
    output_w = supplied_w(build)
    return SupplyLoad(power.dc_w[LoadCase.TRAINING], power.dc_w[LoadCase.EVERYTHING], output_w) if output_w else None


def circuit_load(build: Build, power: PowerDraw) -> SupplyLoad:
    """The circuits, as far as something is left of the one that is full first."""
    return SupplyLoad(power.wall_w[LoadCase.TRAINING], power.worst_case.wall_w, left_of_circuits_w(build))


def box_load(drawn: BoxDraw) -> SupplyLoad | None:
    """The own PSU of an external box; None where its rating is unknown."""
    psu_w = drawn.box.psu_w
    return SupplyLoad(drawn.dc_w[LoadCase.TRAINING], drawn.dc_w[LoadCase.EVERYTHING], psu_w) if psu_w else None


def box_words(drawn: BoxDraw) -> str:
    """ "C1 Razer Core X: own PSU of 650 W, unthrottled training 45 %, worst case 46 %"."""
    carrier, load = drawn.box.carrier, box_load(drawn)
    name = plain("C{number} {part}", number=carrier.number, part=carrier.part.title)
    if load is None:
        return tr("{box}: own PSU, rating unknown", box=name)
    return tr("{box}: own PSU of {psu_w:.0f} W, {load}", box=name, psu_w=load.limit, load=load.words)


def psu_loads(build: Build, wiring: Wiring, power: PowerDraw) -> dict[int, SupplyLoad]:
    """By `WiredPsu.place`, what each PSU of known power bears of the whole, by the limits of what hangs on it.

    The CPUs hang on the board's PSU, and training leaves them most of their limit.
    """
    training, worst = power.dc_w[LoadCase.TRAINING], power.dc_w[LoadCase.EVERYTHING]
    whole_w = fsum(psu.load_w for psu in wiring.psus)
    cpus = build.cpus() if wiring.board_psu is not None else ()
    cpus_w = fsum((spec.sustained_power_w or 0.0) * line.quantity for line, spec in cpus)
    rest_w = whole_w - cpus_w
    rest_share = (1 - CPU_TRAINING[1] * cpus_w / training.expected) / rest_w if rest_w and training.expected else 0.0
    loads = {}
    for psu in wiring.psus:
        own_w = cpus_w if psu.place == wiring.board_psu else 0.0
        trained = rest_share * (psu.load_w - own_w)
        if own_w:
            trained += CPU_TRAINING[1] * own_w / training.expected
        if psu.power_w:
            share = psu.load_w / whole_w if whole_w else 0.0
            loads[psu.place] = SupplyLoad(training.times(max(trained, 0.0)), worst.times(share), psu.power_w)
    return loads
