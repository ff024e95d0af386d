"""The watching stages: what is measured is evidence, what is not measured is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.burnin.follow import COLUMN
from core.burnin.record import ResultStatus
from core.burnin.stages.cooldown import look_at_cooling
from core.burnin.stages.idle import look_at_rest
from core.burnin.stages.preflight import look_before
from core.telemetry.device import Device, DeviceKind

CARD = Device("GPU-1", DeviceKind.GPU, "Card", power_limit_w=350.0)


def samples(count: int = 5, **metrics: Any) -> np.ndarray[Any, Any]:
    block = np.full((count, 1 + len(COLUMN)), np.nan)
    block[:, 0] = np.arange(count)
    for name, value in metrics.items():
        block[:, COLUMN[name]] = value
    return block


def test_preflight_lists_what_is_measured_and_warns_about_a_lowered_power_limit() -> None:
    status, _, evidence = look_before(CARD, samples(temperature_c=40.0, power_limit_w=280.0))
    assert status is ResultStatus.PASSED
    assert set(evidence["measured"]) == {"temperature_c", "power_limit_w"}
    assert any("280 W" in warning for warning in evidence["warnings"])


def test_preflight_says_that_cooling_cannot_be_judged_without_a_temperature() -> None:
    _, _, evidence = look_before(CARD, samples(power_limit_w=350.0))
    assert evidence["warnings"] == ["The temperature is not measured: cooling cannot be judged."]


@pytest.mark.parametrize(
    ("metrics", "says"),
    [({"power_w": 120.0}, "120 W at rest"), ({"utilisation_pct": 60.0}, "another program"), ({"power_w": 30.0}, None)],
)
def test_idle_warns_of_power_and_of_other_programs(metrics: dict[str, float], says: str | None) -> None:
    _, _, evidence = look_at_rest(CARD, samples(**metrics))
    assert [says in warning for warning in evidence["warnings"]] == ([True] if says else [])


def test_cooldown_tells_the_fall_and_warns_of_a_rise() -> None:
    _, text, fine = look_at_cooling(samples(temperature_c=np.array([80, 75, 70, 66, 63])))
    assert "80 to 63" in text
    assert fine["warnings"] == []
    assert look_at_cooling(samples(temperature_c=np.array([60, 61, 62, 64, 66])))[2]["warnings"]


def test_cooldown_without_a_temperature_is_not_run() -> None:
    assert look_at_cooling(samples(power_w=20.0))[0] is ResultStatus.NOT_RUN
