"""Two to eight runs side by side: their curves by the time of a stage, and what differs. Qt-free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.burnin.measured.run import LoadPeriod, last_load, load_of_all
from core.burnin.record.rows import MACHINE, Outcome, Run, RunDevice, StageRow
from core.burnin.record.store import RunStore, in_store
from core.burnin.sealing import is_changed
from core.machine.telemetry.metrics import BY_NAME

FEWEST, MOST = 2, 8
METRICS = ("temperature_c", "power_w", "clock_mhz", "fan_pct", "throughput_tflops", "bandwidth_gbps", "images_per_s")
"""What is compared; a table of more would hide what differs."""
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRun:
    """A run with the samples of the devices that carried loads, shape (n, 1 + METRICS), time in s first.

    A log that was imported names no stages: its last load stands beside any stage of the others.
    """

    run: Run
    stages: tuple[StageRow, ...]
    devices: tuple[RunDevice, ...]
    samples: dict[str, Values]
    outcome: Outcome | None
    changed: bool
    """Since it was sealed: what it says has no verdict."""
    load: LoadPeriod | None = None
    """Of an imported log."""

    def _span(self, kind: str) -> tuple[float, float] | None:
        """Begin and end of a stage."""
        if self.load is not None:
            return self.load.start_s, self.load.end_s
        stage = next((stage for stage in self.stages if stage.kind == kind and stage.started_s is not None), None)
        if stage is None or stage.started_s is None:
            return None
        return stage.started_s, np.inf if stage.ended_s is None else stage.ended_s

    def during(self, kind: str, device_id: str | None, metric: str) -> tuple[Values, Values]:
        """Time in s since the stage began and values, of one device, or the mean of all. Empty where there is none.

        Of stages that repeat in rounds the first.
        """
        span = self._span(kind)
        device_ids = [device_id] if device_id else [row.device.id for row in self.devices]
        if span is None:
            return np.empty(0), np.empty(0)
        curves = [_between(self.samples[key], *span, metric) for key in device_ids if key in self.samples]
        curves = [(times, values) for times, values in curves if len(times)]
        if not curves:
            return np.empty(0), np.empty(0)
        if len(curves) == 1:
            return curves[0]
        times = curves[0][0]
        rows = np.vstack([_at(times, *curve) for curve in curves])
        measured = np.isfinite(rows)
        total = np.where(measured, rows, 0.0).sum(axis=0)
        count = measured.sum(axis=0)
        return times, np.divide(total, count, out=np.full(len(times), np.nan), where=count > 0)


@dataclass(frozen=True, slots=True)
class RunDifference:
    """A row of the table: the mean of a metric in a stage, of each run; None where it was not measured."""

    stage: str
    metric: str
    figures: tuple[float | None, ...]

    @property
    def spread_pct(self) -> float | None:
        """From the lowest to the highest, over the first run's; None where fewer than two are known."""
        measured = [value for value in self.figures if value is not None]
        first = self.figures[0] or next((value for value in measured if value), None)
        return None if len(measured) < FEWEST or not first else 100 * (max(measured) - min(measured)) / abs(first)


def read_runs(data_dir: Path, run_ids: Sequence[int]) -> list[ComparedRun]:
    """In the order given. Raises BadInput for a run that was deleted, EnvironmentProblem."""
    return in_store(data_dir, lambda store: [_read(store, run_id) for run_id in run_ids])


def shared_stages(runs: Sequence[ComparedRun]) -> list[tuple[str, str]]:
    """Kind and title of the stages that at least two of the runs have begun, in the order of the first."""
    titles = {stage.kind: stage.title for run in runs for stage in run.stages}
    kinds_of = [{stage.kind for stage in run.stages if stage.started_s is not None} for run in runs]
    all_kinds = {kind for kinds in kinds_of for kind in kinds}
    begun = [all_kinds if run.load is not None else kinds for run, kinds in zip(runs, kinds_of, strict=True)]
    order = list(dict.fromkeys(stage.kind for run in runs for stage in run.stages))
    return [(kind, titles[kind]) for kind in order if sum(kind in kinds for kinds in begun) >= FEWEST]


def shared_devices(runs: Sequence[ComparedRun]) -> list[tuple[str, str]]:
    """Id and title of the cards that at least two of the runs have burned in."""
    titles = {row.device.id: row.device.title for run in runs for row in run.devices}
    return [
        (key, title)
        for key, title in titles.items()
        if sum(any(row.device.id == key for row in run.devices) for run in runs) >= FEWEST
    ]


def differences(runs: Sequence[ComparedRun], device_id: str | None) -> Iterator[RunDifference]:
    """A row for each stage that they share and each metric that two of them measured in it."""
    for kind, title in shared_stages(runs):
        for metric in METRICS:
            figures = tuple(_steady(run.during(kind, device_id, metric)[1]) for run in runs)
            if sum(figure is not None for figure in figures) >= FEWEST:
                yield RunDifference(title, metric, figures)


def _read(store: RunStore, run_id: int) -> ComparedRun:
    devices = tuple(row for row in store.devices(run_id) if row.burned)
    samples = {row.device.id: store.samples(run_id, row.device.id, names=METRICS) for row in devices}
    changed = is_changed(store, run_id)
    outcomes = {} if changed else {verdict.device_id: verdict.outcome for verdict in store.verdicts(run_id)}
    load = _load(store, run_id, devices) if store.imported(run_id) else None
    stages = tuple(store.stages(run_id))
    return ComparedRun(store.run(run_id), stages, devices, samples, outcomes.get(MACHINE), changed, load)


def _load(store: RunStore, run_id: int, devices: Sequence[RunDevice]) -> LoadPeriod | None:
    """When all cards of an imported log worked; None where it does not tell."""
    names = ("utilisation_pct", "power_w")
    blocks = (store.samples(run_id, row.device.id, names=names) for row in devices)
    return load_of_all([last_load(*block.T) for block in blocks])


def _between(block: Values, start_s: float, end_s: float, metric: str) -> tuple[Values, Values]:
    seen = block[(block[:, 0] >= start_s) & (block[:, 0] <= end_s)]
    return seen[:, 0] - start_s, seen[:, 1 + METRICS.index(metric)]


def _at(wanted_s: Values, time_s: Values, values: Values) -> Values:
    """The values at other times: those of the nearest sample within two steps, NaN elsewhere."""
    place = np.clip(np.searchsorted(time_s, wanted_s), 0, len(time_s) - 1)
    before = np.maximum(place - 1, 0)
    nearer = np.abs(time_s[before] - wanted_s) < np.abs(time_s[place] - wanted_s)
    nearest = np.where(nearer, before, place)
    step = float(np.median(np.diff(time_s))) if len(time_s) > 1 else 1.0
    return np.where(np.abs(time_s[nearest] - wanted_s) <= 2 * step, values[nearest], np.nan)


def _steady(values: Values) -> float | None:
    """The mean of the last half: what comes before is warming up."""
    half = values[len(values) // 2 :]
    measured = half[np.isfinite(half)]
    return float(measured.mean()) if len(measured) else None


def unit_of(metric: str) -> str:
    """Of a compared metric."""
    return BY_NAME[metric].unit
