"""When a soak is over, two windows in a row alike; and in which number formats it runs: the hottest of the sweep."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import Outcome, ResultStatus, StageResult
from core.burnin.record.samples import COLUMN, Held, Limiter, Samples, held
from core.burnin.run.order import BurnOrder
from core.burnin.stages.registry import BY_KIND
from core.burnin.stages.soak import SoakParams, is_steady, soak_evidence, steady_after_s
from core.burnin.stages.sweep import BESIDE_PCT, hottest, power_by_format
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import NAMES
from core.machine.telemetry.simulated.simulation import Simulation, parse_simulation
from core.machine.telemetry.simulated.source import SimulatedSource
from tests.burnin.fast_run import burned
from tests.burnin.processes import profile_in

CRITERIA = SoakParams()


def samples(seconds: int, **metrics: Any) -> Samples:
    block = np.full((seconds, 1 + len(COLUMN)), np.nan)
    block[:, 0] = np.arange(seconds) + 1000.0
    for name, value in metrics.items():
        block[:, COLUMN[name]] = value
    return block


def warming(seconds: int, *, tau_s: float = 300.0, rise_k: float = 40.0, power_w: float = 350.0) -> Samples:
    """A card that warms up as a first-order system does, its sensor in whole degrees."""
    t = np.arange(seconds)
    temperature = np.round(30 + rise_k * (1 - np.exp(-t / tau_s)))
    return samples(seconds, temperature_c=temperature, power_w=power_w, throughput_tflops=60 + 2 * np.exp(-t / 60))


def test_a_card_that_still_warms_up_is_not_steady_and_becomes_it() -> None:
    assert not is_steady(warming(900), CRITERIA)
    assert is_steady(warming(3000), CRITERIA)
    # With a time constant of 5 min the medians of two windows differ by less than 0.3 K after about 30 min.
    assert steady_after_s(warming(3000), CRITERIA) == pytest.approx(1800, abs=400)


def test_less_than_two_windows_are_never_steady() -> None:
    assert not is_steady(samples(590, temperature_c=60.0, power_w=300.0), CRITERIA)
    assert is_steady(samples(610, temperature_c=60.0, power_w=300.0), CRITERIA)


@pytest.mark.parametrize(
    ("metrics", "steady"),
    [
        ({"temperature_c": 60.0}, True),
        ({"power_w": 300.0}, True),
        ({}, False),
        ({"temperature_c": 60.0, "power_w": np.linspace(300, 320, 700)}, False),
        ({"temperature_c": np.linspace(60, 62, 700), "power_w": 300.0}, False),
        ({"temperature_c": np.linspace(62, 60, 700), "power_w": 300.0}, False),
    ],
    ids=["temperature alone", "power alone", "nothing measured", "power rises", "warms", "cools"],
)
def test_all_that_is_measured_must_stand_still(metrics: dict[str, Any], steady: bool) -> None:
    assert is_steady(samples(700, **metrics), CRITERIA) is steady


@given(st.floats(0.5, 1.5), st.integers(0, 2**31))
def test_the_noise_of_sensors_does_not_keep_a_steady_card_from_being_called_steady(sigma: float, seed: int) -> None:
    noise = np.random.default_rng(seed)
    block = samples(900, temperature_c=60 + noise.normal(0, sigma, 900), power_w=300 + noise.normal(0, 3, 900))
    assert is_steady(block, SoakParams(steady_k=1.0))


def test_the_evidence_tells_the_steady_state_and_the_fall_of_the_speed() -> None:
    evidence = soak_evidence(warming(3000), CRITERIA)
    assert evidence.steady_temperature_c == 70
    assert evidence.steady_power_w == 350
    early = 60 + 2 * np.exp(-3)  # the middle of minutes 2 to 4
    assert evidence.drift_pct == pytest.approx(100 * (early - 60) / early, abs=0.03)
    assert evidence.steady_after_s is not None
    assert evidence.steady_memory_temperature_c is None


def test_a_soak_that_never_became_steady_says_so() -> None:
    assert soak_evidence(warming(900), CRITERIA).steady_after_s is None
    assert soak_evidence(samples(0), CRITERIA) is None


def test_what_held_the_clocks_back_in_the_steady_state_is_named() -> None:
    mask = np.where(np.arange(700) < 300, 0x20, 0x4)
    evidence = soak_evidence(samples(700, power_w=300.0, throttle_mask=mask), CRITERIA)
    assert (evidence.held_back_by, evidence.held_back_codes) == (("Power limit",), ("SwPowerCap",))


def test_the_power_of_each_format_is_that_of_its_own_time_without_the_way_there() -> None:
    power = np.concatenate([np.linspace(100, 200, 10), np.full(30, 200.0), np.linspace(200, 350, 10), np.full(30, 350)])
    by_format = power_by_format(samples(80, power_w=power), {"float32": (0, 39), "bfloat16": (40, 79)}, 1000.0)
    assert by_format == {"float32": 200.0, "bfloat16": 350.0}
    assert power_by_format(samples(80), {"float32": (0, 39)}, 1000.0) == {}


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ({}, None),
        ({"throttle_mask": 0x0}, Held(Limiter.NOTHING, 0.0)),
        ({"throttle_mask": 0x1}, Held(Limiter.NOTHING, 0.0)),
        ({"throttle_mask": 0x4}, Held(Limiter.POWER_LIMIT, 100.0)),
        ({"throttle_mask": 0x8 | 0x40}, Held(Limiter.HEAT, 100.0)),
        ({"throttle_mask": 0x8 | 0x80}, Held(Limiter.POWER_BRAKE, 100.0)),
        ({"throttle_mask": 0x8}, Held(Limiter.HARDWARE, 100.0)),
        ({"throttle_mask": np.where(np.arange(100) % 10 < 6, 0x4, 0x20)}, Held(Limiter.POWER_LIMIT, 60.0)),
        ({"throttle_mask": np.where(np.arange(100) < 4, 0x20, 0)}, Held(Limiter.NOTHING, 0.0)),
        ({"throttle_reliability_s": np.arange(100) * 0.5}, Held(Limiter.VOLTAGE, 50.0)),
        ({"throttle_board_limit_s": np.arange(100) * 0.9, "throttle_mask": 0x4}, Held(Limiter.POWER_LIMIT, 100.0)),
        ({"throttle_power_cap_s": np.zeros(100), "throttle_mask": 0x4}, Held(Limiter.NOTHING, 0.0)),
    ],
)
def test_what_held_the_power_is_the_reason_with_the_largest_share(
    metrics: dict[str, Any], expected: Held | None
) -> None:
    assert held(samples(100, **metrics)) == expected


def test_the_soak_tells_what_held_the_power_in_its_last_window() -> None:
    mask = np.where(np.arange(700) < 300, 0x20, 0x4)
    evidence = soak_evidence(samples(700, power_w=330.0, power_limit_w=350.0, throttle_mask=mask), CRITERIA)
    assert (evidence.power_held_by, evidence.power_held_pct) == ("power limit", 100.0)
    assert evidence.share_of_limit_pct == pytest.approx(94.29)


NEVER_STEADY = {"dtypes": "float32", "window_seconds": 10, "steady_k": 1e-9, "steady_power_pct": 1e-9}


@pytest.mark.parametrize(
    ("seconds", "minutes", "says"), [(30, None, ["0"]), (91, None, ["2"]), (29, None, []), (60, 0.9, [])]
)
def test_a_soak_that_had_time_for_three_windows_warns_that_it_was_never_steady_unless_it_was_shortened(
    tmp_path: Path, seconds: int, minutes: float | None, says: list[str]
) -> None:
    profile = profile_in(tmp_path, ("soak", seconds, NEVER_STEADY), stagger_s=0)
    judged = burned(tmp_path, BurnOrder(profile=profile, simulate="1x3090", minutes=minutes))
    reasons = [reason for verdict in judged.values() for reason in verdict.reasons if "steady" in reason.text]
    warnings = [(one.outcome, one.text.removeprefix("Thermal soak: ")) for one in reasons]
    assert warnings == [(Outcome.WARN, f"It did not become steady within {number} minutes.") for number in says]


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
    ("power_w", "most", "expected"),
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
    power_w: dict[str, float], most: int, expected: list[str]
) -> None:
    assert hottest(power_w, most) == expected


@pytest.mark.parametrize(
    ("seconds", "settings", "params"),
    [
        (1320, {}, {"dtypes": "bfloat16+memory"}),
        (3600, {}, {"dtypes": "bfloat16+memory,float8,tf32", "rotate_s": 600, "first_s": 1800}),
        (3600, {"rotate_formats": 2, "rotate_seconds": 300},
         {"dtypes": "bfloat16+memory,float8", "rotate_s": 300, "first_s": 1800}),
        (3600, {"rotate_formats": 1}, {"dtypes": "bfloat16+memory"}),
        (3600, {"dtypes": "float64"}, {"dtypes": "float64"}),
    ],
)  # fmt: skip
def test_a_long_soak_takes_turns_in_its_second_half(seconds: float, settings: Any, params: Any) -> None:
    task = BY_KIND["soak"].task(context("soak", seconds=seconds, power_w=POWER_W, **settings), "GPU-0")  # type: ignore[attr-defined]
    assert task.params == {"fill_pct": 75.0, **params}
    assert task.activity == (1.1 if "+memory" in task.params["dtypes"] else None)


def test_a_soak_without_a_sweep_before_it_runs_all_formats() -> None:
    task = BY_KIND["soak"].task(context("soak", seconds=3600), "GPU-0")  # type: ignore[attr-defined]
    assert (task.params, task.activity) == ({"fill_pct": 75.0}, None)


@pytest.mark.parametrize(
    ("device", "settings", "params"),
    [
        (CARD, {}, {"beside_memory_pct": BESIDE_PCT}),
        (CARD, {"beside_memory_pct": 0}, {"beside_memory_pct": 0}),
        (CPU, {}, {}),
    ],
)
def test_the_sweep_tries_a_memory_stream_on_gpus(device: Device, settings: Any, params: Any) -> None:
    stage: Any = BY_KIND["gemm"]
    assert stage.task(context("gemm", seconds=320, device=device, **settings), device.id).params == params


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
