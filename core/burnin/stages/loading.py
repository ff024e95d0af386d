"""Stages that put a load on every device, and how such loads run from their start to their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

from core.burnin.children.device_under_test import DeviceUnderTest
from core.burnin.planned import shipped_card
from core.burnin.record.evidence import warned
from core.burnin.record.rows import EventLevel, Result, ResultStatus
from core.burnin.stages.stage import Stage, StageContext, StageParams
from core.loads.evidence import read
from core.loads.load import StopCause
from core.loads.products.contract import KnownAnswerEvidence, TransientsEvidence
from core.loads.table import load_entry
from core.loads.training.contract import Precision, default_precision
from core.machine.telemetry.device import Device, DeviceKind
from core.parts.part import Part
from core.predict.speed.networks import ComputePrecision as Arithmetic
from core.predict.speed.peaks import peaks_of
from core.words import joined, tr, trn

MOST_RESTARTS = 3
"""Of one load: what is interrupted again and again is no burn-in."""
SHORTEST_S = 2.0
"""A piece that is shorter proves nothing."""
_SUMS = ("checks", "errors")


@dataclass(frozen=True, slots=True)
class Piece:
    """How long a part of a load ran, when it began since the start of the run, and how it ended."""

    began_s: float
    ran_s: float
    result: Result


def rest_s(seconds: float, pieces: Sequence[Piece]) -> float:
    """What is left of the planned time; never so little that it proves nothing."""
    return max(seconds - sum(piece.ran_s for piece in pieces), min(SHORTEST_S, seconds))


def longest(pieces: Sequence[Piece]) -> Piece:
    """The one whose rates mean most."""
    return max(pieces, key=lambda piece: piece.ran_s)


def as_one(pieces: Sequence[Piece]) -> Result:
    """Ended as the last one did; with the evidence of the longest where that passed, and what all of them counted."""
    status, reason, evidence = pieces[-1].result
    if len(pieces) == 1:
        return pieces[-1].result
    if status is ResultStatus.PASSED:
        evidence = longest(pieces).result[2] or evidence
    each = [piece.result[2] for piece in pieces]
    sums = {name: sum(one.get(name) or 0 for one in each) for name in _SUMS if any(name in one for one in each)}
    text = trn(
        "The load was interrupted once and started again for the rest of its time.",
        "The load was interrupted {count} times and started again for the rest of its time.",
        count=len(pieces) - 1,
    )
    return status, reason, warned({**evidence, **sums}, text)


FINISH_GRACE_S = 20.0
"""A load may end this much later than planned, for instance within a long step."""
STAGGER_SHARE = 0.1
"""Of a stage's time at most is spent on starting its loads one after another."""
FEW = 2
"""So many loads start at once: only more of them could trip a breaker."""
FADE = "fade_s"


@dataclass(frozen=True, slots=True)
class LoadTask:
    """What one device shall do in a stage, and for how long; `group` is its place among those that do it together.

    `activity` is how busy it keeps a simulated card where that is not what the stage says.
    """

    load: str
    params: Mapping[str, Any]
    seconds: float
    group: Mapping[str, Any] | None = None
    activity: float | None = None


class RunningLoads:
    """Loads on several devices, from the first start to the last result. Those that start later end with the others."""

    def __init__(
        self,
        context: StageContext,
        tasks: Mapping[str, LoadTask],
        *,
        apart_s: float = 0.0,
        activity: float = 1.0,
        grace_s: float = FINISH_GRACE_S,
    ) -> None:
        self.results: dict[str, Result] = {}
        self._context, self._live = context, context.live
        self._tasks = tasks
        self._activity = activity
        self._devices = {device_id: context.live.devices[device_id] for device_id in tasks}
        self._began_s = context.live.now()
        self._looked_s = float("-inf")
        self._waiting = {device_id: place * apart_s for place, device_id in enumerate(tasks)}
        """Seconds after the beginning at which a load starts, by device; gone once it has."""
        self._grace_s = grace_s
        self._late_s = self._began_s + max((task.seconds for task in tasks.values()), default=0.0) + grace_s
        self._planned_s: dict[str, float] = {}
        """How long each load is to run, as it was first started."""
        self._pieces: dict[str, list[Piece]] = {device_id: [] for device_id in tasks}
        """Of loads that were interrupted."""

    @property
    def loading(self) -> dict[str, DeviceUnderTest]:
        """Devices whose load runs now."""
        return {device_id: device for device_id, device in self._devices.items() if device.loading}

    def run(self, each_turn: Callable[[], None], decided: Callable[[str, Result], None]) -> dict[str, Result]:
        """Until every device has a result: `decided` hears of each at once, `each_turn` is called between turns."""
        self._await_workers()
        while len(self.results) < len(self._tasks):
            self._start_those_due()
            self._live.turn()
            if self._live.cut or self._live.now() > self._late_s:
                self.stop()
            each_turn()
            for device_id, device in self._devices.items():
                if device_id not in self._waiting and (result := device.take_result()):
                    self._live.sensors.tell_activity(device.device, 0.0)
                    if not self._started_again(device, result):
                        status, reason, evidence = self._whole(device, result)
                        # a load knows that it was asked to stop, and not why
                        why = self._live.why_cut if device.stop_cause is StopCause.REQUESTED else None
                        self.results[device_id] = status, why or reason, evidence
                        decided(device_id, self.results[device_id])
        return self.results

    def due(self, every_s: float) -> bool:
        """Whether it is time again for what is not done in every turn."""
        if self._live.now() - self._looked_s < every_s:
            return False
        self._looked_s = self._live.now()
        return True

    def stop(self) -> None:
        """Ends all loads before their time; those that have not begun do not begin."""
        for device_id, device in self._devices.items():
            if self._waiting.pop(device_id, None) is not None:
                device.refuse_load(ResultStatus.STOPPED, tr("The stage ended before the load was started."))
            device.stop_load(self._live.now())

    def conclude(self) -> None:
        """Ends all loads as if their time were over: each judges what it has done."""
        for device in self._devices.values():
            device.conclude_load()

    def _await_workers(self) -> None:
        """A worker that was replaced after the last load gets ready before this one's time begins."""
        if starting := [device for device in self._devices.values() if device.starting]:
            before_s = self._live.now()
            self._live.wait_until_ready(starting)
            waited_s = self._live.now() - before_s
            self._began_s, self._late_s = self._began_s + waited_s, self._late_s + waited_s

    def _start_those_due(self) -> None:
        elapsed_s = self._live.now() - self._began_s
        for device_id, delay_s in list(self._waiting.items()):
            if delay_s <= elapsed_s:
                del self._waiting[device_id]
                task = self._tasks[device_id]
                self._planned_s[device_id] = max(task.seconds - delay_s, task.seconds * (1 - STAGGER_SHARE))
                self._run_for(self._devices[device_id], task, self._planned_s[device_id])

    def _started_again(self, device: DeviceUnderTest, result: Result) -> bool:
        """A load that a frozen process of ours ended runs on for the rest of its time. Groups begin anew as a whole."""
        device_id, live = device.device.id, self._live
        pieces, task = self._pieces[device_id], self._tasks[device_id]
        over = live.cut or live.now() > self._late_s or len(pieces) >= MOST_RESTARTS
        if over or task.group or not device.interrupted or result[0] is not ResultStatus.STOPPED:
            return False
        pieces.append(Piece(self._context.began_s[device_id], device.ran_s, result))
        if device.starting:
            live.wait_until_ready([device])
        left_s = rest_s(self._planned_s[device_id], pieces)
        text = tr("The load is started again for the remaining {seconds:.0f} s.", seconds=left_s)
        live.event(EventLevel.WARN, "again", text, device_id)
        self._late_s = max(self._late_s, live.now() + left_s + self._grace_s)
        self._run_for(device, task, left_s)
        return True

    def _whole(self, device: DeviceUnderTest, result: Result) -> Result:
        """Of all pieces of the load."""
        device_id = device.device.id
        if not (pieces := self._pieces[device_id]):
            return result
        pieces.append(Piece(self._context.began_s[device_id], device.ran_s, result))
        self._context.began_s[device_id] = longest(pieces).began_s
        return as_one(pieces)

    def _run_for(self, device: DeviceUnderTest, task: LoadTask, seconds: float) -> None:
        self._context.began_s[device.device.id] = self._live.now()
        device.start_load(self._live.now(), task.load, seconds, task.params, group=task.group)
        activity = self._activity if task.activity is None else task.activity
        self._live.sensors.tell_activity(device.device, activity if device.loading else 0.0)


class LoadStageParams(StageParams):
    """What every stage with a load can be asked for."""

    inject_on: str = ""
    """Id or index of the one device on which the fault of `inject` is made; empty for all."""


class LoadStage(Stage):
    """One load on every device at the same time."""

    own_params: ClassVar[type[StageParams]] = LoadStageParams

    def __init__(self, kind: str, title: str, *, activity: float = 1.0, **fields: Any) -> None:
        super().__init__(kind, title, **fields)
        self.activity = activity
        """How busy the load keeps a simulated card, 0 to 1."""

    def run(self, context: StageContext) -> None:
        """Starts the loads one after another, and waits for all."""
        tasks = self.tasks(context)
        loads = RunningLoads(context, tasks, apart_s=self.apart_s(context, len(tasks)), activity=self.activity)
        loads.run(lambda: self.watch(context, loads), partial(self.take, context))

    def tasks(self, context: StageContext) -> dict[str, LoadTask]:
        """What each device shall do; those that cannot do it get their result now."""
        burned = [device.device for device in context.devices.values()]
        lacks = {device.id: lack for device in burned if (lack := self.lacks(device, burned))}
        able = [device for device in burned if device.id not in lacks]
        if stray := self._stray_drill(context.settings.params, able):
            lacks, able = dict.fromkeys(context.devices, stray), []
        for device_id, lack in lacks.items():
            context.record(device_id, lack)
        return {device.id: self.task(context, device.id) for device in able}

    def _stray_drill(self, params: Mapping[str, Any], able: Sequence[Device]) -> Result | None:
        """The result of every device where a fault was ordered that would be injected on none."""
        kind = params.get("inject")
        if not kind or any("inject" in self.params_on(device, params) for device in able):
            return None
        text = tr("The fault to inject ({kind}) concerns no device of this stage. Check inject_on.", kind=kind)
        return ResultStatus.NOT_RUN, text, {}

    def task(self, context: StageContext, device_id: str) -> LoadTask:
        """What one device shall do."""
        assert self.load is not None
        params = self.params_on(context.live.devices[device_id].device, context.settings.params)
        return LoadTask(self.load, params, context.settings.seconds)

    def params_on(self, device: Device, params: Mapping[str, Any]) -> dict[str, Any]:
        """The load's parameters on one device: no fault that is meant for another, and what it cannot know."""
        load_params = self.of_load(params)
        if params.get("inject_on") not in (None, "", device.id, str(device.index)):
            load_params.pop("inject", None)
        return load_params | (injected_params(self.load, device, load_params) if self.load else {})

    def watch(self, context: StageContext, loads: RunningLoads) -> None:
        """Called between turns while the loads run."""

    def take(self, context: StageContext, device_id: str, result: Result) -> None:
        """Keeps how the load ended on a device."""
        context.record(device_id, self._with_what_is_lacking(context, self.conclude(context, device_id, result)))

    def conclude(self, context: StageContext, device_id: str, result: Result) -> Result:
        """The stage's result from the load's."""
        del context, device_id
        return result

    def _with_what_is_lacking(self, context: StageContext, result: Result) -> Result:
        """What the time did not suffice for is a warning, unless the user wanted it shorter."""
        status, reason, evidence = result
        warns = status is ResultStatus.PASSED and not context.run.shortened
        lacking = list(lack_of_time(evidence)) if warns else []
        return status, reason, warned(evidence, *lacking)

    def apart_s(self, context: StageContext, loads: int) -> float:
        """Between the starts of two of so many loads."""
        if loads <= FEW:
            return 0.0
        return min(context.run.profile.guards.stagger_s, STAGGER_SHARE * context.settings.seconds / loads)


def lack_of_time(evidence: Mapping[str, Any]) -> Iterator[str]:
    """What of a load had no room in its time: waves and steps that were left out, products that were not reached."""
    if left_out := read(TransientsEvidence, evidence).left_out:
        yield tr("Left out for lack of time: {left_out}.", left_out=joined(left_out, ", "))
    answers = read(KnownAnswerEvidence, evidence)
    asked_for, products = answers.asked_for or 0, answers.products or {}
    if short := [name for name, done in products.items() if done < asked_for]:
        yield trn(
            "Fewer than {count} product for lack of time: {formats}.",
            "Fewer than {count} products for lack of time: {formats}.",
            count=asked_for,
            formats=", ".join(short),
        )


class Vram(LoadStage):
    """Patterns, and at the end a rest if one is asked for."""

    def stretched(self, params: Mapping[str, Any], factor: float) -> dict[str, Any]:
        """The rest shrinks with the stage, which it would outlast otherwise; a longer stage writes more patterns."""
        return {**params, **({FADE: params[FADE] * min(factor, 1.0)} if FADE in params else {})}


# Parameters of a load that the runner injects, since no worker knows them: stated peaks, transport between cards.
ARITHMETIC = {
    Precision.FP32: Arithmetic.FP32,
    Precision.TF32: Arithmetic.TF32,
    Precision.AMP_BF16: Arithmetic.MIXED,
    Precision.AMP_FP16: Arithmetic.MIXED,
}
DIRECT = ("read", "write", "nvlink")
DISPLAY_MIB = 256
"""Left free where a display is attached: windows that are opened meanwhile must find memory."""


def injected_params(load: str, device: Device, params: Mapping[str, Any]) -> dict[str, Any]:
    """Further parameters of a load on a device, as far as the load takes them and they are not given already."""
    unset = load_entry(load).params.model_fields.keys() - params.keys()
    further: dict[str, Any] = {}
    if "peak_tflops" in unset and (peak := stated_peak_tflops(device, params.get("precision"))):
        further["peak_tflops"] = peak
    if "transport" in unset and device.p2p:
        further["transport"] = transport_words(device)
    if "keep_mib" in unset and device.display:
        further["keep_mib"] = DISPLAY_MIB
    return further


def stated_peak_tflops(device: Device, precision: object = None) -> float | None:
    """What the data sheet of the card's product tells for a training in this precision, or in the usual one.

    None for a CPU, an unknown product, or a figure that would have to be derived from others.
    """
    major, _, minor = (device.compute_capability or "").partition(".")
    capability = (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None
    if device.kind is not DeviceKind.GPU or (precision is None and capability is None):
        return None
    precisions = [one for one in Precision if one == precision]
    part = _product(device.name, device.memory_mb)
    if part is None or (precision is not None and not precisions):
        return None
    figure = peaks_of(part).rate(ARITHMETIC[precisions[0] if precisions else default_precision(capability)])
    return None if figure is None or figure.missing else round(figure.values[1], 3)


def transport_words(device: Device) -> str:
    """What the driver says of direct access from this GPU to the others, in words."""
    links = []
    for other, access in device.p2p.items():
        answers = [f"{name} {access[name]}" for name in DIRECT if name in access]
        over = f" over {device.topology[other]}" if other in device.topology else ""
        links.append(f"to {other}{over}: {', '.join(answers) or 'nothing told'}")
    return "; ".join(links)


@cache
def _product(name: str, memory_mb: int | None) -> Part | None:
    """Reading the catalogue takes a moment, and several cards are mostly of one model."""
    return shipped_card(Device(id="", kind=DeviceKind.GPU, name=name, memory_mb=memory_mb))
