"""What a change costs in speed of training: power limits, heat and the number of cards."""

from __future__ import annotations

from core.build.build import Build, Line
from core.predict.band import Band
from core.predict.power_limit import speed_at_limit
from core.predict.prediction import Prediction

Shares = tuple[float, float, float]
SAME = 0.005
"""A change of speed below this is none."""


def speed_change(before: Build, was: Prediction, after: Build, now: Prediction) -> Band | None:
    """Training speed after a change over the speed before; None where it stays, or nothing is known of it.

    Cards that train together wait for the slowest of them: the speed is their number times that of the slowest.
    """
    old, new = _speed(before, was), _speed(after, now)
    if old is None:
        return None
    low, expected, high = sorted(n / o for n, o in zip(new or (0.0, 0.0, 0.0), old, strict=True))
    return None if max(abs(1 - low), abs(1 - expected), abs(1 - high)) < SAME else Band(low, expected, high, "")


def _speed(build: Build, prediction: Prediction) -> Shares | None:
    """In speeds of one card at its own limit: low, expected, high."""
    lines = [line for line, _ in build.gpus()]
    if not lines:
        return None
    cards = sum(line.quantity for line in lines)
    slowest = min((speed_at_limit(line.part, _power_w(line, prediction)) for line in lines), key=_expected)
    return cards * slowest.low, cards * slowest.expected, cards * slowest.high


def _power_w(line: Line, prediction: Prediction) -> float:
    """What the hottest card of a line may draw after heat has taken its share, W; its limit where nothing is known."""
    kept = min((card.kept_share for card in prediction.heat.cards if card.part_id == line.part.id), default=1.0)
    return kept * (line.limit_w or 0.0)


def _expected(band: Band) -> float:
    return band.expected
