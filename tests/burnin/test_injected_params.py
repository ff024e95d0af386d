"""What the runner adds to the parameters of a load: the card's peak in that precision, and the ways to other cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.burnin.stages.injected_params import injected_params, stated_peak_tflops
from core.telemetry.device import Device, DeviceKind

CARD = Device(
    id="GPU-a", kind=DeviceKind.GPU, name="NVIDIA GeForce RTX 3090", memory_mb=24_576, compute_capability="8.6"
)
CPU = Device(id="cpu", kind=DeviceKind.CPU, name="Some processor")


@pytest.mark.parametrize(
    ("given", "peak"), [({"precision": "fp32"}, 35.6), ({}, 71.2), ({"precision": "amp-fp16"}, 71.2)]
)
def test_a_training_is_told_the_peak_of_its_precision(given: dict[str, Any], peak: float) -> None:
    assert injected_params("resnet", CARD, given)["peak_tflops"] == pytest.approx(peak, rel=0.02)


@pytest.mark.parametrize(
    ("device", "precision"),
    [
        (CPU, "fp32"),
        (replace(CARD, name="NVIDIA Unheard-of 9000"), "fp32"),
        (replace(CARD, compute_capability=None), None),
        (CARD, "fp4"),
    ],
)
def test_an_unknown_peak_is_not_made_up(device: Device, precision: str | None) -> None:
    assert stated_peak_tflops(device, precision) is None


def test_what_was_given_stays() -> None:
    assert injected_params("lstm", CARD, {"peak_tflops": 5.0}) == {}


@pytest.mark.parametrize("load", ["gemm", "vram", "collectives"])
def test_loads_are_told_only_what_they_take(load: str) -> None:
    assert injected_params(load, replace(CARD, p2p={"GPU-b": {"read": "ok"}}), {}) == {}


def test_pairs_are_told_what_the_driver_says_of_them() -> None:
    access = {"GPU-b": {"read": "ok", "write": "ok", "pci": "ok"}, "GPU-c": {"read": "not supported by the GPU"}}
    card = replace(CARD, p2p=access, topology={"GPU-b": "a PCIe switch"})
    assert injected_params("p2p", card, {}) == {
        "transport": "to GPU-b over a PCIe switch: read ok, write ok; to GPU-c: read not supported by the GPU"
    }
    assert injected_params("p2p", CARD, {}) == {}
