"""Measured cards on the reviewer's bench or in the owner's case, at the steady state of the model.

Their watts, peaks of milliseconds, speed in training and under a power limit; their temperatures, at the stated watts
and fan speed or where the model settles; and the heat of radiators.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log

from core.lab.validation.cases import Measured
from core.lab.validation.facts import Facts
from core.lab.validation.matching import MatchedCard
from core.parts.part import Part
from core.parts.specs import GpuSpec, RadiatorSpec
from core.parts.vocabulary import GpuCooling
from core.predict.airflow.airflow import OPEN_K_PER_W, CaseAir
from core.predict.airflow.flow_paths import places_of
from core.predict.airflow.operating_point import Fans, curve, radiator_k
from core.predict.band import Band, Corner, Triple, hot_high, hot_low, usual_range
from core.predict.excursions import CARD_USUAL, PEAK_SPREAD, WINDOWS_MS
from core.predict.power_limit import speed_at_limit
from core.predict.speed.card_speed import card_rate
from core.predict.thermal import neighbours
from core.predict.thermal.coolers import BLOCK_K_PER_W, CoolantLoop, Cooler, at_speed, conductance, cooler
from core.predict.thermal.steady import Air, Body, SteadyState, settle
from core.words import tr

ROOM_C: Triple = (21.0, 24.0, 28.0)
"""Where nobody says how warm the room was."""
AISLE_C: Triple = (18.0, 22.5, 27.0)
"""The same before servers: what ASHRAE recommends for the cold aisle of a data centre."""
CASE_RISE_K: Triple = (1.0, 4.0, 10.0)
"""Air before the cards over the room in a closed case of unknown fans; general knowledge."""
INLET_K: Triple = (-3.0, 0.0, 3.0)
"""Around an inlet that is stated: few measure it, most read it off a card that idles."""
MAXED_TARGET_C = 92.0
"""Where the driver takes power back with the temperature limit raised: 91 to 92 C on GeForce of the 10 series."""
FRESH = CaseAir((1e9, 1e9, 1e9))
"""What warms the air before the cards is reckoned here: the stream itself adds nothing."""
STATED_W: Triple = (0.98, 1.0, 1.02)
"""Around watts that are stated."""


@dataclass(frozen=True, slots=True)
class ReviewBench:
    """What is known of one case's cards."""

    facts: Facts
    cooler: Cooler
    limit_w: float

    def inlet_c(self, watts: float, step: Corner) -> float:
        """Air before the cards without what they do to each other, C, at so many watts each."""
        if self.facts.inlet_c is not None:
            return self.facts.inlet_c + hot_high(INLET_K, step)
        unsaid = AISLE_C if self.facts.server or self.cooler.kind is GpuCooling.PASSIVE else ROOM_C
        room = self.facts.room_c if self.facts.room_c is not None else hot_high(unsaid, step)
        over = hot_high(OPEN_K_PER_W, step) * watts if self.facts.in_the_open else hot_high(CASE_RISE_K, step)
        return room + over

    @property
    def watts(self) -> Triple:
        """What one card asks for, W: stated or usual."""
        shares = STATED_W if self.facts.card_w == self.limit_w else self.facts.power_share
        low, middle, high = (share * self.limit_w for share in shares)
        return low, middle, high

    def settled(self) -> Iterator[SteadyState]:
        """Cool, expected and hot, at the watts that are stated or usual."""
        low, middle, high = self.watts
        bodies = [Body(self.cooler, (low, middle, high), self._around(index)) for index in range(self._count)]
        for step in Corner:
            air = Air(self.inlet_c(middle, step), 0.0, FRESH, CoolantLoop(None), (0.0, 0.0, 0.0))
            yield settle(bodies, air, step)

    def flow(self, step: Corner) -> float:
        """Share of its air that one of the cards gets; which of them lacks it is not told."""
        crowded = self._count > 1 and self.facts.free_slots == 0 and self.cooler.kind is GpuCooling.BLOWER
        if not crowded or step is Corner.COOL:
            return 1.0
        starved = hot_low(neighbours.STARVED_FLOW, step)
        return starved if step is Corner.HOT else (1.0 + (self._count - 1) * starved) / self._count

    @property
    def _count(self) -> int:
        return 1 if self.facts.in_the_open else self.facts.cards

    def _around(self, index: int) -> neighbours.Surroundings:
        kind, free = self.cooler.kind, self.facts.free_slots
        beside = ((index + 1, neighbours.BEFORE_FANS), (index - 1, neighbours.BEHIND_FANS))
        others = tuple(
            neighbours.Neighbour(other, neighbours.coupling(kind, kind, free, weight))
            for other, weight in beside
            if 0 <= other < self._count
        )
        return neighbours.Surroundings(others, index + 1 < self._count and free == 0)


def bench_of(facts: Facts, match: MatchedCard, *, stated: bool = True) -> ReviewBench | None:
    """The cards with their own coolers, or with the kind that the case names; None where their watts are unknown.

    Without `stated` at their own limit, whatever the case says that they drew.
    """
    limit_w = (facts.card_w if stated else None) or match.spec.power_limit_w
    if limit_w is None:
        return None
    own = _any_of([_cooler(facts, spec) for spec in (match.spec, *match.others)])
    if facts.limits_maxed:
        own = replace(own, target_c=(MAXED_TARGET_C, MAXED_TARGET_C, MAXED_TARGET_C))
    return ReviewBench(facts, own, limit_w)


def _cooler(facts: Facts, spec: GpuSpec) -> Cooler:
    """As the case names it; a card that is sold with its block or radiator keeps it, whatever else its name says."""
    if spec.cooling in (GpuCooling.WATER_BLOCK, GpuCooling.HYBRID):
        return cooler(spec)
    if facts.cooling is not None and facts.cooling is not spec.cooling:
        spec = spec.model_copy(update={"cooling": facts.cooling, "thermal_resistance_k_per_w": None})
    return cooler(spec)


def _any_of(coolers: Sequence[Cooler]) -> Cooler:
    """The first, with a resistance that may be that of any of them."""
    lows, middles, highs = zip(*(each.resistance for each in coolers), strict=True)
    return replace(coolers[0], resistance=(min(lows), sum(middles) / len(middles), max(highs)))


USUAL_WINDOW_MS = 1.0
"""Where a review says "maximum" without a window."""
NO_LIMIT = tr("the card's power limit is unknown")
NO_STATED_LIMIT = tr("it gives no power limit in W")


def board_power(case: Measured, match: MatchedCard) -> Band | str:
    """One card under load, W; of several in a machine what their temperatures leave them."""
    limit_w, facts = match.spec.power_limit_w, case.facts
    if limit_w is None:
        return NO_LIMIT
    bench = bench_of(facts, match, stated=False) if facts.cards > 1 else None
    if bench is not None:
        return _settled_w(bench)
    low, middle, high = (share * limit_w for share in facts.power_share)
    return Band(low, middle, high, "W")


def _settled_w(bench: ReviewBench) -> Band:
    """Which place each card has is not told: the band spans them all, the middle is their mean.

    What the load asks for is as uncertain as for one card alone."""
    cool, expected, hot = ([card.power_w for card in settled.cards] for settled in bench.settled())
    most = max(bench.watts[2], *cool, *expected) if bench.watts[1] <= max(expected) + 1 else max(*cool, *expected)
    return Band(min(bench.watts[0], *cool, *expected, *hot), sum(expected) / len(expected), most, "W")


def relative_speed(case: Measured, match: MatchedCard) -> Band | str:
    """Speed at the stated limit over speed at the stated base, or at the card's own limit."""
    spec = match.spec
    limit_w, base_w = case.facts.limit_w, case.facts.base_limit_w
    if not limit_w:
        return NO_STATED_LIMIT
    own = spec.power_limit_w if base_w is None else base_w
    if not own:
        return NO_LIMIT
    limited = spec.model_copy(update={"power_limit_w": own, "power_limit_min_w": None})
    return speed_at_limit(match.part.model_copy(update={"spec": limited}), limit_w)


def peak(case: Measured, match: MatchedCard) -> Band | str:
    """Power over the stated window, W."""
    spec = match.spec
    if spec.power_limit_w is None:
        return NO_LIMIT
    factor = _factor(spec, case.facts.window_ms or USUAL_WINDOW_MS)
    low, middle, high = (spread * factor * spec.power_limit_w for spread in PEAK_SPREAD)
    return Band(low, middle, high, "W")


def _factor(spec: GpuSpec, window_ms: float) -> float:
    """Peak over limit: the card's own figures, else what was seen of others; straight over the logarithm of time."""
    own = sorted((row.window_ms, row.factor) for row in spec.excursions)
    points = own or [point for point in zip(WINDOWS_MS, CARD_USUAL, strict=True) if point[0] != inf]
    at = bisect_left(points, (window_ms, 0.0))
    if at in (0, len(points)):
        return points[min(at, len(points) - 1)][1]
    (before, left), (after, right) = points[at - 1], points[at]
    return left + (right - left) * log(window_ms / before) / log(after / before)


NO_NETWORK = tr("it names none of the reference networks: ResNet-50, GNMT, GPT-2 medium")
SEVERAL_CARDS = tr("it is the speed of several cards, and their links are not given")
NO_FIGURES = tr("figures that decide the card's speed are unknown")


def training_speed(case: Measured, match: MatchedCard) -> Band | str:
    """Samples per second of one card."""
    network = case.facts.network
    if network is None:
        return NO_NETWORK
    if case.facts.cards > 1:
        return SEVERAL_CARDS
    return card_rate(match.part, network, precision=case.facts.precision).rate or NO_FIGURES


HOT_SPOT_K: Triple = (7.0, 10.0, 15.0)
"""Hot spot over chip: 8.4 K on an RTX 4090, 9.8 to 10.1 K on Founders Editions."""
NO_COOLANT = tr("the card is water-cooled, and no coolant temperature is given")
NO_WATTS = tr("neither its text nor the card's figures say what the card draws")


def chip(case: Measured, match: MatchedCard) -> Band | str:
    """The chip's temperature, C."""
    facts = case.facts
    bench = bench_of(facts, match)
    if bench is None:
        return NO_WATTS
    if bench.cooler.kind is GpuCooling.WATER_BLOCK:
        return _over_coolant(bench)
    if facts.card_w is not None and facts.fan_share is not None:
        return _band([_at(bench, facts.card_w, facts.fan_share, step) for step in Corner])
    return _band([max(state.chip_c for state in one.cards) for one in bench.settled()])


def rise(case: Measured, match: MatchedCard) -> Band | str:
    """The chip over the room, K."""
    chip_c = chip(case, match)
    if isinstance(chip_c, str):
        return chip_c
    room_c = case.facts.room_c or ROOM_C[1]
    return Band(chip_c.low - room_c, chip_c.expected - room_c, chip_c.high - room_c, "K")


def hot_spot(case: Measured, match: MatchedCard) -> Band | str:
    """The hottest place of the chip, C."""
    chip_c = chip(case, match)
    if isinstance(chip_c, str):
        return chip_c
    low, middle, high = HOT_SPOT_K
    return Band(chip_c.low + low, chip_c.expected + middle, chip_c.high + high, "°C")


def _over_coolant(bench: ReviewBench) -> Band | str:
    """A card under water stands above its coolant, whatever the air is like."""
    coolant_c = bench.facts.coolant_c
    if coolant_c is None:
        return NO_COOLANT
    low, middle, high = bench.watts
    ends = zip(BLOCK_K_PER_W, (low, middle, high), strict=True)
    return _band([coolant_c + per_watt * watts for per_watt, watts in ends])


def _at(bench: ReviewBench, watts: float, share: float, step: Corner) -> float:
    own = at_speed(hot_high(bench.cooler.resistance, step), share * bench.flow(step))
    return bench.inlet_c(watts, step) + _warmed(bench, watts, step) + own * watts


def _warmed(bench: ReviewBench, watts: float, step: Corner) -> float:
    """What neighbours of equal power add, K; snapshots do not tell which card lies above which."""
    facts, kind = bench.facts, bench.cooler.kind
    if facts.cards < 2 or facts.in_the_open:
        return 0.0
    both_sides = neighbours.BEFORE_FANS + neighbours.BEHIND_FANS
    weight = both_sides if facts.cards > 2 else both_sides / 2
    return min(neighbours.CAP_K, hot_high(neighbours.coupling(kind, kind, facts.free_slots, weight), step) * watts)


def _band(values: list[float]) -> Band:
    low, middle, high = sorted(values)
    return Band(low, middle, high, "°C")


STRONG_FAN_RPM = 2800.0
"""Of fans that are only called strong."""


NO_SIZE = tr("it gives no radiator size")


def watts_at_10_k(case: Measured, part: Part | None) -> Band | str:
    """W that go off at 10 K between coolant and air, with usual fans of the stated speed."""
    spec = part.spec if part else _named(case.facts)
    if not isinstance(spec, RadiatorSpec):
        return NO_SIZE
    can, resists = curve(spec.fan_size_mm, case.facts.rpm or STRONG_FAN_RPM), radiator_k(spec)
    low, middle, high = (
        Fans(places_of(spec), flow, pressure, k).all_m3h()
        for flow, pressure, k in zip(can.flow_m3h, can.pressure_pa, resists, strict=True)
    )
    low, middle, high = (10 * each for each in usual_range(*conductance(spec, (low, middle, high))))
    return Band(low, middle, high, "W")


def _named(facts: Facts) -> RadiatorSpec | None:
    """A radiator that the catalogue lacks, by its size."""
    if facts.radiator_fan_mm is None or facts.radiator_fans is None:
        return None
    return RadiatorSpec(fan_size_mm=facts.radiator_fan_mm, fan_positions=facts.radiator_fans)
