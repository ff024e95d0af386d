"""Cards below their limit: what a lower power limit costs in speed, and what cards keep that heat holds back.

Measured points where there are some; elsewhere a wide band around the curve of one card, because the workload decides
more than the card: what waits for memory loses little, what keeps all units busy loses as much as the power.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.plan.build import Build
from core.plan.line import Line
from core.platform.errors import BadInput
from core.platform.json_value import JsonValue
from core.predict.band import Band
from core.predict.thermal.heat import THROTTLED, CardHeat, Heat
from core.words import english, plain, tr

Shares = tuple[float, float, float]
"""low, expected, high share of the speed."""

Point = tuple[float, Shares, str]
"""Share of the own limit, shares of the speed there, source."""

_PRO_6000: Point = (0.5, (0.70, 0.83, 0.96), "rtx6kpro: 600 to 300 W costs 4 % alone, 30 % with many users")
MEASURED: dict[str, Point] = {
    "GeForce RTX 3090": (0.8, (0.88, 0.94, 0.98), "Puget Systems, 4 x RTX 3090 at 280 W; ViT training of qwertyforce"),
    "RTX PRO 6000 Blackwell Workstation Edition": _PRO_6000,
    "RTX PRO 6000 Blackwell Server Edition": _PRO_6000,
}
GENERAL = tr("curve of one RTX 3090 in mixed precision, with a wide band for other cards and workloads")
LEAST_MEASURED = 0.45
"""Below this share of the limit nobody measured."""
USUALLY_ACCEPTED = (0.3, 1.3)
"""Range of the driver over the own limit, for cards whose range is not stated: an RTX 3090 of 350 W takes 100 to 366 W
and, by some makers, 450 W."""
ACCEPTED_W = (30.0, 1500.0)
"""For cards whose own limit is unknown as well."""


@dataclass(frozen=True, slots=True)
class LimitRange:
    """The limits that a card's driver accepts, W. `stated` is False where an end stands in for an unknown figure."""

    low_w: float
    high_w: float
    stated: bool


def accepted_limits(spec: GpuSpec) -> LimitRange:
    """The driver's range as stated, else about the card's own limit."""
    own_w = spec.power_limit_w
    low_w, high_w = (share * own_w for share in USUALLY_ACCEPTED) if own_w is not None else ACCEPTED_W
    least_w, most_w = spec.power_limit_min_w, spec.power_limit_max_w
    stated = least_w is not None and most_w is not None
    return LimitRange(low_w if least_w is None else least_w, high_w if most_w is None else most_w, stated)


def require_accepted(part: Part, limit_w: float) -> None:
    """Raises BadInput for a limit that the card's driver would refuse. `part` must be a GPU."""
    spec = part.spec
    assert isinstance(spec, GpuSpec)
    accepted = accepted_limits(spec)
    if accepted.low_w <= limit_w <= accepted.high_w:
        return
    title, low_w, high_w = part.title, accepted.low_w, accepted.high_w
    if accepted.stated:
        fields = {"part": title, "limit_w": limit_w, "low_w": low_w, "high_w": high_w}
        raise BadInput(
            tr(
                "{part} does not accept a power limit of {limit_w:g} W: its driver accepts {low_w:.0f} "
                "to {high_w:.0f} W.",
                **fields,
            )
        )
    fields = {"part": title, "limit_w": limit_w, "low_w": low_w, "high_w": high_w}
    raise BadInput(
        tr(
            "{part} does not accept a power limit of {limit_w:g} W: its range is not stated, and "
            "such a card accepts about {low_w:.0f} to {high_w:.0f} W.",
            **fields,
        )
    )


def speed_at_limit(part: Part, limit_w: float) -> Band:
    """Speed under a limit over speed at the card's own, 0 to 1.

    A limit below what the card accepts counts as that; one above its own brings nothing that is known. Assumptions
    name the source. Raises ValueError for a part that is no GPU.
    """
    spec = part.spec
    if not isinstance(spec, GpuSpec):
        raise ValueError(f"{part.id} is no GPU")
    if spec.power_limit_w is None:
        return Band(0.2, 0.7, 1.0, "", (GENERAL,), (f"{part.id}.power_limit_w",))
    least_w = spec.power_limit_min_w
    notes = []
    if least_w is not None and limit_w < least_w:
        notes.append(tr("{part} accepts no limit below {least_w:g} W", part=part.title, least_w=least_w))
        limit_w = least_w
    share = min(1.0, limit_w / spec.power_limit_w)
    if share < LEAST_MEASURED:
        notes.append(tr("below {percent:.0f} % of the limit nothing was measured", percent=100 * LEAST_MEASURED))
    shares, source = _shares(spec.product, share)
    missing = () if least_w is not None else (f"{part.id}.power_limit_min_w",)
    return Band(*shares, "", (tr("speed under the limit: {source}", source=source), *notes), missing)


def _shares(product: str, share: float) -> tuple[Shares, str]:
    measured = MEASURED.get(product)
    if measured is None:
        return _general(share), GENERAL
    at, there, source = measured
    if share >= at:
        way = (1 - share) / (1 - at)
        low, expected, high = (1 - way * (1 - speed) for speed in there)
        return (low, expected, high), source
    further, here = _general(share), _general(at)
    low, expected, high = (speed * new / old for speed, new, old in zip(there, further, here, strict=True))
    return (min(low, expected), expected, high), source


def _general(share: float) -> Shares:
    """In proportion to the power at worst; a memory-bound load, which keeps 96 % at half the power, at best."""
    return share, max(share, _mixed_precision(share) / _mixed_precision(1.0)), 1 - 0.16 * (1 - share) ** 2


def _mixed_precision(share: float) -> float:
    """ViT training on an RTX 3090 in TF32 by power over 480 W (qwertyforce), with its own limit of 350 W."""
    return 1 - 1.52 * float((1 - share * 350 / 480) ** 3.1)


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
