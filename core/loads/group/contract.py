"""What the loads that several devices run together can be asked, and what they tell. Free of torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from core.loads.evidence import FOR_PROGRAMS, Matrix, Rated, RunEvidence
from core.loads.params import LoadParams
from core.loads.training.contract import Precision, Speed
from core.words import tr
from core.words.phrasing import names_in

NETWORKS = ("resnet", "lstm", "transformer")

Mib = Annotated[int, Field(ge=1, le=16_384)]


class GroupParams(LoadParams):
    """What all of them understand."""

    injectable: ClassVar[tuple[str, ...]] = ("corrupt",)

    timeout_s: Annotated[float, Field(gt=0, le=600)] = 60
    """So long a rank may be silent before the load is given up as hung."""
    p2p: bool = True
    """False keeps GPUs from reading each other's memory (NCCL_P2P_DISABLE=1): for the attempt after a hang."""


class CollectivesParams(GroupParams):
    """All-reduce over all ranks in doubling sizes, then one size for the rest of the time."""

    largest_mib: Mib | None = None
    """The last of the doubling sizes; by default 1024 on GPUs, 16 on a CPU."""
    sustained_mib: Mib | None = None
    """The size for the rest of the time; by default 256 on GPUs, 16 on a CPU."""
    warm_up: Annotated[int, Field(ge=0, le=1000)] = 5
    """Rounds of each size before the timed ones."""
    repeats: Annotated[int, Field(ge=1, le=10_000)] = 20
    """Timed and verified, for each size."""


class P2pParams(GroupParams):
    """From every rank to every other."""

    mib: Mib | None = None
    """Size of one transfer; by default 256 on GPUs, 16 on a CPU."""
    repeats: Annotated[int, Field(ge=1, le=10_000)] = 10
    """Timed and verified, for each pair."""
    transport: str = ""
    """What the driver says of access between the GPUs, for the record; it cannot be seen from within a rank."""


class DataParallelLoadParams(GroupParams):
    """The same network on every rank, gradients added up."""

    injectable: ClassVar[tuple[str, ...]] = ("diverge", "nan")

    networks: str = ",".join(NETWORKS)
    """Which are trained one after another, separated by commas."""
    precision: Precision | None = None
    """fp32, tf32, amp-bf16 or amp-fp16; the device decides by default."""
    batch: Annotated[int, Field(ge=1, le=4096)] | None = None
    """On each rank."""
    hash_every: Annotated[int, Field(ge=1, le=100_000)] = 100
    """Steps after which the weights of all replicas are compared."""
    peak_tflops: Annotated[float, Field(gt=0)] | None = None
    """Of one device in this precision."""

    @field_validator("networks")
    @classmethod
    def _check_networks(cls, text: str) -> str:
        names = names_in(text)
        for name in names:
            if name not in NETWORKS:
                fields = {"name": name, "networks": ", ".join(NETWORKS)}
                raise ValueError(tr("there is no network {name!r}; choose from {networks}", **fields))
        return ",".join(names) or ",".join(NETWORKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEvidence(RunEvidence):
    """`devices` are ids in the order of the ranks."""

    ranks: int | None = None
    devices: tuple[str, ...] = field(default=(), metadata=FOR_PROGRAMS)
    p2p: bool | None = None
    """Whether direct access between the GPUs was allowed."""
    backend: str | None = None
    retry_with: Mapping[str, bool] | None = None
    """Parameters with which a group that hung can be tried once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingsEvidence:
    """One operation on so many bytes, again and again: bandwidths of the algorithm and of the busiest link."""

    bytes: int | None
    times: int | None
    algbw_gbps: float | None
    busbw_gbps: float | None
    p50_ms: float | None
    p99_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectivesEvidence(Rated, GroupEvidence):
    """`busbw_gbps` is what each link carried; NCCL's switches may add up themselves and exceed it."""

    all_reduce: tuple[TimingsEvidence, ...] | None
    sustained: TimingsEvidence | None
    reduced: int | None
    broadcast: str | None = None
    all_gather: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class P2pEvidence(GroupEvidence):
    """`duplex_gbps` is what came each way while as much went the other way.

    No rates: two cards on one switch are faster than two others, and no card is worse for that.
    """

    bytes: int | None
    passes: int | None
    matrix_gbps: Matrix | None
    duplex_gbps: Matrix | None
    latency_us: Matrix | None
    transport: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkEvidence(Speed):
    """One network, trained on all devices together. `efficiency_pct` is against each device alone; `no_overlap_pct`
    what it would be if adding up the gradients were not hidden at all."""

    shape: Mapping[str, Any] | None = field(metadata=FOR_PROGRAMS)
    precision: str | None
    steps: int | None
    first_loss: float | None
    last_loss: float | None
    compared: int | None
    replicas_alike: bool | None
    loss_spread_pct: float | None
    alone_step_ms: float | None = None
    efficiency_pct: float | None = None
    no_overlap_pct: float | None = None
    gradient_bytes: int | None = None
    gradient_ms: float | None = None
    busbw_gbps: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DataParallelEvidence(Rated, GroupEvidence):
    """Rates are those of one device, while all train together."""

    precision: str | None = None
    vouches_for: tuple[str, ...] = ()
    networks: Mapping[str, NetworkEvidence] | None = None
    replicas_alike: bool | None = None
    by_size: Mapping[str, DataParallelEvidence] | None = None
    """Of a stage that trains on more and more devices: by their number."""


def of_networks(networks: Mapping[str, NetworkEvidence]) -> dict[str, Any]:
    """The fields of `DataParallelEvidence` that follow from its networks."""
    rated = {name: one.rates["training"] for name, one in networks.items() if one.rates}
    return {
        "networks": networks,
        "precision": "; ".join(dict.fromkeys(one.precision for one in networks.values() if one.precision)),
        "rates": rated,
        "rate_unit": ", ".join(dict.fromkeys(one.rate_unit for one in networks.values() if one.rate_unit)),
    }


@dataclass(slots=True)
class Timings:
    """Seconds of operations on so many bytes each."""

    size_bytes: int
    seconds: list[float] = field(default_factory=list)

    def quantile_ms(self, share: float) -> float:
        """The time that this share of the operations did not exceed."""
        import numpy as np  # which nothing else needs where only tables are read

        return 1e3 * float(np.quantile(self.seconds, share))

    def evidence(self, bus_factor: float) -> TimingsEvidence:
        """`bus_factor` makes of the bandwidth of the algorithm that of the busiest link."""
        algorithm = self.size_bytes / median(self.seconds) / 1e9 if self.seconds else 0.0
        return TimingsEvidence(
            bytes=self.size_bytes,
            times=len(self.seconds),
            algbw_gbps=round(algorithm, 4),
            busbw_gbps=round(bus_factor * algorithm, 4),
            p50_ms=round(self.quantile_ms(0.50), 4),
            p99_ms=round(self.quantile_ms(0.99), 4),
        )


def all_reduce_bus_factor(ranks: int) -> float:
    """Of what each link carries in an all-reduce to the bytes reduced (NVIDIA nccl-tests, PERFORMANCE.md)."""
    return 2 * (ranks - 1) / ranks
