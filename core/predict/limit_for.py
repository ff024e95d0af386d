"""Which power limit makes a machine fit a circuit, a noise level or a temperature, and what it costs in speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.build.build import Build
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.conditions import Conditions
from core.predict.curves import limited
from core.predict.load import Load
from core.predict.power_limit import speed_at_limit
from core.predict.prediction import Prediction, predict

LEAST_SHARE = 0.3
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
    after: float | None
    speed: Band | None
    """Speed of the slowest line over that at its own limit."""

    @property
    def message(self) -> str:
        """The answer in a sentence."""
        goal, unit = self.goal, self.goal.unit
        if self.before is None:
            return f"{goal.title} is not predicted: no limit can be told that keeps it at {goal.most:.0f} {unit}."
        if self.share is None:
            return f"{goal.title} stays above {goal.most:.0f} {unit} at any power limit that the cards accept."
        if self.share >= 1:
            return f"{goal.title} is {self.before:.0f} {unit} without a limit: no more than {goal.most:.0f} {unit}."
        limits = ", ".join(f"{watts:.0f} W" for watts in sorted(set(self.limits_w.values())))
        words = f"{goal.title} falls from {self.before:.0f} to {self.after:.0f} {unit} at a limit of {limits} a card"
        if self.speed is None:
            return f"{words}."
        return f"{words}, at {100 * self.speed.low:.0f} to {100 * self.speed.high:.0f} % of the speed."

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "goal": self.goal.title,
            "unit": self.goal.unit,
            "most": self.goal.most,
            "before": self.before,
            "share": self.share,
            "limits_w": self.limits_w,
            "after": self.after,
            "speed": self.speed.as_dict() if self.speed else None,
            "message": self.message,
        }


def circuit_goal(build: Build) -> Goal:
    """The upper end of the wall power in training within what the circuits carry for hours, less what else hangs on."""
    circuit = build.circuit
    most = sum(max(0.0, circuit.continuous_w - other) for other in build.other_loads_w)
    return Goal("Wall power in training", "W", most, lambda prediction: prediction.wall_w[Load.TRAINING].high)


def noise_goal(level_dba: float) -> Goal:
    """The expected level in training, free field."""
    return Goal("Noise in training", "dBA", level_dba, lambda prediction: prediction.noise_load.expected)


def temperature_goal(chip_c: float) -> Goal:
    """The expected temperature of the hottest card."""
    return Goal("The hottest GPU", "C", chip_c, _hottest)


def limit_for(build: Build, conditions: Conditions, goal: Goal) -> LimitFor:
    """Halves the range of common limits; each step predicts the machine anew."""
    before = goal.measure(predict(build, conditions))
    if before is not None and before <= goal.most:
        return LimitFor(goal, before, 1.0, {}, before, None)
    if before is None or not build.count(Category.GPU) or not _met(build, conditions, goal, LEAST_SHARE):
        return LimitFor(goal, before, None, {}, None, None)
    low, high = LEAST_SHARE, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _met(build, conditions, goal, middle) else (low, middle)
    less = limited(build, low)
    limits = {line.part.id: line.power_limit_w for line in less.lines if line.power_limit_w is not None}
    return LimitFor(goal, before, low, limits, goal.measure(predict(less, conditions)), _speed(less))


def _met(build: Build, conditions: Conditions, goal: Goal, share: float) -> bool:
    found = goal.measure(predict(limited(build, share), conditions))
    return found is not None and found <= goal.most


def _speed(build: Build) -> Band | None:
    lines = [line for line in build.of(Category.GPU) if line.power_limit_w is not None]
    bands = [speed_at_limit(line.part, line.power_limit_w or 0.0) for line in lines]
    return min(bands, key=lambda band: band.expected, default=None)


def _hottest(prediction: Prediction) -> float | None:
    return max((card.temperature_c.expected for card in prediction.heat.cards), default=None)
