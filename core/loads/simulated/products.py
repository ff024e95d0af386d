"""Believable figures of the loads that multiply matrices."""

from __future__ import annotations

from core.loads.load import StepReport
from core.loads.products.contract import (
    GemmEvidence,
    GemmParams,
    KnownAnswerEvidence,
    KnownAnswerParams,
    TransientsEvidence,
    TransientsParams,
)
from core.loads.products.transients_plan import Segment, SegmentTiming, planned
from core.loads.products.turns import FormatTurn, Rotation, format_of, names_in, turns
from core.loads.selftest import BIT_FLIP, EVERY_KIND, NAN, REPEATABLE
from core.loads.simulated.load import CHECKS_PER_TICK, TICK_S, Believable, SimulatedLoad
from core.loads.simulated.rates import BESIDE_MEMORY, named_rates

SIZE = 8192
GEMM_CHECK_EVERY = 8
KNOWN_ANSWER_SIZE = 4096
KNOWN_ANSWER_DEPTH, KNOWN_ANSWER_DEPTH_FP8 = 8192, 512
HOST_ROWS = 32


def gemm(load: SimulatedLoad, params: GemmParams) -> Believable:
    """The number formats in their turns."""
    asked = names_in(params.dtypes)
    offered = named_rates(",".join(map(format_of, asked)), load.model)
    rotation = Rotation(params.rotate_s, params.first_s)
    in_turns: list[FormatTurn] = []

    def tflops(name: str) -> float:
        nominal = offered[format_of(name)]
        return nominal if name == format_of(name) else BESIDE_MEMORY * nominal

    def step(elapsed: float) -> StepReport:
        if not in_turns:
            names = asked or tuple(offered)
            in_turns.extend(turns(names, load.seconds, rotation=rotation, beside_pct=params.beside_memory_pct))
        turn = next((turn for turn in in_turns if elapsed < turn.until_s), in_turns[-1])
        return load.computing(tflops(turn.name), elapsed)

    def evidence() -> GemmEvidence:
        names = list(dict.fromkeys(turn.name for turn in in_turns)) or list(asked or offered)
        speed = load.card * load.mean_pace
        rates = {name: round(tflops(name) * speed, 3) for name in names}
        starts = [0.0, *(turn.until_s for turn in in_turns)]
        periods: dict[str, tuple[float, float]] = {}
        for began_s, turn in zip(starts, in_turns, strict=False):
            periods.setdefault(turn.name, (began_s, turn.until_s))
        return GemmEvidence(
            periods=periods,
            sizes=dict.fromkeys(names, params.size or SIZE),
            sizes_tried=(params.size or SIZE,),
            products=load.checks * params.check_every,
            compared_pct=dict.fromkeys(names, round(100 / params.check_every, 1)),
            results_in_memory=dict.fromkeys(names, 1),
            known_answers=dict.fromkeys(names, 2),
            rates={name: rate for name, rate in rates.items() if name == format_of(name)},
            beside_memory_tflops={format_of(name): rate for name, rate in rates.items() if name != format_of(name)},
            rate_unit="TFLOPS",
            verification_pct=1.0,
            not_available={},
        )

    return Believable(step, evidence, (BIT_FLIP, NAN, REPEATABLE))


def known_answer(load: SimulatedLoad, params: KnownAnswerParams) -> Believable:
    """Four products a tick until every format has given as many as were asked for, in less time if there is less."""
    names = list(named_rates(params.dtypes, load.model))
    size = params.size or KNOWN_ANSWER_SIZE
    deep = KNOWN_ANSWER_DEPTH * size // KNOWN_ANSWER_SIZE
    depths = {name: min(deep, KNOWN_ANSWER_DEPTH_FP8) if name == "float8" else deep for name in names}

    def evidence() -> KnownAnswerEvidence:
        return KnownAnswerEvidence(
            shapes={name: (size, depth, size) for name, depth in depths.items()},
            products=dict.fromkeys(names, params.iterations),
            asked_for=params.iterations,
            rows_computed_on_the_host=HOST_ROWS,
            checksums={},
            not_available={},
        )

    enough_s = params.iterations * len(names) / CHECKS_PER_TICK * TICK_S
    return Believable(lambda _: StepReport(busy_s=TICK_S), evidence, EVERY_KIND, enough_s)


def transients(load: SimulatedLoad, params: TransientsParams) -> Believable:
    """Half of the speed on average, in the segments that fit into the time."""
    [(format_, tflops)] = named_rates(params.dtype or "float16", load.model).items()

    def evidence() -> TransientsEvidence:
        segments, left_out = planned(params, load.seconds)
        return TransientsEvidence(
            format=format_,
            segments={segment.name: _as_planned(segment).evidence() for segment in segments},
            left_out=tuple(segment.name for segment in left_out),
            products=load.checks * GEMM_CHECK_EVERY,
            compared_pct=round(100 / GEMM_CHECK_EVERY, 1),
        )

    busy = params.duty_pct / 100
    return Believable(lambda elapsed: load.computing(tflops, elapsed, busy=busy), evidence, (BIT_FLIP, NAN))


def _as_planned(segment: Segment) -> SegmentTiming:
    timing = SegmentTiming(segment, SIZE)
    for cycle in range(max(int(segment.seconds / segment.period_s) - 1, 1)):
        start = cycle * segment.period_s
        timing.phase(start, start, start + segment.on_s)
    return timing
