"""The watching stages: what is measured is evidence, what is not measured is said."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.burnin.record.rows import ResultStatus
from core.burnin.record.samples import COLUMN
from core.burnin.stages.preflight import Preflight, PreflightParams, look_before
from core.burnin.stages.registry import BY_KIND
from core.burnin.stages.watching import StageFindings, gained, look_at_cooling, look_at_rest
from core.machine.telemetry.device import Device, DeviceKind

CARD = Device("GPU-1", DeviceKind.GPU, "Card", power_limit_w=350.0)


def samples(count: int = 5, **metrics: Any) -> np.ndarray[Any, Any]:
    block = np.full((count, 1 + len(COLUMN)), np.nan)
    block[:, 0] = np.arange(count)
    for name, value in metrics.items():
        block[:, COLUMN[name]] = value
    return block


def before(device: Device = CARD, params: PreflightParams | None = None, **metrics: Any) -> StageFindings:
    return look_before(device, samples(**({"temperature_c": 40.0} | metrics)), params or PreflightParams())


def test_preflight_lists_what_is_measured_and_warns_about_a_lowered_power_limit() -> None:
    findings = before(power_limit_w=280.0)
    assert set(findings.evidence["measured"]) == {"temperature_c", "power_limit_w"}
    assert "Power" in findings.evidence["not_measured"]
    assert findings.warnings == ["The power limit is set to 280 W, the card's default is 350 W."]
    assert findings.failures == []
    params = PreflightParams(power_limit_w=280)
    assert before(params=params, power_limit_w=280.0).warnings == [], "one that was asked for is no lowered one"
    assert before(params=params, power_limit_w=350.0).failures == ["The power limit is 350 W; 280 W were requested."]
    assert before(temperature_c=np.nan).warnings == ["The temperature is not measured: cooling cannot be judged."]


@pytest.mark.parametrize(
    ("device", "metrics", "fails", "says"),
    [
        (CARD, {"remap_pending": 1.0}, True, "A row remapping is pending"),
        (CARD, {"remap_failed": 1.0}, True, "A row remapping failed: replace the GPU"),
        (CARD, {"ecc_uncorrected": 2.0}, True, "Uncorrectable memory errors"),
        (replace(CARD, sram_lifetime_uncorrected=5), {}, True, "5 uncorrected SRAM errors"),
        (replace(CARD, sram_lifetime_uncorrected=4), {}, False, "4 uncorrected SRAM errors"),
        (replace(CARD, processes=2), {}, False, "2 other programs use it"),
        (replace(CARD, inforom_ok=False), {}, False, "InfoROM"),
        (replace(CARD, limited="it is a share of a card"), {}, False, "only in part"),
        (replace(CARD, logged_before=("Xid 79: Fallen off the bus.",)), {}, False, "before this run: Xid 79"),
        (CARD, {"temperature_c": 70.0}, False, "70 °C before any load"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_preflight_tells_what_speaks_against_burning(
    device: Device, metrics: dict[str, float], fails: bool, says: str
) -> None:
    findings = before(device, **metrics)
    assert [says in text for text in (findings.failures if fails else findings.warnings)] == [True]
    assert (findings.warnings if fails else findings.failures) == []


GROUPS = ("GPU to GPU", "Collectives")


@pytest.mark.parametrize(
    ("device", "second_contexts", "says"),
    [
        (replace(CARD, compute_mode="prohibited"), (), "prohibited"),
        (replace(CARD, compute_mode="exclusive process", processes=1), (), "holds it exclusively"),
        (replace(CARD, compute_mode="exclusive process", processes=0), GROUPS, "GPU to GPU and Collectives would need"),
    ],
)
def test_a_mode_that_keeps_programs_out_is_refused_and_no_card_blamed(
    device: Device, second_contexts: tuple[str, ...], says: str
) -> None:
    readings = samples(temperature_c=40.0)
    status, reason, _ = look_before(device, readings, PreflightParams(), second_contexts=second_contexts).result("fine")
    assert status is ResultStatus.NOT_RUN
    assert says in reason


def test_an_exclusive_mode_does_not_matter_where_each_card_is_opened_once() -> None:
    findings = before(replace(CARD, compute_mode="exclusive process", processes=0))
    assert (findings.refusals, findings.failures, findings.warnings) == ([], [], [])


@pytest.mark.parametrize(("cards", "out"), [(2, True), (1, False)])
def test_preflight_takes_an_exclusive_card_out_of_a_run_with_groups(cards: int, out: bool) -> None:
    ended: list[str] = []
    exclusive = [replace(CARD, id=f"GPU-{n}", compute_mode="exclusive process", processes=0) for n in range(cards)]
    devices = {
        one.id: SimpleNamespace(device=one, end=lambda _, why: ended.append(why), take_result=lambda: None)
        for one in exclusive
    }
    stages = [SimpleNamespace(kind=kind) for kind in ("preflight", "p2p", "gemm")]
    context: Any = SimpleNamespace(
        settings=SimpleNamespace(params={}), devices=devices, plan=None, as_built=None,
        run=SimpleNamespace(profile=SimpleNamespace(stages=stages)),
    )  # fmt: skip
    preflight = BY_KIND["preflight"]
    assert isinstance(preflight, Preflight)
    status, _, _ = preflight.look(context, exclusive[0], samples(temperature_c=40.0))
    assert (status is ResultStatus.NOT_RUN, len(ended)) == (out, int(out))


def test_a_fit_card_passes_preflight_without_a_word() -> None:
    fit = replace(CARD, compute_mode="default", processes=0, inforom_ok=True, sram_lifetime_uncorrected=0)
    findings = before(fit, power_limit_w=350.0, remap_pending=0.0, ecc_uncorrected=0.0)
    assert (findings.failures, findings.warnings) == ([], [])
    assert findings.result("fine")[0] is ResultStatus.PASSED


@pytest.mark.parametrize(
    ("metrics", "says"),
    [({"power_w": 120.0}, "120 W at rest"), ({"utilisation_pct": 60.0}, "another program"), ({"power_w": 30.0}, None)],
)
def test_idle_warns_of_power_and_of_other_programs(metrics: dict[str, float], says: str | None) -> None:
    _, _, evidence = look_at_rest(CARD, samples(**metrics))
    assert [says in warning for warning in evidence["warnings"]] == ([True] if says else [])


def test_what_a_card_still_reported_of_the_load_before_is_not_held_against_its_rest() -> None:
    """NVML's utilisation and average power cover up to a second before the reading; a run that goes on has no pause."""
    readings = samples(4, utilisation_pct=[96.0, 0.0, 0.0, 0.0], power_w=[330.0, 25.0, 25.1, 25.0])
    _, _, evidence = look_at_rest(CARD, readings)
    assert evidence["warnings"] == []
    assert evidence["power_w"] == pytest.approx(25.03, abs=0.01)
    assert "96 % busy" in look_at_rest(CARD, readings[:1])[2]["warnings"][-1], "where nothing else was read"


def test_a_power_reading_that_stands_still_is_reported_once_there_were_enough() -> None:
    assert look_at_rest(CARD, samples(59, power_w=30.0))[2]["warnings"] == []
    assert "30.00 W" in look_at_rest(CARD, samples(60, power_w=30.0))[2]["warnings"][0]
    assert look_at_rest(CARD, samples(60, power_w=np.linspace(30, 30.1, 60)))[2]["warnings"] == []


def cooling(count: int = 5, idle_w: float | None = None, **metrics: Any) -> StageFindings:
    return look_at_cooling(CARD, samples(count, **metrics), idle_w=idle_w)


def test_cooldown_tells_the_fall_and_warns_of_a_rise() -> None:
    findings = cooling(temperature_c=np.array([80, 75, 70, 66, 63]), power_w=30.0)
    assert list(findings.evidence.items()) == [("first_c", 80), ("last_c", 63), ("power_w", 30)], "as reports show them"
    assert findings.warnings == []
    assert cooling(temperature_c=np.array([60, 61, 62, 64, 66])).warnings == [
        "It got hotter after the load: 60 to 66 °C."
    ]


@pytest.mark.parametrize(
    ("count", "power_w", "idle_w", "warned"),
    [(30, 90.0, 25.0, True), (30, 38.0, 25.0, False), (30, 39.0, 25.0, False), (5, 90.0, 25.0, False),
     (30, 90.0, None, False)],
    ids=["twice as much", "a little more", "few watts", "too early to tell", "nothing to compare with"],
)  # fmt: skip
def test_a_card_that_does_not_come_to_rest_is_reported(
    count: int, power_w: float, idle_w: float | None, warned: bool
) -> None:
    assert bool(cooling(count, idle_w, power_w=power_w).warnings) is warned


def test_what_counters_gained_is_listed_and_a_reset_is_no_loss() -> None:
    block = samples(4, pcie_replays=np.array([5, 6, 0, 2]), ecc_corrected=np.array([7, 7, 7, 7]), checks=np.arange(4))
    assert gained(block) == {"pcie_replays": 3}
