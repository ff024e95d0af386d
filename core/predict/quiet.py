"""How quiet a water-cooled machine can be: radiator area, power limit and fan speed against coolant and noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.parts.specs import FanSpec, RadiatorSpec
from core.parts.vocabulary import Category
from core.plan.build import MOST_PARTS, Build
from core.plan.line import MAX_QUANTITY, Line
from core.predict.airflow.flow_paths import places_of
from core.predict.conditions import Conditions
from core.predict.curves import limited
from core.predict.prediction import Prediction, predict

COOLANT_LIMIT_C = 55.0
"""Upper end of the coolant: pumps and tubing are made for 55 to 60 C."""
AREAS = (0.5, 1.0, 1.5, 2.0)
LIMITS = (0.6, 0.7, 0.8, 0.9, 1.0)
SPEEDS = (0.25, 0.35, 0.45, 0.55, 0.65, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Quietest:
    """The slowest fans that keep coolant and cards within their limits, for one area and one power limit.

    `fan_share`, noise and coolant are None where even the fastest fans do not do.
    """

    places: int
    """120 or 140 mm places on all radiators."""
    limit_share: float
    fan_share: float | None
    noise_dba: float | None
    coolant_c: float | None


def quiet_map(
    build: Build,
    conditions: Conditions,
    areas: Sequence[float] = AREAS,
    limits: Sequence[float] = LIMITS,
    speeds: Sequence[float] = SPEEDS,
) -> tuple[Quietest, ...]:
    """Every area at every limit; empty for a build without a radiator.

    An area is the build's radiators, and the fans on them, times so much.
    """
    if not build.of(Category.RADIATOR):
        return ()
    sizes = {_places(sized): sized for sized in (_sized(build, area) for area in areas)}
    return tuple(
        _quietest(limited(sized, share), conditions, places, share, speeds)
        for places, sized in sorted(sizes.items())
        for share in limits
    )


def _quietest(
    build: Build, conditions: Conditions, places: int, limit_share: float, speeds: Sequence[float]
) -> Quietest:
    for speed in speeds:
        prediction = predict(build, replace(conditions, fan_share=speed))
        if _holds(prediction):
            coolant = prediction.heat.coolant_c
            level = prediction.noise_load.expected
            return Quietest(places, limit_share, speed, level, coolant.expected if coolant else None)
    return Quietest(places, limit_share, None, None, None)


def _holds(prediction: Prediction) -> bool:
    coolant = prediction.heat.coolant_c
    cool = coolant is None or coolant.high <= COOLANT_LIMIT_C
    return cool and all(card.kept_share >= 0.999 for card in prediction.heat.cards)


def _places(build: Build) -> int:
    return sum(line.quantity * _each(line) for line in build.of(Category.RADIATOR))


def _each(line: Line) -> int:
    return places_of(line.part.spec) if isinstance(line.part.spec, RadiatorSpec) else 0


def _sized(build: Build, area: float) -> Build:
    """The build with so many times its radiators, rounded to whole ones, and the fans that their places need."""
    return build.with_lines(tuple(_resized(build, min(area, _most_area(build)))))


def _most_area(build: Build) -> float:
    """So many times its radiators and fans that, each line rounded, the build keeps within its bounds."""
    kinds = ((category, build.count(category)) for category in (Category.RADIATOR, Category.FAN))
    return max(1.0, min((MOST_PARTS[one] - len(build.of(one))) / count for one, count in kinds if count))


def _resized(build: Build, area: float) -> Iterator[Line]:
    for line in build.lines:
        if isinstance(line.part.spec, RadiatorSpec | FanSpec):
            quantity = min(MAX_QUANTITY, max(1, round(area * line.quantity)))
            yield replace(line, quantity=quantity)
        else:
            yield line
