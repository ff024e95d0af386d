"""All cases of a file predicted, what comes of it by quantity, and how near they come to what predictions aim at."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from pydantic import computed_field

from core.lab.validation import cards
from core.lab.validation.cases import Measured
from core.lab.validation.matching import MatchedCard, card_of, psu_of, radiator_of
from core.lab.validation.psus import at_the_wall, efficiency, fan_rpm
from core.lab.validation.sound import noise, power_over_pressure
from core.parts.part import Part
from core.parts.vocabulary import GpuCooling
from core.platform.json_value import JsonValue
from core.predict.band import Band
from core.words import tr

NO_PART = tr("it names no part of the catalogue")

Found = tuple[str | None, Band | str]
"""The part that a case is about, and what is predicted or why nothing is."""
Model = Callable[[Measured, Sequence[Part]], Found]


def _of_card(model: Callable[[Measured, MatchedCard], Band | str]) -> Model:
    return _of_any_card(lambda case, match: NO_PART if match is None else model(case, match))


def _of_any_card(model: Callable[[Measured, MatchedCard | None], Band | str]) -> Model:
    def predict(case: Measured, parts: Sequence[Part]) -> Found:
        match = card_of(case, parts)
        return match.part.id if match else None, model(case, match)

    return predict


def _of(
    find: Callable[[Measured, Sequence[Part]], Part | None], model: Callable[[Measured, Part | None], Band | str]
) -> Model:
    def predict(case: Measured, parts: Sequence[Part]) -> Found:
        part = find(case, parts)
        return part.id if part else None, model(case, part)

    return predict


MODELS: Mapping[str, Model] = {
    "noise": _of_any_card(noise),
    "LwA_minus_LpA": lambda case, _: (None, power_over_pressure(case)),
    "gpu_temp": _of_card(cards.chip),
    "gpu_temp_rise": _of_card(cards.rise),
    "gpu_hotspot": _of_card(cards.hot_spot),
    "board_power": _of_card(cards.board_power),
    "relative_performance": _of_card(cards.relative_speed),
    "training_speed": _of_card(cards.training_speed),
    "gpu_peak_power": _of_card(cards.peak),
    "psu_efficiency": _of(psu_of, efficiency),
    "wall_power": _of(psu_of, at_the_wall),
    "psu_fan_rpm": _of(psu_of, fan_rpm),
    "radiator_capacity": _of(radiator_of, cards.watts_at_10_k),
}


NO_MODEL = tr("Rigwright does not predict this quantity")
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "dBA": ("dba", "db", "db(a)"),
    "dB": ("db",),
    "°C": ("c", "degc"),
    "": ("fraction", "share"),
}
"""How files write the units of the predictions; others stand as they are."""


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One case: predicted, or why not."""

    case: Measured
    part_id: str | None = None
    predicted: Band | None = None
    reason: str = ""

    @property
    def group(self) -> str:
        """What is judged together: cards that warm each other are another matter than one alone."""
        alone_counts = self.case.quantity.startswith("gpu_temp")
        if not alone_counts and not (self.case.quantity == "board_power" and self.case.facts.cards > 1):
            return self.case.quantity
        return f"{self.case.quantity}, {'several cards' if self.case.facts.among_others else 'one card'}"

    @property
    def error(self) -> float | None:
        """Predicted less measured, in the case's unit."""
        return None if self.predicted is None else self.predicted.expected - self.case.value

    @property
    def inside(self) -> bool | None:
        """Whether the measured value lies within the band."""
        band = self.predicted
        return None if band is None else band.low <= self.case.value <= band.high

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "id": self.case.id,
            "quantity": self.case.quantity,
            "configuration": self.case.configuration,
            "condition": self.case.condition,
            "trust": self.case.trust,
            "part": self.part_id,
            "measured": None if self.case.unread else self.case.value,
            "unit": self.case.unit,
            "predicted": self.predicted.as_dict() if self.predicted else None,
            "error": self.error,
            "inside": self.inside,
            "not_applicable": self.reason or None,
        }


@dataclass(frozen=True, slots=True)
class QuantityScore(JsonValue):
    """A quantity: how many cases were predicted, mean absolute error in the unit and in per cent, share in the band.

    Trusted cases also for themselves.
    """

    quantity: str
    unit: str
    cases: int
    mean_error: float
    mean_error_pct: float
    inside: float
    trusted: int
    trusted_error: float
    trusted_inside: float
    half_width: float
    """Mean of half the band."""


def predict_cases(cases: Iterable[Measured], parts: Sequence[Part]) -> list[CaseOutcome]:
    """In the order of the file."""
    return [_predict(case, parts) for case in cases]


def scores(outcomes: Sequence[CaseOutcome]) -> list[QuantityScore]:
    """One per quantity that was predicted at all, in the order of the file."""
    by_group: dict[str, list[CaseOutcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.predicted is not None:
            by_group[outcome.group].append(outcome)
    return [_score(quantity, rows) for quantity, rows in by_group.items()]


def _predict(case: Measured, parts: Sequence[Part]) -> CaseOutcome:
    if case.unread:
        return CaseOutcome(case, reason=case.unread)
    model = MODELS.get(case.quantity)
    if model is None:
        return CaseOutcome(case, reason=NO_MODEL)
    part_id, predicted = model(case, parts)
    if isinstance(predicted, str):
        return CaseOutcome(case, part_id, reason=predicted)
    if case.unit and case.unit.lower() not in (predicted.unit.lower(), *_SPELLINGS.get(predicted.unit, ())):
        unit = predicted.unit or tr("a fraction")
        reason = tr("its unit is {unit}, but {predicted} is predicted", unit=case.unit, predicted=unit)
        return CaseOutcome(case, part_id, reason=reason)
    return CaseOutcome(case, part_id, predicted)


def _score(quantity: str, rows: Sequence[CaseOutcome]) -> QuantityScore:
    errors = [abs(row.error or 0.0) for row in rows]
    relative = [error / abs(row.case.value) for error, row in zip(errors, rows, strict=True) if row.case.value]
    trusted = [row for row in rows if row.case.trusted]
    return QuantityScore(
        quantity,
        rows[0].case.unit,
        len(rows),
        fsum(errors) / len(rows),
        100 * fsum(relative) / len(relative) if relative else 0.0,
        _share(rows),
        len(trusted),
        fsum(abs(row.error or 0.0) for row in trusted) / len(trusted) if trusted else 0.0,
        _share(trusted),
        fsum(row.predicted.width / 2 for row in rows if row.predicted) / len(rows),
    )


def _share(rows: Sequence[CaseOutcome]) -> float:
    return sum(bool(row.inside) for row in rows) / len(rows) if rows else 0.0


NARROW: dict[str, float] = {"dBA": 4.0, "dB": 4.0, "°C": 8.0, "K": 8.0}
"""A band is narrow if half of it is at most this, by unit."""
NARROW_SHARE = 0.06
AT_THE_WALL = ("wall_power", "psu_efficiency")
"""Quantities whose bands are narrow by `NARROW_SHARE` of the middle."""
ENOUGH = 0.9
"""Share of the trusted cases."""


@dataclass(frozen=True, slots=True)
class Aim(JsonValue):
    """An aim and what the cases show; `found` is None where none of them bears on it."""

    title: str
    unit: str
    wanted: float
    found: float | None
    cases: int
    least: bool = False
    """Whether `wanted` is the least that will do, not the most."""

    @computed_field
    @property
    def met(self) -> bool | None:
        """None where no case bears on it."""
        if self.found is None:
            return None
        return self.found >= self.wanted if self.least else self.found <= self.wanted


def aims(outcomes: Sequence[CaseOutcome]) -> list[Aim]:
    """Mean errors over all cases of a kind, and how many of the trusted ones of all kinds lie within their bands."""
    rows = [outcome for outcome in outcomes if outcome.predicted is not None]
    trusted = [row for row in rows if row.case.trusted]
    bounded = [row for row in trusted if _widest(row) is not None]
    noise = [row for row in rows if row.case.quantity == "noise"]
    alone = [row for row in rows if row.group in ("gpu_temp, one card", "gpu_temp_rise, one card")]
    wall = [row for row in rows if row.case.quantity == "wall_power" and row.case.value]
    many = [row for row in rows if row.group == "board_power, several cards"]
    blowers = [row for row in many if row.case.facts.cooling is GpuCooling.BLOWER]
    speeds = [row for row in rows if row.case.quantity == "training_speed" and row.case.value]
    largest_pct = max(map(_error_pct, speeds), default=None)
    return [
        Aim(tr("Noise, mean error"), "dB", 2.0, _mean(noise, _error), len(noise)),
        Aim(tr("Temperature of one card, mean error"), "K", 4.0, _mean(alone, _error), len(alone)),
        Aim(tr("Power at the wall, mean error"), "%", 3.0, _mean(wall, _error_pct), len(wall)),
        Aim(tr("Power of adjacent blower cards, mean error"), "%", 5.0, _mean(blowers, _error_pct), len(blowers)),
        Aim(tr("Training speed of one card, largest error"), "%", 20.0, largest_pct, len(speeds)),
        _share_aim(tr("Trusted cases inside the band"), trusted, lambda row: bool(row.inside)),
        _share_aim(tr("Trusted cases inside a narrow band: +-4 dB, +-8 K, +-6 %"), bounded, _inside_a_narrow_band),
    ]


def _share_aim(title: str, rows: Sequence[CaseOutcome], holds: Callable[[CaseOutcome], bool]) -> Aim:
    share_pct = 100 * sum(map(holds, rows)) / len(rows) if rows else None
    return Aim(title, "%", 100 * ENOUGH, share_pct, len(rows), least=True)


def _mean(rows: Sequence[CaseOutcome], error: Callable[[CaseOutcome], float]) -> float | None:
    return fsum(map(error, rows)) / len(rows) if rows else None


def _error(row: CaseOutcome) -> float:
    return abs(row.error or 0.0)


def _error_pct(row: CaseOutcome) -> float:
    return 100 * _error(row) / abs(row.case.value)


def _inside_a_narrow_band(row: CaseOutcome) -> bool:
    widest, band = _widest(row), row.predicted
    return bool(row.inside) and widest is not None and band is not None and band.width / 2 <= widest


def _widest(row: CaseOutcome) -> float | None:
    """Half of the widest narrow band, None for quantities that nobody bounded."""
    assert row.predicted is not None
    if row.case.quantity in AT_THE_WALL:
        return NARROW_SHARE * row.predicted.expected
    return NARROW.get(row.predicted.unit)
