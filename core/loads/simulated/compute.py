"""The simulated loads that compute: matrix products and training."""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.errors import BadInput
from core.loads.load import Ending, StepReport
from core.loads.params import GemmParams, TransformerParams
from core.loads.simulated.models import SimulatedModel
from core.loads.simulated.series import CHECKS_PER_TICK, TICK_S, Series

FIRST_LOSS, LAST_LOSS, LOSS_FALLS_IN_S = 9.0, 0.05, 30.0


class SimulatedGemm(Series):
    """The number formats one after another, each for its share of the time."""

    def __init__(self, params: GemmParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._tflops = _named_rates(params.dtypes, model)

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


class SimulatedTransformer(Series):
    """A loss that falls and a training speed."""

    def __init__(self, params: TransformerParams, model: SimulatedModel, *, device_id: str) -> None:
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


def _named_rates(dtypes: str, model: SimulatedModel) -> dict[str, float]:
    """The model's speeds in the formats asked for, in that order; all for an empty list."""
    wanted = [name.strip() for name in dtypes.split(",") if name.strip()] or list(model.tflops)
    missing = [name for name in wanted if name not in model.tflops]
    if missing:
        raise BadInput(f"The simulated {model.title} does not offer {', '.join(missing)}.")
    return {name: model.tflops[name] for name in wanted}
