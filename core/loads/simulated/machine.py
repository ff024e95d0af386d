"""The simulated load on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.loads.load import Ending, StepReport
from core.loads.machine.params import MachineParams
from core.loads.selftest import BIT_FLIP, CORRUPTED_TRANSFER, SEEN, SHARED_ADDRESS, STUCK_ADDRESS
from core.loads.simulated.models import SimulatedModel
from core.loads.simulated.series import CHECKS_PER_TICK, TICK_S, Series

TFLOPS = 0.5
SELF_TEST = dict.fromkeys((BIT_FLIP, STUCK_ADDRESS, SHARED_ADDRESS, CORRUPTED_TRANSFER), SEEN)


class SimulatedMachine(Series):
    """Processors at an even pace; memory and disk are named only."""

    def __init__(self, params: MachineParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._chosen = params.chosen
        del model

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """The throughput of the processors ten times a second."""
        for elapsed, faults in self._ticks(seconds):
            flop = self._rate(TFLOPS, elapsed) * 1e12 * TICK_S
            yield StepReport(flop=flop, busy_s=TICK_S, checks=CHECKS_PER_TICK, faults=faults)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        evidence: dict[str, Any] = {
            "parts": list(self._chosen),
            "not_run": {},
            "processors": {"count": 0, "pinned": False, "products": self._checks, "hashed_bytes": 0, "tflops": TFLOPS},
            "wrong_by_processor": {},
            "memory": {},
            "disk": None,
            "self_test": SELF_TEST,
        }
        return self._ending(evidence)
