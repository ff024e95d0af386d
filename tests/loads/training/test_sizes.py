"""How large the networks are: by the memory of a GPU, and as the parameters say."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from core.errors import BadInput, EnvironmentProblem
from core.loads.training.contract import LstmParams, Precision, ResnetParams, TransformerParams
from core.loads.training.precision import chosen_precision
from core.loads.training.sizes import SMALL_GPT, task_of

CPU, GPU = torch.device("cpu"), torch.device("cuda", 0)
GIB = 2**30
BF16, FP32 = Precision.AMP_BF16, Precision.FP32


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A GPU that is not there, with as much memory as a test gives it."""
    card = SimpleNamespace(total_memory=0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: card)
    return card


@pytest.mark.parametrize(
    ("gib", "precision", "images"),
    [
        (24, BF16, 448),
        (24, FP32, 224),
        (11, BF16, 192),
        (8, FP32, 64),
        (2, BF16, 64),
        (32, BF16, 576),
        (80, BF16, 1280),
    ],
)
def test_resnet_takes_as_many_images_as_the_memory_holds(
    memory: SimpleNamespace, gib: int, precision: Precision, images: int
) -> None:
    memory.total_memory = gib * GIB
    task = task_of("resnet", ResnetParams(), GPU, precision)
    assert task.batch == images
    assert (task.image, task.width, task.classes) == (224, 64, 1000)


@pytest.mark.parametrize(
    ("gib", "precision", "layers", "batch"),
    [
        (8, BF16, SMALL_GPT.layers, SMALL_GPT.batch),
        (12, BF16, 24, 1),
        (16, BF16, 24, 2),
        (24, BF16, 24, 8),
        (24, FP32, 24, 4),
        (80, BF16, 24, 32),
        (180, BF16, 24, 32),
    ],
)
def test_gpt_2_medium_is_trained_where_the_memory_allows(
    memory: SimpleNamespace, gib: int, precision: Precision, layers: int, batch: int
) -> None:
    memory.total_memory = gib * GIB
    task = task_of("transformer", TransformerParams(), GPU, precision)
    assert (task.layers, task.batch) == (layers, batch)


def test_the_lstm_is_the_one_of_the_plan_on_every_gpu() -> None:
    task = task_of("lstm", LstmParams(), GPU, BF16)
    assert (task.layers, task.width, task.length, task.batch) == (4, 1024, 50, 128)


def test_parameters_come_before_defaults() -> None:
    task = task_of("resnet", ResnetParams(batch=3, learning_rate=0.5), CPU, FP32)
    assert (task.batch, task.learning_rate) == (3, 0.5)
    assert task.image == task_of("resnet", ResnetParams(), CPU, FP32).image


@pytest.mark.parametrize(
    ("capability", "asked", "given"),
    [
        ((8, 9), None, "amp-bf16"),
        ((7, 5), None, "amp-fp16"),
        ((6, 1), None, "fp32"),
        ((9, 0), "tf32", "tf32"),
        ((7, 5), "tf32", None),
        ((7, 0), "amp-bf16", None),
        ((6, 1), "amp-fp16", "amp-fp16"),
    ],
)
def test_a_gpu_is_asked_only_for_what_its_hardware_has(
    monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int], asked: str | None, given: str | None
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    wanted = None if asked is None else Precision(asked)
    if given is None:
        with pytest.raises(EnvironmentProblem, match="this GPU has 7"):
            chosen_precision(wanted, GPU)
    else:
        assert chosen_precision(wanted, GPU) is Precision(given)


def test_one_image_cannot_be_normalised() -> None:
    with pytest.raises(BadInput, match="two images"):
        task_of("resnet", ResnetParams(batch=1), CPU, FP32)
