"""Believable figures of the loads that multiply matrices, and of those on memory, links, functional units and the
machine."""

from core.loads.findings import TriedFault
from core.loads.load import StepReport
from core.loads.machine.contract import MachineEvidence, MachineParams, ProcessorsEvidence
from core.loads.memory import contract as memory
from core.loads.products import contract as products
from core.loads.products.turns import FormatTurn, Rotation, Segment, SegmentTiming, format_of, planned, turns
from core.loads.simulated.load import CHECKS_PER_TICK, TICK_S, Believable, SimulatedLoad
from core.loads.simulated.rates import BESIDE_MEMORY, DIRECTIONS, PROCESSORS_TFLOPS, UNITS, named_rates
from core.loads.units.contract import FunctionalUnitsEvidence, FunctionalUnitsParams, UnitEvidence
from core.words import tr
from core.words.phrasing import names_in

SIZE = 8192
GEMM_CHECK_EVERY = 8
KNOWN_ANSWER_SIZE = 4096
KNOWN_ANSWER_DEPTH, KNOWN_ANSWER_DEPTH_FP8 = 8192, 512
HOST_ROWS = 32


def gemm(load: SimulatedLoad, params: products.GemmParams) -> Believable:
    """The number formats in their turns."""
    dtypes = names_in(params.dtypes)
    offered = named_rates(",".join(map(format_of, dtypes)), load.model)
    rotation = Rotation(params.rotate_s, params.first_s)
    in_turns: list[FormatTurn] = []

    def tflops(name: str) -> float:
        nominal = offered[format_of(name)]
        return nominal if name == format_of(name) else BESIDE_MEMORY * nominal

    def step(elapsed: float) -> StepReport:
        if not in_turns:
            names = dtypes or tuple(offered)
            in_turns.extend(turns(names, load.seconds, rotation=rotation, beside_pct=params.beside_memory_pct))
        turn = next((turn for turn in in_turns if elapsed < turn.until_s), in_turns[-1])
        return load.computing(tflops(turn.name), elapsed)

    def evidence() -> products.GemmEvidence:
        names = list(dict.fromkeys(turn.name for turn in in_turns)) or list(dtypes or offered)
        speed = load.card * load.mean_pace
        rates = {name: round(tflops(name) * speed, 3) for name in names}
        starts = [0.0, *(turn.until_s for turn in in_turns)]
        periods: dict[str, tuple[float, float]] = {}
        for began_s, turn in zip(starts, in_turns, strict=False):
            periods.setdefault(turn.name, (began_s, turn.until_s))
        return products.GemmEvidence(
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

    return Believable(step, evidence, (TriedFault.BIT_FLIP, TriedFault.NAN, TriedFault.REPEATABLE))


def known_answer(load: SimulatedLoad, params: products.KnownAnswerParams) -> Believable:
    """Four products a tick until every format has given as many as were asked for, in less time if there is less."""
    names = list(named_rates(params.dtypes, load.model))
    size = params.size or KNOWN_ANSWER_SIZE
    deep = KNOWN_ANSWER_DEPTH * size // KNOWN_ANSWER_SIZE
    depths = {name: min(deep, KNOWN_ANSWER_DEPTH_FP8) if name == "float8" else deep for name in names}

    def evidence() -> products.KnownAnswerEvidence:
        return products.KnownAnswerEvidence(
            shapes={name: (size, depth, size) for name, depth in depths.items()},
            products=dict.fromkeys(names, params.iterations),
            asked_for=params.iterations,
            rows_computed_on_the_host=HOST_ROWS,
            checksums={},
            not_available={},
        )

    enough_s = params.iterations * len(names) / CHECKS_PER_TICK * TICK_S
    return Believable(lambda _: StepReport(busy_s=TICK_S), evidence, tuple(TriedFault), enough_s)


def transients(load: SimulatedLoad, params: products.TransientsParams) -> Believable:
    """Half of the speed on average, in the segments that fit into the time."""
    [(format_, tflops)] = named_rates(params.dtype or "float16", load.model).items()

    def evidence() -> products.TransientsEvidence:
        segments, left_out = planned(params, load.seconds)
        return products.TransientsEvidence(
            format=format_,
            segments={segment.name: _as_planned(segment).evidence() for segment in segments},
            left_out=tuple(segment.name for segment in left_out),
            products=load.checks * GEMM_CHECK_EVERY,
            compared_pct=round(100 / GEMM_CHECK_EVERY, 1),
        )

    busy = params.duty_pct / 100
    return Believable(
        lambda elapsed: load.computing(tflops, elapsed, busy=busy), evidence, (TriedFault.BIT_FLIP, TriedFault.NAN)
    )


def _as_planned(segment: Segment) -> SegmentTiming:
    timing = SegmentTiming(segment, SIZE)
    for cycle in range(max(int(segment.seconds / segment.period_s) - 1, 1)):
        start = cycle * segment.period_s
        timing.phase(start, start, start + segment.on_s)
    return timing


GIB = 2**30
BLOCK_BYTES = GIB
HEADROOM_BYTES = GIB // 16
SHARE_OF_FREE = 0.99
SWEEPS_IN_A_PASS = 35
PATTERNS = ("00", "FF", "AA", "55", "address", "address inverted", "random", "random inverted")
ELEMENTS = 2**22
VIDEO = "video encoder and decoder"


def vram(load: SimulatedLoad, params: memory.VramParams) -> Believable:
    """Passes as fast as the model's memory would allow. One bit of each wrong word is wrong."""
    gbps, total = load.model.memory_gbps, int(load.model.memory_gib * GIB)
    free = total - params.keep_mib * 2**20
    tested = int(min(total * params.share_pct / 100, free * SHARE_OF_FREE))
    moved = 0

    def step(elapsed: float) -> StepReport:
        nonlocal moved
        report = load.moving(gbps, elapsed)
        moved += report.moved_bytes
        return report

    def passes() -> int:
        return moved // (SWEEPS_IN_A_PASS * tested)

    def evidence() -> memory.VramEvidence:
        errors, done = load.errors, max(passes(), 1)
        return memory.VramEvidence(
            total_bytes=total,
            free_bytes=free,
            headroom_bytes=HEADROOM_BYTES,
            tested_bytes=tested,
            reached_bytes=tested,
            coverage_pct=round(100 * tested / total, 2),
            coverage_of_free_pct=round(100 * tested / free, 2),
            coverage_means="SIMULATED",
            blocks=-(-tested // BLOCK_BYTES),
            largest_block_bytes=BLOCK_BYTES,
            passes=done,
            patterns=dict.fromkeys(PATTERNS, done),
            left_out=(),
            faded_s=params.fade_s,
            wrong_words=errors,
            analysed_words=errors,
            right_when_read_again=0,
            wrong_bits=errors,
            set_to_cleared=errors,
            cleared_to_set=0,
            wrong_bits_by_place={"17": errors} if errors else {},
            wrong_by_block={"0": errors} if errors else {},
            wrong_by_stride={},
            errors_point_to=tr("SIMULATED: all {errors} errors are in bit 17", errors=errors) if errors else "",
            first_wrong=(),
            bandwidth_gbps=round(gbps * load.card, 3),
        )

    self_test = (TriedFault.BIT_FLIP, TriedFault.STUCK_ADDRESS, TriedFault.STUCK_BIT, TriedFault.SHARED_ADDRESS)
    return Believable(step, evidence, self_test, ended=lambda: 0 < (params.passes or 0) <= passes())


def bandwidth(load: SimulatedLoad, params: memory.BandwidthParams) -> Believable:
    """Copy and triad in turns at the model's bandwidth."""
    gbps = load.model.memory_gbps

    def evidence() -> memory.BandwidthEvidence:
        return memory.BandwidthEvidence(
            buffer_bytes=(params.buffer_mib or 1024) * 2**20,
            buffers=3,
            cache_bytes=None,
            peak_gbps=None,
            rates=dict.fromkeys(("copy", "triad"), round(gbps * load.card, 3)),
            rate_unit="GB/s",
        )

    return Believable(lambda elapsed: load.moving(gbps, elapsed), evidence, (TriedFault.CORRUPTED_TRANSFER,))


def host_link(load: SimulatedLoad, params: memory.HostLinkParams) -> Believable:
    """One direction after another at the rate of the model's link."""
    gbps, shares = load.model.link_gbps, list(DIRECTIONS.values())

    def step(elapsed: float) -> StepReport:
        return load.moving(gbps * shares[int(elapsed) % len(shares)], elapsed)

    def evidence() -> memory.HostLinkEvidence:
        return memory.HostLinkEvidence(
            buffer_bytes=params.buffer_mib * 2**20,
            pinned=True,
            near_processors=0,
            rounds=max(load.checks // (params.transfers * len(DIRECTIONS)), 1),
            transfers=load.checks,
            rates={name: round(gbps * share * load.card, 3) for name, share in DIRECTIONS.items()},
            rate_unit="GB/s",
        )

    return Believable(step, evidence, (TriedFault.CORRUPTED_TRANSFER,))


def functional_units(load: SimulatedLoad, params: FunctionalUnitsParams) -> Believable:
    """One unit after another, of which the first is said to have made all errors; a simulated card has no video
    library."""
    gbps = load.model.memory_gbps
    names = list(UNITS)

    def step(elapsed: float) -> StepReport:
        turn = min(int(elapsed / load.seconds * len(names)), len(names) - 1)
        return load.moving(gbps * UNITS[names[turn]], elapsed)

    def unit(name: str) -> UnitEvidence:
        errors = load.errors if name == names[0] else 0
        status, reason = ("failed", tr("SIMULATED: injected on purpose.")) if errors else ("passed", "")
        unit_gbps, checks = round(gbps * UNITS[name] * load.card, 3), load.checks // len(names)
        return UnitEvidence(status=status, reason=reason, checks=checks, errors=errors, bandwidth_gbps=unit_gbps)

    def evidence() -> FunctionalUnitsEvidence:
        video = UnitEvidence(status="not_run", reason=tr("A simulated card has no video units."))
        units = {name: unit(name) for name in names} | {VIDEO: video}
        return FunctionalUnitsEvidence(units=units, elements=params.elements or ELEMENTS)

    return Believable(step, evidence, (TriedFault.BIT_FLIP, TriedFault.CORRUPTED_TRANSFER))


def machine(load: SimulatedLoad, params: MachineParams) -> Believable:
    """Processors at an even pace; memory and disk are named only."""
    tflops = PROCESSORS_TFLOPS

    def evidence() -> MachineEvidence:
        return MachineEvidence(
            parts=tuple(params.chosen),
            not_run={},
            processors=ProcessorsEvidence(count=0, pinned=False, products=load.checks, hashed_bytes=0, tflops=tflops),
            wrong_by_processor={},
            memory=None,
            disk=None,
        )

    self_test = (
        TriedFault.BIT_FLIP,
        TriedFault.STUCK_ADDRESS,
        TriedFault.SHARED_ADDRESS,
        TriedFault.CORRUPTED_TRANSFER,
    )
    return Believable(lambda elapsed: load.computing(tflops, elapsed), evidence, self_test)
