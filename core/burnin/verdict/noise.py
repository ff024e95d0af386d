"""The noise of a run beside its prediction: at rest and in training, at the distance where it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Outcome, Reason, ReasonCriterion, Run, StageRow
from core.burnin.record.run_facts import NoiseFacts, level_text, noise_of
from core.burnin.verdict.predicted import LOADS, noise_bands
from core.machine.sound.meter import mean_level_db
from core.machine.telemetry.source import CPU_ID
from core.plan.build import Build
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.prediction import predict
from core.words import tr
from core.words.units import quantity

Values = NDArray[np.float64]

METRIC = "noise_dba"
MICROPHONE = tr("by the microphone")
SETTLED_S = {LoadCase.IDLE: 20.0, LoadCase.TRAINING: 300.0}
"""So long a stage must last to be compared: fans follow the heat, which takes minutes to spread."""
LEFT_OUT_S = 2.0
"""Before the end of a stage: its load stops a moment earlier."""
NOT_MEASURED = tr(
    "NOT RUN: no calibrated microphone recorded a steady stage, and no meter reading was "
    "entered. Add one with: {rigwright noise} RUN {--idle} 31.5 {--load} 44.2."
)


@dataclass(frozen=True, slots=True)
class MeasuredNoise:
    """A level of one run, and what its plan predicts there."""

    load: LoadCase
    """IDLE or TRAINING."""
    level_dba: float
    distance_m: float
    origin: str
    """ "entered", "imported from meter.csv" or "by the microphone"."""
    predicted: Band | None
    """With the noise of the room, as a meter hears it; None without a plan."""

    @property
    def too_loud(self) -> bool:
        """A machine that is quieter than predicted is none the worse for it."""
        return self.predicted is not None and self.level_dba > self.predicted.high

    @property
    def sentence(self) -> str:
        """ "Noise in training: 44.2 dBA at 1 m (entered), above the 36 to 42 dBA that the plan predicts." """
        fields: dict[str, Any] = {
            "load": self.load.phrase,
            "level": level_text(self.level_dba),
            "distance": quantity(self.distance_m, "m"),
            "origin": self.origin,
        }
        if self.predicted is None:
            return tr("Noise {load}: {level} at {distance} ({origin}).", **fields)
        fields |= {"low": self.predicted.low, "high": self.predicted.high}
        if self.too_loud:
            return tr(
                "Noise {load}: {level} at {distance} ({origin}), above the {low:.0f} to {high:.0f} dBA that the plan "
                "predicts.",
                **fields,
            )
        if self.level_dba < self.predicted.low:
            return tr(
                "Noise {load}: {level} at {distance} ({origin}), below the {low:.0f} to {high:.0f} dBA that the plan "
                "predicts.",
                **fields,
            )
        return tr(
            "Noise {load}: {level} at {distance} ({origin}), within the {low:.0f} to {high:.0f} dBA that the plan "
            "predicts.",
            **fields,
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "load": self.load.value,
            "measured_dba": round(self.level_dba, 1),
            "distance_m": self.distance_m,
            "origin": self.origin,
            "predicted": self.predicted and self.predicted.as_dict(),
            "too_loud": self.too_loud,
        }


def measured_noise(store: RunReader, run_id: int, plan: Build | None) -> list[MeasuredNoise]:
    """What was told goes before what a microphone recorded. Empty where there is neither, and of a simulated run."""
    run = store.run(run_id)
    if run.simulated:
        return []
    readings = noise_of(store.fact_changes(run_id))
    facts = readings.facts
    block = store.samples(run_id, CPU_ID, names=(METRIC,))
    recorded = steady_levels(store.stages(run_id), block[:, 0], block[:, 1])
    levels: dict[LoadCase, tuple[float, str]] = {load: (level, MICROPHONE) for load, level in recorded.items()}
    for load, level_dba in ((LoadCase.IDLE, facts.idle_dba), (LoadCase.TRAINING, facts.load_dba)):
        if level_dba is not None:
            levels[load] = level_dba, readings.origin
    bands = predicted_noise(plan, run, facts) if plan and levels else {}
    return [
        MeasuredNoise(load, levels[load][0], facts.distance, levels[load][1], bands.get(load))
        for load in SETTLED_S
        if load in levels
    ]


def predicted_noise(plan: Build, run: Run, facts: NoiseFacts) -> dict[LoadCase, Band]:
    """In the room of the run, at the distance told; where nobody told how loud the room is, that of predictions."""
    stated: dict[str, float | None] = {"room_c": run.profile.criteria.room_c, "background_dba": facts.background_dba}
    conditions: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
    return noise_bands(predict(plan, Conditions(distance_m=facts.distance, **conditions)))


def noise_reasons(levels: Sequence[MeasuredNoise]) -> Iterator[Reason]:
    """Louder than predicted is a warning: it may be the room, the prediction, or a fan."""
    for one in levels:
        outcome = Outcome.WARN if one.too_loud else Outcome.PASS
        high = None if one.predicted is None else round(one.predicted.high, 1)
        yield Reason(
            outcome, one.sentence, round(one.level_dba, 1), high, "dBA", one.origin, ReasonCriterion.NOISE, METRIC
        )


def steady_levels(stages: Sequence[StageRow], times_s: Values, levels_dba: Values) -> dict[LoadCase, float]:
    """The equivalent level of the last third of the longest stage of each load; without those that were too short.

    `times_s` count from the start of the run; a level of NaN was not measured.
    """
    levels = {}
    for load, settled_s in SETTLED_S.items():
        same = [stage for stage in stages if LOADS.get(stage.kind) is load and stage.lasted_s >= settled_s]
        for stage in sorted(same, key=lambda stage: stage.lasted_s, reverse=True):
            end_s = stage.ended_s or 0.0
            here = (times_s >= end_s - stage.lasted_s / 3) & (times_s < end_s - LEFT_OUT_S)
            if not np.isnan(level := mean_level_db(levels_dba[here])):
                levels[load] = level
                break
    return levels
