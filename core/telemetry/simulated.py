"""Simulated GPUs for tests and demonstrations: chosen by name, warm like real ones, marked in every place."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from core.telemetry.device import Device, DeviceKind
from core.telemetry.incident import Report
from core.telemetry.simulated_card import SimulatedCard
from core.telemetry.simulated_models import Model, parse_simulation

__all__ = ["Model", "SimulatedSource", "parse_simulation"]

AMBIENT_C = 24.0
NEIGHBOUR_K_PER_W = 0.011
"""Air is warmed by the card beside: 350 W next to it are 4 K at the inlet."""
CASE_K_PER_W = 0.0018
"""And by all cards of the case together."""
COOLER_SPREAD = 0.03
STEP_S = 0.1
LONGEST_PAUSE_S = 120.0
"""After a longer pause (a machine that slept) the simulation goes on as if so much time had passed."""
FULL_FAN_RPM = 3_000


class SimulatedSource:
    """Cards side by side in one case.

    Time is the clock's, or only what `advance` is told where `clock` is None. Equal seeds, activities and times give
    equal readings.
    """

    def __init__(
        self,
        models: list[Model],
        *,
        seed: int = 0,
        ambient_c: float = AMBIENT_C,
        clock: Callable[[], float] | None = time.monotonic,
    ) -> None:
        self._noise = random.Random(seed)
        self.cards = {
            _id(index, model): SimulatedCard(self._individual(model), ambient_c) for index, model in enumerate(models)
        }
        self._ambient_c = ambient_c
        self._inlets_c = [ambient_c] * len(models)
        self._clock = clock
        self._last_s = clock() if clock else 0.0

    def devices(self) -> list[Device]:
        """All of them marked as simulated."""
        return [_describe(index, id_, card.model) for index, (id_, card) in enumerate(self.cards.items())]

    def read(self) -> dict[str, dict[str, float | None]]:
        """What the sensors of the cards would show now."""
        self._catch_up()
        return {id_: self._sample(card) for id_, card in self.cards.items()}

    def lost(self) -> Mapping[str, str]:
        """Simulated cards stay."""
        return {}

    def set_activity(self, device_id: str, load: float) -> None:
        """What the card is busy with from now on, 0 (nothing) to 1 (a compute load that fills it)."""
        self._catch_up()
        if device_id in self.cards:
            self.cards[device_id].load = round(min(1.0, max(0.0, load)), 3)

    def listen(self, report: Report) -> None:
        """Healthy cards have nothing to tell."""

    def asking(self) -> str | None:
        """Nothing hangs here."""
        return None

    def close(self) -> None:
        """Holds nothing open."""

    def advance(self, dt_s: float) -> None:
        """Lets time pass for all cards, in steps that are short against their time constants."""
        while dt_s > 0:
            step_s = min(STEP_S, dt_s)
            self._inlets_c = self._inlets()
            for card, inlet_c in zip(self.cards.values(), self._inlets_c, strict=True):
                card.advance(step_s, inlet_c)
            dt_s -= step_s

    def _individual(self, model: Model) -> Model:
        """No two coolers are alike."""
        return replace(model, k_per_w=model.k_per_w * (1 + self._noise.uniform(-COOLER_SPREAD, COOLER_SPREAD)))

    def _catch_up(self) -> None:
        if self._clock is not None:
            now = self._clock()
            self.advance(min(now - self._last_s, LONGEST_PAUSE_S))
            self._last_s = now

    def _inlets(self) -> list[float]:
        """Air that each card takes in, from what its neighbours and the whole case gave off a step before."""
        heat = [card.exhaust_w(inlet) for card, inlet in zip(self.cards.values(), self._inlets_c, strict=True)]
        between = [0.0, *heat, 0.0]
        case_c = self._ambient_c + CASE_K_PER_W * sum(heat)
        return [case_c + NEIGHBOUR_K_PER_W * (between[i] + between[i + 2]) for i in range(len(heat))]

    def _sample(self, card: SimulatedCard) -> dict[str, float | None]:
        """Sensors round and tremble: whole degrees, 15 MHz steps, half a per cent of power."""
        model, noise = card.model, self._noise
        temperature = round(card.core_c + noise.gauss(0, 0.15))
        power = card.power_w * (1 + noise.gauss(0, 0.005))
        clock = card.clock_mhz + (noise.gauss(0, 5) if card.load else 0)
        return {
            "temperature_c": temperature,
            "memory_temperature_c": None if model.memory_max_c is None else round(card.core_c - 2),
            "margin_c": model.max_c - temperature,
            "power_w": round(power, 2),
            "power_limit_w": model.power_limit_w,
            "clock_mhz": 15 * round(min(clock, model.boost_mhz) / 15),
            "memory_clock_mhz": model.memory_mhz if card.load else 405,
            "utilisation_pct": round(100 * card.load),
            "memory_used_mb": round(0.85 * model.memory_mb if card.load else 0.02 * model.memory_mb),
            "fan_pct": round(card.fan_pct) if model.fans else None,
            "fan_rpm": round(card.fan_pct / 100 * FULL_FAN_RPM) if model.fans else None,
            "throttle_mask": card.throttle_mask,
            "pcie_generation": model.pcie_generation if card.load else 1,
            "pcie_lanes": 16,
        }


def _id(index: int, model: Model) -> str:
    return f"SIM-{index}-{model.key}"


def _describe(index: int, id_: str, model: Model) -> Device:
    return Device(
        id=id_,
        kind=DeviceKind.GPU,
        name=model.name,
        simulated=True,
        index=index,
        bus_id=f"SIM:{index:02d}",
        memory_mb=model.memory_mb,
        power_limit_w=model.power_limit_w,
        temperature_target_c=model.target_c,
        temperature_slowdown_c=model.slowdown_c,
        temperature_shutdown_c=model.shutdown_c,
        temperature_max_c=model.max_c,
        memory_temperature_max_c=model.memory_max_c,
        detail={"simulated": "no real card is measured", "peak": f"{model.tflops:g} TFLOP/s"},
    )
