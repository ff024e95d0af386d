"""Simulated GPUs for tests and demonstrations: chosen by name, warm like real ones, marked in every place."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.card import BRAKE, HOT, MOST_LOAD, SLOWDOWN, Counters, Model, SimulatedCard
from core.machine.telemetry.simulated.simulation import ScriptedFault, Simulation
from core.machine.telemetry.source import Incident, Report
from core.machine.telemetry.xid import xid
from core.words import joined, plain, tr

NEIGHBOUR_K_PER_W = 0.011
"""Air is warmed by the card beside: 350 W next to it are 4 K at the inlet."""
CASE_K_PER_W = 0.0018
"""And by all cards of the case together, which takes its time:"""
CASE_TAU_S = 150.0
COOLER_SPREAD = 0.03
STEP_S = 0.25
LONGEST_PAUSE_S = 120.0
"""After a longer pause (a machine that slept) the simulation goes on as if so much time had passed."""
FULL_FAN_RPM = 3_000
PSU_TRIPS_AT = 0.8
"""Share of the limits of all cards together at which a weak PSU switches off."""
FALLEN_OFF = 79


class SimulatedSource:
    """Cards side by side in one case.

    Time is the clock's, or only what `advance` is told where `clock` is None. Equal orders, activities and times give
    equal readings.
    """

    def __init__(self, order: Simulation, *, clock: Callable[[], float] | None = time.monotonic) -> None:
        self._noise = random.Random(order.seed)
        self._room_c = order.room_c
        self._devices = [describe(index, model, order.faults) for index, model in enumerate(order.models)]
        self.cards = {
            device.id: SimulatedCard(self._individual(model), order.room_c)
            for device, model in zip(self._devices, order.models, strict=True)
        }
        self._counters = {device.id: Counters(ecc=bool(device.ecc)) for device in self._devices}
        self._lanes = {device.id: model.lanes for device, model in zip(self._devices, order.models, strict=True)}
        self._frozen: dict[str, Mapping[str, float | None] | None] = {}
        self._lost: dict[str, str] = {}
        self._hanging: str | None = None
        self._weak_psu = self._dark = False
        self._pending = sorted(order.faults, key=lambda fault: fault.at_s)
        self._report: Report | None = None
        self._passed_s = self._case_k = self._warmed = 0.0
        self._inlets_c = [order.room_c] * len(order.models)
        self._clock = clock
        self._last_s = clock() if clock else 0.0

    def devices(self) -> list[Device]:
        """All of them marked as simulated."""
        return list(self._devices)

    def read(self) -> dict[str, Mapping[str, float | None]]:
        """What the sensors of the cards would show now. Never returns once a card's driver hangs."""
        self._catch_up()
        if self._hanging is not None:
            threading.Event().wait()
        if self._dark:
            return {}
        return {id_: self._shown(id_, card) for id_, card in self.cards.items() if id_ not in self._lost}

    def count(self) -> Mapping[str, Mapping[str, float | None]]:
        """Nothing: every reading has all counters."""
        return {}

    def lost(self) -> Mapping[str, str]:
        """Cards that fell off the bus."""
        return self._lost

    def set_activity(self, device_id: str, load: float) -> None:
        """What the card is busy with from now on, 0 (nothing) to 1 (products that fill it) and more."""
        self._catch_up()
        if device_id in self.cards:
            self.cards[device_id].load = round(min(MOST_LOAD, max(0.0, load)), 3)

    def listen(self, report: Report) -> None:
        """Scripted errors are told while the cards are read."""
        self._report = report

    def asking(self) -> str | None:
        """The card whose driver hangs."""
        return None if self._hanging is None else tr("the driver of the simulated card {card}", card=self._hanging)

    def slowest(self) -> str | None:
        """Nothing takes long."""
        return None

    def close(self) -> None:
        """Holds nothing open."""

    def advance(self, dt_s: float) -> None:
        """Lets time pass for all cards, in steps that are short against their time constants."""
        while dt_s > 0:
            step_s = min(STEP_S, dt_s)
            self._move_air(step_s)
            for (id_, card), inlet_c in zip(self.cards.items(), self._inlets_c, strict=True):
                card.advance(step_s, inlet_c)
                self._counters[id_].advance(step_s, card)
            self._passed_s += step_s
            dt_s -= step_s
            self._script()

    def _individual(self, model: Model) -> Model:
        """No two coolers are alike."""
        return replace(model, k_per_w=model.k_per_w * (1 + self._noise.uniform(-COOLER_SPREAD, COOLER_SPREAD)))

    def _catch_up(self) -> None:
        if self._clock is not None:
            now = self._clock()
            self.advance(min(now - self._last_s, LONGEST_PAUSE_S))
            self._last_s = now
        self._script()

    def _move_air(self, dt_s: float) -> None:
        """Air that each card takes in, from what its neighbours and the whole case gave off a step before."""
        heat = [card.exhaust_w(inlet) for card, inlet in zip(self.cards.values(), self._inlets_c, strict=True)]
        self._case_k += (CASE_K_PER_W * sum(heat) - self._case_k) * dt_s / CASE_TAU_S
        between = [0.0, *heat, 0.0]
        case_c = self._room_c + self._case_k
        full_w = sum(min(1.0, card.model.full_load) * card.model.power_limit_w for card in self.cards.values())
        power_w = sum(card.power_w for card in self.cards.values())
        self._warmed += (min(1.0, power_w / full_w) - self._warmed) * dt_s / CASE_TAU_S
        self._inlets_c = [
            case_c + NEIGHBOUR_K_PER_W * (between[i] + between[i + 2])
            if card.model.inlet_above_k is None
            else self._room_c + self._warmed * card.model.inlet_above_k
            for i, card in enumerate(self.cards.values())
        ]

    def _script(self) -> None:
        """Begins the faults whose time has come."""
        while self._pending and self._pending[0].at_s <= self._passed_s:
            fault = self._pending.pop(0)
            ids = list(self.cards) if fault.card is None else [list(self.cards)[fault.card]]
            if fault.kind.of_machine:
                self._weak_psu = True
            else:
                for id_ in ids:
                    self._tell_drill(fault, id_)
                    self._begin(fault, id_)
        if self._weak_psu and not self._dark:
            self._strain_psu()

    def _begin(self, fault: ScriptedFault, id_: str) -> None:
        card, counters = self.cards[id_], self._counters[id_]
        match fault.kind.word:
            case "ecc":
                counters.ecc_uncorrected += 1
                self._tell_xid(id_, 48)
            case "corrected":
                counters.memory_weak = True
            case "xid" | "lost":
                number = FALLEN_OFF if fault.value is None else fault.value
                self._tell_xid(id_, number)
                if number == FALLEN_OFF:
                    self._lost[id_] = tr("SIMULATED: the GPU is lost: it has fallen off the bus")
            case "hang":
                self._hanging = id_
            case "paste":
                card.paste_factor = 1 + (fault.value or 0) / 100
            case "fan":
                card.fan_stands = True
            case "throttle":
                card.held |= SLOWDOWN | HOT
            case "brake":
                card.held |= SLOWDOWN | BRAKE
            case "link":
                self._lanes[id_] = fault.value or 1
            case "aer":
                counters.link_disturbed = True
            case "frozen":
                self._frozen[id_] = None

    def _strain_psu(self) -> None:
        limit_w = sum(card.model.power_limit_w for card in self.cards.values())
        if sum(card.power_w for card in self.cards.values()) >= PSU_TRIPS_AT * limit_w:
            self._dark = True
            self._tell(Incident("reset", tr("SIMULATED: the PSU shut down under load."), "simulated"))

    def _tell_drill(self, fault: ScriptedFault, id_: str) -> None:
        """Nothing of a fault that is there from the start."""
        if fault.at_s:
            text = tr("SIMULATED: the fault {fault} begins.", fault=fault.words)
            self._tell(Incident("drill", text, "simulated", id_, severity=fault.words))

    def _tell_xid(self, id_: str, number: int) -> None:
        self._tell(
            Incident("xid", tr("SIMULATED: {sentence}", sentence=xid(number).sentence), "simulated", id_, number)
        )

    def _tell(self, incident: Incident) -> None:
        if self._report is not None:
            self._report(incident)

    def _shown(self, id_: str, card: SimulatedCard) -> Mapping[str, float | None]:
        if id_ not in self._frozen:
            return self._sample(id_, card)
        shown = self._frozen[id_] or self._sample(id_, card)
        self._frozen[id_] = shown
        return shown

    def _sample(self, id_: str, card: SimulatedCard) -> dict[str, float | None]:
        """Sensors round and tremble: whole degrees, 15 MHz steps, half a per cent of power."""
        model, noise = card.model, self._noise
        temperature = round(card.core_c + noise.gauss(0, 0.15))
        power = card.power_w * (1 + noise.gauss(0, 0.005))
        clock = 15 * round(min(card.clock_mhz + (noise.gauss(0, 5) if card.load else 0), model.boost_mhz) / 15)
        return {
            "temperature_c": temperature,
            "memory_temperature_c": None if model.memory_max_c is None else round(card.memory_c),
            "margin_c": model.max_c - temperature,
            "power_w": round(power, 2),
            "power_limit_w": model.power_limit_w,
            "clock_mhz": clock,
            "graphics_clock_mhz": clock,
            "memory_clock_mhz": model.memory_mhz if card.load else 405,
            "performance_state": 2 if card.load else 8,
            "utilisation_pct": min(round(100 * card.load), 100),
            "memory_used_mb": round(0.85 * model.memory_mb if card.load else 0.02 * model.memory_mb),
            "fan_pct": round(card.fan_pct) if model.fans else None,
            "fan_rpm": round(card.fan_pct / 100 * FULL_FAN_RPM) if model.fans else None,
            "throttle_mask": card.throttle_mask,
            "pcie_generation": model.pcie_generation if card.load else 1,
            "pcie_lanes": self._lanes[id_],
            **self._counters[id_].read(),
        }


LOWEST_LIMIT = 0.3
"""Of the power limit: how far it could be lowered."""
_ALL_REASONS = 0x1FF


def device_id(index: int, model: Model, faults: Iterable[ScriptedFault]) -> str:
    """SIM-2-rtx-3090; a slow card is SIM-2-rtx-3090-slow30, by which its load knows that it computes slower."""
    slow = [fault.value for fault in faults if fault.kind.word == "slow" and fault.card in (None, index)]
    return f"SIM-{index}-{model.key}" + (f"-slow{slow[-1]}" if slow else "")


def describe(index: int, model: Model, faults: Iterable[ScriptedFault] = ()) -> Device:
    """Marked as simulated. A card that will have memory errors counts them, even where the real one does not."""
    faults = list(faults)
    mine = [fault for fault in faults if fault.card in (None, index) and not fault.kind.of_machine]
    return Device(
        id=device_id(index, model, faults),
        kind=DeviceKind.GPU,
        name=model.name,
        simulated=True,
        index=index,
        bus_id=f"SIM:{index:02d}",
        slot=model.slot,
        simulated_rates=model.rates,
        memory_mb=model.memory_mb,
        power_limit_w=model.power_limit_w,
        power_limit_min_w=LOWEST_LIMIT * model.power_limit_w,
        power_limit_max_w=model.power_limit_w,
        temperature_target_c=model.target_c,
        temperature_slowdown_c=model.slowdown_c,
        temperature_shutdown_c=model.shutdown_c,
        temperature_max_c=model.max_c,
        memory_temperature_max_c=model.memory_max_c,
        pcie_generation_max=model.pcie_generation,
        pcie_generation_card=model.pcie_generation,
        pcie_lanes_max=model.lanes,
        clock_max_mhz=model.boost_mhz,
        ecc=model.has_ecc or any(fault.kind.word in ("ecc", "corrected") for fault in mine),
        mig=False,
        compute_mode="default",
        processes=0,
        fans=2 if model.fans else 0,
        throttle_reasons=_ALL_REASONS,
        detail={
            "simulated": tr("no real card is measured"),
            "peak": plain("{peak:g} TFLOPS", peak=model.tflops),
            **({"faults": joined((_words(fault) for fault in mine), ", ")} if mine else {}),
        },
    )


def _words(fault: ScriptedFault) -> str:
    what = fault.kind.word if fault.value is None else f"{fault.kind.word} {fault.value}"
    return tr("{fault} after {at_s:g} s", fault=what, at_s=fault.at_s) if fault.at_s else what
