"""Cards that throttle: heat keeps them below their limit: what they draw instead, and the speed that is left of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.parts.specs import GpuSpec
from core.plan.build import Build
from core.plan.line import Line
from core.platform.json_value import JsonValue
from core.predict.band import Band
from core.predict.power_limit import speed_at_limit
from core.predict.thermal.heat import THROTTLED, CardHeat, Heat
from core.words import english, plain, tr

ALIKE_W = 10.0
"""Cards whose watts differ by less are told with one figure."""


@dataclass(frozen=True, slots=True)
class ThrottledLine(JsonValue):
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
        limit_w, percent = self.limit_w, 100 * self.speed.expected
        total, slowed = self.count, len(self.cards)
        watts = plain("{watts:.0f} W", watts=self.least_w)
        if spread:
            watts = tr("{low:.0f} to {high:.0f} W", low=self.least_w, high=self.most_w)
        if total == 1:
            return tr(
                "The {limit_w:.0f} W card runs at {watts} here: {percent:.0f} % of its speed",
                limit_w=limit_w,
                watts=watts,
                percent=percent,
            )
        if slowed == 1:
            return tr(
                "1 of {total} cards of {limit_w:.0f} W runs at {watts} here: {percent:.0f} % of its speed",
                total=total,
                limit_w=limit_w,
                watts=watts,
                percent=percent,
            )
        if slowed == total:
            if spread:
                return tr(
                    "{limit_w:.0f} W cards run at {watts} here: the slowest at {percent:.0f} % of its speed",
                    limit_w=limit_w,
                    watts=watts,
                    percent=percent,
                )
            return tr(
                "{limit_w:.0f} W cards run at {watts} here: {percent:.0f} % of their speed",
                limit_w=limit_w,
                watts=watts,
                percent=percent,
            )
        if spread:
            return tr(
                "{slowed} of {total} cards of {limit_w:.0f} W run at {watts} here: the slowest at {percent:.0f} "
                "% of its speed",
                slowed=slowed,
                total=total,
                limit_w=limit_w,
                watts=watts,
                percent=percent,
            )
        fields = {"slowed": slowed, "total": total, "limit_w": limit_w, "watts": watts, "percent": percent}
        return tr(
            "{slowed} of {total} cards of {limit_w:.0f} W run at {watts} here: {percent:.0f} % of their speed", **fields
        )

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
            "sentence": f"{english(self.sentence)}.",
        }


def throttled_lines(build: Build, heat: Heat) -> tuple[ThrottledLine, ...]:
    """Lines with cards that keep less than `THROTTLED` of their power, the slowest line first. Pure."""
    throttled = [one for line, spec in build.gpus() if (one := _throttled(line, spec, heat)) is not None]
    return tuple(sorted(throttled, key=lambda one: (one.speed.expected, one.part_id)))


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
