"""Which power limit makes a machine fit a circuit, a noise level or a temperature, and what it costs in speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.platform.errors import BadInput
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.curves import limited
from core.predict.power import left_of_circuits_w
from core.predict.power_limit import USUALLY_ACCEPTED, speed_at_limit
from core.predict.prediction import Prediction, predict
from core.predict.speed.networks import Network
from core.predict.speed.speed import predict_speed
from core.words import listed, plain, tr

LEAST_SHARE = USUALLY_ACCEPTED[0]
NOISE_DBA, TEMPERATURE_C = (0.0, 120.0), (0.0, 150.0)
"""What may be asked for."""
STEPS = 9
"""Halvings of the range of limits: to 0.2 % of the card's own."""

Measure = Callable[[Prediction], float | None]
"""None where it is not predicted."""


@dataclass(frozen=True, slots=True)
class Goal:
    """`measure` of the prediction shall not exceed `most`; `title` names it in a sentence."""

    title: str
    unit: str
    most: float
    measure: Measure


@dataclass(frozen=True, slots=True)
class LimitFor:
    """The largest common share of the GPUs' own limits that reaches the goal; None where no limit does."""

    goal: Goal
    before: float | None
    """What the goal measures with the cards as they are; None where it is not predicted."""
    share: float | None
    limits_w: dict[str, float]
    """Of each line of GPUs, by part id; empty where none is needed, or none reaches the goal."""
    after: float | None
    """What the goal measures under those limits; under the least that the cards accept where none reaches it."""
    speed: Band | None
    """Speed of the slowest line over that at its own limit."""
    networks: Mapping[Network, Band] = field(default_factory=dict)
    """Speed of the machine over that with the cards at their own limits, by kind of network, as far as it is known."""
    limited_before: bool = False
    """Whether the cards as they are had limits set."""
    least_w: dict[str, float] = field(default_factory=dict)
    """The least limits that were tried, where none reaches the goal."""

    @property
    def message(self) -> str:
        """The answer in a sentence."""
        goal, unit = self.goal.title, self.goal.unit
        if self.before is None:
            return tr(
                "{goal} is not predicted: no limit can be named that keeps it at {most:.0f} {unit}.",
                goal=goal,
                most=self.goal.most,
                unit=unit,
            )
        if self.share is None:
            most, left = _figure_words(self.goal.most, self.after)
            if not left:
                return tr(
                    "{goal} stays above {most} {unit} at any power limit that the cards accept.",
                    goal=goal,
                    most=most,
                    unit=unit,
                )
            return tr(
                "{goal} stays above {most} {unit} at any power limit that the cards accept: {left} "
                "{unit} at the lowest, {watts} per card.",
                left=left,
                watts=_watts(self.least_w),
                goal=goal,
                most=most,
                unit=unit,
            )
        if self.share >= 1:
            before, most = _figure_words(self.before, self.goal.most)
            if self.limited_before:
                return tr(
                    "{goal} is {before} {unit} under the limits that are set, no more than {most} {unit}.",
                    goal=goal,
                    before=before,
                    unit=unit,
                    most=most,
                )
            return tr(
                "{goal} is {before} {unit} without a limit, no more than {most} {unit}.",
                goal=goal,
                before=before,
                unit=unit,
                most=most,
            )
        before, after = _figure_words(self.before, self.after)
        watts = _watts(self.limits_w)
        if self.networks:
            speeds = [
                plain("{network} {speed}", network=network.short, speed=_per_cent(band))
                for network, band in self.networks.items()
            ]
            return tr(
                "{goal} falls from {before} to {after} {unit} at a limit of {watts} per card; the speed "
                "is then {kept} of that at the cards' own limits.",
                kept=listed(speeds),
                goal=goal,
                before=before,
                after=after,
                unit=unit,
                watts=watts,
            )
        if self.speed:
            return tr(
                "{goal} falls from {before} to {after} {unit} at a limit of {watts} per card, at {speed} of the speed.",
                speed=_per_cent(self.speed),
                goal=goal,
                before=before,
                after=after,
                unit=unit,
                watts=watts,
            )
        fields = {"goal": goal, "before": before, "after": after, "unit": unit, "watts": watts}
        return tr("{goal} falls from {before} to {after} {unit} at a limit of {watts} per card.", **fields)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "goal": self.goal.title,
            "unit": self.goal.unit,
            "most": self.goal.most,
            "before": self.before,
            "share": self.share,
            "limits_w": self.limits_w,
            "least_w": self.least_w,
            "after": self.after,
            "speed": self.speed.as_dict() if self.speed else None,
            "networks": {network.value: band.as_dict() for network, band in self.networks.items()},
            "message": self.message,
        }


def circuit_goal(build: Build, load: LoadCase = LoadCase.TRAINING) -> Goal:
    """The upper end of the wall power within what the circuits carry for hours, less their other loads.

    With cards at their limits: what heat takes back in summer, a cold room gives again.
    """
    most = left_of_circuits_w(build)
    title = tr("Wall power {load}, cards at their limits,", load=load.phrase)
    return Goal(title, "W", most, lambda prediction: prediction.limits.wall_w[load].high)


def noise_goal(level_dba: float) -> Goal:
    """The expected level in training, free field. Raises BadInput for a level that no machine has."""
    _require(NOISE_DBA, level_dba, tr("A level"), "dBA")
    return Goal(tr("Noise in training"), "dBA", level_dba, lambda prediction: prediction.noise_load.expected)


def temperature_goal(chip_c: float) -> Goal:
    """The expected temperature of the hottest card. Raises BadInput for one that no card has."""
    _require(TEMPERATURE_C, chip_c, tr("A temperature"), "°C")
    return Goal(tr("The hottest GPU"), "°C", chip_c, _hottest)


def limit_for(build: Build, conditions: Conditions, goal: Goal) -> LimitFor:
    """Halves the range of common limits; each step predicts the machine anew."""
    before = goal.measure(predict(build, conditions))
    held = any(line.power_limit_w is not None for line in build.of(Category.GPU))
    if before is not None and before <= goal.most:
        return LimitFor(goal, before, 1.0, {}, before, None, limited_before=held)
    if before is None or not build.count(Category.GPU):
        return LimitFor(goal, before, None, {}, None, None, limited_before=held)
    least = limited(build, LEAST_SHARE)
    after = goal.measure(predict(least, conditions))
    if after is None or after > goal.most:
        return LimitFor(goal, before, None, {}, after, None, limited_before=held, least_w=_limits(least))
    low, high = LEAST_SHARE, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _met(build, conditions, goal, middle) else (low, middle)
    less = limited(build, low)
    after = goal.measure(predict(less, conditions))
    network_shares = _networks(build, less, conditions)
    return LimitFor(goal, before, low, _limits(less), after, _speed(less), network_shares, held)


def _met(build: Build, conditions: Conditions, goal: Goal, share: float) -> bool:
    measured = goal.measure(predict(limited(build, share), conditions))
    return measured is not None and measured <= goal.most


def _limits(build: Build) -> dict[str, float]:
    return {line.part.id: line.power_limit_w for line in build.of(Category.GPU) if line.power_limit_w is not None}


def _speed(build: Build) -> Band | None:
    lines = [line for line in build.of(Category.GPU) if line.power_limit_w is not None]
    bands = [speed_at_limit(line.part, line.power_limit_w or 0.0) for line in lines]
    return min(bands, key=lambda band: band.expected, default=None)


def _networks(build: Build, less: Build, conditions: Conditions) -> dict[Network, Band]:
    """Like software before and after: slow with slow, fast with fast."""
    own, limited_ = (predict_speed(one, predict(one, conditions).heat) for one in (limited(build, 1.0), less))
    shares = {}
    for network in Network:
        whole, limited_rate = own.of(network).rate, limited_.of(network).rate
        if whole is not None and limited_rate is not None:
            shares[network] = _over(limited_rate, whole)
    return shares


def _over(limited_rate: Band, whole: Band) -> Band:
    low, expected, high = sorted(part / own for part, own in zip(limited_rate.triple, whole.triple, strict=True))
    return Band(low, expected, high, "")


def _require(bounds: tuple[float, float], value: float, what: str, unit: str) -> None:
    low, high = bounds
    if not low <= value <= high:
        fields = {"what": what, "value": value, "unit": unit, "low": low, "high": high}
        raise BadInput(
            tr("{what} of {value:g} {unit} is not a possible goal: it is outside {low:g} to {high:g} {unit}.", **fields)
        )


def _figure_words(*figures: float | None) -> list[str]:
    """Whole figures; with one decimal where different ones would read alike."""
    distinct = {figure for figure in figures if figure is not None}
    decimals = 0 if len({round(figure) for figure in distinct}) == len(distinct) else 1
    template = "{figure:.1f}" if decimals else "{figure:.0f}"
    return ["" if figure is None else plain(template, figure=figure) for figure in figures]


def _watts(limits: Mapping[str, float]) -> str:
    return ", ".join(f"{watts:.0f} W" for watts in sorted(set(limits.values())))


def _per_cent(band: Band) -> str:
    return tr("{low:.0f} to {high:.0f} %", low=100 * band.low, high=100 * band.high)


def _hottest(prediction: Prediction) -> float | None:
    return max((card.temperature_c.expected for card in prediction.heat.cards), default=None)
