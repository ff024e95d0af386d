"""What the plan predicts of a device under the load of a stage: the band behind its curve, and beside its figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from core.asbuilt.as_built import AsBuilt
from core.asbuilt.recognition import same_card
from core.build.build import Build
from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.placement.links import CardLink, links
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.prediction import Prediction, predict
from core.predict.speed.card_speed import gemm_share, kept_rate, power_share
from core.predict.speed.networks import ComputePrecision
from core.predict.speed.peaks import peaks_of
from core.predict.thermal.heat import CardHeat
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import WALL

LOADS: Mapping[str, LoadCase] = {
    "idle": LoadCase.IDLE,
    "gemm": LoadCase.TRAINING,
    "soak": LoadCase.TRAINING,
    "resnet": LoadCase.TRAINING,
    "transformer": LoadCase.TRAINING,
    "whole-system": LoadCase.EVERYTHING,
}
"""By kind of stage the load that is predicted. Of the others (transfers, patterns, changing loads) nothing is."""
PRODUCTS = ("gemm", "soak")
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
        part = self._part(device)
        if kind not in PRODUCTS or device.parent or part is None:
            return {}
        cards = self._cards(LOADS[kind], device)
        kept = min((card.kept_share for card in cards), default=1.0)
        limit_w = next((line.limit_w for line, _ in self.plan.gpus() if line.part.id == part.id), None)
        spec = part.spec
        assert isinstance(spec, GpuSpec)
        share = kept_rate(part, power_share(limit_w, spec.power_limit_w, kept))
        return dict(_rates(part, spec, share))

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

    def _part(self, device: Device) -> Part | None:
        return next((line.part for line, spec in self.plan.gpus() if same_card(spec, device)), None)


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
            reached = peak.times(gemm_share(spec, precision)).times((share.low, share.expected, share.high))
            yield name, Band(*reached.values, "TFLOPS", share.assumptions, reached.missing)
