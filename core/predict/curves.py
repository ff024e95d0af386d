"""Predictions for plots: over time while the machine warms up, the power limit of the cards, and the fans' speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp

from core.plan.build import Build
from core.plan.line import Line
from core.platform.json_value import JsonValue
from core.predict.airflow.flow_paths import ON_RADIATORS
from core.predict.band import Corner, Triple, hot_low, total
from core.predict.conditions import Conditions
from core.predict.prediction import Prediction, predict
from core.predict.speed.networks import Network
from core.predict.speed.speed import predict_speed
from core.words import plain, tr

MINUTES = tuple(range(61))
SHARES = tuple(percent / 100 for percent in range(50, 105, 5))
FAN_SHARES = tuple(percent / 100 for percent in range(20, 110, 10))


@dataclass(frozen=True, slots=True)
class WarmUp:
    """One card from a start at room temperature to its steady state, C by minute."""

    part_id: str
    number: int
    slot: int | None
    minutes: tuple[float, ...]
    low_c: tuple[float, ...]
    expected_c: tuple[float, ...]
    high_c: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AtLimit(JsonValue):
    """The machine with all its GPUs at a share of their power limits. Bands as low, expected, high."""

    share: float
    limits_w: dict[str, float]
    wall_w: tuple[float, float, float]
    """Under the conditions' load."""
    noise_dba: tuple[float, float, float]
    hottest_c: tuple[float, float, float] | None
    kept_share: float | None
    """Of the hottest card's limited power."""
    hottest_w: float | None
    """What that is, W."""
    coolant_c: tuple[float, float, float] | None
    speed: dict[str, tuple[float, float, float] | None]
    """By kind of network, in its samples per second; None where it is unknown."""


@dataclass(frozen=True, slots=True)
class AtFanSpeed(JsonValue):
    """The machine in training with case and radiator fans at a share of their highest speed.

    Bands as low, expected, high. The cards' own fans follow their temperatures.
    """

    share: float
    case_m3h: tuple[float, float, float] | None
    """What crosses a closed case."""
    radiators_m3h: tuple[float, float, float] | None
    """Through the fins of all radiators."""
    noise_dba: tuple[float, float, float]
    case_air_c: tuple[float, float, float]
    """Before the cards."""
    hottest_c: tuple[float, float, float] | None
    kept_share: float | None
    """Of the hottest card's power."""
    coolant_c: tuple[float, float, float] | None


def over_time(prediction: Prediction, minutes: Sequence[float] = MINUTES) -> tuple[WarmUp, ...]:
    """Every card's temperature after a cold start, with both time constants."""
    room_c = prediction.conditions.room_c
    seconds = [60 * minute for minute in minutes]
    card_curves = []
    for card in prediction.heat.cards:
        inlet, chip = card.inlet_c, card.temperature_c
        ends = ((inlet.low, chip.low), (inlet.expected, chip.expected), (inlet.high, chip.high))
        curves = [
            warm_up(room_c, before, after, seconds, case) for (before, after), case in zip(ends, Corner, strict=True)
        ]
        # A card held at its target starts faster in cool air: at each time the band is what lies around all three.
        low, expected, high = (
            tuple(pick(point) for point in zip(*curves, strict=True)) for pick in (min, _middle, max)
        )
        card_curves.append(WarmUp(card.part_id, card.number, card.slot, tuple(minutes), low, expected, high))
    return tuple(card_curves)


def over_limits(build: Build, conditions: Conditions, shares: Sequence[float] = SHARES) -> tuple[AtLimit, ...]:
    """Watts, noise, temperatures and speed with all GPUs limited alike; lines of unknown limit stay as they are.

    A limit below what a card accepts is raised to that.
    """
    return tuple(_at(build, conditions, share) for share in shares)


FASTER = 1.005
"""A lower limit that gains less than this counts as equal."""


def why_faster(points: Sequence[AtLimit], network: str) -> str:
    """Where a lower limit is expected to be faster than the highest: how much, and what of it heat took; else empty."""
    timed = [(speed[1], point) for point in points if (speed := point.speed[network])]
    if not timed:
        return ""
    at_most, most = max(timed, key=lambda pair: pair[1].share)
    fastest, best = max(timed, key=lambda pair: (pair[0], -pair[1].share))
    if fastest < FASTER * at_most or best.hottest_w is None or most.hottest_w is None:
        return ""
    return tr(
        "{gain:.0f} % faster at {best:.0f} % of the limit than at {most:.0f} %: there the cards heat each other until "
        "the hottest is throttled to {held:.0f} W at {most_c:.0f} °C; here it draws {kept:.0f} W at {best_c:.0f} °C, "
        "and all wait for the slowest.",
        gain=100 * (fastest / at_most - 1),
        best=100 * best.share,
        most=100 * most.share,
        held=most.hottest_w,
        kept=best.hottest_w,
        most_c=most.hottest_c[1] if most.hottest_c else 0.0,
        best_c=best.hottest_c[1] if best.hottest_c else 0.0,
    )


def whys_faster(points: Sequence[AtLimit]) -> Iterator[str]:
    """The same for each kind of network that has something to say."""
    for network in Network:
        if reason := why_faster(points, network.value):
            yield plain("{network}: {reason}", network=network.short, reason=reason)


def over_fans(build: Build, conditions: Conditions, shares: Sequence[float] = FAN_SHARES) -> tuple[AtFanSpeed, ...]:
    """Flow, noise and temperatures with case and radiator fans turning alike; empty for a machine that has none.

    A fan that cannot turn so slowly stays at its lowest speed.
    """
    if not predict(build, conditions).heat.air.groups:
        return ()
    return tuple(_at_fan_speed(build, conditions, share) for share in shares)


def limited(build: Build, share: float) -> Build:
    """The build with every GPU that works at this share of its own limit, or at the least that it accepts."""
    works = {line.part.id for line, _ in build.workers()}
    return build.with_lines(tuple(_limited(line, share) if line.part.id in works else line for line in build.lines))


def _middle(point: Sequence[float]) -> float:
    return point[1]


def _limited(line: Line, share: float) -> Line:
    own = getattr(line.part.spec, "power_limit_w", None)
    if own is None:
        return line
    least = getattr(line.part.spec, "power_limit_min_w", None) or 0.0
    return replace(line, power_limit_w=round(max(share * own, least), 1))


def _at(build: Build, conditions: Conditions, share: float) -> AtLimit:
    less = limited(build, share)
    prediction = predict(less, conditions)
    wall, noise, heat = prediction.wall_w[conditions.load], prediction.noise_load, prediction.heat
    hottest = heat.hottest
    speeds = {one.network.value: one.rate for one in predict_speed(less, heat).networks}
    return AtLimit(
        share,
        {line.part.id: line.power_limit_w for line in less.lines if line.power_limit_w is not None},
        wall.triple,
        noise.triple,
        hottest.temperature_c.triple if hottest else None,
        hottest.kept_share if hottest else None,
        hottest.power_w.expected if hottest else None,
        heat.coolant_c.triple if heat.coolant_c else None,
        {network: rate.triple if rate else None for network, rate in speeds.items()},
    )


def _at_fan_speed(build: Build, conditions: Conditions, share: float) -> AtFanSpeed:
    prediction = predict(build, replace(conditions, fan_share=share))
    heat, air = prediction.heat, prediction.heat.air
    hottest = heat.hottest
    radiators = total((group.flow_m3h for group in air.groups if group.group in ON_RADIATORS), "m³/h")
    return AtFanSpeed(
        share,
        air.through_m3h.triple if air.through_m3h else None,
        radiators.triple if radiators.high else None,
        prediction.noise_load.triple,
        heat.case_air_c.triple,
        hottest.temperature_c.triple if hottest else None,
        hottest.kept_share if hottest else None,
        heat.coolant_c.triple if heat.coolant_c else None,
    )


CARD_S: Triple = (60.0, 90.0, 120.0)
"""First time constant: 95 % after 3 to 6 minutes."""
CASE_S: Triple = (600.0, 750.0, 900.0)
"""Second one, of case, coolant and soaked metal: reviewers wait 20 to 45 minutes."""


def warm_up(
    room_c: float, inlet_c: float, chip_c: float, times_s: Sequence[float], case: Corner = Corner.EXPECTED
) -> list[float]:
    """Chip temperatures after starting from room temperature at full power, C.

    The rise of chip over inlet follows the card's time constant, the rise of the inlet over the room the case's. What
    warms sooner is the hotter one on the way.
    """
    card_s, case_s = hot_low(CARD_S, case), hot_low(CASE_S, case)
    return [
        room_c + (inlet_c - room_c) * (1 - exp(-time / case_s)) + (chip_c - inlet_c) * (1 - exp(-time / card_s))
        for time in times_s
    ]
