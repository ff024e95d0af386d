"""In which number formats a soak runs: the hottest of the sweep, beside a memory stream where that raised the power."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.burnin.record.limiter import Limiter
from core.burnin.record.rows import ResultStatus, StageResult
from core.burnin.stages.registry import BY_KIND
from core.burnin.stages.soak import SoakParams, soak_evidence
from core.burnin.stages.sweep import BESIDE_PCT, hottest
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import NAMES
from core.telemetry.simulated.simulation import Simulation, parse_simulation
from core.telemetry.simulated.source import SimulatedSource

POWER_W = {"float32": 300.0, "tf32": 400.0, "bfloat16": 430.0, "bfloat16+memory": 447.0, "float8": 440.0,
           "float8+memory": 441.0, "float64": 200.0}  # fmt: skip
CARD = Device("GPU-0", DeviceKind.GPU, "NVIDIA GeForce RTX 4090", power_limit_w=450.0)
CPU = Device("cpu", DeviceKind.CPU, "CPU")


def context(kind: str, *, seconds: float, power_w: Any = None, device: Device = CARD, **params: Any) -> Any:
    swept = StageResult(0, device.id, ResultStatus.PASSED, "", {"power_by_format_w": power_w} if power_w else {})
    tested = SimpleNamespace(device=device)
    return SimpleNamespace(
        settings=SimpleNamespace(kind=kind, seconds=seconds, params=params),
        devices={device.id: tested},
        live=SimpleNamespace(devices={device.id: tested}),
        earlier=lambda _: [(0, {device.id: swept})],
    )


@pytest.mark.parametrize(
    ("power_w", "most", "found"),
    [
        ({}, 3, []),
        ({"tf32": 10.0}, 3, ["tf32"]),
        (POWER_W, 1, ["bfloat16+memory"]),
        (POWER_W, 2, ["bfloat16+memory", "float8"]),
        (POWER_W, 9, ["bfloat16+memory", "float8", "tf32"]),
        ({"tf32+memory": 400.0}, 3, []),
    ],
)
def test_the_hottest_formats_come_first_and_cool_ones_never(
    power_w: dict[str, float], most: int, found: list[str]
) -> None:
    assert hottest(power_w, most) == found


@pytest.mark.parametrize(
    ("seconds", "given", "asked"),
    [
        (1320, {}, {"dtypes": "bfloat16+memory"}),
        (3600, {}, {"dtypes": "bfloat16+memory,float8,tf32", "rotate_s": 600, "first_s": 1800}),
        (3600, {"rotate_formats": 2, "rotate_seconds": 300},
         {"dtypes": "bfloat16+memory,float8", "rotate_s": 300, "first_s": 1800}),
        (3600, {"rotate_formats": 1}, {"dtypes": "bfloat16+memory"}),
        (3600, {"dtypes": "float64"}, {"dtypes": "float64"}),
    ],
)  # fmt: skip
def test_a_long_soak_takes_turns_in_its_second_half(seconds: float, given: Any, asked: Any) -> None:
    task = BY_KIND["soak"].task(context("soak", seconds=seconds, power_w=POWER_W, **given), "GPU-0")  # type: ignore[attr-defined]
    assert task.params == {"fill_pct": 75.0, **asked}
    assert task.activity == (1.1 if "+memory" in task.params["dtypes"] else None)


def test_a_soak_without_a_sweep_before_it_runs_all_formats() -> None:
    task = BY_KIND["soak"].task(context("soak", seconds=3600), "GPU-0")  # type: ignore[attr-defined]
    assert (task.params, task.activity) == ({"fill_pct": 75.0}, None)


@pytest.mark.parametrize(
    ("device", "given", "asked"),
    [
        (CARD, {}, {"beside_memory_pct": BESIDE_PCT}),
        (CARD, {"beside_memory_pct": 0}, {"beside_memory_pct": 0}),
        (CPU, {}, {}),
    ],
)
def test_the_sweep_tries_a_memory_stream_on_gpus(device: Device, given: Any, asked: Any) -> None:
    stage: Any = BY_KIND["gemm"]
    assert stage.task(context("gemm", seconds=320, device=device, **given), device.id).params == asked


def test_the_whole_system_runs_the_hottest_format_as_it_was_hottest() -> None:
    stage: Any = BY_KIND["whole-system"]
    task = stage.task(context("whole-system", seconds=600, power_w=POWER_W), "GPU-0")
    assert (task.params["dtypes"], task.activity) == ("bfloat16+memory", 1.1)


@pytest.mark.parametrize(
    ("words", "activity", "held", "share_pct"),
    [
        ("1x3090", 1.0, Limiter.POWER_LIMIT, (99, 101)),
        ("1x4090", 1.0, Limiter.NOTHING, (93, 95)),
        ("1x4090", 1.1, Limiter.POWER_LIMIT, (99, 101)),
        ("1x3090,fault=paste400@0", 1.0, Limiter.HEAT, (30, 97)),
        ("1x3090,fault=brake@0", 1.0, Limiter.POWER_BRAKE, (20, 40)),
    ],
)
def test_simulated_cards_tell_what_holds_their_power(
    words: str, activity: float, held: Limiter, share_pct: tuple[float, float]
) -> None:
    order = parse_simulation(words)
    assert isinstance(order, Simulation)
    source = SimulatedSource(order, clock=None)
    [card] = source.devices()
    source.set_activity(card.id, activity)
    rows = []
    for second in range(0, 1200, 5):
        source.advance(5)
        shown = source.read()[card.id]
        rows.append([second, *(np.nan if (value := shown.get(name)) is None else value for name in NAMES)])
    evidence = soak_evidence(np.array(rows), SoakParams())
    assert evidence.power_held_by == held
    assert share_pct[0] < evidence.share_of_limit_pct < share_pct[1]
