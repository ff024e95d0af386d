"""Loads that compute nothing: believable series for tests and demonstrations, marked SIMULATED wherever they go.

They take the parameters of the real loads, count injected faults as the real ones would, and can also "die" (the
process ends itself by SIGKILL) or "hang" (no further sign of life), both `inject_at` seconds after the start.
"""

from __future__ import annotations

import math
import os
import random
import signal
import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from core.errors import BadInput
from core.loads.load import Bench, Ending, Fault, FaultKind, Load, Status, StepReport
from core.loads.params import GemmParams, LoadParams, TransformerParams, checked
from core.loads.simulated_models import SimulatedModel, find_model

TICK_S = 0.1
CHECKS_PER_TICK = 4
FIRST_LOSS, LAST_LOSS, LOSS_FALLS_IN_S = 9.0, 0.05, 30.0
PROCESS_FAULTS = ("die", "hang")
RESULT_FAULTS = ("bitflip", "nan", "repeatable")


class SimulatedGemmParams(GemmParams):
    """As for the real load, with the ways in which a process can fail."""

    injectable: ClassVar[tuple[str, ...]] = (*RESULT_FAULTS, *PROCESS_FAULTS)


class SimulatedTransformerParams(TransformerParams):
    """As for the real load, with the ways in which a process can fail."""

    injectable: ClassVar[tuple[str, ...]] = (*RESULT_FAULTS, *PROCESS_FAULTS)


def open_simulated(words: str, *, device_id: str) -> Bench:
    """A simulated device of the model that `words` name."""
    model = find_model(words)
    make = partial(_make, model=model, device_id=device_id)
    return Bench(f"{words} (SIMULATED)", "simulated", make=make, detail={"simulated": "nothing is computed"})


def _make(name: str, params: Mapping[str, Any], *, model: SimulatedModel, device_id: str) -> Load:
    match name:
        case "gemm":
            gemm = checked(SimulatedGemmParams, params)
            return SimulatedGemm(gemm, _named_rates(gemm.dtypes, model), device_id=device_id)
        case "transformer":
            return SimulatedTransformer(checked(SimulatedTransformerParams, params), model, device_id=device_id)
        case _:
            raise BadInput(f"There is no load {name!r}. Choose from gemm, transformer.")


def _named_rates(dtypes: str, model: SimulatedModel) -> dict[str, float]:
    """The model's speeds in the formats asked for, in that order; all for an empty list."""
    wanted = [name.strip() for name in dtypes.split(",") if name.strip()] or list(model.tflops)
    missing = [name for name in wanted if name not in model.tflops]
    if missing:
        raise BadInput(f"The simulated {model.title} does not offer {', '.join(missing)}.")
    return {name: model.tflops[name] for name in wanted}


class _Series:
    """What the simulated loads share: pace, noise, injected faults, the ending."""

    def __init__(self, params: LoadParams, device_id: str) -> None:
        self._params = params
        self._random = random.Random(f"{device_id} {params.seed}")
        self._card = 1 + self._random.uniform(-0.006, 0.006)
        """Cards of one model differ a little."""
        self._checks = 0
        self._errors = 0

    def shrink(self) -> bool:
        """There is no memory to run out of."""
        return False

    def _ticks(self, seconds: float) -> Iterator[tuple[float, tuple[Fault, ...]]]:
        """Seconds since the start ten times a second, with the faults of that moment."""
        started = time.monotonic()
        iteration = 0
        while (elapsed := time.monotonic() - started) < seconds:
            self._fail_as_a_process(elapsed)
            faults = self._faults(iteration)
            self._checks += CHECKS_PER_TICK
            self._errors += sum(fault.count for fault in faults)
            yield elapsed, faults
            iteration += CHECKS_PER_TICK
            time.sleep(min(TICK_S, max(seconds - elapsed, 0.0)))

    def _rate(self, nominal: float, elapsed: float) -> float:
        """A cold card starts 2 % faster than it runs when warm, and no second is quite like the last."""
        return nominal * self._card * (1 + 0.02 * math.exp(-elapsed / 60)) * self._random.gauss(1, 0.002)

    def _faults(self, iteration: int) -> tuple[Fault, ...]:
        kind = self._params.inject
        due = iteration <= self._params.inject_at < iteration + CHECKS_PER_TICK
        if kind == "repeatable" and (due or iteration > self._params.inject_at):
            return (self._fault(FaultKind.MISMATCH, "the known answer was not given", count=CHECKS_PER_TICK),)
        if not due:
            return ()
        match kind:
            case "bitflip":
                return (self._fault(FaultKind.MISMATCH, "1 element is wrong", count=1),)
            case "nan":
                return (self._fault(FaultKind.NAN, "1 element is NaN", count=1),)
            case _:
                return ()

    def _fault(self, kind: FaultKind, what: str, *, count: int) -> Fault:
        return Fault(kind, f"SIMULATED: {what} (injected on purpose).", count)

    def _fail_as_a_process(self, elapsed: float) -> None:
        if self._params.inject not in PROCESS_FAULTS or elapsed < self._params.inject_at:
            return
        if self._params.inject == "die":
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        while True:
            time.sleep(60)

    def _ending(self, evidence: dict[str, Any]) -> Ending:
        marked: dict[str, Any] = {"simulated": True, "checks": self._checks, "errors": self._errors, **evidence}
        if self._params.inject:
            marked["injected_on_purpose"] = {
                "kind": self._params.inject,
                "from_iteration": self._params.inject_at,
                "times": self._errors,
            }
        if self._errors:
            reason = f"SIMULATED: {self._errors} wrong results were injected on purpose."
            return Ending(Status.FAILED, reason, marked)
        return Ending(Status.PASSED, f"SIMULATED: nothing was computed, {self._checks} checks were counted.", marked)


class SimulatedGemm(_Series):
    """The number formats one after another, each for its share of the time."""

    def __init__(self, params: SimulatedGemmParams, tflops: Mapping[str, float], *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._tflops = tflops

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """The throughput of the format whose turn it is."""
        nominal = list(self._tflops.values())
        for elapsed, faults in self._ticks(seconds):
            turn = min(int(elapsed / seconds * len(nominal)), len(nominal) - 1)
            flop = self._rate(nominal[turn], elapsed) * 1e12 * TICK_S
            yield StepReport(flop=flop, busy_s=TICK_S, checks=CHECKS_PER_TICK, faults=faults)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        rates = {name: round(rate * self._card, 3) for name, rate in self._tflops.items()}
        return self._ending({"rates": rates, "rate_unit": "TFLOP/s"})


class SimulatedTransformer(_Series):
    """A loss that falls and a training speed."""

    def __init__(self, params: SimulatedTransformerParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._tokens_per_s = model.tokens_per_s
        self._flop_per_token = 6 * 63e6

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Speed and loss ten times a second."""
        for elapsed, faults in self._ticks(seconds):
            tokens = round(self._rate(self._tokens_per_s, elapsed) * TICK_S)
            loss = LAST_LOSS + (FIRST_LOSS - LAST_LOSS) * math.exp(-5 * elapsed / min(LOSS_FALLS_IN_S, seconds))
            yield StepReport(
                flop=tokens * self._flop_per_token,
                busy_s=TICK_S,
                checks=CHECKS_PER_TICK,
                faults=faults,
                tokens=tokens,
                loss=loss,
            )

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        tokens_per_s = round(self._tokens_per_s * self._card, 1)
        rates = {"training": tokens_per_s}
        return self._ending({"rates": rates, "rate_unit": "tokens/s", "tokens_per_s": tokens_per_s})
