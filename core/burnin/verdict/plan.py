"""Plan and measurement: like with like, the steady part of a stage beside what is predicted under its load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.evidence import PowerEvidence
from core.burnin.record.rows import Outcome, Reason, ResultStatus, StageResult, StageRow
from core.burnin.record.samples import column
from core.burnin.verdict.predicted import LOADS, SWEEP, PlannedRun
from core.burnin.verdict.recorded import Recorded, rate_words, rates_of
from core.loads.inference.contract import InferenceEvidence
from core.machine.asbuilt.identities import same_card
from core.machine.telemetry.device import Device, DeviceKind
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.words import Worded, plain, tr

Values = NDArray[np.float64]
Series = Callable[[str, str], tuple[Values, Values]]
"""Times in s and values of a metric, by device id and metric."""

STEADY = ("idle", "soak", "whole-system")
"""Stages with one load from end to end. Of a sweep through number formats the hottest one is compared."""
SETTLED_S = {"power_w": 20.0, "temperature_c": 300.0}
"""So long a stage must last until the metric is steady: heat takes minutes to spread."""
AT_REST = ("power_w",)
"""What is compared at rest: how warm a card is then depends on what it did before."""
COMPARED = tuple(SETTLED_S)


class BandSide(Worded):
    """Where a measured figure lies."""

    BELOW = "below", tr("below")
    WITHIN = "within", tr("within")
    ABOVE = "above", tr("above")


@dataclass(frozen=True, slots=True)
class PlanComparison:
    """One figure of one device in one stage, beside its prediction; `what` is a metric or the name of a rate."""

    device_id: str
    stage: int
    title: str
    """Of the stage."""
    load: LoadCase
    what: str
    predicted: Band
    measured: float
    tolerance_pct: float = 0.0
    """Beyond the band's ends, of these."""

    @property
    def place(self) -> BandSide:
        """With the tolerance on both sides."""
        if self.measured > self.predicted.high * (1 + self.tolerance_pct / 100):
            return BandSide.ABOVE
        low = self.predicted.low * (1 - self.tolerance_pct / 100)
        return BandSide.BELOW if self.measured < low else BandSide.WITHIN

    @property
    def is_rate(self) -> bool:
        """Whether it is a speed: of a number format, or of a language model."""
        return self.what not in COMPARED

    @property
    def suspicious(self) -> bool:
        """A card that is cooler or faster than predicted, or draws less at rest, is none the worse for it."""
        if self.what == "temperature_c":
            return self.place is BandSide.ABOVE
        if self.is_rate:
            return self.place is BandSide.BELOW
        lowest = self.load is not LoadCase.IDLE and self.place is BandSide.BELOW
        return lowest or self.place is BandSide.ABOVE

    @property
    def sentence(self) -> str:
        """ "Thermal soak: 275 W, below the 308 to 357 W that the plan predicts." """
        band, unit = self.predicted, self.predicted.unit
        near = self.place is BandSide.WITHIN and not band.low <= self.measured <= band.high
        precise = band.high < 100 and self.is_rate
        low, measured, high = (
            plain("{figure:.1f}", figure=figure) if precise else plain("{figure:.0f}", figure=figure)
            for figure in (band.low, self.measured, band.high)
        )
        fields = {
            "stage": plain("{stage}, {format}", stage=self.title, format=rate_words(self.what))
            if self.is_rate
            else self.title,
            "measured": plain("{measured} {unit}", measured=measured, unit=unit),
            "range": tr("{low} to {high} {unit}", low=low, high=high, unit=unit),
        }
        if near:
            return tr(
                "{stage}: {measured}, within {tolerance:.0f} % of the {range} that the plan predicts.",
                tolerance=self.tolerance_pct,
                **fields,
            )
        match self.place:
            case BandSide.BELOW:
                return tr("{stage}: {measured}, below the {range} that the plan predicts.", **fields)
            case BandSide.WITHIN:
                return tr("{stage}: {measured}, within the {range} that the plan predicts.", **fields)
            case BandSide.ABOVE:
                return tr("{stage}: {measured}, above the {range} that the plan predicts.", **fields)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "device_id": self.device_id,
            "stage": self.stage,
            "what": self.what,
            "predicted": {key: self.predicted.as_dict()[key] for key in ("low", "expected", "high", "unit")},
            "measured": round(self.measured, 2),
            "place": self.place.value,
        }


def comparisons(
    planned: PlannedRun,
    device: Device,
    stages: Sequence[StageRow],
    results: Mapping[int, StageResult],
    series: Series,
    *,
    tolerance_pct: float = 0.0,
) -> Iterator[PlanComparison]:
    """All figures of a device that have a prediction, in the order of the stages that passed on it.

    `results` are the device's by the number of the stage.
    """
    for stage in stages:
        result = results.get(stage.number)
        if result is None or result.status is not ResultStatus.PASSED:
            continue
        load = LOADS.get(stage.kind, LoadCase.TRAINING)
        for what, band, measured in _figures(planned, device, stage, result, series):
            tolerance = 0.0 if what == "temperature_c" else tolerance_pct
            yield PlanComparison(device.id, stage.number, stage.title, load, what, band, measured, tolerance)


def _figures(
    planned: PlannedRun, device: Device, stage: StageRow, result: StageResult, series: Series
) -> Iterator[tuple[str, Band, float]]:
    bands = planned.bands(stage.kind, device)
    for metric in COMPARED:
        if metric in bands and (measured := _steady(stage, device, result, series, metric)) is not None:
            yield metric, bands[metric], measured
    rates = rates_of(result)
    predicted = planned.rates(stage.kind, device) | planned.answer_rates(result.evidence_as(InferenceEvidence), device)
    for name, band in predicted.items():
        if name in rates:
            yield name, band, rates[name]


def _steady(stage: StageRow, device: Device, result: StageResult, series: Series, metric: str) -> float | None:
    """Mean of the last third of a stage with one load; of a sweep the power of its hottest format."""
    if stage.kind == SWEEP:
        by_format = result.evidence_as(PowerEvidence).power_by_format_w or {}
        return max(by_format.values(), default=None) if metric == "power_w" else None
    compared = AT_REST if stage.kind == "idle" else COMPARED
    if stage.kind not in STEADY or metric not in compared:
        return None
    return last_third(stage, *series(device.id, metric), metric)


def last_third(stage: StageRow, times: Values, values: Values, metric: str) -> float | None:
    """The mean there; None of a stage that was too short for the metric to become steady, or was not measured."""
    if stage.ended_s is None or stage.lasted_s < SETTLED_S[metric]:
        return None
    values = values[(times >= stage.ended_s - stage.lasted_s / 3) & (times <= stage.ended_s) & np.isfinite(values)]
    return float(values.mean()) if len(values) else None


def source_of(planned: PlannedRun, *, simulated: bool) -> str:
    """What a comparison with the plan rests on."""
    if simulated:
        return tr("the prediction for {plan}; SIMULATED", plan=planned.plan.name)
    return tr("the prediction for {plan}", plan=planned.plan.name)


def plan_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Beyond what was predicted is a warning: the prediction may be wrong, or the machine."""
    planned = recorded.planned
    if planned is None or device.kind is not DeviceKind.GPU or device.parent:
        return
    source = source_of(planned, simulated=device.simulated)
    if not any(same_card(spec, device) for _, spec in planned.plan.gpus()):
        text = tr("The plan has no {device}: nothing is compared with it.", device=device.name)
        yield Reason(Outcome.WARN, text, source=source)
        return
    for one in compared_with_plan(recorded, planned, device):
        yield reason_of(one, source, one.what)


def reason_of(comparison: PlanComparison, source: str, about: str) -> Reason:
    """Beyond the band a warning, where that is suspicious."""
    end = comparison.predicted.low if comparison.place is BandSide.BELOW else comparison.predicted.high
    outcome = Outcome.WARN if comparison.suspicious else Outcome.PASS
    measured, unit = round(comparison.measured, 1), comparison.predicted.unit
    reason = Reason(outcome, comparison.sentence, measured, round(end, 1), unit, source)
    return replace(reason, about=about, stage=comparison.stage)


def compared_with_plan(recorded: Recorded, planned: PlannedRun, device: Device) -> Iterator[PlanComparison]:
    """With the tolerance of the run's criteria."""

    def series(device_id: str, metric: str) -> tuple[Values, Values]:
        samples = recorded.samples[device_id]
        return samples[:, 0], column(samples, metric)

    results = {result.number: result for result in recorded.results if result.device_id == device.id}
    tolerance = recorded.criteria.power_above_plan_warn_pct
    return comparisons(planned, device, recorded.stages, results, series, tolerance_pct=tolerance)
