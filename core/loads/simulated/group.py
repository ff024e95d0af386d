"""The simulated loads of a group: bandwidths over links of PCIe, and training that scales as such links let it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from core.loads.evidence import Matrix
from core.loads.group.evidence import (
    CollectivesEvidence,
    DataParallelEvidence,
    GroupEvidence,
    NetworkEvidence,
    P2pEvidence,
    TimingsEvidence,
    of_networks,
)
from core.loads.group.params import CollectivesParams, DataParallelLoadParams, GroupParams, P2pParams
from core.loads.group.timings import Timings, all_reduce_bus_factor
from core.loads.load import Ending, RankGroup, StepReport
from core.loads.meter import Meter
from core.loads.selftest import CORRUPTED_TRANSFER, DIVERGING_REPLICA, NAN, SEEN
from core.loads.simulated.rates import (
    BUSBW_OF_LINK,
    DUPLEX_OF_PAIR,
    GPT_2_MEDIUM,
    LSTM,
    OVERLAP,
    PAIR_OF_LINK,
    PAIR_US,
    RESNET,
    SimulatedModel,
    SimulatedWork,
    steps_per_s,
)
from core.loads.simulated.series import CHECKS_PER_TICK, TICK_S, Series
from core.loads.simulated.training import AMPERE
from core.loads.training.evidence import measured_speed
from core.loads.training.params import REPLICAS_VOUCH_FOR, VOUCHES_FOR, Precision, default_precision

MIB = 2**20
GRADIENT_BYTES = {"resnet": 102_228_128, "lstm": 396_800_000, "transformer": 1_419_000_000}
WORKS = {"resnet": RESNET, "lstm": LSTM, "transformer": GPT_2_MEDIUM}


class SimulatedTogether(Series):
    """What all of them tell; each member of a group by itself, for nothing is sent."""

    def __init__(self, params: GroupParams, model: SimulatedModel, *, device_id: str, group: RankGroup) -> None:
        super().__init__(params, device_id)
        self._model = model
        self._group = group
        self._p2p = params.p2p
        self._shared = random.Random(f"{group.devices} {params.seed}")
        """The same for all members."""

    def _told(self, evidence: GroupEvidence) -> Ending:
        group = self._group
        return self._ending(
            replace(evidence, ranks=group.size, devices=group.devices, p2p=self._p2p, backend="SIMULATED")
        )


class SimulatedCollectives(SimulatedTogether):
    """All-reduce at about half of what the link carries."""

    def __init__(self, params: CollectivesParams, model: SimulatedModel, *, device_id: str, group: RankGroup) -> None:
        super().__init__(params, model, device_id=device_id, group=group)
        self._largest = (params.largest_mib or 1024) * MIB
        self._sustained = (params.sustained_mib or 256) * MIB
        self._busbw_gbps = BUSBW_OF_LINK * model.link_gbps * self._shared.uniform(0.98, 1.02)

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Bandwidth ten times a second."""
        return self._moving(seconds, lambda _: self._busbw_gbps)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        sizes = [MIB << power for power in range((self._largest // MIB).bit_length())]
        sustained = self._timed(self._sustained)
        return self._told(
            CollectivesEvidence(
                self_test={CORRUPTED_TRANSFER: SEEN, NAN: SEEN},
                all_reduce=tuple(self._timed(size) for size in sizes),
                sustained=sustained,
                reduced=self._checks,
                broadcast="right",
                all_gather="right",
                rates={"all_reduce": sustained.busbw_gbps},
                rate_unit="GB/s",
            )
        )

    def _timed(self, size: int) -> TimingsEvidence:
        """Small ones take as long as it takes to start them."""
        factor = all_reduce_bus_factor(self._group.size) if self._group.size > 1 else 1.0
        seconds = 60e-6 + factor * size / (self._busbw_gbps * 1e9)
        return Timings(size, [seconds * share for share in (0.99, 1.0, 1.0, 1.03)]).evidence(factor)


class SimulatedP2p(SimulatedTogether):
    """Every pair at most of what the link carries."""

    def __init__(self, params: P2pParams, model: SimulatedModel, *, device_id: str, group: RankGroup) -> None:
        super().__init__(params, model, device_id=device_id, group=group)
        self._size = (params.mib or 256) * MIB
        self._transport = params.transport
        self._gbps = self._matrix(PAIR_OF_LINK * model.link_gbps)
        self._duplex_gbps = self._matrix(DUPLEX_OF_PAIR * PAIR_OF_LINK * model.link_gbps)
        self._latency_us = self._matrix(PAIR_US)

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Bandwidth ten times a second."""
        return self._moving(seconds, lambda _: PAIR_OF_LINK * self._model.link_gbps)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        return self._told(
            P2pEvidence(
                self_test={CORRUPTED_TRANSFER: SEEN},
                bytes=self._size,
                passes=1,
                matrix_gbps=self._gbps,
                duplex_gbps=self._duplex_gbps,
                latency_us=self._latency_us,
                transport=self._transport or "SIMULATED",
            )
        )

    def _matrix(self, usual: float) -> Matrix:
        places = range(self._group.size)
        return tuple(
            tuple(None if source == target else round(usual * self._shared.uniform(0.97, 1.03), 3) for target in places)
            for source in places
        )


class SimulatedDataParallel(SimulatedTogether):
    """Each network for its share of the time; gradients partly behind the computation."""

    def __init__(
        self, params: DataParallelLoadParams, model: SimulatedModel, *, device_id: str, group: RankGroup
    ) -> None:
        super().__init__(params, model, device_id=device_id, group=group)
        self._peak_tflops = params.peak_tflops
        self._precision: Precision = params.precision or default_precision(AMPERE)
        self._names = params.networks.split(",")
        self._meters = {name: Meter() for name in self._names}
        self._steps = dict.fromkeys(self._names, 0.0)

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Speed ten times a second."""
        for elapsed, faults in self._ticks(seconds):
            name = self._names[min(int(elapsed / seconds * len(self._names)), len(self._names) - 1)]
            steps = self._computed(1 / self._together_s(name), elapsed) * TICK_S
            self._meters[name].add(steps, TICK_S)
            self._steps[name] += steps
            work = WORKS[name]
            amount = round(steps * work.per_step)
            yield StepReport(
                flop=steps * work.flop_per_step,
                busy_s=TICK_S,
                checks=CHECKS_PER_TICK,
                faults=faults,
                tokens=amount if work.unit == "tokens" else 0,
                images=amount if work.unit == "images" else 0,
                training_steps=steps,
                peak_tflops=self._peak_tflops,
            )

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        networks = {name: self._network(name, WORKS[name]) for name in self._names}
        return self._told(
            DataParallelEvidence(
                self_test={DIVERGING_REPLICA: SEEN, NAN: SEEN},
                vouches_for=REPLICAS_VOUCH_FOR if self._group.size > 1 else VOUCHES_FOR,
                replicas_alike=self._alike(),
                **of_networks(networks),
            )
        )

    def _network(self, name: str, work: SimulatedWork) -> NetworkEvidence:
        return NetworkEvidence(
            shape={},
            precision=work.precision(self._precision),
            steps=int(self._steps[name]),
            first_loss=work.first_loss,
            last_loss=0.1,
            compared=self._checks,
            replicas_alike=self._alike(),
            loss_spread_pct=None if self._group.size == 1 else 1.5,
            **measured_speed(self._meters[name], work, self._peak_tflops),
            **(self._scaling(name) if self._group.size > 1 else {}),
        )

    def _scaling(self, name: str) -> dict[str, Any]:
        alone_s, gradient_s = self._alone_s(name), self._gradient_s(name)
        return {
            "alone_step_ms": round(1e3 * alone_s, 3),
            "efficiency_pct": round(100 * alone_s / self._together_s(name), 2),
            "no_overlap_pct": round(100 * alone_s / (alone_s + gradient_s), 2),
            "gradient_bytes": GRADIENT_BYTES[name],
            "gradient_ms": round(1e3 * gradient_s, 4),
            "busbw_gbps": round(BUSBW_OF_LINK * self._model.link_gbps, 4),
        }

    def _alike(self) -> bool | None:
        return None if self._group.size == 1 else not self._errors

    def _alone_s(self, name: str) -> float:
        return 1 / steps_per_s(WORKS[name], self._model, self._precision)

    def _gradient_s(self, name: str) -> float:
        if self._group.size == 1:
            return 0.0
        factor = all_reduce_bus_factor(self._group.size)
        return factor * GRADIENT_BYTES[name] / (BUSBW_OF_LINK * self._model.link_gbps * 1e9)

    def _together_s(self, name: str) -> float:
        return self._alone_s(name) + (1 - OVERLAP) * self._gradient_s(name)
