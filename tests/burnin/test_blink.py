"""One card is loaded for a moment, so that its fan tells where it sits."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from core.burnin.run.blink import blink
from core.burnin.run.lock import take_runner_lock
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.card import find_model
from core.machine.telemetry.simulated.source import describe
from core.platform.errors import BadInput, EnvironmentProblem

MODEL = find_model("3090")
assert MODEL is not None
CARD = describe(0, MODEL)


@pytest.mark.process
def test_a_card_is_loaded_for_the_time_and_rests_again(tmp_path: Path) -> None:
    begun: list[float] = []
    blink(CARD, tmp_path, seconds=1.0, begun=lambda: begun.append(time.monotonic()))
    assert time.monotonic() - begun[0] >= 1.0


@pytest.mark.process
def test_what_cannot_run_says_why(tmp_path: Path) -> None:
    real = Device("GPU-not-here", DeviceKind.GPU, "NVIDIA GeForce RTX 3090")
    with pytest.raises(EnvironmentProblem, match="could not be put under load"):
        blink(real, tmp_path, seconds=1.0)


def test_only_gpus_blink_and_none_while_a_run_goes_on(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not a GPU"):
        blink(Device("cpu", DeviceKind.CPU, "Processor"), tmp_path)
    with take_runner_lock(tmp_path), pytest.raises(EnvironmentProblem, match="burn-in is running"):
        blink(CARD, tmp_path)
