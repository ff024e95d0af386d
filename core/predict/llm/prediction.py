"""A language model on a build or on cards alone: what fits, how fast it answers or trains, and why no faster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from core.parts.part import Part
from core.plan.build import Build
from core.plan.placement.links import CardLink
from core.plan.placement.risers import CardKey
from core.platform.json_value import JsonValue, PartId
from core.predict.band import Band, union
from core.predict.llm.decode import bytes_per_step, decode_rate, one_engine
from core.predict.llm.gpus import ModelGpu, all_missing, shared_out, unfit_words
from core.predict.llm.machine import ModelMachine, machine_of, machine_of_cards
from core.predict.llm.memory import ModelMemory, card_memory, model_memory
from core.predict.llm.prefill import prefill_rate
from core.predict.llm.training import train_rate
from core.predict.llm.workload import Method, Offload, Software, Split, Workload
from core.predict.speed.memory_fit import GIB, Fits
from core.predict.speed.networks import Triple
from core.predict.speed.speed import HELD_BACK, NO_LOOP, OAM_UNKNOWN
from core.predict.thermal.heat import Heat
from core.words import tr, trn

LLAMA_CPP = tr("The band of new tokens is that of llama.cpp at one request.")
ENGINES = tr("The bands span common inference engines, from plain ones to those tuned for this card.")
TRANSFORMERS = tr("Hugging Face's own generation: the host prepares each layer, and the card waits for it.")
FRAMEWORKS = tr("The band spans training from Hugging Face out of the box to tuned code.")
TOKENS_AT_ONCE: Triple = (512.0, 1024.0, 4096.0)
"""Of a prompt, for which weights in RAM come over the link once (llama.cpp's batches, and larger ones)."""
RAM_SHARE: Triple = (0.4, 0.6, 0.85)
"""Of the RAM's rate that the host's cores read weights at; of the link's, that weights are fetched at."""


@dataclass(frozen=True, slots=True)
class CardMemory(JsonValue):
    """What the model takes of each GPU of one kind."""

    part_id: PartId
    title: str
    count: int
    """GPUs of this kind that are used."""
    memory: ModelMemory


@dataclass(frozen=True, slots=True)
class ModelPrediction(JsonValue):
    """A workload on some GPUs. Rates are in tokens per second; None: it does not fit, the method has none, or figures
    are missing."""

    workload: Workload
    cards: int
    """GPUs that are used, as the driver lists them."""
    of_cards: int
    """GPUs that there are."""
    memory: tuple[CardMemory, ...]
    fits: Fits
    """On the GPU that it fits least."""
    decode: Band | None
    """New tokens of all requests together."""
    prefill: Band | None
    """Tokens of prompts."""
    train: Band | None
    """Of all GPUs together."""
    unfit: tuple[str, ...]
    """Why these GPUs cannot do it at all, memory apart."""
    reasons: tuple[str, ...]
    """Why no faster, and what is short."""
    assumptions: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def rate(self) -> Band | None:
        """What counts of the method: new tokens, or those trained on."""
        return self.train if self.workload.method.trains else self.decode

    @property
    def hindrance(self) -> str:
        """Why there is no rate, in a few words; empty where there is one."""
        if self.unfit:
            return tr("these GPUs cannot run it")
        if self.fits is Fits.NO:
            return self.fits.label
        return "" if self.rate else tr("figures of a card are unknown")

    @property
    def per_request(self) -> Band | None:
        """New tokens per second of one request."""
        return self.decode.times(1 / self.workload.requests) if self.decode else None

    @property
    def in_ram_gb(self) -> float:
        """Of the model, in the host's RAM, in GiB."""
        return fsum(card.count * card.memory.in_ram_gb for card in self.memory)


def predict_model(
    build: Build, workload: Workload, heat: Heat | None = None, card_links: Mapping[CardKey, CardLink] | None = None
) -> ModelPrediction:
    """The workload on the GPUs of a build that do work. Pure. Without `heat` cards are taken to stay cool.

    Where cards hold layers, as few are used as hold the model; else all.
    """
    return _predicted(workload, machine_of(build, heat, card_links))


def predict_card(part: Part, workload: Workload, count: int = 1, limit_w: float | None = None) -> ModelPrediction:
    """The workload on so many such cards outside a build, on links of unknown rate. Pure.

    Raises ValueError for a part that is no GPU, or fewer than one.
    """
    return _predicted(workload, machine_of_cards(part, count, limit_w))


def _predicted(workload: Workload, machine: ModelMachine) -> ModelPrediction:
    gpus = _used(workload, machine.gpus)
    memory, fits = _memory(workload, gpus)
    empty = ModelPrediction(
        workload, len(gpus), len(machine.gpus), memory, fits, None, None, None, (), (), (), _missing(gpus)
    )
    unfit = _unfit(workload, machine, gpus, empty.in_ram_gb)
    if unfit or fits is Fits.NO:
        return replace(empty, unfit=unfit, reasons=_reasons_of(empty, gpus, machine))
    one = _trained(empty, gpus, machine) if workload.method.trains else _generated(empty, gpus, machine)
    notes = machine.ring.notes if machine.ring and _exchanges(workload, gpus) else ()
    offloads = workload.offload is not Offload.NONE
    assumptions = union((one.assumptions, notes, machine.notes if offloads else ()))
    return replace(one, assumptions=assumptions, reasons=_reasons_of(one, gpus, machine))


def _trained(one: ModelPrediction, gpus: Sequence[ModelGpu], machine: ModelMachine) -> ModelPrediction:
    assumed = (FRAMEWORKS,) if one.workload.software is Software.ANY else ()
    return replace(one, train=train_rate(one.workload, gpus, machine), assumptions=assumed)


def _generated(one: ModelPrediction, gpus: Sequence[ModelGpu], machine: ModelMachine) -> ModelPrediction:
    workload = one.workload
    decode, prefill = decode_rate(workload, gpus, machine.ring), prefill_rate(workload, gpus)
    if one.in_ram_gb > 0:
        decode = _from_ram(workload, decode, one.in_ram_gb, machine) if decode else None
        prefill = _streamed(prefill, one.in_ram_gb, machine) if prefill else None
    plain = TRANSFORMERS if workload.software is Software.PLAIN else ENGINES
    assumed = LLAMA_CPP if one_engine(workload, gpus) else plain
    return replace(one, decode=decode, prefill=prefill, assumptions=(assumed,))


def _exchanges(workload: Workload, gpus: Sequence[ModelGpu]) -> bool:
    """Whether the rate depends on the links between the GPUs."""
    copies = workload.split is Split.DATA and not workload.method.trains
    return len(gpus) > 1 and workload.split is not Split.LAYERS and not copies


def _used(workload: Workload, gpus: Sequence[ModelGpu]) -> tuple[ModelGpu, ...]:
    """Where cards hold layers, the fastest that hold the model together, as few as can be; else all."""
    if workload.split is not Split.LAYERS:
        return tuple(gpus)
    fastest = sorted(gpus, key=lambda gpu: -(gpu.bandwidth.values[1] if gpu.bandwidth else 0.0))
    for count in range(1, len(fastest)):
        chosen = shared_out(fastest[:count])
        each = (card_memory(workload, gpu.memory_gb, count, share=gpu.share) for gpu in chosen)
        if all(one.fits is Fits.YES and not (one.in_ram_gb and workload.method is Method.INFERENCE) for one in each):
            return chosen
    return shared_out(fastest)


def _memory(workload: Workload, gpus: Sequence[ModelGpu]) -> tuple[tuple[CardMemory, ...], Fits]:
    kinds: dict[tuple[str, float | None], list[ModelGpu]] = {}
    for gpu in gpus:
        kinds.setdefault((gpu.part.id, gpu.memory_gb), []).append(gpu)
    by_layers = workload.split is Split.LAYERS
    cards = tuple(
        CardMemory(
            alike[0].part.id,
            alike[0].part.title,
            len(alike),
            model_memory(workload, alike[0].memory_gb, len(gpus), share=alike[0].share if by_layers else None),
        )
        for alike in kinds.values()
    )
    return cards, max((card.memory.fits for card in cards), key=lambda fits: fits.order, default=Fits.UNKNOWN)


def _unfit(workload: Workload, machine: ModelMachine, gpus: Sequence[ModelGpu], in_ram_gb: float) -> tuple[str, ...]:
    if not gpus:
        return (tr("There is no GPU to run it on."),)
    sentences = [words for gpu in gpus if (words := unfit_words(gpu.part, workload))]
    if not machine.cooled:
        sentences.append(NO_LOOP)
    if machine.ram_gb is not None and in_ram_gb > machine.ram_gb:
        sentences.append(
            tr("{needed:.0f} GB would stay in RAM; there are {gb:.0f} GB.", needed=in_ram_gb, gb=machine.ram_gb)
        )
    if fault := _split_fault(workload, len(gpus)):
        sentences.append(fault)
    return tuple(dict.fromkeys(sentences))


def _missing(gpus: Sequence[ModelGpu]) -> tuple[str, ...]:
    sizes = (f"{gpu.part.id}.memory_gb" for gpu in gpus if gpu.memory_gb is None)
    return tuple(sorted({*all_missing(gpus), *sizes}))


def _from_ram(workload: Workload, decode: Band, in_ram_gb: float, machine: ModelMachine) -> Band:
    """What stays in RAM is read there by the host's cores, or fetched for each step; the faster of both."""
    weights, _ = bytes_per_step(workload, workload.requests)
    part = min(1.0, in_ram_gb * GIB / workload.weight_bytes)
    ram = machine.ram_gbps or 0.0
    rates = []
    for side, rate in enumerate(decode.triple):
        pace = RAM_SHARE[side] * max(ram, machine.host_gbps[side]) * 1e9
        seconds = workload.requests / rate * (1 - part) + weights * part / pace
        rates.append(workload.requests / seconds)
    low, expected, high = rates
    return replace(decode, low=min(low, expected), expected=expected, high=max(expected, high))


def _streamed(prefill: Band, in_ram_gb: float, machine: ModelMachine) -> Band:
    """What stays in RAM comes over the link for each part of the prompt."""
    low, expected, high = (
        1 / (1 / rate + in_ram_gb * GIB / at_once / (share * gbps * 1e9))
        for rate, at_once, share, gbps in zip(prefill.triple, TOKENS_AT_ONCE, RAM_SHARE, machine.host_gbps, strict=True)
    )
    return replace(prefill, low=low, expected=expected, high=high)


def _reasons_of(one: ModelPrediction, gpus: Sequence[ModelGpu], machine: ModelMachine) -> tuple[str, ...]:
    """Of a prediction that has its figures already."""
    return tuple(dict.fromkeys((*_of_memory(one), *_of_speed(one, gpus, machine))))


def _split_fault(workload: Workload, count: int) -> str | None:
    """Why the model cannot be shared by so many GPUs; None where it can."""
    if workload.split is not Split.TENSOR or count < 2:
        return None
    for kind in workload.model.attention:
        if kind.kv_values == 0 or kind.kv_heads == 1:
            continue
        heads = round(kind.queries * 2 * kind.kv_heads / kind.kv_values)
        if heads % count:
            return tr(
                "{heads} heads cannot be spread evenly over {count} GPUs: tensor parallelism takes a number that "
                "divides them.",
                heads=heads,
                count=count,
            )
    return None


def _of_memory(one: ModelPrediction) -> Iterator[str]:
    for card in one.memory:
        memory = card.memory
        if memory.short_gb is None:
            continue
        yield tr(
            "{card}: {needed:.1f} GB needed, {short:.1f} GB more than it has.",
            card=card.title,
            needed=memory.needed.expected,
            short=memory.short_gb,
        )
        if memory.fewest_cards and memory.fewest_cards > one.cards:
            yield trn("It fits over {count} such GPU.", "It fits over {count} such GPUs.", count=memory.fewest_cards)
    if one.in_ram_gb > 0:
        yield tr("{gb:.0f} GB stay in the host's RAM.", gb=one.in_ram_gb)


def _of_speed(one: ModelPrediction, gpus: Sequence[ModelGpu], machine: ModelMachine) -> Iterator[str]:
    workload = one.workload
    if one.decode:
        weights, cache = bytes_per_step(workload, workload.requests)
        yield tr(
            "Each step reads {weights:.1f} GB of weights and {cache:.2f} GB of K and V.",
            weights=weights / 1e9,
            cache=cache / 1e9,
        )
    if one.rate and len(gpus) > 1:
        if workload.split is Split.LAYERS:
            yield tr("Split by layers: memory adds up, the cards work in turn.")
        elif machine.ring and machine.ring.slowest:
            yield tr("The cards exchange data at the pace of the slowest link, {edge}.", edge=machine.ring.slowest)
    if len(gpus) > 1 and machine.ring is None and workload.split is not Split.LAYERS and one.rate is None:
        yield OAM_UNKNOWN
    if one.cards < one.of_cards:
        yield trn(
            "{count} of {total} GPUs holds it.", "{count} of {total} GPUs hold it.", count=one.cards, total=one.of_cards
        )
    held = [gpu.power_share for gpu in gpus if gpu.power_share < HELD_BACK]
    if held and one.rate:
        yield tr(
            "Power limits and heat leave {percent:.0f} % of the power: computing slows down, reading memory does not.",
            percent=100 * min(held),
        )
