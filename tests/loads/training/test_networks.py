"""The networks: as large as memory and parameters say, counted by their formulas, as good as guessing at first, blind
to what comes later."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from core.loads.load import StepReport
from core.loads.training.contract import LstmParams, Precision, ResnetParams, TransformerParams
from core.loads.training.resnet import ResnetTask
from core.loads.training.sizes import (
    CPU_GPT,
    CPU_LSTM,
    CPU_RESNET,
    GPT_2_MEDIUM,
    GPU_LSTM,
    GPU_RESNET,
    SMALL_GPT,
    task_of,
)
from core.loads.training.task import TrainingTask
from core.loads.training.text import GptTask, LstmTask
from core.loads.training.trainer import chosen_precision
from core.platform.errors import EnvironmentProblem

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
        (24, BF16, 448), (24, FP32, 224), (11, BF16, 192), (8, FP32, 64), (2, BF16, 64), (32, BF16, 576),
        (80, BF16, 1280),
    ],
)  # fmt: skip
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
        (8, BF16, SMALL_GPT.layers, SMALL_GPT.batch), (12, BF16, 24, 1), (16, BF16, 24, 2), (24, BF16, 24, 8),
        (24, FP32, 24, 4), (80, BF16, 24, 32), (180, BF16, 24, 32),
    ],
)  # fmt: skip
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
    ("capability", "chosen", "expected"),
    [
        ((8, 9), None, "amp-bf16"), ((7, 5), None, "amp-fp16"), ((6, 1), None, "fp32"), ((9, 0), "tf32", "tf32"),
        ((7, 5), "tf32", None), ((7, 0), "amp-bf16", None), ((6, 1), "amp-fp16", "amp-fp16"),
    ],
)  # fmt: skip
def test_a_gpu_is_asked_only_for_what_its_hardware_has(
    monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int], chosen: str | None, expected: str | None
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    precision = None if chosen is None else Precision(chosen)
    if expected is None:
        with pytest.raises(EnvironmentProblem, match="this GPU has 7"):
            chosen_precision(precision, GPU)
    else:
        assert chosen_precision(precision, GPU) is Precision(expected)


GPT = GptTask(layers=2, width=32, heads=2, context=16, batch=4, vocabulary=64)
LSTM = LstmTask(layers=2, width=16, length=6, vocabulary=32, batch=4)
RESNET = ResnetTask(image=32, width=4, classes=10, batch=4)
SMALL = (GPT, LSTM, RESNET)


def built(task: TrainingTask, seed: int = 1) -> nn.Module:
    drawing = task.network(seed)
    while True:
        try:
            assert next(drawing) == StepReport()
        except StopIteration as drawn:
            network: nn.Module = drawn.value
            return network


def parameters(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


@pytest.mark.parametrize("task", SMALL, ids=lambda task: type(task).__name__)
def test_an_untrained_network_is_about_as_good_as_guessing(task: TrainingTask) -> None:
    network = built(task)
    examples = task.examples(torch.Generator().manual_seed(1))
    with torch.no_grad():
        loss, scores = task.judged(network, examples)
    assert float(loss) == pytest.approx(math.log(scores.shape[-1]), rel=0.15)


@pytest.mark.parametrize("task", SMALL, ids=lambda task: type(task).__name__)
def test_operations_are_counted_as_torch_counts_them(task: TrainingTask) -> None:
    # On the device without memory the LSTM is taken step by step and attention in products that the counter sees.
    examples = task.examples(torch.Generator().manual_seed(1))
    inputs, answers = (tensor.to("meta") for tensor in examples)
    with FlopCounterMode(display=False) as counter:
        task.judged(built(task).to("meta"), (inputs, answers))[0].backward()
    counted = counter.get_total_flops()
    # No gradient is due for the state, zero, with which each layer of the LSTM begins.
    first_states = 2 * 4 * task.width**2 * task.layers * task.batch if isinstance(task, LstmTask) else 0
    assert counted == task.flop_per_step - first_states


def test_the_published_sizes_are_met() -> None:
    """25.557 million weights and 4.1 billion multiply-adds (He et al. 2015); 355 million for GPT-2 medium."""
    with torch.device("meta"):
        assert parameters(_on_meta(replace(GPU_RESNET, batch=1))) == 25_557_032
        assert 353e6 < parameters(_on_meta(GPT_2_MEDIUM)) < 356e6
    assert replace(GPU_RESNET, batch=1).flop_per_step / 6 == pytest.approx(4.1e9, rel=0.02)


def _on_meta(task: ResnetTask | GptTask) -> nn.Module:
    from core.loads.training.resnet import Resnet
    from core.loads.training.text import Gpt

    return Resnet(task) if isinstance(task, ResnetTask) else Gpt(task)


def test_parameters_are_counted_by_the_formula() -> None:
    task = GptTask(layers=3, width=48, heads=4, context=20, batch=1, vocabulary=100)
    width = task.width
    block = 12 * width**2 + 13 * width
    assert parameters(built(task)) == 3 * block + (100 + 20) * width + 2 * width


@pytest.mark.parametrize("task", [GPT, LSTM], ids=lambda task: type(task).__name__)
def test_a_prediction_knows_only_what_came_before(task: GptTask | LstmTask) -> None:
    network = built(task)
    text, _ = task.examples(torch.Generator().manual_seed(1))
    changed = text.clone()
    changed[0, 4] = (changed[0, 4] + 1) % 32
    with torch.no_grad():
        scores, others = network(text), network(changed)
    torch.testing.assert_close(scores[:, :4], others[:, :4])
    assert not torch.allclose(scores[0, 4:], others[0, 4:])


def test_images_of_a_batch_are_all_different() -> None:
    images, labels = ResnetTask(image=32, width=4, classes=10, batch=150).examples(torch.Generator().manual_seed(1))
    assert images.shape == (150, 3, 32, 32)
    assert labels.shape == (150,)
    assert len({float(image.flatten()[5]) for image in images}) == 150


@pytest.mark.parametrize(
    "task",
    [
        replace(GPU_RESNET, image=32, width=32, batch=2, classes=100),
        replace(GPU_LSTM, width=512, length=8, batch=1, vocabulary=200),
        replace(SMALL_GPT, layers=2, context=16, batch=1, vocabulary=512),
    ],
    ids=lambda task: type(task).__name__,
)
def test_the_networks_for_gpus_learn_too(task: TrainingTask) -> None:
    """Somewhat smaller, at a batch that a CPU manages: six steps at their learning rate."""
    network = built(task)
    examples = task.examples(torch.Generator().manual_seed(1))
    optimiser = torch.optim.AdamW(network.parameters(), lr=task.learning_rate)
    losses = []
    for _ in range(6):
        optimiser.zero_grad()
        loss, _ = task.judged(network, examples)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.97 * losses[0]


def test_sizes_for_a_cpu_are_far_smaller() -> None:
    for cpu, gpu in ((CPU_RESNET, GPU_RESNET), (CPU_LSTM, GPU_LSTM), (CPU_GPT, SMALL_GPT)):
        assert 100 * cpu.flop_per_step < max(gpu.flop_per_step, replace(GPU_RESNET, batch=64).flop_per_step)
