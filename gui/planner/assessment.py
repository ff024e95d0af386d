"""What is known about a build: the findings of all rules, the prediction, and how its parts are connected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from core.build.build import Build
from core.placement.links import CardLink, links
from core.placement.risers import CardKey
from core.placement.topology import Pair, pairs
from core.predict.conditions import Conditions
from core.predict.prediction import Prediction, predict
from core.predict.speed.speed import Speed, predict_speed
from core.rules.engine import check
from core.rules.finding import Finding
from core.wiring.wire import wire
from core.wiring.wiring import Wiring


@dataclass(frozen=True)
class Assessment:
    """All are pure functions of build and conditions; connections and speed are worked out when first looked at."""

    build: Build
    conditions: Conditions
    findings: tuple[Finding, ...]
    prediction: Prediction

    @cached_property
    def links(self) -> Mapping[CardKey, CardLink]:
        """The link that each placed card really gets."""
        return links(self.build)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """How placed GPUs reach each other."""
        return pairs(self.build, self.links)

    @cached_property
    def wiring(self) -> Wiring:
        """Which plug feeds which socket."""
        return wire(self.build)

    @cached_property
    def speed(self) -> Speed:
        """How fast the cards train each kind of network where they sit, as warm as they get."""
        return predict_speed(self.build, self.prediction.heat, known=self.links)


def assess(build: Build, conditions: Conditions) -> Assessment:
    """Predicts and checks."""
    prediction = predict(build, conditions)
    return Assessment(build, conditions, check(build, prediction), prediction)
