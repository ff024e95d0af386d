"""The simulated load: it computes nothing, and tells believable figures for tests and demonstrations.

It takes the parameters of the real load, counts injected faults as that would, and can also "die" (the process ends
itself by SIGKILL) or "hang" (no further sign of life), `inject_at` s after the start. All that it says is marked
SIMULATED, wherever it goes.
"""

from __future__ import annotations

import math
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from core.loads.evidence import RunEvidence
from core.loads.findings import SEEN_BY_OTHERS, Findings, TriedFault
from core.loads.load import Fault, FaultKind, RankGroup, StepReport
from core.loads.params import LoadParams
from core.loads.simulated.rates import SimulatedModel
from core.loads.verified_load import VerifiedLoad
from core.words import tr

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


@dataclass(frozen=True, slots=True)
class Believable:
    """What a load might show. `step` is the tenth of a second that begins so many seconds after the start."""

    step: Callable[[float], StepReport]
    evidence: Callable[[], RunEvidence]
    self_test: tuple[TriedFault, ...] = ()
    enough_s: float = math.inf
    """It ends by itself after so long."""
    ended: Callable[[], bool] = lambda: False


class SimulatedLoad(VerifiedLoad[LoadParams]):
    """Pace, noise, injected faults; what `believe` makes of them is the load's own."""

    def __init__(
        self,
        believe: Callable[[SimulatedLoad, Any], Believable],
        params: LoadParams,
        model: SimulatedModel,
        *,
        device_id: str,
        group: RankGroup | None = None,
    ) -> None:
        super().__init__(params)
        self.model = model
        self.group = group or RankGroup(0, 1, "", (device_id,))
        self._random = random.Random(f"{device_id} {params.seed}")
        self.card = (1 + self._random.uniform(-0.006, 0.006)) * _kept_speed(device_id)
        """Cards of one model differ a little, and one that is slow by order a lot."""
        self.pace = 1.0
        """Share of its full speed that its clock allows now."""
        self._paces: list[float] = []
        self._believable = believe(self, params)
        for kind in self._believable.self_test:
            self._self_test.note(kind, seen=True)

    @property
    def seconds(self) -> float:
        """Given to it; 0 before it is under way."""
        return self._seconds

    @property
    def checks(self) -> int:
        """Counted so far."""
        return self._findings.checks

    @property
    def errors(self) -> int:
        """Injected so far."""
        return self._findings.errors

    @property
    def mean_pace(self) -> float:
        """Mean share of its full speed so far."""
        return sum(self._paces) / len(self._paces) if self._paces else 1.0

    def computing(self, tflops: float, elapsed: float, *, busy: float = 1.0) -> StepReport:
        """Products, for this share of the time."""
        return StepReport(flop=self.computed(tflops, elapsed) * 1e12 * TICK_S * busy, busy_s=TICK_S * busy)

    def moving(self, gbps: float, elapsed: float) -> StepReport:
        """Data read, written or sent."""
        return StepReport(busy_s=TICK_S, moved_bytes=int(self._rate(gbps, elapsed) * 1e9 * TICK_S))

    def computed(self, nominal: float, elapsed: float) -> float:
        """A rate of computing, which follows the clock; that of memory and links does not."""
        return self.pace * self._rate(nominal, elapsed)

    def _rate(self, nominal: float, elapsed: float) -> float:
        """A cold card starts 2 % faster than it runs when warm, and no second is quite like the last."""
        return nominal * self.card * (1 + 0.02 * math.exp(-elapsed / 60)) * self._random.gauss(1, 0.002)

    def _run(self) -> Iterator[StepReport]:
        """Ten steps a second, with the faults of that moment."""
        seconds = min(self._seconds, self._believable.enough_s)
        while (elapsed := time.monotonic() - self._began_s) < seconds and not self._believable.ended():
            if self._drill.kind in SEEN_BY_OTHERS and not self._drill.times:
                self._drill.strike(tr("the first weights"))
            self._fail_as_a_process(elapsed)
            faults = self._faults(self.checks)
            for fault in faults:
                self._drill.strike(tr("check {number}", number=self.checks), fault.count)
                self._drill.note_finding(fault.message)
                self._findings.errors += fault.count
            self._findings.checks += CHECKS_PER_TICK
            self._paces.append(self.pace)
            yield replace(self._believable.step(elapsed), checks=CHECKS_PER_TICK, faults=faults)
            time.sleep(min(TICK_S, max(seconds - elapsed, 0.0)))

    def _faults(self, iteration: int) -> tuple[Fault, ...]:
        kind, at = self._drill.kind, self._drill.at
        due = iteration <= at < iteration + CHECKS_PER_TICK
        if kind in AGAIN_AND_AGAIN and (due or iteration > at):
            return (_injected(*AGAIN_AND_AGAIN[kind], count=CHECKS_PER_TICK),)
        if not due or not kind or kind in (*PROCESS_FAULTS, *SEEN_BY_OTHERS):
            return ()
        return (_injected(*ONCE.get(kind, (FaultKind.MISMATCH, tr("a fault of the kind {kind}", kind=kind))), count=1),)

    def _fail_as_a_process(self, elapsed: float) -> None:
        if self._drill.kind not in PROCESS_FAULTS or elapsed < self._drill.at:
            return
        if self._drill.kind == "die":
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        while True:
            time.sleep(60)

    def _evidence(self) -> RunEvidence:
        return replace(self._believable.evidence(), simulated=True)

    def _wrong(self, findings: Findings) -> str:
        return tr("SIMULATED: {errors} wrong results were injected on purpose.", errors=findings.errors)

    def _unfinished(self) -> None:
        return None

    def _passed(self) -> str:
        return tr("SIMULATED: nothing was computed, {checks} checks were counted.", checks=self.checks)


def _injected(kind: FaultKind, what: str, *, count: int) -> Fault:
    return Fault(kind, tr("SIMULATED: {fault} (injected on purpose).", fault=what), count)


def _kept_speed(device_id: str) -> float:
    """Share of its speed that a card keeps; "SIM-1-rtx-3090-slow30" is 30 % slower than its like."""
    slow = re.search(r"-slow(\d+)$", device_id)
    return max(1 - int(slow[1]) / 100, 0.01) if slow else 1.0
