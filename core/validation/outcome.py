"""All cases of a file predicted, and what comes of it by quantity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from core.parts.part import Part
from core.predict.band import Band
from core.validation.cases import Measured
from core.validation.models import MODELS

NO_MODEL = "the product predicts no such quantity"
NO_PART = "no part of the catalogue is named in it"
TOO_LITTLE = "its words do not say enough"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: predicted, or why not."""

    case: Measured
    part_id: str | None = None
    predicted: Band | None = None
    reason: str = ""

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
            "measured": self.case.value,
            "unit": self.case.unit,
            "predicted": self.predicted.as_dict() if self.predicted else None,
            "error": self.error,
            "inside": self.inside,
            "not_applicable": self.reason or None,
        }


@dataclass(frozen=True, slots=True)
class Score:
    """A quantity: how many cases were predicted, mean absolute error in the unit and in per cent, share in the band."""

    quantity: str
    unit: str
    cases: int
    mean_error: float
    mean_error_pct: float
    inside: float
    trusted: int
    trusted_inside: float
    half_width: float
    """Mean of half the band."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def predict_cases(cases: Iterable[Measured], parts: Sequence[Part]) -> list[Outcome]:
    """In the order of the file."""
    return [_predict(case, parts) for case in cases]


def scores(outcomes: Sequence[Outcome]) -> list[Score]:
    """One per quantity that was predicted at all."""
    found: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.predicted is not None:
            found[outcome.case.quantity].append(outcome)
    return [_score(quantity, rows) for quantity, rows in found.items()]


def _predict(case: Measured, parts: Sequence[Part]) -> Outcome:
    quantity = MODELS.get(case.quantity)
    if quantity is None:
        return Outcome(case, reason=NO_MODEL)
    part = quantity.part(case, parts) if quantity.part else None
    if part is None and quantity.part and quantity.needs_part:
        return Outcome(case, reason=NO_PART)
    band = quantity.model(case, part)
    part_id = part.id if part else None
    return Outcome(case, part_id, band) if band else Outcome(case, part_id, reason=TOO_LITTLE)


def _score(quantity: str, rows: Sequence[Outcome]) -> Score:
    errors = [abs(row.error or 0.0) for row in rows]
    relative = [error / abs(row.case.value) for error, row in zip(errors, rows, strict=True) if row.case.value]
    trusted = [row for row in rows if row.case.trusted]
    return Score(
        quantity,
        rows[0].case.unit,
        len(rows),
        fsum(errors) / len(rows),
        100 * fsum(relative) / len(relative) if relative else 0.0,
        _share(rows),
        len(trusted),
        _share(trusted),
        fsum(row.predicted.width / 2 for row in rows if row.predicted) / len(rows),
    )


def _share(rows: Sequence[Outcome]) -> float:
    return sum(bool(row.inside) for row in rows) / len(rows) if rows else 0.0
