"""The GPUs that run a model and what joins them: those of a build, or some of one kind outside any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.parts.chips import one_chip
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.parts.vocabulary import GpuForm
from core.plan.build import Build
from core.plan.placement.links import CardLink, links
from core.plan.placement.risers import CardKey
from core.predict.llm.gpus import ModelGpu
from core.predict.speed.card_speed import power_share
from core.predict.speed.host import host_of
from core.predict.speed.networks import Triple
from core.predict.speed.peaks import gpu_spec
from core.predict.speed.scaling import (
    NVLINK_PRESUMED_GBPS,
    NVLINK_SHARE,
    P2P_UNKNOWN,
    PRESUMED_GBPS,
    STAGED,
    UNKNOWN_SHARE,
    UNPLACED,
    Ring,
    reach_each_other,
    ring_of,
)
from core.predict.speed.speed import working_gpus
from core.predict.thermal.heat import Heat


@dataclass(frozen=True, slots=True)
class ModelMachine:
    """GPUs as the driver lists them. `ring` is None for one of them, and where nobody knows how they are joined."""

    gpus: tuple[ModelGpu, ...]
    ring: Ring | None
    host_gbps: Triple
    """Between a GPU and the host, each way, in GB/s, slow to fast."""
    ram_gb: float | None = None
    """None: unknown."""
    ram_gbps: float | None = None
    notes: tuple[str, ...] = ()
    """Of the link to the host."""
    cooled: bool = True
    """Whether there is anything that takes the heat of each."""


def machine_of(
    build: Build, heat: Heat | None = None, card_links: Mapping[CardKey, CardLink] | None = None
) -> ModelMachine:
    """The GPUs of a build that do work, at what power limits and heat leave them. Pure."""
    placed = links(build) if card_links is None else card_links
    host, ring = host_of(build), ring_of(build, placed)
    ring = ring.by_ram(host.ram_gbps, host.ram_words) if ring else None
    gpus = working_gpus(build, heat)
    slowest = _slowest_to_host(build, placed)
    return ModelMachine(
        tuple(ModelGpu(gpu.part, gpu.share) for gpu in gpus),
        ring if ring and min(ring.gbps) > 0 else None,
        (slowest,) * 3 if slowest else PRESUMED_GBPS,
        host.ram_gb,
        host.ram_gbps,
        () if slowest else (UNPLACED,),
        all(gpu.cooled for gpu in gpus),
    )


def machine_of_cards(part: Part, count: int, limit_w: float | None = None) -> ModelMachine:
    """So many such cards on links of unknown rate. Pure. Raises ValueError for fewer than one, or no GPU."""
    if count < 1:
        raise ValueError("a model runs on one card or more")
    spec = gpu_spec(part)
    gpus = (ModelGpu(one_chip(part), power_share(limit_w, spec.power_limit_w)),) * (count * spec.chips)
    return ModelMachine(gpus, _ring_of_cards(part, spec, len(gpus)), PRESUMED_GBPS, notes=(UNPLACED,))


def _slowest_to_host(build: Build, placed: Mapping[CardKey, CardLink]) -> float | None:
    """What the slowest GPU shares with the host; None where a card has no slot, or its link is unknown or off."""
    workers = {line.part.id: spec.chips for line, spec in build.workers()}
    rates = [
        link.gbps / workers[link.card.part.id] for link in placed.values() if link.card.part.id in workers and link.gbps
    ]
    return min(rates) if rates and len(rates) == sum(line.quantity for line, _ in build.workers()) else None


def _ring_of_cards(part: Part, spec: GpuSpec, gpus: int) -> Ring | None:
    if gpus == 1 or spec.form is GpuForm.OAM:
        return None
    if spec.form is GpuForm.SXM:
        each_way = (spec.nvlink_gbps / 2,) * 3 if spec.nvlink_gbps else NVLINK_PRESUMED_GBPS
        return Ring(_by(each_way, NVLINK_SHARE), "")
    direct = reach_each_other(part)
    notes = {True: (), False: (STAGED,), None: (P2P_UNKNOWN,)}[direct]
    pace = _by(PRESUMED_GBPS, UNKNOWN_SHARE)
    return Ring(pace, "", notes, staged=gpus * (direct is False), perhaps_staged=gpus * (direct is not True))


def _by(one: Triple, other: Triple) -> Triple:
    return one[0] * other[0], one[1] * other[1], one[2] * other[2]
