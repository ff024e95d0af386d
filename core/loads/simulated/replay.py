"""The simulated replay: hashes that all cards of a model share, but for one in which a fault was injected."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from core.loads.load import Ending, StepReport
from core.loads.selftest import BIT_FLIP, SEEN
from core.loads.simulated.models import SimulatedModel
from core.loads.simulated.series import CHECKS_PER_TICK, TICK_S, Series
from core.loads.training.params import REPLAY_VOUCHES_FOR, Precision, ReplayParams, default_precision

STEPS_PER_S = 40.0
FLOP_PER_STEP = 1.6e12
TOKENS_PER_STEP = 4096
AMPERE = (8, 0)


class SimulatedReplay(Series):
    """Runs of so many steps, one after another. "deviant" gives this card other hashes than its twins have."""

    def __init__(self, params: ReplayParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._asked = params
        self._model = model
        self._precision: Precision = params.precision or default_precision(AMPERE)
        self._steps = 0

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """As many runs as were asked for fit into any time: nothing is computed."""
        for elapsed, faults in self._ticks(seconds):
            steps = round(self._rate(STEPS_PER_S, elapsed) * TICK_S)
            self._steps += steps
            yield StepReport(
                flop=steps * FLOP_PER_STEP,
                busy_s=TICK_S,
                checks=CHECKS_PER_TICK,
                faults=faults,
                tokens=steps * TOKENS_PER_STEP,
                training_steps=steps,
            )

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        asked = self._asked
        precision = self._precision.computed(recurrent_in_fp16=self._precision.half and asked.network == "lstm")
        deviant = "deviant" if asked.inject == "deviant" else ""
        told = f"{deviant}{self._model.title} {asked.network} {precision} {asked.seed} {asked.steps}"
        losses, weights = (hashlib.sha256(f"{told} {what}".encode()).hexdigest()[:33] for what in ("losses", "weights"))
        replay: dict[str, Any] = {
            "device": f"{self._model.title} (SIMULATED)",
            "torch": "SIMULATED",
            "cuda": None,
            "network": asked.network,
            "shape": {},
            "precision": precision,
            "seed": asked.seed,
            "steps": asked.steps,
            "threads": None,
            "loss_hash": losses,
            "weight_hash": weights,
        }
        return self._ending(
            {
                "replay": replay,
                "network": asked.network,
                "precision": precision,
                "vouches_for": list(REPLAY_VOUCHES_FOR),
                "seed": asked.seed,
                "runs": asked.runs,
                "steps": self._steps,
                "states_compared": self._steps // 10,
                "self_test": {BIT_FLIP: SEEN},
            }
        )
