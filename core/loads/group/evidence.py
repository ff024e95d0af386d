"""What the loads that run on several devices together tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.loads.evidence import FOR_PROGRAMS, Matrix, Rated, RunEvidence
from core.loads.training.evidence import Speed


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
