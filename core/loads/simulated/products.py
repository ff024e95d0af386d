"""The simulated loads that multiply matrices."""

from __future__ import annotations

from collections.abc import Iterator

from core.loads.load import Ending, StepReport
from core.loads.products.evidence import GemmEvidence, KnownAnswerEvidence, TransientsEvidence
from core.loads.products.params import GemmParams, KnownAnswerParams, TransientsParams
from core.loads.products.transients_plan import Segment, SegmentTiming, planned
from core.loads.products.turns import FormatTurn, Rotation, format_of, names_in, turns
from core.loads.selftest import BIT_FLIP, EVERY_KIND, NAN, REPEATABLE, SEEN
from core.loads.simulated.rates import BESIDE_MEMORY, SimulatedModel, named_rates
from core.loads.simulated.series import CHECKS_PER_TICK, TICK_S, Series

SIZE = 8192
GEMM_CHECK_EVERY = 8
KNOWN_ANSWER_SIZE = 4096
KNOWN_ANSWER_DEPTH, KNOWN_ANSWER_DEPTH_FP8 = 8192, 512
HOST_ROWS = 32
SELF_TEST = dict.fromkeys((BIT_FLIP, NAN, REPEATABLE), SEEN)
EVERY_SELF_TEST = dict.fromkeys(EVERY_KIND, SEEN)


class SimulatedGemm(Series):
    """The number formats in their turns."""

    def __init__(self, params: GemmParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        asked = names_in(params.dtypes)
        self._offered = named_rates(",".join(map(format_of, asked)), model)
        self._asked = asked or tuple(self._offered)
        self._rotation = Rotation(params.rotate_s, params.first_s)
        self._beside_pct = params.beside_memory_pct
        self._size = params.size or SIZE
        self._check_every = params.check_every
        self._turns: list[FormatTurn] = []

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """The throughput of the format whose turn it is."""
        self._turns = list(turns(self._asked, seconds, rotation=self._rotation, beside_pct=self._beside_pct))
        return self._computing(seconds, lambda elapsed: self._tflops(self._turn_at(elapsed).name))

    def _turn_at(self, elapsed: float) -> FormatTurn:
        return next((turn for turn in self._turns if elapsed < turn.until_s), self._turns[-1])

    def _tflops(self, name: str) -> float:
        nominal = self._offered[format_of(name)]
        return nominal if name == format_of(name) else BESIDE_MEMORY * nominal

    def _periods(self) -> dict[str, tuple[float, float]]:
        """The first turn of each."""
        found: dict[str, tuple[float, float]] = {}
        began_s = 0.0
        for turn in self._turns:
            found.setdefault(turn.name, (began_s, turn.until_s))
            began_s = turn.until_s
        return found

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        names = list(dict.fromkeys(turn.name for turn in self._turns)) or list(self._asked)
        plain = [name for name in names if name == format_of(name)]
        kept = self._card * self._kept
        evidence = GemmEvidence(
            self_test=SELF_TEST,
            periods=self._periods(),
            sizes=dict.fromkeys(names, self._size),
            sizes_tried=(self._size,),
            products=self._checks * self._check_every,
            compared_pct=dict.fromkeys(names, round(100 / self._check_every, 1)),
            results_in_memory=dict.fromkeys(names, 1),
            known_answers=dict.fromkeys(names, 2),
            rates={name: round(self._tflops(name) * kept, 3) for name in plain},
            beside_memory_tflops={
                format_of(name): round(self._tflops(name) * kept, 3) for name in names if name not in plain
            },
            rate_unit="TFLOPS",
            verification_pct=1.0,
            not_available={},
        )
        return self._ending(evidence)


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
        evidence = KnownAnswerEvidence(
            self_test=EVERY_SELF_TEST,
            shapes={name: (self._size, depth, self._size) for name, depth in depths.items()},
            products=dict.fromkeys(self._tflops, self._iterations),
            asked_for=self._iterations,
            rows_computed_on_the_host=HOST_ROWS,
            checksums={},
            not_available={},
        )
        return self._ending(evidence)


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
        return self._computing(seconds, lambda _: self._tflops, busy=self._wanted.duty_pct / 100)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        segments, left_out = planned(self._wanted, self._seconds)
        evidence = TransientsEvidence(
            self_test=dict.fromkeys((BIT_FLIP, NAN), SEEN),
            format=self._format,
            segments={segment.name: _as_planned(segment).evidence() for segment in segments},
            left_out=tuple(segment.name for segment in left_out),
            products=self._checks * GEMM_CHECK_EVERY,
            compared_pct=round(100 / GEMM_CHECK_EVERY, 1),
        )
        return self._ending(evidence)


def _as_planned(segment: Segment) -> SegmentTiming:
    kept = SegmentTiming(segment, SIZE)
    for cycle in range(max(int(segment.seconds / segment.period_s) - 1, 1)):
        start = cycle * segment.period_s
        kept.phase(start, start, start + segment.on_s)
    return kept
