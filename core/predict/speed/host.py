"""What the rest of the machine feeds its GPUs: images that the cores decode, files of the drive, gradients through RAM.

Images: the full ImageNet, decoded and cropped by the CPU as frameworks out of the box do it. Language models read some
bytes a token and hardly ask anything of the host. The high end is without a limit: images that are stored small or as
pixels, or are decoded on the cards (over 8,000 images/s on one A100, pytorch/vision 8495).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import fsum, inf
from typing import Any

from pydantic import model_serializer

from core.parts.specs import StorageSpec
from core.parts.vocabulary import Category, StorageKind
from core.plan.build import Build
from core.predict.band import Band
from core.predict.speed.networks import Network, Triple
from core.words import tr, trn

IMAGES_PER_CORE: Triple = (120.0, 250.0, inf)
"""Images/s that one core decodes, crops and hands over. A worker on Zen 5 prepares 119 images of 1024 x 1024
(isztld.com, GPU preprocessing); decoding alone is 370 to 390 a core at 551 x 676 (pytorch/vision 8495). From the other
side: 40 cores of a DGX-1V feed 8,322 images/s (NVIDIA, 208 a core), PyTorch's loader stops at 17,800 on a host of eight
A100 (MosaicML), and one A100 at full load on ResNet-50 keeps 7.5 cores busy (pytorch-image-models 2548)."""
FULL_CLOCK_MHZ = 3500.0
"""Cores that clock no higher decode in proportion less: those of the figures above boost to about this."""
IMAGE_MB = 0.11
"""A file of ImageNet: 140 GB in 1.28 million."""
DATASET_GB = 150.0
"""RAM that holds ImageNet and what trains on it: after the first epoch nothing is read from the drive any more."""
FILES_PER_S: dict[StorageKind, Triple] = {
    StorageKind.HDD: (90.0, 250.0, inf),
    StorageKind.SATA_SSD: (0.35e3 / IMAGE_MB, 0.5e3 / IMAGE_MB, inf),
}
"""Images/s in random order. A hard disk: 93 (IntelLabs/distiller 202) and 256 (tensorpack, Efficient DataFlow); SATA:
what its link carries. NVMe drives read more than any cards take."""


class Feed(StrEnum):
    """What holds images back."""

    CORES = "cores"
    DRIVE = "drive"


@dataclass(frozen=True, slots=True)
class Starved:
    """Images/s that the host feeds, beside what the cards would take."""

    by: Feed
    amount: int
    """Cores, or GB of RAM."""
    fed: Triple
    demand: Triple

    @property
    def waits(self) -> bool:
        """Whether the cards are expected to wait, not only at the low end."""
        return self.fed[1] < self.demand[1]

    @property
    def words(self) -> str:
        """In a sentence, with the figures."""
        if self.by is Feed.DRIVE:
            return tr(
                "{gb} GB RAM does not hold the images of a data set of {whole:.0f} GB, and the drive reads about "
                "{fed:,.0f} images/s; the cards would take {wanted:,.0f}.",
                gb=self.amount,
                whole=DATASET_GB,
                fed=self.fed[self.waits],
                wanted=self.demand[self.waits],
            )
        if not self.waits:
            return tr(
                "{decode} where Python prepares each image: that is the low end.",
                decode=decode_words(self.amount, self.fed[0]),
            )
        return tr(
            "{decode}; the cards would take {wanted:,.0f}. Images decoded on the cards, or stored as pixels, are the "
            "high end.",
            decode=decode_words(self.amount, self.fed[1]),
            wanted=self.demand[1],
        )

    @model_serializer
    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        low, expected, _ = self.fed
        return {"by": self.by.value, "low": round(low), "expected": round(expected), "wanted": round(self.demand[1])}


def decode_words(cores: int, images: float) -> str:
    """ "6 cores decode about 1,500 images/s"."""
    return trn(
        "{count} core decodes about {images:,.0f} images/s",
        "{count} cores decode about {images:,.0f} images/s",
        count=cores,
        images=images,
    )


@dataclass(frozen=True, slots=True)
class Host:
    """The figures of a build beside its GPUs. None where one is unknown, or nothing: it then limits nothing."""

    gpus: int
    cores: int | None
    decoded: Triple | None
    """Images/s of all cores."""
    ram_gb: float | None
    files: Triple | None
    """Images/s of the fastest drive, where it is not an NVMe drive and the RAM does not hold them all."""
    ram_gbps: float | None
    ram_words: str
    """Where the RAM's rate comes from."""

    @property
    def launching(self) -> float:
        """Least share of their speed that cards keep where several share the core that launches their work."""
        return 1.0 if self.cores is None else min(1.0, self.cores / max(1, self.gpus))

    def feeds(self, network: Network, demand: Band) -> Starved | None:
        """What feeds the cards least; None where nothing holds them back."""
        if network is not Network.CNN:
            return None
        cards = demand.triple
        sources = ((Feed.CORES, self.cores, self.decoded), (Feed.DRIVE, self.ram_gb, self.files))
        stated = [(fed, by, amount) for by, amount, fed in sources if fed is not None and amount is not None]
        if not stated:
            return None
        _, by, amount = min(stated, key=lambda source: source[0][1])
        low, expected, high = (min(fed[side] for fed, _, _ in stated) for side in range(3))
        if expected >= cards[1] and low >= cards[0]:
            return None
        return Starved(by, round(amount), (low, expected, high), cards)


def host_of(build: Build) -> Host:
    """Pure."""
    cpus = [(spec.cores, spec.boost_clock_mhz, line.quantity) for line, spec in build.cpus()]
    counts = [cores * quantity for cores, _, quantity in cpus if cores is not None]
    ram_gb = _ram_gb(build)
    gbps, words = _ram_rate(build)
    return Host(
        gpus=build.worker_count,
        cores=sum(counts) if cpus and len(counts) == len(cpus) else None,
        decoded=decoded_images(cpus),
        ram_gb=ram_gb,
        files=_files(build) if ram_gb is not None and ram_gb < DATASET_GB else None,
        ram_gbps=gbps,
        ram_words=words,
    )


def decoded_images(cpus: Iterable[tuple[int | None, float | None, int]]) -> Triple | None:
    """Images/s that CPUs decode: cores and boost clock of each kind, and how many of it. None for unknown cores.

    An unknown clock counts as a full one.
    """
    full = 0.0
    for cores, boost_mhz, quantity in cpus:
        if cores is None:
            return None
        full += cores * quantity * min(1.0, (boost_mhz or FULL_CLOCK_MHZ) / FULL_CLOCK_MHZ)
    low, expected, high = IMAGES_PER_CORE
    return (low * full, expected * full, high) if full else None


def channels_of(build: Build) -> int | None:
    """Memory channels that board and CPUs have both; those of an empty CPU socket do not count."""
    cpus, board = list(build.cpus()), build.motherboard
    count, wired = build.count(Category.CPU), None
    if board is not None and board[1].ram_channels is not None:
        wired, sockets = board[1].ram_channels, board[1].cpu_sockets
        if sockets and 0 < count < sockets:
            wired = wired * count // sockets
    own = [spec.ram_channels * line.quantity for line, spec in cpus if spec.ram_channels is not None]
    driven = sum(own) if cpus and len(own) == len(cpus) else None
    return min((one for one in (wired, driven) if one is not None), default=None)


def channel_gbps(mts: float) -> float:
    """What a memory channel of 64 bits carries, GB/s."""
    return 8 * mts / 1000


def _ram_rate(build: Build) -> tuple[float | None, str]:
    """What the modules carry together, GB/s, and that in words."""
    kits, channels = list(build.ram()), channels_of(build)
    counts = [spec.modules * line.quantity for line, spec in kits if spec.modules is not None]
    clocks = [spec.speed_mts for _, spec in kits if spec.speed_mts is not None]
    if not kits or channels is None or not len(kits) == len(counts) == len(clocks):
        return None, ""
    filled = min(channels, sum(counts))
    gbps = filled * channel_gbps(min(clocks))
    fields = {"gbps": gbps, "filled": filled, "channels": channels}
    return gbps, tr("RAM of {gbps:.0f} GB/s on {filled} of {channels} memory channels, shared by all cards", **fields)


def _ram_gb(build: Build) -> float | None:
    kits = list(build.ram())
    sizes = [
        spec.modules * spec.module_gb * line.quantity
        for line, spec in kits
        if spec.modules is not None and spec.module_gb is not None
    ]
    return fsum(sizes) if kits and len(sizes) == len(kits) else None


def _files(build: Build) -> Triple | None:
    """Images/s of the fastest drive; None where it is fast enough, unknown or not there."""
    kinds = {line.part.spec.kind for line in build.of(Category.STORAGE) if isinstance(line.part.spec, StorageSpec)}
    if not kinds or not kinds <= FILES_PER_S.keys():
        return None
    return max(FILES_PER_S[kind] for kind in kinds if kind is not None)
