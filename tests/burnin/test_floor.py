"""The least that a card does, at each limit and beside it: a clock that leaves idle, a part of the peak at it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.burnin.planned import shipped_card
from core.burnin.profile.profile import Criteria, StageSettings
from core.burnin.record.rows import StageRow
from core.burnin.verdict.speed import clock_reasons, expected_rate, has_meaningful_peak, is_held_back, second_half
from core.parts.compute import GpuSpec
from core.predict.speed.networks import ComputePrecision
from core.predict.speed.peaks import peaks_of
from tests.burnin.made_run import CARD, FAIL, ended, figures, run_of, sampled, stage

PART = shipped_card(CARD)
SPEC = PART.spec
assert isinstance(SPEC, GpuSpec)


@pytest.mark.parametrize(
    ("capability", "name", "size", "meaningful"),
    [
        ("8.0", "bfloat16", None, True), ("7.5", "bfloat16", None, False), ("7.0", "float16", None, True),
        ("6.2", "float16", None, False), ("8.0", "tf32", None, True), ("7.9", "tf32", None, False),
        ("3.0", "float32", None, True), ("2.9", "float32", None, False), ("9.0", "float64", None, False),
        (None, "float32", None, False), ("8.0", "float32", 2048, True), ("8.0", "float32", 2047, False),
        ("8.0", "float32", "large", False),
    ],
)  # fmt: skip
def test_large_products_in_a_native_format_can_be_held_against_the_peak(
    capability: str | None, name: str, size: Any, meaningful: bool
) -> None:
    spec = SPEC.model_copy(update={"compute_capability": capability})
    settings = StageSettings(kind="gemm", seconds=1, params={} if size is None else {"size": size})
    assert has_meaningful_peak(spec, name, settings) is meaningful


@pytest.mark.parametrize(
    ("masks", "held"),
    [
        ([4.0] + [0.0] * 19, True), ([4.0] + [0.0] * 20, False), ([5.0] + [0.0] * 19, True), ([1.0] * 20, False),
        ([0.0] * 20, False), ([np.nan] * 20, False), ([4.0] + [np.nan] * 20, True), ([], False),
    ],
)  # fmt: skip
def test_clocks_are_held_back_where_the_driver_says_so_for_some_of_the_time(masks: list[float], held: bool) -> None:
    assert is_held_back(sampled(np.arange(len(masks)), throttle_mask=masks)) is held


FAST = replace(CARD, clock_max_mhz=1000.0)


def clocked(
    load_mhz: Any,
    idle_mhz: Any = 500.0,
    *,
    kind: str = "gemm",
    rest: str | None = "idle",
    device: Any = FAST,
    **criteria: Any,
) -> Any:
    """Ten seconds at rest, then a load."""
    load = np.asarray(load_mhz, dtype=float) if np.ndim(load_mhz) else np.full(10, float(load_mhz))
    rested = np.full(10, float(idle_mhz)) if not np.ndim(idle_mhz) else np.asarray(idle_mhz, dtype=float)
    stages = [stage(0, rest, 0.0, 9.0), stage(1, kind, 10.0, 9.0 + len(load))]
    clocks = np.concatenate([rested, load])
    samples = sampled(np.arange(len(clocks)), clock_mhz=clocks)
    run = run_of(stages, [ended(0), ended(1)], samples, [device], Criteria(**criteria))
    return list(clock_reasons(run, device))


@pytest.mark.parametrize(("load_mhz", "stuck"), [(500.0, True), (600.0, True), (600.1, False), (200.0, True)])
def test_a_clock_that_rises_no_further_than_a_fifth_above_idle_is_stuck(load_mhz: float, stuck: bool) -> None:
    reasons = clocked(load_mhz)
    assert figures(reasons) == ([(FAIL, load_mhz, 600.0, "MHz")] if stuck else [])
    for one in reasons:
        assert (one.stage, one.about, one.source) == (1, "clock_mhz", "a working card leaves its idle clock under load")
        assert one.text == (
            f"gemm: its clock stayed at {load_mhz:.0f} MHz under load. It idles at 500 MHz and can reach 1000 MHz."
        )


def test_the_limit_of_a_clock_is_reported_with_a_decimal() -> None:
    assert figures(clocked(300.0, 404.3)) == [(FAIL, 300.0, 485.2, "MHz")]


@pytest.mark.parametrize(
    ("changed", "stuck"),
    [
        ({}, True),
        ({"idle_mhz": 501.0}, False),
        ({"idle_mhz": [100.0] * 4 + [500.0] * 6}, True),
        ({"idle_mhz": [500.0] * 4 + [100.0] * 6}, False),
        ({"idle_mhz": np.nan}, False),
        ({"load_mhz": [500.0] * 5}, True),
        ({"load_mhz": [500.0] * 4}, False),
        ({"load_mhz": [500.0] * 5 + [700.0]}, False),
        ({"load_mhz": [np.nan] * 3 + [500.0] * 5}, True),
        *(({"kind": kind}, True) for kind in ("soak", "resnet", "transformer")),
        *(({"kind": kind}, False) for kind in ("vram", "host-link", "lstm", "idle")),
        ({"rest": "cooldown"}, True),
        ({"rest": "vram"}, False),
        ({"rest": "of another version"}, False),
        ({"device": replace(FAST, simulated=True)}, False),
        ({"device": replace(FAST, parent="GPU-9")}, False),
        ({"device": CARD}, False),
        ({"clock_above_idle_fail_pct": 0}, False),
        ({"load_mhz": 700.0, "clock_above_idle_fail_pct": 50}, True),
    ],
)
def test_only_a_card_that_lowers_its_clock_at_rest_is_told_by_it(changed: dict[str, Any], stuck: bool) -> None:
    assert len(clocked(**({"load_mhz": 500.0} | changed))) == stuck


def test_the_second_half_of_a_stage_is_that_of_one_that_has_ended() -> None:
    run = run_of(samples=sampled([0.0, 49.0, 50.0, 100.0, 101.0]))

    def half(one: StageRow) -> list[float] | None:
        samples = second_half(run, CARD, one)
        return None if samples is None else list(samples[:, 0])

    assert half(stage(0, "gemm", 0.0, 100.0)) == [50.0, 100.0]
    assert half(stage(0, "gemm", None, 100.0)) is half(stage(0, "gemm", 0.0, None)) is None


@pytest.mark.parametrize(
    ("mask", "changed", "warn_pct", "fail_pct"),
    [
        (0.0, {}, 30, 10), (1.0, {}, 30, 10), (4.0, {}, None, 10), (0.0, {"parent": "GPU-9"}, None, None),
        (0.0, {"size": 1024}, None, None),
    ],
)  # fmt: skip
def test_a_rate_is_held_to_parts_of_the_peak_at_its_clock(
    mask: float, changed: dict[str, Any], warn_pct: float | None, fail_pct: float | None
) -> None:
    size = changed.pop("size", None)
    device = replace(CARD, **changed)
    samples = sampled(np.arange(100.0), clock_mhz=1500.0, throttle_mask=mask)
    run = run_of([stage(0, "gemm")], samples=samples, devices=[device], products={CARD.id: PART})
    settings = run.profile.stages[0].model_copy(update={"params": {} if size is None else {"size": size}})
    run = replace(run, profile=run.profile.model_copy(update={"stages": (settings,)}))
    rate = expected_rate(run, device, run.stages[0], "float32")
    peak = peaks_of(PART).rate(ComputePrecision.FP32)
    assert rate is not None
    assert peak is not None
    now = peak.values[1] * 1500.0 / (SPEC.boost_clock_mhz or 0.0)
    assert rate.warn_below == (None if warn_pct is None else pytest.approx(now * warn_pct / 100))
    assert rate.fail_below == (None if fail_pct is None else pytest.approx(now * fail_pct / 100))
    assert rate.floor == (0.0 if fail_pct is None else rate.fail_below)
