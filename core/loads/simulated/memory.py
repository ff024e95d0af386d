"""Believable figures of the loads on memory, links, functional units and the machine."""

from __future__ import annotations

from core.language import tr
from core.loads.load import StepReport
from core.loads.machine.contract import MachineEvidence, MachineParams, ProcessorsEvidence
from core.loads.memory.contract import (
    BandwidthEvidence,
    BandwidthParams,
    HostLinkEvidence,
    HostLinkParams,
    VramEvidence,
    VramParams,
)
from core.loads.selftest import BIT_FLIP, CORRUPTED_TRANSFER, SHARED_ADDRESS, STUCK_ADDRESS, STUCK_BIT
from core.loads.simulated.load import Believable, SimulatedLoad
from core.loads.simulated.rates import DIRECTIONS, PROCESSORS_TFLOPS, UNITS
from core.loads.units.contract import FunctionalUnitsEvidence, FunctionalUnitsParams, UnitEvidence

GIB = 2**30
BLOCK_BYTES = GIB
HEADROOM_BYTES = GIB // 16
SHARE_OF_FREE = 0.99
SWEEPS_IN_A_PASS = 35
PATTERNS = ("00", "FF", "AA", "55", "address", "address inverted", "random", "random inverted")
ELEMENTS = 2**22
VIDEO = "video encoder and decoder"


def vram(load: SimulatedLoad, params: VramParams) -> Believable:
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

    def evidence() -> VramEvidence:
        errors, done = load.errors, max(passes(), 1)
        return VramEvidence(
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

    self_test = (BIT_FLIP, STUCK_ADDRESS, STUCK_BIT, SHARED_ADDRESS)
    return Believable(step, evidence, self_test, ended=lambda: 0 < (params.passes or 0) <= passes())


def bandwidth(load: SimulatedLoad, params: BandwidthParams) -> Believable:
    """Copy and triad in turns at the model's bandwidth."""
    gbps = load.model.memory_gbps

    def evidence() -> BandwidthEvidence:
        return BandwidthEvidence(
            buffer_bytes=(params.buffer_mib or 1024) * 2**20,
            buffers=3,
            cache_bytes=None,
            peak_gbps=None,
            rates=dict.fromkeys(("copy", "triad"), round(gbps * load.card, 3)),
            rate_unit="GB/s",
        )

    return Believable(lambda elapsed: load.moving(gbps, elapsed), evidence, (CORRUPTED_TRANSFER,))


def host_link(load: SimulatedLoad, params: HostLinkParams) -> Believable:
    """One direction after another at the rate of the model's link."""
    gbps, shares = load.model.link_gbps, list(DIRECTIONS.values())

    def step(elapsed: float) -> StepReport:
        return load.moving(gbps * shares[int(elapsed) % len(shares)], elapsed)

    def evidence() -> HostLinkEvidence:
        return HostLinkEvidence(
            buffer_bytes=params.buffer_mib * 2**20,
            pinned=True,
            near_processors=0,
            rounds=max(load.checks // (params.transfers * len(DIRECTIONS)), 1),
            transfers=load.checks,
            rates={name: round(gbps * share * load.card, 3) for name, share in DIRECTIONS.items()},
            rate_unit="GB/s",
        )

    return Believable(step, evidence, (CORRUPTED_TRANSFER,))


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

    return Believable(step, evidence, (BIT_FLIP, CORRUPTED_TRANSFER))


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

    self_test = (BIT_FLIP, STUCK_ADDRESS, SHARED_ADDRESS, CORRUPTED_TRANSFER)
    return Believable(lambda elapsed: load.computing(tflops, elapsed), evidence, self_test)
