"""What the plan predicts of a run: of a device under the load of a stage (the band behind its curve, and beside its
figure), when each number format ran there, and what a burn-in will draw, said before the first load starts, so that
nobody learns it from a breaker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from core.burnin.profile.profile import Profile
from core.burnin.record.evidence import PowerEvidence
from core.burnin.record.rows import StageResult, StageRow
from core.burnin.stages.registry import BY_KIND
from core.burnin.stages.sweep import hottest
from core.burnin.verdict.answers import predicted_answers
from core.loads.inference.contract import InferenceEvidence
from core.loads.products.contract import GemmEvidence
from core.loads.products.turns import format_of
from core.machine.asbuilt.as_built import AsBuilt
from core.machine.asbuilt.identities import same_card
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import WALL
from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.plan.build import Build
from core.plan.line import Line
from core.plan.placement.links import CardLink, links
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.prediction import Prediction, predict
from core.predict.speed.card_speed import gemm_share, kept_rate, power_share
from core.predict.speed.networks import ComputePrecision
from core.predict.speed.peaks import peaks_of
from core.predict.thermal.heat import CardHeat
from core.words import lowered, plain, tr
from core.words.phrasing import names_in

LOADS: Mapping[str, LoadCase] = {
    "idle": LoadCase.IDLE,
    "gemm": LoadCase.TRAINING,
    "soak": LoadCase.TRAINING,
    "resnet": LoadCase.TRAINING,
    "transformer": LoadCase.TRAINING,
    "whole-system": LoadCase.EVERYTHING,
}
"""By kind of stage the load that is predicted. Of the others (transfers, patterns, changing loads) nothing is."""
SWEEP = "gemm"
PRODUCTS = (SWEEP, "soak")
PRECISIONS = {
    "float32": ComputePrecision.FP32,
    "tf32": ComputePrecision.TF32,
    "float16": ComputePrecision.MIXED,
    "bfloat16": ComputePrecision.MIXED,
}
"""Of the number formats of products, those of which published tests tell what share of the peak they reach."""


@dataclass(frozen=True)
class PlannedRun:
    """A plan, and which of its cards each device is: by its slot where that is known, else by its product."""

    plan: Build
    as_built: AsBuilt | None = None
    room_c: float | None = None
    """Of the run; without it the room that predictions are for where nobody says otherwise."""

    @cached_property
    def prediction(self) -> Prediction:
        """For the room of the run."""
        return predict(self.plan, None if self.room_c is None else Conditions(room_c=self.room_c))

    def slot(self, device: Device) -> int | None:
        """Where the device sits, as it was read or told before the run; None where nobody knows."""
        built = self.as_built.card(device.id) if self.as_built else None
        return built.position if built else None

    def link(self, device: Device) -> CardLink | None:
        """The link that the plan gives to the device's slot; None where the slot is not known."""
        slot = self.slot(device)
        return next((link for link in links(self.plan).values() if link.slot.position == slot), None)

    def bands(self, kind: str, device: Device) -> dict[str, Band]:
        """By metric what is predicted once the load of a stage of this kind is steady; empty where nothing is.

        Temperatures need some minutes to become steady, power and fans follow at once and with them.
        """
        load = LOADS.get(kind)
        if load is None or device.parent:
            return {}
        match device.kind:
            case DeviceKind.GPU:
                predicted = self._of_card(load, device)
            case DeviceKind.CPU:
                predicted = self._of_processor(load)
            case DeviceKind.WALL:
                predicted = {WALL: self.prediction.wall_w[load]}
        return {metric: band for metric, band in predicted.items() if band is not None}

    def rates(self, kind: str, device: Device) -> dict[str, Band]:
        """By number format the TFLOPS of large products, as far as published tests of such cards tell."""
        line = self._line(device)
        if kind not in PRODUCTS or line is None:
            return {}
        cards = self._cards(LOADS[kind], device)
        kept_share = min((card.kept_share for card in cards), default=1.0)
        part, spec = line.part, line.part.spec
        assert isinstance(spec, GpuSpec)
        share = kept_rate(part, power_share(line.limit_w, spec.power_limit_w, kept_share))
        return dict(_rates(part, spec, share))

    def answer_rates(self, evidence: InferenceEvidence, device: Device) -> dict[str, Band]:
        """By "decode" the tokens/s of the language model that a load ran there. Memory sets the pace, which heat does
        not slow down."""
        line = self._line(device)
        return {} if line is None else predicted_answers(evidence, line.part, line.limit_w)

    def _line(self, device: Device) -> Line | None:
        """Of the plan, with the device's product; None for a share of a card (MIG)."""
        lines = (line for line, spec in self.plan.gpus() if same_card(spec, device))
        return None if device.parent else next(lines, None)

    def _of_processor(self, load: LoadCase) -> dict[str, Band | None]:
        heat = self.prediction.at(load).heat
        return {
            "power_w": heat.cpu_w,
            "temperature_c": heat.cpu_c,
            WALL: self.prediction.wall_w[load],
            "noise_dba": noise_bands(self.prediction).get(load),
        }

    def _of_card(self, load: LoadCase, device: Device) -> dict[str, Band | None]:
        cards = self._cards(load, device)
        if not cards:
            return {"power_w": self._module_w(load, device)}
        fans = _around([card.fan_share for card in cards])
        return {
            "power_w": _around([card.power_w for card in cards]),
            "temperature_c": _around([card.temperature_c for card in cards]),
            "fan_pct": fans.times(100).measured_in("%") if fans.high else None,
        }

    def _cards(self, load: LoadCase, device: Device) -> list[CardHeat]:
        """The one card of the plan that sits in the device's slot, else all of its product."""
        same = {line.part.id for line, spec in self.plan.gpus() if same_card(spec, device)}
        cards = [card for card in self.prediction.at(load).cards if card.part_id in same]
        slot = self.slot(device)
        return [card for card in cards if slot is not None and card.slot == slot] or cards

    def _module_w(self, load: LoadCase, device: Device) -> Band | None:
        """A GPU on a baseboard is no card with a temperature of its own; what it draws is known."""
        for line, spec in self.plan.gpus():
            if same_card(spec, device):
                return self.prediction.at(load).part_w[line.part.id].times(1 / line.quantity)
        return None


def noise_bands(prediction: Prediction) -> dict[LoadCase, Band]:
    """At the distance of the prediction, as a meter in its room hears the machine."""
    return {LoadCase.IDLE: prediction.noise_idle_in_room, LoadCase.TRAINING: prediction.noise_load_in_room}


def _around(bands: list[Band]) -> Band:
    """From the lowest to the highest of several cards, around the mean of what is expected of them."""
    if len(bands) == 1:
        return bands[0]
    expected = sum(band.expected for band in bands) / len(bands)
    return Band(min(band.low for band in bands), expected, max(band.high for band in bands), bands[0].unit)


def _rates(part: Part, spec: GpuSpec, share: Band) -> Iterator[tuple[str, Band]]:
    peaks = peaks_of(part)
    for name, precision in PRECISIONS.items():
        peak = peaks.rate(precision)
        usable = precision is not ComputePrecision.MIXED or peaks.has_tensor_cores
        if peak is not None and usable and (precision is not ComputePrecision.TF32 or peaks.tf32 is not None):
            reached = peak.times(gemm_share(spec, precision)).times(share.triple)
            yield name, Band(*reached.values, "TFLOPS", share.assumptions, reached.missing)


@dataclass(frozen=True, slots=True)
class FormatPeriod:
    """Products of one format without a memory stream beside them, in s since the start of the run."""

    name: str
    start_s: float
    end_s: float | None
    """None while it goes on."""


def format_periods(
    profile: Profile, stages: Sequence[StageRow], results: Mapping[int, StageResult], stage: StageRow, began_s: float
) -> Iterator[FormatPeriod]:
    """The formats of a stage on one device: `results` are its own by stage, `began_s` is when its load began.

    A stage that is over tells when each format ran. One that goes on is known where it has one format alone: the one
    that its profile names, or the hottest of the sweep before it. Everything else is left out: in the turns of a sweep
    that goes on, and beside a memory stream, a rate is not that of a prediction.
    """
    if stage.kind not in PRODUCTS or stage.started_s is None:
        return
    if (result := results.get(stage.number)) is not None:
        for name, (start_s, end_s) in (result.evidence_as(GemmEvidence).periods or {}).items():
            if name == format_of(name):
                yield FormatPeriod(name, began_s + start_s, began_s + end_s)
        return
    ordered = names_in(str(profile.stages[stage.number].params.get("dtypes", "")))
    names = ordered or (_hottest_before(stages, results, stage) if stage.kind != SWEEP else ())
    if len(names) == 1 and names[0] == format_of(names[0]) and stage.ended_s is None:
        yield FormatPeriod(names[0], began_s, None)


def _hottest_before(stages: Sequence[StageRow], results: Mapping[int, StageResult], stage: StageRow) -> tuple[str, ...]:
    sweeps = [one.number for one in stages if one.kind == SWEEP and one.number < stage.number]
    for number in reversed(sweeps):
        if number in results and (power_w := results[number].evidence_as(PowerEvidence).power_by_format_w):
            return tuple(hottest(power_w))
    return ()


@dataclass(frozen=True, slots=True)
class ExpectedPower:
    """In W; None where no limit is known. `sentence` says where the figure comes from."""

    watts: float | None
    sentence: str


def expected_power(profile: Profile, burned: Sequence[Device], plan: Build | None) -> ExpectedPower:
    """Of the heaviest stage: by the plan's limits where all its cards are burned in, else by those of the devices.

    Nothing is taken off for heat: cards that are still cold draw all that they may.
    """
    kinds = [BY_KIND[stage.kind] for stage in profile.stages if stage.kind in BY_KIND]
    if not burned or not any(stage.loads for stage in kinds):
        return ExpectedPower(0.0, tr("No load will be applied."))
    whole = any(stage.with_cpu for stage in kinds)
    if plan is not None and _is_all_of(plan, burned):
        wall = predict(plan).limits.wall_w[LoadCase.EVERYTHING if whole else LoadCase.TRAINING]
        fields = {"expected": wall.expected, "low": wall.low, "high": wall.high, "plan": repr(plan.name)}
        text = tr(
            "Expected under load: {expected:.0f} W at the wall ({low:.0f} to {high:.0f}), as predicted for {plan} at "
            "its limits.",
            **fields,
        )
        expected = ExpectedPower(wall.expected, text)
    else:
        expected = _by_limits(burned, whole=whole)
    if expected.watts is not None and any(device.simulated for device in burned):
        marked = tr("SIMULATED devices draw nothing. Real ones: {told}", told=lowered(expected.sentence))
        return replace(expected, sentence=marked)
    return expected


def _by_limits(burned: Sequence[Device], *, whole: bool) -> ExpectedPower:
    limits = Counter(device.power_limit_w for device in burned)
    unknown = limits.pop(None, 0)
    if not limits:
        return ExpectedPower(None, tr("The power draw is not known: no device reports its power limit."))
    stated = {limit: count for limit, count in limits.items() if limit is not None}
    watts = sum(limit * count for limit, count in stated.items())
    power: str = plain("{watts:.0f} W", watts=watts)
    others: str = tr("the rest of the machine and PSU losses")
    if whole and all(device.kind is DeviceKind.GPU for device in burned):
        others = tr("the CPU under load, the rest of the machine and PSU losses")
    text = tr(
        "Expected under load: {power} from the devices' power limits ({terms}), plus {others}.",
        power=tr("at least {power}", power=power) if unknown else power,
        terms=" + ".join(f"{count} x {limit:.0f} W" for limit, count in stated.items()),
        others=others,
    )
    return ExpectedPower(watts, text)


def _is_all_of(plan: Build, burned: Sequence[Device]) -> bool:
    """Whether as many GPUs are burned in as do work in the plan, and each is of the plan."""
    gpus = [device for device in burned if device.kind is DeviceKind.GPU]
    of_plan = all(any(same_card(spec, device) for _, spec in plan.gpus()) for device in gpus)
    return bool(gpus) and of_plan and len(gpus) == plan.worker_count
