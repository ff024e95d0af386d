"""Choosing devices by id, its beginning or index."""

from __future__ import annotations

import pytest

from core.burnin.run.order import choose_devices
from core.errors import BadInput
from core.telemetry.device import Device, DeviceKind

GPU_A = Device("GPU-aa11", DeviceKind.GPU, "Card", index=0)
GPU_B = Device("GPU-ab22", DeviceKind.GPU, "Card", index=1)
CPU = Device("cpu", DeviceKind.CPU, "Processor")
PRESENT = [GPU_A, GPU_B, CPU]


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ((), [GPU_A, GPU_B]),
        (("GPU-aa",), [GPU_A]),
        (("1",), [GPU_B]),
        (("0",), [GPU_A]),
        (("cpu",), [CPU]),
        (("cpu", "GPU-ab22"), [GPU_B, CPU]),
    ],
)
def test_words_choose_devices_in_their_own_order(wanted: tuple[str, ...], chosen: list[Device]) -> None:
    assert choose_devices(PRESENT, wanted) == chosen


def test_without_a_gpu_nothing_is_burned_in_unless_the_cpu_is_chosen() -> None:
    assert choose_devices([CPU], ()) == []
    assert choose_devices([CPU], ("cpu",)) == [CPU]


@pytest.mark.parametrize(("word", "says"), [("GPU-a", "several"), ("GPU-x", "no device"), ("7", "no device")])
def test_a_word_that_names_none_or_several_is_refused_with_the_present_ids(word: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        choose_devices(PRESENT, (word,))
    assert "GPU-aa11" in str(caught.value)
