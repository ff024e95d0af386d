"""What the loads ask of CUDA, on stand-ins: no core spins, old torch is enough, probes are not launch-bound."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from core.loads.device import mark, peak_gbps
from core.loads.products import availability
from core.loads.products.formats import FORMATS
from core.loads.training.contract import Precision
from core.loads.training.text import Lstm, LstmTask
from core.loads.training.trainer import Trainer, recurrent_in_fp16

CUDA, CPU = torch.device("cuda", 0), torch.device("cpu")
TASK = LstmTask(layers=1, width=8, length=3, batch=2, vocabulary=16)


def test_waiting_for_the_device_does_not_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    event_options: list[dict[str, bool]] = []

    def event(**options: bool) -> Any:
        event_options.append(options)
        return SimpleNamespace(record=lambda: None)

    monkeypatch.setattr(torch.cuda, "Event", event)
    mark(CUDA)
    assert event_options == [{"enable_timing": True, "blocking": True}]


@pytest.mark.parametrize(
    ("properties", "gbps"),
    [
        ({"memory_clock_rate": 10_501_000, "memory_bus_width": 384}, 1008.1),
        ({"memory_bus_width": 384}, None),
        ({}, None),
        ({"memory_clock_rate": 0, "memory_bus_width": 384}, None),
    ],
)
def test_the_peak_of_memory_is_unknown_where_torch_does_not_tell(
    monkeypatch: pytest.MonkeyPatch, properties: dict[str, int], gbps: float | None
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(**properties))
    assert peak_gbps(CUDA) == (None if gbps is None else pytest.approx(gbps, rel=1e-3))


@pytest.mark.parametrize(("tflops", "probes"), [(0.5, [1024]), (60.0, [1024, 4096]), (800.0, [1024, 4096])])
def test_a_fast_card_is_probed_with_a_large_product(
    monkeypatch: pytest.MonkeyPatch, tflops: float, probes: list[int]
) -> None:
    tried: list[int] = []

    def probed(size: int, *_: Any) -> float:
        tried.append(size)
        return (2.0 * size**3 / (tflops * 1e12) + 10e-6 * (size == 1024)) / (2.0 * size**3)

    monkeypatch.setattr(availability, "_probed", probed)
    assert availability.seconds_per_flop(FORMATS[0], CUDA) == pytest.approx(1e-12 / tflops, rel=0.01)
    assert tried == probes


@pytest.mark.parametrize(
    ("precision", "device", "half"),
    [
        (Precision.AMP_BF16, CUDA, True), (Precision.AMP_FP16, CUDA, True), (Precision.TF32, CUDA, False),
        (Precision.AMP_BF16, CPU, False),
    ],
)  # fmt: skip
def test_an_lstm_is_computed_in_fp16_by_cudnn_and_its_gradients_are_scaled(
    monkeypatch: pytest.MonkeyPatch, precision: Precision, device: torch.device, half: bool
) -> None:
    network = Lstm(TASK)
    assert recurrent_in_fp16(network, precision, device) is half
    assert not recurrent_in_fp16(nn.Linear(2, 2), precision, device)
    scaled: list[bool] = []
    monkeypatch.setattr(torch.amp, "GradScaler", lambda _, *, enabled: scaled.append(enabled))
    trainer = Trainer(TASK, network, TASK.examples(torch.Generator()), device=device, precision=precision)
    assert scaled == [half]
    really = {(Precision.AMP_BF16, CUDA): "amp-bf16, recurrent layers amp-fp16"}
    assert trainer.precision == really.get((precision, device), str(precision))
