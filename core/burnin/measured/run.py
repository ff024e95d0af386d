"""What a recorded run measured: steady means that calibrate a build, and reference rates for cards of its models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import IMPORTED, Outcome, ResultStatus, Run, RunDevice, RunStatus, StageResult
from core.burnin.record.samples import COLUMN
from core.burnin.references import Reference
from core.burnin.sealing import is_changed, no_verdict
from core.burnin.stages.registry import BY_KIND, workload_key
from core.burnin.verdict.recorded import rates_of
from core.burnin.verdict.speed import BETWEEN_DEVICES
from core.burnin.verdict.wall import measured_wall
from core.lab.calibrate.measurements import (
    WINDOW_S,
    MeasuredCard,
    MeasuredCpu,
    Measurements,
    Series,
    SteadyMeans,
    WallReading,
    is_steady,
    last_window,
)
from core.loads.evidence import Rated
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.tool_logs.value import NAMELESS
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.platform.errors import BadInput
from core.words import tr

Numbers = NDArray[np.float64]
BUSY_PCT = 80.0
"""Of utilisation: a card in training is above it but for moments."""
SHARE_OF_HIGH = 0.7
"""Of the power that a card reaches; at rest it takes a tenth of that."""
HIGH_PERCENTILE = 98.0
SPREAD_W = 30.0
"""A card whose power never differs by more has rested, or worked, all the time."""
PAUSE_S = 60.0
"""For so long a load may falter, as where it saves a checkpoint, and still be one."""


@dataclass(frozen=True, slots=True)
class LoadPeriod:
    """In s since the start of the log, or of the run."""

    start_s: float
    end_s: float

    @property
    def minutes(self) -> float:
        """How long the load went on."""
        return max(self.end_s - self.start_s, 0.0) / 60


def last_load(times_s: Numbers, utilisation_pct: Numbers, power_w: Numbers) -> LoadPeriod | None:
    """The last time that one card worked without a longer pause; None where it never did, or the log does not say."""
    busy = _busy(utilisation_pct, power_w)
    if busy is None or not busy.any():
        return None
    at = times_s[busy]
    breaks = np.flatnonzero(np.diff(at) > PAUSE_S)
    first = int(breaks[-1]) + 1 if len(breaks) else 0
    return LoadPeriod(float(at[first]), float(at[-1]))


def load_of_all(loads: Sequence[LoadPeriod | None]) -> LoadPeriod | None:
    """While every card worked; None where one never did, or they did not at the same time."""
    periods = [load for load in loads if load is not None]
    if not periods or len(periods) < len(loads):
        return None
    common = LoadPeriod(max(load.start_s for load in periods), min(load.end_s for load in periods))
    return common if common.end_s > common.start_s else None


def _busy(utilisation_pct: Numbers, power_w: Numbers) -> NDArray[np.bool_] | None:
    """Rows of work. Power tells only where utilisation is not logged, and where it tells work from rest."""
    if np.isfinite(utilisation_pct).any():
        return np.isfinite(utilisation_pct) & (utilisation_pct >= BUSY_PCT)
    if not np.isfinite(power_w).any():
        return None
    high, low = np.nanpercentile(power_w, HIGH_PERCENTILE), np.nanpercentile(power_w, 100 - HIGH_PERCENTILE)
    if high - low < SPREAD_W:
        return None if high < SPREAD_W * 4 else np.isfinite(power_w)
    return np.isfinite(power_w) & (power_w >= SHARE_OF_HIGH * high)


LAST_S = 10.0
"""Left out before the end of a load: it stops a moment before its stage is closed."""
_ENDLESS_K = 60.0
"""The drift of a card that was not measured to the end."""


def measured_run(
    store: RunReader,
    run_id: int,
    build: Build,
    *,
    slots: Sequence[int] = (),
    allow_simulated: bool = False,
    window_s: float = WINDOW_S,
) -> Measurements:
    """The means of the last ten minutes of the last load that had become steady; else of the last load.

    An imported log names no stages: its figures tell when all cards worked, and `window_s` is another time than ten
    minutes. `slots` are those of the run's GPUs in the order of their PCI bus ids. Raises BadInput for a run that was
    simulated, has no GPU or no load, or whose GPUs cannot be told to be the build's; for a log that tells of no load of
    all cards, or of a card nothing that could be calibrated by.
    """
    run, imported = store.run(run_id), store.imported(run_id)
    gpus, cpu = _devices(store, run_id)
    if run.simulated and not allow_simulated and not imported:
        raise BadInput(
            tr("Run {run_id} is simulated: it has no measurements to calibrate a build from.", run_id=run_id)
        )
    if not gpus and not imported:
        raise BadInput(
            tr("Run {run_id} has no GPU. Calibrate from a run on the machine that was built.", run_id=run_id)
        )
    if slots and len(slots) != len(gpus):
        fields = {"slots": len(slots), "gpus": len(gpus), "run_id": run.id}
        raise BadInput(tr("{--slots} names {slots} slots for the {gpus} GPUs of run {run_id}.", **fields))
    samples = {device.id: store.samples(run_id, device.id) for device in (*gpus, *cpu)}
    loads = [_load_of_log(run, gpus, samples)] if imported else list(_loads(store, run_id))
    window_s = window_s if imported else WINDOW_S
    places = [(None, slot) for slot in slots] if slots else [(_part_of(device, build), None) for device in gpus]
    measurements = None
    for load in loads:
        cards = tuple(
            replace(_card(device, samples[device.id], load.end_s, window_s), part_id=part_id, slot=slot)
            for device, (part_id, slot) in zip(gpus, places, strict=True)
        )
        if imported:
            _require_readings(run, gpus, cards, load, window_s)
        measurements = Measurements(
            run=f"run {run.id}",
            cards=cards,
            minutes=load.minutes,
            cpu=_cpu(cpu, samples, load.end_s, window_s),
            on=run.started_at[:10],
            by=run.title if imported else run.machine,
            simulated=run.simulated,
        )
        if is_steady(measurements.minutes, [card.drift_k for card in cards]):
            break
    if measurements is None:
        raise BadInput(tr("Run {run_id} has no completed load: nothing was measured under load.", run_id=run_id))
    walls = () if imported else tuple(_walls(store, run_id))
    return replace(measurements, doubts=tuple(_doubts(gpus, slots, build)), walls=walls)


def _walls(store: RunReader, run_id: int) -> Iterator[WallReading]:
    """What a meter told at the wall, read during the run or attached later; of one load the newest."""
    watts_by_load = {wall.load: wall.watts for wall in measured_wall(store, run_id, None)}
    yield from (WallReading(watts, load) for load, watts in watts_by_load.items() if watts >= 1)


def _load_of_log(run: Run, gpus: Sequence[Device], samples: Mapping[str, Series]) -> LoadPeriod:
    """The last load of all cards. Raises BadInput where the figures tell of none."""
    of_cards = (samples[device.id] for device in gpus)
    busy, power = COLUMN["utilisation_pct"], COLUMN["power_w"]
    load = load_of_all([last_load(of[:, 0], of[:, busy], of[:, power]) for of in of_cards])
    if load is None:
        raise BadInput(
            tr(
                "Run {run_id}: the log has no time in which all GPUs worked (utilisation of {share:.0f} % and more, or "
                "the power of a load). Log utilization.gpu and power.draw while the machine trains.",
                run_id=run.id,
                share=BUSY_PCT,
            )
        )
    return load


def _require_readings(
    run: Run, gpus: Sequence[Device], cards: Sequence[MeasuredCard], load: LoadPeriod, window_s: float
) -> None:
    for device, card in zip(gpus, cards, strict=True):
        if card.drift_k == _ENDLESS_K and card.temperature_c == 0:
            fields = {"run_id": run.id, "gpu": device.label, "minutes": window_s / 60, "load": load.minutes}
            raise BadInput(
                tr(
                    "Run {run_id}: {gpu} has no temperature and power for the last {minutes:.0f} minutes of its load, "
                    "which went on for {load:.1f} minutes.",
                    **fields,
                )
            )


def _doubts(gpus: Sequence[Device], slots: Sequence[int], build: Build) -> Iterator[str]:
    """GPUs of the run that go by another name than the card in their slot. Names of drivers and of parts may differ."""
    cards = {card.slot: card.part for card in build.cards()}
    for gpu, slot in zip(gpus, slots, strict=False):
        spec = cards[slot].spec if slot in cards else None
        if isinstance(spec, GpuSpec) and _plain(spec.product) != _plain(gpu.name):
            fields = {"gpu": gpu.name, "slot": slot, "product": spec.product}
            yield tr(
                "The run has {gpu} where slot {slot} of the build has {product}: is it the same machine?", **fields
            )


def _devices(store: RunReader, run_id: int) -> tuple[list[Device], list[Device]]:
    """GPUs in the order of their bus ids, and processors."""
    devices = [row.device for row in store.devices(run_id)]
    gpus = [device for device in devices if device.kind is DeviceKind.GPU]
    return sorted(gpus, key=lambda gpu: (gpu.bus_id or "", gpu.index)), [d for d in devices if d.kind is DeviceKind.CPU]


def _loads(store: RunReader, run_id: int) -> Iterator[LoadPeriod]:
    """From the start of the work without a pause to the end of each stage with a load; the last one first."""
    windows: list[LoadPeriod] = []
    working_since: float | None = None
    for stage in store.stages(run_id):
        if BY_KIND[stage.kind].load is None or stage.started_s is None or stage.ended_s is None:
            working_since = None
            continue
        working_since = stage.started_s if working_since is None else working_since
        windows.append(LoadPeriod(working_since, stage.ended_s - LAST_S))
    yield from reversed(windows)


def _card(device: Device, samples: Series, end_s: float, window_s: float) -> MeasuredCard:
    temperature = _window(samples, "temperature_c", end_s, window_s)
    power = _window(samples, "power_w", end_s, window_s)
    if temperature is None or power is None:
        return MeasuredCard(0.0, 1.0, _ENDLESS_K)
    fan = _window(samples, "fan_pct", end_s, window_s)
    return MeasuredCard(
        temperature_c=temperature.mean,
        power_w=max(power.mean, 1.0),
        drift_k=min(max(temperature.drift, -_ENDLESS_K), _ENDLESS_K),
        fan_share=min(fan.mean / 100, 1.0) if fan else None,
        target_c=device.temperature_target_c,
    )


def _cpu(devices: Sequence[Device], samples: Mapping[str, Series], end_s: float, window_s: float) -> MeasuredCpu | None:
    for device in devices[:1]:
        power = _window(samples[device.id], "power_w", end_s, window_s)
        temperature = _window(samples[device.id], "temperature_c", end_s, window_s)
        if power is not None and power.mean >= 1:
            return MeasuredCpu(power.mean, temperature.mean if temperature else None)
    return None


def _window(samples: Series, metric: str, end_s: float, window_s: float) -> SteadyMeans | None:
    return last_window(samples[:, 0], samples[:, COLUMN[metric]], end_s, window_s=window_s)


def _part_of(device: Device, build: Build) -> str:
    """The build's part by the product that the driver names. Raises BadInput where that is none, or several."""
    lines = list(build.gpus())
    if IMPORTED in device.detail and device.name == NAMELESS and len(lines) == 1:
        return lines[0][0].part.id
    name = _plain(device.name)
    matches = [line.part.id for line, spec in lines if _plain(spec.product) == name]
    if len(matches) == 1:
        return matches[0]
    of_build = ", ".join(line.part.title for line in build.of(Category.GPU)) or tr("no GPU")
    raise BadInput(
        tr(
            "The run has {device}, the build {of_build}: they cannot be matched by name. Give each "
            "GPU's slot with {--slots}, in the order of their PCI bus ids, or calibrate another build.",
            device=device.name,
            of_build=of_build,
        )
    )


def _plain(name: str) -> str:
    words = name.casefold().replace("nvidia", "").replace("geforce", "")
    return "".join(letter for letter in words if letter.isalnum())


def references_from(store: RunReader, run_id: int) -> list[Reference]:
    """The rates of GPUs that did not fail, in the usual work; the median of cards of one model.

    Raises BadInput where there are none.
    """
    store.require_measured(run_id)
    run = store.run(run_id)
    if run.simulated:
        raise BadInput(
            tr("Run {run_id} is simulated: it has no measurements to compare other cards with.", run_id=run_id)
        )
    if run.status is not RunStatus.FINISHED:
        raise BadInput(tr("Run {run_id} has no verdict. Only a finished run can be a reference.", run_id=run_id))
    if is_changed(store, run_id):
        raise BadInput(no_verdict(run_id))
    failed = {verdict.device_id for verdict in store.verdicts(run_id) if verdict.outcome is Outcome.FAIL}
    rows = [row for row in store.devices(run_id) if row.burned and row.device.kind is DeviceKind.GPU]
    good = {row.device.id: row for row in rows if row.device.id not in failed}
    if not good:
        raise BadInput(tr("Run {run_id} has no GPU that passed: there is nothing to add.", run_id=run_id))
    references = list(_references(run, good, store.results(run_id)))
    if not references:
        raise BadInput(tr("Run {run_id} measured no rate to compare other cards of the model with.", run_id=run_id))
    return references


def _references(run: Run, good: dict[str, RunDevice], results: list[StageResult]) -> Iterator[Reference]:
    rates: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    drivers: dict[str, str] = {}
    for result in results:
        settings = run.profile.stages[result.number]
        kind = settings.kind
        if workload_key(settings):
            continue  # a small batch or another precision is no measure of what others do as usual
        if result.device_id not in good or result.status is not ResultStatus.PASSED or kind in BETWEEN_DEVICES:
            continue
        device = good[result.device_id].device
        drivers[device.name] = device.driver or "unknown"
        for name, rate in rates_of(result).items():
            rates[device.name, kind, name, result.evidence_as(Rated).rate_unit or ""].append(rate)
    for (product, stage, name, unit), measured in rates.items():
        cards = "" if len(measured) == 1 else f", median of {len(measured)} cards"
        source = f"run {run.id} of {run.started_at[:10]} on {run.machine}, driver {drivers[product]}{cards}"
        yield Reference(product=product, stage=stage, name=name, rate=median(measured), unit=unit or "1", source=source)
