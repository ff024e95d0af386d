"""The simulated loads on links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.loads.load import Ending, StepReport
from core.loads.memory.params import HostLinkParams
from core.loads.selftest import CORRUPTED_TRANSFER, SEEN
from core.loads.simulated.models import SimulatedModel
from core.loads.simulated.series import CHECKS_PER_TICK, TICK_S, Series

DIRECTIONS = {"to_device": 1.0, "to_host": 1.03, "both": 1.7}
"""With the share of one way's rate that each reaches."""


class SimulatedHostLink(Series):
    """One direction after another at the rate of the model's link."""

    def __init__(self, params: HostLinkParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._buffer_bytes = params.buffer_mib * 2**20
        self._per_round = params.transfers * len(DIRECTIONS)
        self._gbps = model.link_gbps

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Bandwidth ten times a second."""
        shares = list(DIRECTIONS.values())
        for elapsed, faults in self._ticks(seconds):
            share = shares[int(elapsed) % len(shares)]
            moved = int(self._rate(self._gbps * share, elapsed) * 1e9 * TICK_S)
            yield StepReport(busy_s=TICK_S, checks=CHECKS_PER_TICK, faults=faults, moved_bytes=moved)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        evidence: dict[str, Any] = {
            "buffer_bytes": self._buffer_bytes,
            "pinned": True,
            "near_processors": 0,
            "rounds": max(self._checks // self._per_round, 1),
            "transfers": self._checks,
            "rates": {name: round(self._gbps * share * self._card, 3) for name, share in DIRECTIONS.items()},
            "rate_unit": "GB/s",
            "self_test": {CORRUPTED_TRANSFER: SEEN},
        }
        return self._ending(evidence)
