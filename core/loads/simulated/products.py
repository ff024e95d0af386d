"""The simulated loads that multiply matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.errors import BadInput
from core.loads.load import Ending, StepReport
from core.loads.params import GemmParams, KnownAnswerParams, TransientsParams
from core.loads.selftest import BIT_FLIP, EVERY_KIND, NAN, REPEATABLE, SEEN
from core.loads.simulated.models import SimulatedModel
from core.loads.simulated.series import CHECKS_PER_TICK, TICK_S, Series
from core.loads.transients_plan import Kept, Segment, planned

SIZE = 8192
GEMM_CHECK_EVERY = 8
KNOWN_ANSWER_SIZE = 4096
KNOWN_ANSWER_DEPTH, KNOWN_ANSWER_DEPTH_FP8 = 8192, 512
HOST_ROWS = 32
SELF_TEST = {"self_test": dict.fromkeys((BIT_FLIP, NAN, REPEATABLE), SEEN)}
EVERY_SELF_TEST = {"self_test": dict.fromkeys(EVERY_KIND, SEEN)}


class SimulatedGemm(Series):
    """The number formats one after another, each for its share of the time."""

    def __init__(self, params: GemmParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._tflops = named_rates(params.dtypes, model)
        self._size = params.size or SIZE
        self._check_every = params.check_every
        self._seconds = 0.0

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """The throughput of the format whose turn it is."""
        self._seconds = seconds
        nominal = list(self._tflops.values())
        for elapsed, faults in self._ticks(seconds):
            turn = min(int(elapsed / seconds * len(nominal)), len(nominal) - 1)
            flop = self._rate(nominal[turn], elapsed) * 1e12 * TICK_S
            yield StepReport(flop=flop, busy_s=TICK_S, checks=CHECKS_PER_TICK, faults=faults)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        share_s = self._seconds / len(self._tflops)
        evidence: dict[str, Any] = {
            "periods": {name: (turn * share_s, (turn + 1) * share_s) for turn, name in enumerate(self._tflops)},
            "sizes": dict.fromkeys(self._tflops, self._size),
            "sizes_tried": [self._size],
            "products": self._checks * self._check_every,
            "compared_pct": dict.fromkeys(self._tflops, round(100 / self._check_every, 1)),
            "results_in_memory": dict.fromkeys(self._tflops, 1),
            "known_answers": dict.fromkeys(self._tflops, 2),
            "rates": {name: round(rate * self._card, 3) for name, rate in self._tflops.items()},
            "rate_unit": "TFLOP/s",
            "verification_pct": 1.0,
            "not_available": {},
        }
        return self._ending({**evidence, **SELF_TEST})


class SimulatedKnownAnswer(Series):
    """Four products a tick until every format has given its own."""

    def __init__(self, params: KnownAnswerParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._tflops = named_rates(params.dtypes, model)
        self._size = params.size or KNOWN_ANSWER_SIZE
        self._iterations = params.iterations

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """As many products as were asked for, in less time if there is less."""
        needed = self._iterations * len(self._tflops) / CHECKS_PER_TICK * TICK_S
        for _, faults in self._ticks(min(seconds, needed)):
            yield StepReport(busy_s=TICK_S, checks=CHECKS_PER_TICK, faults=faults)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        deep = KNOWN_ANSWER_DEPTH * self._size // KNOWN_ANSWER_SIZE
        depths = {name: min(deep, KNOWN_ANSWER_DEPTH_FP8) if name == "float8" else deep for name in self._tflops}
        evidence: dict[str, Any] = {
            "shapes": {name: [self._size, depth, self._size] for name, depth in depths.items()},
            "products": dict.fromkeys(self._tflops, self._iterations),
            "asked_for": self._iterations,
            "rows_computed_on_the_host": HOST_ROWS,
            "checksums": {},
            "not_available": {},
        }
        return self._ending({**evidence, **EVERY_SELF_TEST})


class SimulatedTransients(Series):
    """Half of the speed on average, in the segments that fit into the time."""

    def __init__(self, params: TransientsParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._wanted = params
        [(self._format, self._tflops)] = named_rates(params.dtype or "float16", model).items()
        self._seconds = 0.0

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """The throughput while load is on."""
        self._seconds = seconds
        for elapsed, faults in self._ticks(seconds):
            flop = self._rate(self._tflops, elapsed) * 1e12 * TICK_S * self._wanted.duty_pct / 100
            busy_s = TICK_S * self._wanted.duty_pct / 100
            yield StepReport(flop=flop, busy_s=busy_s, checks=CHECKS_PER_TICK, faults=faults)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        segments, left_out = planned(self._wanted, self._seconds)
        evidence: dict[str, Any] = {
            "format": self._format,
            "segments": {segment.name: _as_planned(segment).evidence() for segment in segments},
            "left_out": [segment.name for segment in left_out],
            "products": self._checks * GEMM_CHECK_EVERY,
            "compared_pct": round(100 / GEMM_CHECK_EVERY, 1),
            "self_test": dict.fromkeys((BIT_FLIP, NAN), SEEN),
        }
        return self._ending(evidence)


def _as_planned(segment: Segment) -> Kept:
    kept = Kept(segment, SIZE)
    for cycle in range(max(int(segment.seconds / segment.period_s) - 1, 1)):
        start = cycle * segment.period_s
        kept.phase(start, start, start + segment.on_s)
    return kept


def named_rates(dtypes: str, model: SimulatedModel) -> dict[str, float]:
    """The model's speeds in the formats asked for, in that order; all for an empty list. Raises BadInput."""
    wanted = [name.strip() for name in dtypes.split(",") if name.strip()] or list(model.tflops)
    missing = [name for name in wanted if name not in model.tflops]
    if missing:
        raise BadInput(f"The simulated {model.title} does not offer {', '.join(missing)}.")
    return {name: model.tflops[name] for name in wanted}
