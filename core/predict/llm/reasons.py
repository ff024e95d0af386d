"""Why a model is no faster on these GPUs, what is short, and how many cards would do, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from core.predict.llm.decode import bytes_per_step
from core.predict.llm.gpus import ModelGpu
from core.predict.llm.machine import ModelMachine
from core.predict.llm.workload import Split, Workload
from core.predict.speed.speed import HELD_BACK, OAM_UNKNOWN
from core.words import tr, trn

if TYPE_CHECKING:
    from core.predict.llm.prediction import ModelPrediction


def reasons_of(one: ModelPrediction, gpus: Sequence[ModelGpu], machine: ModelMachine) -> tuple[str, ...]:
    """Of a prediction that has its figures already."""
    return tuple(dict.fromkeys((*_of_memory(one), *_of_speed(one, gpus, machine))))


def split_fault(workload: Workload, count: int) -> str | None:
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
