"""What is known about a build: the findings of all rules and the prediction."""

from __future__ import annotations

from dataclasses import dataclass

from core.build.build import Build
from core.predict.prediction import Prediction, predict
from core.rules.engine import check
from core.rules.finding import Finding


@dataclass(frozen=True, slots=True)
class Assessment:
    """Both are pure functions of the build."""

    findings: tuple[Finding, ...]
    prediction: Prediction


def assess(build: Build) -> Assessment:
    """Checks and predicts."""
    return Assessment(tuple(check(build)), predict(build))
