"""`--simulate plan`: exactly the cards of a plan, in its slots, with the heat, power and rates that it predicts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from core.burnin.verdict.predicted import PlannedRun
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.machine.asbuilt.card_lines import PlannedCard, places_of
from core.machine.asbuilt.identities import gpus_of
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.card import CORE_SHARE, Model, fan_wish_pct
from core.machine.telemetry.simulated.simulation import MOST_CARDS, described_simulation
from core.plan.build import Build
from core.platform.errors import BadInput
from core.predict.conditions import LoadCase
from core.predict.speed.peaks import peaks_of
from core.words import tr

PLAN = "plan"
_TARGET_C, _MAX_C = 83.0, 93.0
"""Where the catalogue does not say; chosen after drivers of common cards."""
_SLOWDOWN_ABOVE_K, _SHUTDOWN_ABOVE_K, _MARGIN_K = 2.0, 5.0, 4.0
_MEMORY_SHARE, _LINK_SHARE, _FP64_SHARE, _FP8_SHARE = 0.88, 0.82, 0.85, 0.7
"""Of the stated figures, as loads of real cards reach them (assets/references)."""
_MODULE_RISE_K = 45.0
"""Of a module on a baseboard above the room, whose temperature no prediction tells."""
_DEFAULT_LIMIT_W, _DEFAULT_CLOCK_MHZ, _DEFAULT_MEMORY_GB = 250.0, 1500.0, 16.0
_GENERIC_LINK = {2: 6.0, 3: 12.0, 4: 25.0, 5: 52.0}
"""GB/s by generation, of modules whose link the plan does not tell."""


def with_plan(text: str | None, plan: Build | None) -> str | None:
    """An order of simulated cards in which "plan" stands for the plan's: "plan,fault=ecc@2:30s".

    Other orders stay as they are. Raises BadInput without a plan, and for one without GPUs or with too many.
    """
    word, _, script = (text or "").strip().partition(",")
    if word.strip().lower() != PLAN:
        return text
    if plan is None:
        raise BadInput(tr("{--simulate} plan needs the plan. Add {--build} FILE, or name cards: {--simulate} 6x3090"))
    models = list(_models(plan))
    if not 1 <= len(models) <= MOST_CARDS:
        fields = {"plan": repr(plan.name), "gpus": len(models), "most": MOST_CARDS}
        raise BadInput(tr("{plan} has {gpus} GPUs; 1 to {most} can be simulated.", **fields))
    return described_simulation(models, script)


def _models(plan: Build) -> Iterator[Model]:
    places = places_of(plan)
    devices = [_stand_in(number, place) for number, place in enumerate(places)]
    seated = zip(devices, places, strict=True)
    cards = tuple(BuiltCard(device.id, device.name, position=place.position) for device, place in seated)
    planned = PlannedRun(plan, AsBuilt("", MachineFacts(), cards))
    for place, device in zip(places, devices, strict=True):
        yield from [_model(planned, place, device)] * gpus_of(place.spec)


def _stand_in(number: int, place: PlannedCard) -> Device:
    memory_gb = place.spec.memory_gb
    memory_mb = round(memory_gb * 1024 / gpus_of(place.spec)) if memory_gb else None
    return Device(f"planned-{number}", DeviceKind.GPU, place.spec.product, memory_mb=memory_mb)


def _model(planned: PlannedRun, place: PlannedCard, device: Device) -> Model:
    """One GPU of the card: each of several has its share of power and memory."""
    spec, share = place.spec, 1 / gpus_of(place.spec)
    limit_w = share * (_limit_w(planned.plan, place) or _DEFAULT_LIMIT_W)
    bands = planned.bands("gemm", device)
    power_w = share * bands["power_w"].expected if "power_w" in bands else limit_w
    inlet_above_k = _inlet_above_k(planned, place)
    room_c = planned.prediction.conditions.room_c
    hot_c = bands["temperature_c"].expected if "temperature_c" in bands else room_c + _MODULE_RISE_K
    fans = bool(spec.fan_count) or (spec.fan_count is None and "fan_pct" in bands)
    max_c = max((spec.temperature_slowdown_c or _MAX_C + _SLOWDOWN_ABOVE_K) - _SLOWDOWN_ABOVE_K, hot_c + _MARGIN_K)
    return Model(
        key=re.sub(r"[^a-z0-9]+", "-", spec.product.lower()).strip("-"),
        name=spec.product,
        memory_mb=round(share * 1024 * (spec.memory_gb or _DEFAULT_MEMORY_GB)),
        power_limit_w=limit_w,
        idle_w=share * (spec.idle_power_w or 0.08 * limit_w),
        target_c=max(spec.temperature_target_c or _TARGET_C, hot_c + _MARGIN_K / 2) if fans else None,
        max_c=max_c,
        slowdown_c=max_c + _SLOWDOWN_ABOVE_K,
        shutdown_c=max(spec.temperature_shutdown_c or 0.0, max_c + _SHUTDOWN_ABOVE_K),
        boost_mhz=spec.boost_clock_mhz or _DEFAULT_CLOCK_MHZ,
        memory_mhz=1_000,
        tflops=round(spec.fp16_tensor_tflops or spec.fp32_tflops or 0.0, 1),
        pcie_generation=(place.link and place.link.generation) or spec.pcie_generation or 4,
        k_per_w=_resistance(hot_c, room_c + inlet_above_k, power_w, fans=fans),
        fans=fans,
        memory_max_c=95.0 if (spec.memory_type or "").upper().startswith("HBM") else None,
        full_load=1.08 if power_w >= 0.98 * limit_w else power_w / limit_w,
        inlet_above_k=inlet_above_k,
        slot=place.position,
        lanes=(place.link and place.link.lanes) or int(spec.pcie_lanes or 16),
        rates=dict(_rates(planned, place, device)),
    )


def _limit_w(plan: Build, place: PlannedCard) -> float | None:
    line = plan.line(place.part.id)
    return line.limit_w if line else place.spec.power_limit_w


def _inlet_above_k(planned: PlannedRun, place: PlannedCard) -> float:
    """Of the plan's card in this slot, else of its part."""
    prediction = planned.prediction
    cards = [card for card in prediction.at(LoadCase.TRAINING).cards if card.part_id == place.part.id]
    here = [card for card in cards if card.slot == place.position] or cards
    return max(here[0].inlet_c.expected - prediction.conditions.room_c, 0.0) if here else 8.0


def _resistance(hot_c: float, inlet_c: float, power_w: float, *, fans: bool) -> float:
    """From core to intake air with the fan at 100 %, so that the card settles at its predicted temperature.

    The steady state of core.machine.telemetry.simulated.card: core - inlet = power x R x (core's share + rest / root of
    fan).
    """
    air_pct = fan_wish_pct(hot_c) if fans else 100.0
    shape = CORE_SHARE + (1 - CORE_SHARE) * math.sqrt(100 / air_pct)
    return max(hot_c - inlet_c, 5.0) / max(power_w, 1.0) / shape


def _rates(planned: PlannedRun, place: PlannedCard, device: Device) -> Mapping[str, float]:
    """What is predicted, and for formats of which nothing is a share of the stated figure."""
    spec, peaks, gpus = place.spec, peaks_of(place.part), gpus_of(place.spec)
    fp32 = peaks.fp32.values[1] / gpus if peaks.fp32 else 5.0
    rates = {
        "float32": 0.85 * fp32,
        "float16": 0.85 * fp32,
        "float64": _FP64_SHARE * (spec.fp64_tflops / gpus if spec.fp64_tflops else fp32 / 32),
        **({"float8": _FP8_SHARE * spec.fp8_tensor_tflops} if spec.fp8_tensor_tflops else {}),
        **{name: band.expected / gpus for name, band in planned.rates("gemm", device).items()},
    }
    bandwidth = peaks.bandwidth.values[1] if peaks.bandwidth else 500.0
    link = place.link.gbps if place.link and place.link.gbps else None
    others = {
        "memory_gib": (spec.memory_gb or _DEFAULT_MEMORY_GB) / gpus,
        "memory_gbps": _MEMORY_SHARE * bandwidth / gpus,
        "link_gbps": _LINK_SHARE * link if link else _GENERIC_LINK.get(spec.pcie_generation or 4, 25.0),
    }
    return {name: round(value, 3) for name, value in {**rates, **others}.items()}
