"""Cards that throttle: heat keeps them below their limit: what they draw instead, and the speed that is left of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.build.build import Build, Line
from core.parts.specs import GpuSpec
from core.predict.band import Band
from core.predict.power_limit import speed_at_limit
from core.predict.thermal.heat import THROTTLED, CardHeat, Heat

ALIKE_W = 10.0
"""Cards whose watts differ by less are told with one figure."""


@dataclass(frozen=True, slots=True)
class ThrottledLine:
    """The cards of one line that heat holds back in training, of `count` in all."""

    part_id: str
    title: str
    count: int
    cards: tuple[CardHeat, ...]
    """Those that throttle, the one that keeps the least of its power first."""
    limit_w: float
    """Power limit of the line as set."""
    speed: Band
    """Of the slowest, over its speed at that limit: 0 to 1."""

    @property
    def least_w(self) -> float:
        """What the slowest draws."""
        return self.cards[0].power_w.expected

    @property
    def most_w(self) -> float:
        """What the fastest of those that throttle draws."""
        return max(card.power_w.expected for card in self.cards)

    @property
    def sentence(self) -> str:
        """ "450 W cards run at 320 W here: 91 % of their speed"; without a full stop."""
        spread = self.most_w - self.least_w >= ALIKE_W
        watts = f"{self.least_w:.0f} to {self.most_w:.0f} W" if spread else f"{self.least_w:.0f} W"
        limit, speed, slowed = f"{self.limit_w:.0f} W", f"{100 * self.speed.expected:.0f} %", len(self.cards)
        slowest = "the slowest at " if spread else ""
        if slowed == self.count == 1:
            return f"The {limit} card runs at {watts} here: {speed} of its speed"
        if slowed == 1:
            return f"1 of {self.count} cards of {limit} runs at {watts} here: {speed} of its speed"
        which = f"{limit} cards run" if slowed == self.count else f"{slowed} of {self.count} cards of {limit} run"
        return f"{which} at {watts} here: {slowest}{speed} of {'its' if spread else 'their'} speed"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "part": self.part_id,
            "title": self.title,
            "count": self.count,
            "throttled": [card.number for card in self.cards],
            "limit_w": self.limit_w,
            "least_w": round(self.least_w, 1),
            "most_w": round(self.most_w, 1),
            "speed": self.speed.as_dict(),
            "sentence": f"{self.sentence}.",
        }


def throttled_lines(build: Build, heat: Heat) -> tuple[ThrottledLine, ...]:
    """Lines with cards that keep less than `THROTTLED` of their power, the slowest line first. Pure."""
    found = [one for line, spec in build.gpus() if (one := _throttled(line, spec, heat)) is not None]
    return tuple(sorted(found, key=lambda one: (one.speed.expected, one.part_id)))


def _throttled(line: Line, spec: GpuSpec, heat: Heat) -> ThrottledLine | None:
    cards = [card for card in heat.cards if card.part_id == line.part.id and card.kept_share < THROTTLED]
    limit_w = line.limit_w
    if not cards or limit_w is None or spec.power_limit_w is None:
        return None
    cards.sort(key=lambda card: (card.kept_share, card.number))
    speed = _over(speed_at_limit(line.part, cards[0].kept_share * limit_w), speed_at_limit(line.part, limit_w))
    return ThrottledLine(line.part.id, line.part.title, line.quantity, tuple(cards), limit_w, speed)


def _over(slowed: Band, free: Band) -> Band:
    """Throttled speed over speed at the limit; a limit above the card's own brings nothing that is known."""
    low, expected, high = sorted(
        (slowed.low / free.low, slowed.expected / free.expected, min(1.0, slowed.high / free.high))
    )
    return Band(low, expected, high, "", slowed.assumptions, slowed.missing)
