"""A recording as its viewers know it, with what its plan says of it: asked by charts, cards and banner. Qt-free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto

import numpy as np
from numpy.typing import NDArray

from core.burnin.planned import least_planned_link, read_plan
from core.burnin.record.rows import (
    IMPORTED,
    MACHINE,
    Event,
    EventLevel,
    Outcome,
    Run,
    RunDevice,
    RunStatus,
    StageResult,
    StageRow,
    Verdict,
)
from core.burnin.run.follow import Update
from core.burnin.verdict.codes import METRICS as ERROR_COUNTERS
from core.burnin.verdict.noise import MeasuredNoise
from core.burnin.verdict.predicted import FormatPeriod, PlannedRun
from core.burnin.verdict.states import Condition, ErrorCounts, ErrorTally, condition_of
from core.machine.asbuilt.as_built import AsBuilt
from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.metrics import WALL
from core.machine.telemetry.throttle import THROTTLE_REASONS, Severity, ThrottleReason, reasons
from core.plan.build import Build
from core.plan.placement.links import CardLink
from core.predict.band import Band
from core.present.report.document import Badge
from core.present.report.recorded_run import where_words
from core.present.report.run_verdict import run_badge
from gui.burnin.series import Growing, MetricSeries

OF_MACHINE = {DeviceKind.CPU: "noise_dba", DeviceKind.WALL: WALL}
"""Which metric of a device that carries no load is of the machine as a whole."""


@dataclass(frozen=True, slots=True)
class DevicePlace:
    """Where a device sits; "" is not known."""

    slot: str = ""
    """As the board's maker prints it, or its number."""
    planned_link: str = ""
    """ "PCIe 4.0 x16"."""
    serial: str = ""
    position: int | None = None
    """Of the slot, from the CPU."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Empty for a run that is compared with no plan."""

    bands: Mapping[tuple[str, str], Mapping[str, Band]] = field(default_factory=dict)
    """By kind of stage and device id, then by metric."""
    rates: Mapping[tuple[str, str], Mapping[str, Band]] = field(default_factory=dict)
    """By kind of stage and device id, then by number format: TFLOPS of products."""
    places: Mapping[str, DevicePlace] = field(default_factory=dict)
    """By device id."""
    build: Build | None = None
    """The plan itself."""

    def place(self, device_id: str) -> DevicePlace:
        """Of a device."""
        return self.places.get(device_id, DevicePlace())

    def band(self, kind: str, metric: str, device_ids: Sequence[str]) -> tuple[float, float] | None:
        """From the lowest to the highest that is predicted of these devices; None where nothing is."""
        bands = [self.bands.get((kind, device_id), {}).get(metric) for device_id in device_ids]
        predicted = [band for band in bands if band is not None]
        return (min(band.low for band in predicted), max(band.high for band in predicted)) if predicted else None


Bands = dict[tuple[str, str], Mapping[str, Band]]
"""By kind of stage and device id."""


def run_plan(run: Run, as_built: AsBuilt | None, devices: Sequence[RunDevice]) -> RunPlan:
    """Takes a moment where there is a plan: it is predicted."""
    plan = read_plan(run.build)
    planned = None if plan is None else PlannedRun(plan, as_built, run.profile.criteria.room_c)
    burned = [row.device for row in devices if row.burned]
    bands: Bands = {}
    rates: Bands = {}
    if planned is not None:
        for kind in {stage.kind for stage in run.profile.stages}:
            bands |= {(kind, one.id): predicted for one in burned if (predicted := planned.bands(kind, one))}
            bands |= _of_machine(planned, kind, devices)
            rates |= {(kind, one.id): predicted for one in burned if (predicted := planned.rates(kind, one))}
    places: dict[str, DevicePlace] = {}
    for device in burned:
        card = as_built.card(device.id) if as_built else None
        slot = planned.slot(device) if planned else None
        link = (planned.link(device) or least_planned_link(planned.plan, device)) if planned else None
        label = card.slot if card and card.slot else "" if slot is None else str(slot)
        serial = (card.serial if card else None) or device.serial or ""
        places[device.id] = DevicePlace(label, "" if link is None else _link_words(link), serial, slot)
    return RunPlan(bands, rates, places, plan)


def _of_machine(planned: PlannedRun, kind: str, devices: Sequence[RunDevice]) -> Bands:
    """Of what is only watched: the machine's noise is recorded with the processor, its power with the wall meter."""
    watched = {row.device.id: (row.device, OF_MACHINE.get(row.device.kind, "")) for row in devices if not row.burned}
    bands = {id_: (metric, planned.bands(kind, device).get(metric)) for id_, (device, metric) in watched.items()}
    return {(kind, id_): {metric: band} for id_, (metric, band) in bands.items() if band is not None}


def _link_words(link: CardLink) -> str:
    if link.generation is None or not link.lanes:
        return ""
    return f"PCIe {link.generation}.0 x{link.lanes}"


Values = NDArray[np.float64]

GROUPS: tuple[tuple[str, ...], ...] = (
    ("temperature_c", "memory_temperature_c", "margin_c", "fan_pct"),
    ("power_w", "machine_power_w", "noise_dba"),
    ("clock_mhz", "memory_clock_mhz", "utilisation_pct", "memory_used_mb"),
    ("throughput_tflops", "share_of_peak_pct", "bandwidth_gbps"),
    ("images_per_s", "tokens_per_s", "step_ms", "loss", "accuracy_pct"),
)
"""Metrics that have a chart, in the groups of the check list: heat, power and noise, clocks, work, training."""
DRAWN: tuple[str, ...] = tuple(name for group in GROUPS for name in group)
THROTTLED = "throttled"
"""One more series of each device: 1 while clocks were held down for a reason that is not normal, else 0."""
NORMAL = sum(reason.bit for reason in THROTTLE_REASONS if reason.severity is Severity.NORMAL)
"""A loaded card runs at its power limit; that is what a burn-in wants."""
WATCHED: tuple[str, ...] = (*DRAWN, "power_limit_w", "throttle_mask", *ERROR_COUNTERS)
"""All metrics that the window asks of a recording: a day has many more."""


class Changed(Flag):
    """What an update brought."""

    NOTHING = 0
    SAMPLES = auto()
    EVENTS = auto()
    STAGES = auto()
    RUN = auto()
    PULSE = auto()
    """Whether the runner answers, or for how long it has not."""


@dataclass(frozen=True, slots=True)
class LiveStatistics:
    """Newest value and extremes of a metric; None was never measured, `now` is None when it is not measured now."""

    now: float | None
    lowest: float | None
    highest: float | None
    mean: float | None


NOT_MEASURED = LiveStatistics(None, None, None, None)


class DeviceRecord:
    """What was recorded of one device."""

    def __init__(self, row: RunDevice) -> None:
        self.device = row.device
        self.position = row.position
        self.burned = row.burned
        self.times = Growing(np.float64)
        self.series = {name: MetricSeries(self.times) for name in (*DRAWN, THROTTLED)}
        self._tally = ErrorTally()
        self._counts: ErrorCounts | None = None
        """What the tally last told; None where it has news."""
        self._last = dict.fromkeys(WATCHED, np.nan)

    @property
    def label(self) -> str:
        """Short name for legends: "GPU 0", "CPU", "Wall meter"."""
        return self.device.label

    @property
    def imported(self) -> bool:
        """Whether it is of a log of another tool."""
        return IMPORTED in self.device.detail

    @property
    def errors(self) -> ErrorCounts:
        """What went wrong on it until now, by kind, with the time of the first."""
        if self._counts is None:
            self._counts = self._tally.counts
        return self._counts

    @property
    def state(self) -> Condition:
        """The gravest of what went wrong."""
        return condition_of(self.errors, (), None)

    @property
    def last_s(self) -> float:
        """Time of the newest sample, 0 before the first."""
        return float(self.times.all[-1]) if len(self.times) else 0.0

    def forget_extremes(self) -> None:
        """Minimum, maximum and mean start anew; the recording is not touched."""
        for series in self.series.values():
            series.forget_extremes()

    def now(self, metric: str) -> float | None:
        """The metric in the newest sample."""
        value = self._last[metric]
        return float(value) if np.isfinite(value) else None

    def statistics(self, metric: str) -> LiveStatistics:
        """Of all samples of a drawn metric since the start, or since `forget_extremes`."""
        extremes = self.series[metric].extremes()
        if extremes is None:
            return NOT_MEASURED
        return LiveStatistics(self.now(metric), extremes.lowest, extremes.highest, extremes.mean)

    def append(self, time_s: Values, watched: dict[str, Values]) -> None:
        """Adds samples: their times, and the values of each watched metric, shapes (n,)."""
        self.times.append(time_s)
        for name in DRAWN:
            self.series[name].append(watched[name])
        self.series[THROTTLED].append(throttled(watched["throttle_mask"]))
        self._last = {name: values[-1] for name, values in watched.items()}
        self._tally.take_samples(time_s, watched)
        self._counts = None

    def take_event(self, event: Event) -> None:
        """An event about this device."""
        self._tally.take_event(event)
        self._counts = None


class Recording:
    """A run and everything recorded of it so far."""

    def __init__(self, run: Run, devices: list[RunDevice], plan: RunPlan | None = None) -> None:
        self.run = run
        self.plan = plan or RunPlan()
        self.rows = devices
        self.devices = [DeviceRecord(row) for row in devices]
        self.stages: list[StageRow] = []
        self.results: list[StageResult] = []
        self.events: list[Event] = []
        self.errors: list[Event] = []
        """Those among the events."""
        self.verdicts: list[Verdict] = []
        self.changed = False
        """Whether the record failed its check: then there is neither a verdict nor a result."""
        self.noise: Sequence[MeasuredNoise] | None = None
        """How loud the machine was, as told or recorded by now; None where nobody has looked, and of simulations."""
        self.periods: dict[tuple[int, str], tuple[StageResult, tuple[FormatPeriod, ...]]] = {}
        """When number formats ran, by stage and device, as results told: to read that anew each second takes long."""
        self.silent_s: float | None = None
        """For how long the runner of a run that goes on has not answered; None where it does."""
        self.unsigned = ""
        """Of a run that has ended: why it has no signature, and what to do."""
        self._by_id = {record.device.id: record for record in self.devices}

    @property
    def last_s(self) -> float:
        """Time of the newest sample or event."""
        return max(self.sampled_s, self.events[-1].time_s if self.events else 0.0)

    @property
    def sampled_s(self) -> float:
        """Time of the newest sample."""
        return max((record.last_s for record in self.devices), default=0.0)

    @property
    def running(self) -> bool:
        """Whether more may come."""
        return self.run.status is RunStatus.RUNNING

    @property
    def planned_s(self) -> float:
        """Planned length of all stages."""
        return sum(stage.seconds for stage in self.stages)

    def device(self, device_id: str | None) -> DeviceRecord | None:
        """The record of a device, None for the machine's id or one that is not in the run."""
        return self._by_id.get(device_id or "")

    @property
    def outcome(self) -> Outcome | None:
        """The verdict on the machine; None without one."""
        return next((verdict.outcome for verdict in self.verdicts if verdict.device_id == MACHINE), None)

    @property
    def badge(self) -> Badge:
        """The word for the run: its verdict, or what it has instead."""
        return run_badge(self.run, self.outcome, changed=self.changed)

    def where(self, device_id: str) -> str:
        """What a hand finds a device by; "" for one that is not in the run."""
        record, place = self.device(device_id), self.plan.place(device_id)
        return where_words(record.device, place.slot, place.serial or record.device.serial or "") if record else ""

    def apply(self, update: Update) -> Changed:
        """Takes over what is new."""
        changed = Changed.NOTHING
        column = {name: 1 + update.names.index(name) for name in WATCHED}
        for device_id, block in update.samples.items():
            self._by_id[device_id].append(block[:, 0], {name: block[:, at] for name, at in column.items()})
            changed |= Changed.SAMPLES
        if update.events:
            self._add_events(update.events)
            changed |= Changed.EVENTS
        if (update.stages, update.results) != (self.stages, self.results):
            self.stages, self.results = update.stages, update.results
            changed |= Changed.STAGES
        ending = (update.run, update.verdicts, update.changed, update.unsigned)
        if ending != (self.run, self.verdicts, self.changed, self.unsigned):
            self.run, self.verdicts, self.changed, self.unsigned = ending
            changed |= Changed.RUN
        if update.silent_s != self.silent_s:
            self.silent_s = update.silent_s
            changed |= Changed.PULSE
        return changed

    def measured(self, metric: str) -> bool:
        """Whether any device ever reported this metric."""
        return any(record.statistics(metric) is not NOT_MEASURED for record in self.devices)

    def _add_events(self, events: list[Event]) -> None:
        self.events.extend(events)
        self.errors.extend(event for event in events if event.level is EventLevel.ERROR)
        for event in events:
            record = self.device(event.device_id)
            if record is not None:
                record.take_event(event)


def abnormal(mask: float | None) -> list[ThrottleReason]:
    """The reasons that a healthy loaded card does not show."""
    return [reason for reason in reasons(mask) if reason.severity is not Severity.NORMAL]


def throttled(masks: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where a mask holds an abnormal bit, 0 where it does not, NaN where it is unknown."""
    measured = np.isfinite(masks)
    bits = np.where(measured, masks, 0).astype(np.int64) & ~NORMAL
    return np.where(measured, (bits != 0).astype(np.float64), np.nan)
