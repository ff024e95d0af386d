"""What a recorded run measured, as calibrating a build takes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.build.build import Build
from core.burnin.load_periods import BUSY_PCT, LoadPeriod, last_load, load_of_all
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import IMPORTED, Run
from core.burnin.record.samples import COLUMN
from core.burnin.stages.registry import BY_KIND
from core.burnin.verdict.measured_wall import measured_wall
from core.calibrate.measurements import (
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
from core.errors import BadInput
from core.language import tr
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.telemetry.device import Device, DeviceKind
from core.telemetry.tool_logs.value import NAMELESS

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

    `slots` are those of the run's GPUs in the order of their PCI bus ids; `window_s` is another time than ten minutes,
    of an imported log. Raises BadInput for a run that was simulated,
    has no GPU or no load, or whose GPUs cannot be told to be the build's.
    """
    run, gpus, cpu = store.run(run_id), *_devices(store, run_id)
    if store.imported(run_id):
        return _of_log(store, run_id, build, slots, window_s)
    if run.simulated and not allow_simulated:
        raise BadInput(
            tr("Run {run_id} is simulated: it has no measurements to calibrate a build from.", run_id=run_id)
        )
    if not gpus:
        raise BadInput(
            tr("Run {run_id} has no GPU. Calibrate from a run on the machine that was built.", run_id=run_id)
        )
    _require_slots(run, gpus, slots)
    samples = {device.id: store.samples(run_id, device.id) for device in (*gpus, *cpu)}
    parts = [None] * len(gpus) if slots else [_part_of(device, build) for device in gpus]
    measurements = None
    for start_s, end_s in _loads(store, run_id):
        cards = tuple(
            replace(_card(device, samples[device.id], end_s), part_id=part_id, slot=slots[place] if slots else None)
            for place, (device, part_id) in enumerate(zip(gpus, parts, strict=True))
        )
        measurements = _measurements(run, cards, max(end_s - start_s, 0.0) / 60, _cpu(cpu, samples, end_s))
        if is_steady(measurements.minutes, [card.drift_k for card in cards]):
            break
    if measurements is None:
        raise BadInput(tr("Run {run_id} has no completed load: nothing was measured under load.", run_id=run_id))
    walls = tuple(_walls(store, run_id))
    return replace(measurements, doubts=tuple(_doubts(gpus, slots, build)), walls=walls)


def _walls(store: RunReader, run_id: int) -> Iterator[WallReading]:
    """What a meter told at the wall, read during the run or attached later; of one load the newest."""
    watts_by_load = {wall.load: wall.watts for wall in measured_wall(store, run_id, None)}
    yield from (WallReading(watts, load) for load, watts in watts_by_load.items() if watts >= 1)


def _require_slots(run: Run, gpus: Sequence[Device], slots: Sequence[int]) -> None:
    if slots and len(slots) != len(gpus):
        raise BadInput(
            tr(
                "{--slots} names {slots} slots for the {gpus} GPUs of run {run_id}.",
                slots=len(slots),
                gpus=len(gpus),
                run_id=run.id,
            )
        )


def _of_log(store: RunReader, run_id: int, build: Build, slots: Sequence[int], window_s: float) -> Measurements:
    """The means of the end of the last load of an imported log, which names no stages: its figures tell when it worked.

    Raises BadInput where they tell of no load of all cards, or of a card nothing that could be calibrated by.
    """
    run, gpus, cpu = store.run(run_id), *_devices(store, run_id)
    _require_slots(run, gpus, slots)
    samples = {device.id: store.samples(run_id, device.id) for device in (*gpus, *cpu)}
    load = load_of_all([_load_of(samples[device.id]) for device in gpus])
    if load is None:
        raise BadInput(
            tr(
                "Run {run_id}: the log has no time in which all GPUs worked (utilisation of {share:.0f} % and more, or "
                "the power of a load). Log utilization.gpu and power.draw while the machine trains.",
                run_id=run.id,
                share=BUSY_PCT,
            )
        )
    parts = [None] * len(gpus) if slots else [_part_of(device, build) for device in gpus]
    cards = []
    for place, (device, part_id) in enumerate(zip(gpus, parts, strict=True)):
        card = _card(device, samples[device.id], load.end_s, window_s)
        if card.drift_k == _ENDLESS_K and card.temperature_c == 0:
            raise BadInput(
                tr(
                    "Run {run_id}: {gpu} has no temperature and power for the last {minutes:.0f} minutes of its load, "
                    "which went on for {load:.1f} minutes.",
                    run_id=run.id,
                    gpu=device.label,
                    minutes=window_s / 60,
                    load=load.minutes,
                )
            )
        cards.append(replace(card, part_id=part_id, slot=slots[place] if slots else None))
    measurements = _measurements(run, tuple(cards), load.minutes, _cpu(cpu, samples, load.end_s, window_s))
    return replace(measurements, by=run.title, doubts=tuple(_doubts(gpus, slots, build)))


def _load_of(samples: Series) -> LoadPeriod | None:
    return last_load(samples[:, 0], samples[:, COLUMN["utilisation_pct"]], samples[:, COLUMN["power_w"]])


def _doubts(gpus: Sequence[Device], slots: Sequence[int], build: Build) -> Iterator[str]:
    """GPUs of the run that go by another name than the card in their slot. Names of drivers and of parts may differ."""
    cards = {card.slot: card.part for card in build.cards()}
    for gpu, slot in zip(gpus, slots, strict=False):
        spec = cards[slot].spec if slot in cards else None
        if isinstance(spec, GpuSpec) and _plain(spec.product) != _plain(gpu.name):
            yield tr(
                "The run has {gpu} where slot {slot} of the build has {product}: is it the same machine?",
                gpu=gpu.name,
                slot=slot,
                product=spec.product,
            )


def _measurements(run: Run, cards: tuple[MeasuredCard, ...], minutes: float, cpu: MeasuredCpu | None) -> Measurements:
    return Measurements(
        run=f"run {run.id}",
        cards=cards,
        minutes=minutes,
        cpu=cpu,
        on=run.started_at[:10],
        by=run.machine,
        simulated=run.simulated,
    )


def _devices(store: RunReader, run_id: int) -> tuple[list[Device], list[Device]]:
    """GPUs in the order of their bus ids, and processors."""
    devices = [row.device for row in store.devices(run_id)]
    gpus = [device for device in devices if device.kind is DeviceKind.GPU]
    return sorted(gpus, key=lambda gpu: (gpu.bus_id or "", gpu.index)), [d for d in devices if d.kind is DeviceKind.CPU]


def _loads(store: RunReader, run_id: int) -> Iterator[tuple[float, float]]:
    """Start of the work without a pause, and its end, of each stage with a load; the last one first."""
    windows: list[tuple[float, float]] = []
    working_since: float | None = None
    for stage in store.stages(run_id):
        if BY_KIND[stage.kind].load is None or stage.started_s is None or stage.ended_s is None:
            working_since = None
            continue
        working_since = stage.started_s if working_since is None else working_since
        windows.append((working_since, stage.ended_s - LAST_S))
    yield from reversed(windows)


def _card(device: Device, samples: Series, end_s: float, window_s: float = WINDOW_S) -> MeasuredCard:
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


def _cpu(
    devices: Sequence[Device], samples: dict[str, Series], end_s: float, window_s: float = WINDOW_S
) -> MeasuredCpu | None:
    for device in devices[:1]:
        power = _window(samples[device.id], "power_w", end_s, window_s)
        temperature = _window(samples[device.id], "temperature_c", end_s, window_s)
        if power is not None and power.mean >= 1:
            return MeasuredCpu(power.mean, temperature.mean if temperature else None)
    return None


def _window(samples: Series, metric: str, end_s: float, window_s: float = WINDOW_S) -> SteadyMeans | None:
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
