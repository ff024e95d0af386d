"""The parameters of the loads that run on several devices together. Free of torch."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.language import tr
from core.loads.params import LoadParams
from core.loads.training.params import Precision

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
    """None chooses by device: 1024 on GPUs, 16 on a CPU."""
    sustained_mib: Mib | None = None
    """None chooses by device: 256 on GPUs, 16 on a CPU."""
    warm_up: Annotated[int, Field(ge=0, le=1000)] = 5
    repeats: Annotated[int, Field(ge=1, le=10_000)] = 20
    """Timed and verified, for each size."""


class P2pParams(GroupParams):
    """From every rank to every other."""

    mib: Mib | None = None
    """Size of one transfer; None chooses by device: 256 on GPUs, 16 on a CPU."""
    repeats: Annotated[int, Field(ge=1, le=10_000)] = 10
    transport: str = ""
    """What the driver says of access between the GPUs, for the record; it cannot be seen from within a rank."""


class DataParallelLoadParams(GroupParams):
    """The same network on every rank, gradients added up."""

    injectable: ClassVar[tuple[str, ...]] = ("diverge", "nan")

    networks: str = ",".join(NETWORKS)
    """Which are trained one after another, separated by commas."""
    precision: Precision | None = None
    batch: Annotated[int, Field(ge=1, le=4096)] | None = None
    """On each rank."""
    hash_every: Annotated[int, Field(ge=1, le=100_000)] = 100
    """Steps after which the weights of all replicas are compared."""
    peak_tflops: Annotated[float, Field(gt=0)] | None = None
    """Of one device in this precision."""

    @field_validator("networks")
    @classmethod
    def _known(cls, given: str) -> str:
        names = [name.strip() for name in given.split(",") if name.strip()]
        for name in names:
            if name not in NETWORKS:
                raise ValueError(
                    tr("there is no network {name!r}; choose from {networks}", name=name, networks=", ".join(NETWORKS))
                )
        return ",".join(dict.fromkeys(names)) or ",".join(NETWORKS)
