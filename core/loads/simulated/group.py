"""Believable figures of the loads of a group: bandwidths over links of PCIe, and training that scales as such links let
it. Each member tells them by itself, for nothing is sent."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from core.loads.evidence import Matrix
from core.loads.group.contract import (
    CollectivesEvidence,
    CollectivesParams,
    DataParallelEvidence,
    DataParallelLoadParams,
    GroupEvidence,
    GroupParams,
    NetworkEvidence,
    P2pEvidence,
    P2pParams,
    Timings,
    TimingsEvidence,
    all_reduce_bus_factor,
    of_networks,
)
from core.loads.load import StepReport
from core.loads.meter import Meter
from core.loads.selftest import CORRUPTED_TRANSFER, DIVERGING_REPLICA, NAN
from core.loads.simulated.load import TICK_S, Believable, SimulatedLoad
from core.loads.simulated.rates import (
    BUSBW_OF_LINK,
    DUPLEX_OF_PAIR,
    GPT_2_MEDIUM,
    LSTM,
    OVERLAP,
    PAIR_OF_LINK,
    PAIR_US,
    RESNET,
    steps_per_s,
)
from core.loads.simulated.training import AMPERE, trained
from core.loads.training.contract import REPLICAS_VOUCH_FOR, VOUCHES_FOR, default_precision, measured_speed

MIB = 2**20
GRADIENT_BYTES = {"resnet": 102_228_128, "lstm": 396_800_000, "transformer": 1_419_000_000}
WORKS = {"resnet": RESNET, "lstm": LSTM, "transformer": GPT_2_MEDIUM}


def _in_group(load: SimulatedLoad, params: GroupParams, evidence: GroupEvidence) -> GroupEvidence:
    group = load.group
    return replace(evidence, ranks=group.size, devices=group.devices, p2p=params.p2p, backend="SIMULATED")


def _shared(load: SimulatedLoad, params: GroupParams) -> random.Random:
    """The same for all members."""
    return random.Random(f"{load.group.devices} {params.seed}")


def collectives(load: SimulatedLoad, params: CollectivesParams) -> Believable:
    """All-reduce at about half of what the link carries."""
    busbw_gbps = BUSBW_OF_LINK * load.model.link_gbps * _shared(load, params).uniform(0.98, 1.02)

    def timed(size: int) -> TimingsEvidence:
        """Small ones take as long as it takes to start them."""
        factor = all_reduce_bus_factor(load.group.size) if load.group.size > 1 else 1.0
        seconds = 60e-6 + factor * size / (busbw_gbps * 1e9)
        return Timings(size, [seconds * share for share in (0.99, 1.0, 1.0, 1.03)]).evidence(factor)

    def evidence() -> GroupEvidence:
        sustained = timed((params.sustained_mib or 256) * MIB)
        told = CollectivesEvidence(
            all_reduce=tuple(timed(MIB << power) for power in range((params.largest_mib or 1024).bit_length())),
            sustained=sustained,
            reduced=load.checks,
            broadcast="right",
            all_gather="right",
            rates={"all_reduce": sustained.busbw_gbps},
            rate_unit="GB/s",
        )
        return _in_group(load, params, told)

    return Believable(lambda elapsed: load.moving(busbw_gbps, elapsed), evidence, (CORRUPTED_TRANSFER, NAN))


def p2p(load: SimulatedLoad, params: P2pParams) -> Believable:
    """Every pair at most of what the link carries."""
    shared, places, gbps = _shared(load, params), range(load.group.size), PAIR_OF_LINK * load.model.link_gbps

    def matrix(usual: float) -> Matrix:
        return tuple(
            tuple(None if source == target else round(usual * shared.uniform(0.97, 1.03), 3) for target in places)
            for source in places
        )

    told = P2pEvidence(
        bytes=(params.mib or 256) * MIB,
        passes=1,
        matrix_gbps=matrix(gbps),
        duplex_gbps=matrix(DUPLEX_OF_PAIR * PAIR_OF_LINK * load.model.link_gbps),
        latency_us=matrix(PAIR_US),
        transport=params.transport or "SIMULATED",
    )
    return Believable(
        lambda elapsed: load.moving(gbps, elapsed), lambda: _in_group(load, params, told), (CORRUPTED_TRANSFER,)
    )


def data_parallel(load: SimulatedLoad, params: DataParallelLoadParams) -> Believable:
    """Each network for its share of the time; gradients partly behind the computation."""
    together, link_gbps = load.group.size > 1, BUSBW_OF_LINK * load.model.link_gbps
    precision = params.precision or default_precision(AMPERE)
    names = params.networks.split(",")
    meters, done = {name: Meter() for name in names}, dict.fromkeys(names, 0.0)

    def alone_s(name: str) -> float:
        return 1 / steps_per_s(WORKS[name], load.model, precision)

    def gradient_s(name: str) -> float:
        return all_reduce_bus_factor(load.group.size) * GRADIENT_BYTES[name] / (link_gbps * 1e9) if together else 0.0

    def together_s(name: str) -> float:
        return alone_s(name) + (1 - OVERLAP) * gradient_s(name)

    def step(elapsed: float) -> StepReport:
        name = names[min(int(elapsed / load.seconds * len(names)), len(names) - 1)]
        steps = load.computed(1 / together_s(name), elapsed) * TICK_S
        meters[name].add(steps, TICK_S)
        done[name] += steps
        return trained(WORKS[name], steps, params.peak_tflops)

    def scaling(name: str) -> dict[str, Any]:
        return {
            "alone_step_ms": round(1e3 * alone_s(name), 3),
            "efficiency_pct": round(100 * alone_s(name) / together_s(name), 2),
            "no_overlap_pct": round(100 * alone_s(name) / (alone_s(name) + gradient_s(name)), 2),
            "gradient_bytes": GRADIENT_BYTES[name],
            "gradient_ms": round(1e3 * gradient_s(name), 4),
            "busbw_gbps": round(link_gbps, 4),
        }

    def network(name: str) -> NetworkEvidence:
        work = WORKS[name]
        return NetworkEvidence(
            shape={},
            precision=work.precision(precision),
            steps=int(done[name]),
            first_loss=work.first_loss,
            last_loss=0.1,
            compared=load.checks,
            replicas_alike=not load.errors if together else None,
            loss_spread_pct=1.5 if together else None,
            **measured_speed(meters[name], work, params.peak_tflops),
            **(scaling(name) if together else {}),
        )

    def evidence() -> GroupEvidence:
        told = DataParallelEvidence(
            vouches_for=REPLICAS_VOUCH_FOR if together else VOUCHES_FOR,
            replicas_alike=not load.errors if together else None,
            **of_networks({name: network(name) for name in names}),
        )
        return _in_group(load, params, told)

    return Believable(step, evidence, (DIVERGING_REPLICA, NAN))
