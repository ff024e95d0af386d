"""Measured cards on the reviewer's bench or in the owner's case, at the steady state of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.parts.specs import GpuSpec
from core.parts.vocabulary import GpuCooling
from core.predict.band import Corner, Triple, hot_high, hot_low
from core.predict.thermal.case_air import OPEN_K_PER_W, CaseAir
from core.predict.thermal.coolers import Cooler, cooler
from core.predict.thermal.neighbours import BEFORE_FANS, BEHIND_FANS, STARVED_FLOW, Neighbour, Surroundings, coupling
from core.predict.thermal.steady import Air, Body, SteadyState, settle
from core.predict.thermal.water import CoolantLoop
from core.validation.facts import Facts
from core.validation.matching import MatchedCard

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
        starved = hot_low(STARVED_FLOW, step)
        return starved if step is Corner.HOT else (1.0 + (self._count - 1) * starved) / self._count

    @property
    def _count(self) -> int:
        return 1 if self.facts.in_the_open else self.facts.cards

    def _around(self, index: int) -> Surroundings:
        kind, free = self.cooler.kind, self.facts.free_slots
        beside = ((index + 1, BEFORE_FANS), (index - 1, BEHIND_FANS))
        others = tuple(
            Neighbour(other, coupling(kind, kind, free, weight)) for other, weight in beside if 0 <= other < self._count
        )
        return Surroundings(others, index + 1 < self._count and free == 0)


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
