"""Which size of each network suits a device: large enough to fill a GPU, small enough for a CPU to answer in time."""

from dataclasses import fields, replace
from typing import Any, TypeVar

import torch

from core.loads.training.contract import Precision, ReplayParams, TrainingParams
from core.loads.training.resnet import ResnetTask
from core.loads.training.task import TrainingTask
from core.loads.training.text import GptTask, LstmTask
from core.platform.errors import BadInput
from core.words import tr

GIB = 2**30

CPU_RESNET = ResnetTask(image=32, width=16, classes=100, batch=8)
GPU_RESNET = ResnetTask(image=224, width=64, classes=1000, batch=0)
CPU_LSTM = LstmTask(layers=4, width=128, length=25, batch=16, vocabulary=512, learning_rate=3e-3)
GPU_LSTM = LstmTask(layers=4, width=1024, length=50, batch=128, vocabulary=32_000)
CPU_GPT = GptTask(layers=4, width=128, heads=4, context=128, batch=8, vocabulary=512)
SMALL_GPT = GptTask(layers=8, width=768, heads=12, context=512, batch=8, vocabulary=8192)
GPT_2_MEDIUM = GptTask(layers=24, width=1024, heads=16, context=1024, batch=0, vocabulary=50_304, learning_rate=2e-4)
"""A batch of 0 is chosen by memory."""

RESNET_IMAGES_PER_GIB = 448 / 24
"""In 16 bits; a card of 24 GB trains on 448 images at once, and half as many in 32 bits."""
RESNET_SMALLEST, RESNET_LARGEST = 64, 1280
GPT_FIXED_GIB = 9.0
"""355 million weights in 32 bits with gradient, two moments of Adam and the copy of the first ones, and the context."""
GPT_SEQUENCE_GIB = {True: 1.8, False: 3.2}
"""Activations of one sequence by whether they have 16 bits, counted layer by layer; not measured."""
GPT_LARGEST_BATCH = 32

Size = TypeVar("Size", ResnetTask, LstmTask, GptTask)


def task_of(network: str, params: TrainingParams, device: torch.device, precision: Precision) -> TrainingTask:
    """A network by the name of its load, as large as the parameters or else the device ask for.

    Raises BadInput where normalisation would see a single image, or the heads do not divide the width.
    """
    gpu = device.type == "cuda"
    match network:
        case "resnet":
            resnet = _named(params, _resnet(_memory_gib(device), precision) if gpu else CPU_RESNET)
            if resnet.batch < 2:
                raise BadInput(tr("ResNet-50 needs a batch of two images or more."))
            return resnet
        case "lstm":
            return _named(params, GPU_LSTM if gpu else CPU_LSTM)
        case "transformer":
            gpt = _named(params, _gpt(_memory_gib(device), precision) if gpu else CPU_GPT)
            if gpt.width % gpt.heads:
                fields = {"width": gpt.width, "heads": gpt.heads}
                message = tr("A width of {width} cannot be divided among {heads} heads.", **fields)
                raise BadInput(message)
            return gpt
        case _:
            raise BadInput(tr("There is no network {network!r}.", network=network))


def replayed_task(params: ReplayParams, device: torch.device) -> TrainingTask:
    """A size that every GPU of a model can hold beside whatever else lies in its memory: all must train the same."""
    gpu = device.type == "cuda"
    match params.network:
        case "resnet":
            return _named(params, replace(GPU_RESNET, batch=RESNET_SMALLEST) if gpu else CPU_RESNET)
        case "lstm":
            return _named(params, GPU_LSTM if gpu else CPU_LSTM)
        case _:
            return _named(params, SMALL_GPT if gpu else CPU_GPT)


def _resnet(memory_gib: float, precision: Precision) -> ResnetTask:
    images = RESNET_IMAGES_PER_GIB * memory_gib / (1 if precision.half else 2)
    return replace(GPU_RESNET, batch=max(RESNET_SMALLEST, min(RESNET_LARGEST, int(images) // 32 * 32)))


def _gpt(memory_gib: float, precision: Precision) -> GptTask:
    sequences = (memory_gib - GPT_FIXED_GIB) / GPT_SEQUENCE_GIB[precision.half]
    if sequences < 1:
        return SMALL_GPT
    return replace(GPT_2_MEDIUM, batch=min(GPT_LARGEST_BATCH, 2 ** (int(sequences).bit_length() - 1)))


def _memory_gib(device: torch.device) -> float:
    """All memory, not what is free now: cards of one model shall train the same."""
    return float(torch.cuda.get_device_properties(device).total_memory) / GIB


def _named(params: TrainingParams, default: Size) -> Size:
    """The default with what the parameters name."""
    named: dict[str, Any] = {field.name: getattr(params, field.name, None) for field in fields(default)}
    return replace(default, **{name: value for name, value in named.items() if value is not None})
