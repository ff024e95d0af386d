"""What all simulated loads share: believable series for tests and demonstrations, marked SIMULATED wherever they go.

They compute nothing, take the parameters of the real loads, count injected faults as the real ones would, and can
also "die" (the process ends itself by SIGKILL) or "hang" (no further sign of life), `inject_at` s after the start.
"""

from __future__ import annotations

import math
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from core.language import tr
from core.loads.drill import SEEN_BY_OTHERS, Drill, proven
from core.loads.evidence import RunEvidence
from core.loads.load import Ending, Fault, FaultKind, LoadStatus, StepReport
from core.loads.params import LoadParams

TICK_S = 0.1
CHECKS_PER_TICK = 4
PROCESS_FAULTS = ("die", "hang")
RESULT_FAULTS = ("bitflip", "nan", "repeatable")
ONCE = {
    "bitflip": (FaultKind.MISMATCH, tr("1 element is wrong")),
    "nan": (FaultKind.NAN, tr("1 element is NaN")),
    "corrupt": (FaultKind.MISMATCH, tr("1 transfer arrived with a different checksum")),
    "diverge": (FaultKind.MISMATCH, tr("the weights of this replica differ from those of the others")),
}
AGAIN_AND_AGAIN = {
    "repeatable": (FaultKind.MISMATCH, tr("the result is not the known answer")),
    "stuck": (FaultKind.MISMATCH, tr("a word of memory cannot be changed")),
    "stuck_bit": (FaultKind.MISMATCH, tr("a bit of memory cannot be cleared")),
    "shared": (FaultKind.MISMATCH, tr("two addresses of memory share a cell")),
}


@cache
def with_process_faults(params: type[LoadParams]) -> type[LoadParams]:
    """The parameters of a real load, with the ways in which a simulated process can fail."""
    injectable = dict.fromkeys((*params.injectable, *RESULT_FAULTS, *PROCESS_FAULTS))
    return type(f"Simulated{params.__name__}", (params,), {"injectable": tuple(injectable), "__doc__": params.__doc__})


class Series:
    """Pace, noise, injected faults, the ending."""

    def __init__(self, params: LoadParams, device_id: str) -> None:
        self._params = params
        self._drill = Drill(params.inject, params.inject_at)
        self._random = random.Random(f"{device_id} {params.seed}")
        self._card = (1 + self._random.uniform(-0.006, 0.006)) * _kept_speed(device_id)
        """Cards of one model differ a little, and one that is slow by order a lot."""
        self.pace = 1.0
        """Share of its full speed that its clock allows now."""
        self._paces: list[float] = []
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
            if self._drill.kind in SEEN_BY_OTHERS and not self._drill.times:
                self._drill.strike(tr("the first weights"))
            self._fail_as_a_process(elapsed)
            faults = self._faults(iteration)
            for fault in faults:
                self._drill.strike(tr("check {number}", number=iteration), fault.count)
                self._drill.found(fault.message)
            self._checks += CHECKS_PER_TICK
            self._paces.append(self.pace)
            self._errors += sum(fault.count for fault in faults)
            yield elapsed, faults
            iteration += CHECKS_PER_TICK
            time.sleep(min(TICK_S, max(seconds - elapsed, 0.0)))

    def _computing(
        self, seconds: float, tflops: Callable[[float], float], *, busy: float = 1.0
    ) -> Iterator[StepReport]:
        """Products at the speed of each moment, for this share of the time."""
        for elapsed, faults in self._ticks(seconds):
            flop = self._computed(tflops(elapsed), elapsed) * 1e12 * TICK_S * busy
            yield StepReport(flop=flop, busy_s=TICK_S * busy, checks=CHECKS_PER_TICK, faults=faults)

    def _moving(self, seconds: float, gbps: Callable[[float], float]) -> Iterator[StepReport]:
        """Data at the rate of each moment."""
        for elapsed, faults in self._ticks(seconds):
            moved = int(self._rate(gbps(elapsed), elapsed) * 1e9 * TICK_S)
            yield StepReport(busy_s=TICK_S, checks=CHECKS_PER_TICK, faults=faults, moved_bytes=moved)

    @property
    def _kept(self) -> float:
        """Mean share of its full speed so far."""
        return sum(self._paces) / len(self._paces) if self._paces else 1.0

    def _computed(self, nominal: float, elapsed: float) -> float:
        """A rate of computing, which follows the clock; that of memory and links does not."""
        return self.pace * self._rate(nominal, elapsed)

    def _rate(self, nominal: float, elapsed: float) -> float:
        """A cold card starts 2 % faster than it runs when warm, and no second is quite like the last."""
        return nominal * self._card * (1 + 0.02 * math.exp(-elapsed / 60)) * self._random.gauss(1, 0.002)

    def _faults(self, iteration: int) -> tuple[Fault, ...]:
        kind = self._params.inject
        due = iteration <= self._params.inject_at < iteration + CHECKS_PER_TICK
        if kind in AGAIN_AND_AGAIN and (due or iteration > self._params.inject_at):
            return (self._fault(*AGAIN_AND_AGAIN[kind], count=CHECKS_PER_TICK),)
        if not due or not kind or kind in (*PROCESS_FAULTS, *SEEN_BY_OTHERS):
            return ()
        return (
            self._fault(*ONCE.get(kind, (FaultKind.MISMATCH, tr("a fault of the kind {kind}", kind=kind))), count=1),
        )

    def _fault(self, kind: FaultKind, what: str, *, count: int) -> Fault:
        return Fault(kind, tr("SIMULATED: {fault} (injected on purpose).", fault=what), count)

    def _fail_as_a_process(self, elapsed: float) -> None:
        if self._params.inject not in PROCESS_FAULTS or elapsed < self._params.inject_at:
            return
        if self._params.inject == "die":
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        while True:
            time.sleep(60)

    def _ending(self, evidence: RunEvidence) -> Ending:
        params = self._params
        marked = replace(
            evidence,
            simulated=True,
            seed=params.seed,
            checks=self._checks,
            errors=self._errors,
            injected_on_purpose=self._drill.evidence(),
        )
        if self._errors:
            reason = tr("SIMULATED: {errors} wrong results were injected on purpose.", errors=self._errors)
            return Ending(LoadStatus.FAILED, reason, marked)
        done = tr("SIMULATED: nothing was computed, {checks} checks were counted.", checks=self._checks)
        return proven(Ending(LoadStatus.PASSED, done, marked))


def _kept_speed(device_id: str) -> float:
    """Share of its speed that a card keeps; "SIM-1-rtx-3090-slow30" is 30 % slower than its like."""
    slow = re.search(r"-slow(\d+)$", device_id)
    return max(1 - int(slow[1]) / 100, 0.01) if slow else 1.0
