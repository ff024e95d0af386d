"""What a run will draw is said before it starts, with where the figure comes from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.build.build import Build
from core.burnin.expected_power import expected_power
from core.burnin.profile.profile import Profile, StageSettings
from core.cli.lookup import read_build
from core.telemetry.device import Device, DeviceKind

CARD = Device("GPU-1", DeviceKind.GPU, "NVIDIA GeForce RTX 3090", memory_mb=24_576, power_limit_w=350.0)
UNKNOWN = replace(CARD, id="GPU-9", power_limit_w=None)


def profile(*kinds: str) -> Profile:
    return Profile(name="own", title="Own", stages=tuple(StageSettings(kind=kind, seconds=60) for kind in kinds))


@pytest.fixture(scope="module")
def plan(module_data_dir: Path) -> Build:
    """The shipped machine of six cards."""
    return read_build("six-rtx-3090-first-attempt", module_data_dir)


def test_without_a_plan_the_power_limits_are_summed() -> None:
    expected = expected_power(profile("gemm"), [CARD, CARD], None)
    assert expected.watts == 700
    assert "700 W" in expected.sentence
    assert "2 x 350 W" in expected.sentence
    assert ", plus " in expected.sentence


def test_an_unknown_limit_is_no_zero() -> None:
    assert "at least 350 W" in expected_power(profile("gemm"), [CARD, UNKNOWN], None).sentence
    assert expected_power(profile("gemm"), [UNKNOWN], None).watts is None


def test_with_all_cards_of_the_plan_it_is_what_was_predicted_at_the_wall(plan: Build) -> None:
    expected = expected_power(profile("gemm"), [CARD] * 6, plan)
    assert "at the wall" in expected.sentence
    assert expected.watts is not None
    assert expected.watts > 6 * 350
    fewer = expected_power(profile("gemm"), [CARD] * 4, plan)
    assert fewer.watts == 4 * 350


def test_the_whole_system_draws_more_than_training(plan: Build) -> None:
    training = expected_power(profile("gemm"), [CARD] * 6, plan).watts
    everything = expected_power(profile("whole-system"), [CARD] * 6, plan).watts
    assert training is not None
    assert everything is not None
    assert everything > training


def test_a_profile_without_a_load_draws_nothing_and_simulated_cards_neither() -> None:
    assert expected_power(profile("preflight", "idle"), [CARD], None).watts == 0
    assert "SIMULATED" in expected_power(profile("gemm"), [replace(CARD, simulated=True)], None).sentence
