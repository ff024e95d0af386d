"""Everything that the verdict reads, gathered once from the recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.burnin.planned import read_plan, shipped_card
from core.burnin.profile.profile import Criteria, Profile
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Event, Outcome, ResultStatus, Run, RunDevice, RunStatus, StageResult, StageRow
from core.burnin.record.samples import Samples, between, column
from core.burnin.references import Reference, all_references, references_of
from core.burnin.stages.registry import BY_KIND, WorkloadKey, workload_key
from core.burnin.verdict.predicted import PlannedRun
from core.loads.evidence import Rated
from core.loads.inference.contract import DECODE, PREFILL
from core.machine.asbuilt.as_built import AsBuilt
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import LOAD_METRICS
from core.parts.part import Part
from core.plan.build import Build
from core.words import tr

EARLIER_RUNS = 20
"""Of the newest runs, those in which a device is compared with itself."""
SIGNS_OF_LOAD = tuple(name for name in LOAD_METRICS if name not in ("checks", "errors"))
"""What a worker reports while it loads; what it has counted stays on record after that."""

Rates = Mapping[tuple[str, str], float]
"""By kind of stage and name of the rate."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One run as it was recorded."""

    profile: Profile
    devices: Sequence[RunDevice]
    stages: Sequence[StageRow]
    results: Sequence[StageResult]
    samples: Mapping[str, Samples]
    events: Sequence[Event] = ()
    shortened: bool = False
    """Whether the user gave the stages less time than they take."""
    simulate: str | None = None
    """What was simulated, in the words of `--simulate`."""
    plan: Build | None = None
    """The build that the run is compared with."""
    as_built: AsBuilt | None = None
    """The machine as it was read before the run: which card sits in which slot."""
    history: Mapping[str, Rates] = field(default_factory=dict)
    """By device: its best rates in earlier runs."""
    references: Mapping[str, Mapping[tuple[str, str], Reference]] = field(default_factory=dict)
    """By device: what cards of its model were measured to do, by kind of stage and name of the rate."""
    products: Mapping[str, Part] = field(default_factory=dict)
    """By device: a part of the catalogue of its product."""

    @classmethod
    def of(cls, store: RunReader, run_id: int) -> Recorded:
        """Reads a run back from the recording. Raises BadInput for an imported one: nobody judges it."""
        store.require_measured(run_id)
        run, devices = store.run(run_id), store.devices(run_id)
        burned = [row.device.id for row in devices if row.burned]
        cards = {row.device.parent for row in devices if row.burned and row.device.parent}
        references = all_references(store.path.parent)
        return cls(
            profile=run.profile,
            devices=devices,
            stages=store.stages(run_id),
            results=store.results(run_id),
            samples={device_id: store.samples(run_id, device_id) for device_id in (*burned, *sorted(cards))},
            events=store.events(run_id),
            shortened=store.shortened(run_id) is not None,
            simulate=run.simulate,
            plan=read_plan(run.build),
            as_built=store.as_built(run_id),
            history=_history(store, run, set(burned)),
            references={row.device.id: references_of(row.device, references) for row in devices},
            products=_products([row.device for row in devices if row.burned]),
        )

    @property
    def criteria(self) -> Criteria:
        """Those of the run's profile."""
        return self.profile.criteria

    @property
    def planned(self) -> PlannedRun | None:
        """What the plan predicts of this run; None without one."""
        return PlannedRun(self.plan, self.as_built, self.criteria.room_c) if self.plan else None

    @property
    def burned(self) -> list[Device]:
        """The devices that carried loads."""
        return [row.device for row in self.devices if row.burned]

    @property
    def divided(self) -> list[Device]:
        """GPUs of which shares (MIG) carried loads: their counters and temperatures are judged for the machine."""
        cards = {device.parent for device in self.burned if device.parent}
        return [row.device for row in self.devices if row.device.id in cards]

    def result(self, stage: StageRow, device: Device) -> StageResult | None:
        """How a stage ended on a device."""
        return next((r for r in self.results if r.number == stage.number and r.device_id == device.id), None)

    def ended(self, device: Device, *kinds: str) -> Iterator[tuple[StageRow, StageResult]]:
        """The stages of these kinds, or of all, that ended on a device somehow."""
        for stage in self.stages:
            if (not kinds or stage.kind in kinds) and (result := self.result(stage, device)) is not None:
                yield stage, result

    def values(self, device: Device, name: str) -> NDArray[np.float64]:
        """All measured values of a metric, in their order."""
        values = column(self.samples[device.id], name)
        return values[~np.isnan(values)]

    def highest(self, device: Device, name: str) -> float | None:
        """Of all measured values of a metric; None where there are none."""
        values = self.values(device, name)
        return float(values.max()) if len(values) else None

    def lowest(self, device: Device, name: str) -> float | None:
        """The same of the other end."""
        values = self.values(device, name)
        return float(values.min()) if len(values) else None

    def loads(self, device: Device) -> Iterator[tuple[StageRow, Samples]]:
        """Stages with a load that began, each with the device's samples while it carried the load."""
        for stage, samples in self.stage_samples(device):
            if (kind := BY_KIND.get(stage.kind)) is not None and kind.load:
                yield stage, _loaded(samples, self.result(stage, device))

    def stage_samples(self, device: Device) -> Iterator[tuple[StageRow, Samples]]:
        """Stages that began, each with the device's samples of it."""
        for stage in self.stages:
            if stage.started_s is not None:
                end_s = float("inf") if stage.ended_s is None else stage.ended_s
                yield stage, between(self.samples[device.id], stage.started_s, end_s)


def _loaded(samples: Samples, result: StageResult | None) -> Samples:
    """Until the last sign of the load: a device that lost it before the others is at rest for what is left."""
    signs = np.flatnonzero(~np.isnan([column(samples, name) for name in SIGNS_OF_LOAD]).all(axis=0))
    if len(signs):
        return samples[: signs[-1] + 1]
    return samples if result is not None and result.status is ResultStatus.PASSED else samples[:0]


def rates_of(result: StageResult | None) -> dict[str, float]:
    """The speeds that a load measured, by name."""
    rates = result.evidence_as(Rated).rates if result is not None else None
    return {name: rate for name, rate in (rates or {}).items() if rate}


def graded(measured: float, warn: float | None, fail: float | None = None) -> tuple[Outcome, float | None]:
    """What a figure weighs that may not be above these limits, and the limit that it was held to; None: never."""
    for outcome, limit in ((Outcome.FAIL, fail), (Outcome.WARN, warn)):
        if limit is not None and measured > limit:
            return outcome, limit
    return Outcome.PASS, warn


LINK_RATES: Mapping[str, str] = {"to_device": tr("to device"), "to_host": tr("to host"), "both": tr("both")}
RATE_WORDS: Mapping[str, str] = {**LINK_RATES, PREFILL: tr("prefill"), DECODE: tr("decode")}
"""Of names of rates that are no words; number formats, copy and triad say themselves."""


def rate_words(name: str) -> str:
    """What a sentence calls a rate."""
    return RATE_WORDS.get(name, name)


def _products(burned: Sequence[Device]) -> dict[str, Part]:
    cards = [device for device in burned if device.kind is DeviceKind.GPU and not device.simulated]
    alike = {(device.name, device.memory_mb): device for device in cards}
    parts = {key: shipped_card(device) for key, device in alike.items()}
    return {device.id: part for device in cards if (part := parts[device.name, device.memory_mb]) is not None}


def _history(store: RunReader, run: Run, device_ids: set[str]) -> Mapping[str, Rates]:
    """In stages that did the same work as this run's of their kind, all of which must be alike in it."""
    best: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    work: dict[str, set[WorkloadKey]] = defaultdict(set)
    for settings in run.profile.stages:
        work[settings.kind].add(workload_key(settings))
    earlier = [other for other in store.runs() if other.id < run.id and other.status is RunStatus.FINISHED]
    for other in earlier[:EARLIER_RUNS]:
        for result in store.results(other.id):
            stage = other.profile.stages[result.number]
            if result.device_id in device_ids and work.get(stage.kind) == {workload_key(stage)}:
                of_device = best[result.device_id]
                for name, rate in rates_of(result).items():
                    of_device[stage.kind, name] = max(of_device.get((stage.kind, name), 0.0), rate)
    return best
