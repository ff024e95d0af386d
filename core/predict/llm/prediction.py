"""A language model on a build or on cards alone: what fits, how fast it answers or trains, and why no faster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.parts.chips import one_chip
from core.parts.part import Part
from core.parts.vocabulary import GpuForm
from core.plan.build import Build
from core.plan.placement.links import CardLink, links
from core.plan.placement.risers import CardKey
from core.platform.json_value import JsonValue, PartId
from core.predict.band import Band
from core.predict.llm.decode import bytes_per_step, decode_rate, one_engine
from core.predict.llm.gpus import ModelGpu, shared_out, unfit_words
from core.predict.llm.memory import ModelMemory, model_memory
from core.predict.llm.training import TrainLinks, prefill_rate, train_rate
from core.predict.llm.workload import Offload, Split, Workload
from core.predict.speed.card_speed import power_share
from core.predict.speed.host import host_of
from core.predict.speed.memory_fit import Fits
from core.predict.speed.networks import Triple
from core.predict.speed.peaks import gpu_spec
from core.predict.speed.scaling import (
    NVLINK_PRESUMED_GBPS,
    NVLINK_SHARE,
    PRESUMED_GBPS,
    UNKNOWN_SHARE,
    UNPLACED,
    Ring,
    reach_each_other,
    ring_of,
)
from core.predict.speed.speed import HELD_BACK, NO_LOOP, working_gpus
from core.predict.thermal.heat import Heat
from core.words import tr, trn

LLAMA_CPP = tr("The band is that of llama.cpp at one request; other engines are a quarter slower to a third faster.")
ENGINES = tr("The band spans common inference engines.")
FRAMEWORKS = tr("The band spans training from Hugging Face out of the box to tuned code.")
WORST = {Fits.YES: 0, Fits.TIGHT: 1, Fits.UNKNOWN: 2, Fits.NO: 3}


@dataclass(frozen=True, slots=True)
class CardMemory(JsonValue):
    """What the model takes of each card of one kind."""

    part_id: PartId
    title: str
    count: int
    """GPUs of this kind that are used."""
    memory: ModelMemory


@dataclass(frozen=True, slots=True)
class ModelPrediction(JsonValue):
    """A workload on some cards. Rates are in tokens per second; None: it does not fit, the method has none, or figures
    are missing."""

    workload: Workload
    cards: int
    """GPUs that are used."""
    of_cards: int
    """GPUs that there are."""
    memory: tuple[CardMemory, ...]
    fits: Fits
    """On the card that it fits least."""
    decode: Band | None
    """New tokens of all requests together."""
    prefill: Band | None
    """Tokens of prompts."""
    train: Band | None
    """Of all cards together."""
    unfit: tuple[str, ...]
    """Why cards cannot do it at all."""
    reasons: tuple[str, ...]
    assumptions: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def rate(self) -> Band | None:
        """What counts of the method: new tokens, or those trained on."""
        return self.train if self.workload.method.trains else self.decode

    @property
    def per_request(self) -> Band | None:
        """New tokens per second of one request."""
        return self.decode.times(1 / self.workload.requests) if self.decode else None


@dataclass(frozen=True, slots=True)
class _Machine:
    """Cards and what joins them."""

    gpus: tuple[ModelGpu, ...]
    ring: Ring | None
    host_gbps: Triple
    ram_gbps: float | None = None
    notes: tuple[str, ...] = ()


def predict_model(
    build: Build, workload: Workload, heat: Heat | None = None, card_links: Mapping[CardKey, CardLink] | None = None
) -> ModelPrediction:
    """The workload on the GPUs of a build that do work. Pure. Without `heat` cards are taken to stay cool.

    Where cards hold layers as few are used as hold the model; else all.
    """
    placed = links(build) if card_links is None else card_links
    gpus = working_gpus(build, heat)
    host = host_of(build)
    ring = ring_of(build, placed)
    ring = ring.by_ram(host.ram_gbps, host.ram_words) if ring else None
    rates = [link.gbps for link in placed.values() if link.gbps]
    to_host = (min(rates),) * 3 if rates and len(rates) >= len({(gpu.part.id, gpu.number) for gpu in gpus}) else None
    machine = _Machine(
        tuple(ModelGpu(gpu.part, gpu.share) for gpu in gpus),
        ring,
        to_host or PRESUMED_GBPS,
        host.ram_gbps,
        () if to_host else (UNPLACED,),
    )
    if not all(gpu.cooled for gpu in gpus):
        return _stopped(workload, machine)
    return _predicted(workload, machine)


def predict_card(part: Part, workload: Workload, count: int = 1, limit_w: float | None = None) -> ModelPrediction:
    """The workload on so many such cards outside a build, over links of unknown rate. Pure.

    Raises ValueError for a part that is no GPU, or fewer than one.
    """
    if count < 1:
        raise ValueError("a model runs on one card or more")
    spec = gpu_spec(part)
    gpu = ModelGpu(one_chip(part), power_share(limit_w, spec.power_limit_w))
    gpus = (gpu,) * (count * spec.chips)
    if spec.form is GpuForm.SXM:
        each_way = (spec.nvlink_gbps / 2,) * 3 if spec.nvlink_gbps else NVLINK_PRESUMED_GBPS
        pace, staged = _by(each_way, NVLINK_SHARE), 0
    else:
        pace, staged = _by(PRESUMED_GBPS, UNKNOWN_SHARE), len(gpus) if reach_each_other(part) is False else 0
    ring = Ring(pace, "", (), (), staged, staged) if len(gpus) > 1 and spec.form is not GpuForm.OAM else None
    return _predicted(workload, _Machine(gpus, ring, PRESUMED_GBPS))


def _by(one: Triple, other: Triple) -> Triple:
    return one[0] * other[0], one[1] * other[1], one[2] * other[2]


def _stopped(workload: Workload, machine: _Machine) -> ModelPrediction:
    memory, fits = _memory(workload, machine.gpus)
    count = len(machine.gpus)
    return ModelPrediction(workload, count, count, memory, fits, None, None, None, (NO_LOOP,), (), (), ())


def _predicted(workload: Workload, machine: _Machine) -> ModelPrediction:
    everything = machine.gpus
    unfit = tuple(dict.fromkeys(words for gpu in everything if (words := unfit_words(gpu.part, workload))))
    gpus = _used(workload, everything)
    memory, fits = _memory(workload, gpus)
    decode = prefill = train = None
    assumptions: tuple[str, ...] = ()
    if gpus and not unfit and fits is not Fits.NO:
        if workload.method.trains:
            ring = machine.ring.gbps if machine.ring else None
            train = train_rate(workload, gpus, TrainLinks(ring, machine.host_gbps))
            assumptions = (FRAMEWORKS,)
        else:
            link = machine.ring.gbps if machine.ring else _by(PRESUMED_GBPS, UNKNOWN_SHARE)
            staged = bool(machine.ring and machine.ring.perhaps_staged)
            decode = decode_rate(workload, gpus, link=link, staged=staged)
            if decode and (in_ram := sum(card.memory.in_ram_gb for card in memory)) > 0:
                decode = _from_ram(workload, decode, in_ram, machine)
            prefill = prefill_rate(workload, gpus)
            assumptions = (LLAMA_CPP if one_engine(workload) else ENGINES,)
        if len(gpus) > 1 and machine.ring and workload.split is not Split.LAYERS:
            assumptions = (*assumptions, *machine.ring.notes)
    missing = {name for rate in (decode, prefill, train) if rate for name in rate.missing}
    missing |= {name for gpu in gpus for name in gpu.peaks.missing}
    missing |= {f"{gpu.part.id}.memory_gb" for gpu in gpus if gpu.memory_gb is None}
    one = ModelPrediction(
        workload, len(gpus), len(everything), memory, fits, decode, prefill, train, unfit, (), assumptions, ()
    )
    return replace(one, reasons=_reasons(one, gpus), missing=tuple(sorted(missing)))


def _used(workload: Workload, gpus: Sequence[ModelGpu]) -> tuple[ModelGpu, ...]:
    """Where cards hold layers, the fastest that hold the model together, as few as can be; else all."""
    if workload.split is not Split.LAYERS or len(gpus) < 2:
        return shared_out(gpus)
    fastest = sorted(gpus, key=lambda gpu: -(gpu.bandwidth.values[1] if gpu.bandwidth else 0.0))
    for count in range(1, len(fastest)):
        chosen = shared_out(fastest[:count])
        if _memory(workload, chosen)[1] is Fits.YES:
            return chosen
    return shared_out(gpus)


def _memory(workload: Workload, gpus: Sequence[ModelGpu]) -> tuple[tuple[CardMemory, ...], Fits]:
    kinds: dict[tuple[str, float | None], list[ModelGpu]] = {}
    for gpu in gpus:
        kinds.setdefault((gpu.part.id, gpu.memory_gb), []).append(gpu)
    cards = []
    for alike in kinds.values():
        first = alike[0]
        share = first.share if workload.split is Split.LAYERS else None
        need = model_memory(workload, first.memory_gb, len(gpus), share=share)
        cards.append(CardMemory(first.part.id, first.part.title, len(alike), need))
    fits = max((card.memory.fits for card in cards), key=lambda one: WORST[one], default=Fits.UNKNOWN)
    return tuple(cards), fits


def _from_ram(workload: Workload, decode: Band, in_ram_gb: float, machine: _Machine) -> Band:
    """The host's cores read what stays in RAM, at its rate, or it comes over the link for each token."""
    weights, _ = bytes_per_step(workload, workload.requests)
    moved = weights * min(1.0, in_ram_gb * 2**30 / workload.weight_bytes)
    slow, usual, fast = (rate * 0.6 for rate in machine.host_gbps)
    ram = machine.ram_gbps or 0.0
    paces = (min(slow, ram * 0.4) if ram else slow, max(usual, ram * 0.6), max(fast, ram * 0.85))
    low, expected, high = (
        1 / (1 / rate + moved / (pace * 1e9) / workload.requests)
        for rate, pace in zip(decode.triple, paces, strict=True)
    )
    return replace(decode, low=low, expected=expected, high=high)


def _reasons(one: ModelPrediction, gpus: Sequence[ModelGpu]) -> tuple[str, ...]:
    workload, sentences = one.workload, []
    for card in one.memory:
        memory = card.memory
        if memory.short_gb:
            sentences.append(
                tr("{card} is {short:.1f} GB short of {needed:.1f} GB.", card=card.title, short=memory.short_gb,
                   needed=memory.needed.expected)
            )  # fmt: skip
            if memory.fewest_cards and memory.fewest_cards > one.cards:
                sentences.append(
                    trn("It fits over {count} such GPU.", "It fits over {count} such GPUs.", count=memory.fewest_cards)
                )
    if one.decode:
        weights, cache = bytes_per_step(workload, workload.requests)
        sentences.append(
            tr(
                "A step reads {weights:.1f} GB of weights and {cache:.2f} GB of K and V.",
                weights=weights / 1e9,
                cache=cache / 1e9,
            )
        )
        if workload.split is Split.LAYERS and len(gpus) > 1:
            sentences.append(tr("Split by layers: memory adds up, a request is no faster than on one card."))
        if one.cards < one.of_cards:
            sentences.append(
                trn("{count} of {all} GPUs holds it.", "{count} of {all} GPUs hold it.", count=one.cards,
                    all=one.of_cards)
            )  # fmt: skip
    if workload.offload is not Offload.NONE and (in_ram := sum(card.memory.in_ram_gb for card in one.memory)) > 0:
        sentences.append(tr("{gb:.0f} GB stay in the host's RAM.", gb=in_ram))
    held = [gpu for gpu in gpus if gpu.power_share < HELD_BACK]
    if held and one.rate:
        sentences.append(
            tr(
                "Power limits and heat leave {percent:.0f} % of the power: computing slows down, memory does not.",
                percent=100 * min(gpu.power_share for gpu in held),
            )
        )
    return tuple(sentences)
