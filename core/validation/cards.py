"""Watts of measured cards, their peaks of milliseconds, their speed in training and under a power limit."""

from __future__ import annotations

from bisect import bisect_left
from math import inf, log

from core.language import tr
from core.parts.specs import GpuSpec
from core.predict.band import Band
from core.predict.excursions import CARD_USUAL, PEAK_SPREAD, WINDOWS_MS
from core.predict.power_limit import speed_at_limit
from core.predict.speed.card_speed import card_rate
from core.validation.bench import ReviewBench, bench_of
from core.validation.cases import Measured
from core.validation.matching import MatchedCard

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
    known = own or [point for point in zip(WINDOWS_MS, CARD_USUAL, strict=True) if point[0] != inf]
    at = bisect_left(known, (window_ms, 0.0))
    if at in (0, len(known)):
        return known[min(at, len(known) - 1)][1]
    (before, left), (after, right) = known[at - 1], known[at]
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
