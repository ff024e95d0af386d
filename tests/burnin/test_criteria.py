"""Each criterion at and beyond its threshold: what it says, how gravely, with which figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.burnin.planned import shipped_card
from core.burnin.profile.file import find_profile
from core.burnin.profile.profile import COUNTER_LIMITS, THROTTLE_LIMITS, Criteria
from core.burnin.record.rows import Outcome, Reason, ResultStatus, StageResult
from core.burnin.record.samples import COLUMN
from core.burnin.references import references_of, shipped_references
from core.burnin.verdict import Recorded, judge
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import BY_NAME
from core.machine.telemetry.throttle import THROTTLE_REASONS
from tests.burnin import made_run

LASTS_S = 600
GPU = Device(
    "GPU-0", DeviceKind.GPU, "NVIDIA GeForce RTX 3090", temperature_slowdown_c=95.0, temperature_max_c=93.0,
    memory_temperature_max_c=105.0, power_limit_w=350.0, pcie_generation_max=4, pcie_lanes_max=16,
)  # fmt: skip
HEALTHY: dict[str, float] = {
    "temperature_c": 65.0, "memory_temperature_c": 90.0, "power_w": 340.0, "power_limit_w": 350.0, "clock_mhz": 1695.0,
    "throttle_mask": 4.0, "pcie_generation": 4.0, "pcie_lanes": 16.0,
}  # fmt: skip


def run_of(
    *kinds: str,
    evidence: dict[str, Any] | None = None,
    device: Device = GPU,
    criteria: Criteria | None = None,
    moving: dict[str, Any] | None = None,
    **metrics: float,
) -> Recorded:
    """One card through stages of these kinds, ten minutes each; all but the first stage end like the first."""
    kinds = kinds or ("gemm",)
    block = made_run.sampled(np.arange(0.0, LASTS_S * len(kinds)), **(HEALTHY | metrics | (moving or {})))
    # A living sensor trembles.
    block[::2, COLUMN["power_w"]] += 0.5
    block[::2, COLUMN["temperature_c"]] -= 1.0
    stages = [
        made_run.stage(n, kind, n * LASTS_S, (n + 1) * LASTS_S - 1.0, seconds=LASTS_S) for n, kind in enumerate(kinds)
    ]
    results = [made_run.ended(n, reason="fine", device=device, **(evidence or {})) for n in range(len(kinds))]
    return made_run.run_of(stages, results, block, [device], criteria)


def reasons(recorded: Recorded) -> list[Reason]:
    return [reason for reason in judge(recorded)[1].reasons if reason.outcome is not Outcome.PASS]


def outcome(recorded: Recorded) -> Outcome:
    return judge(recorded)[1].outcome


def test_a_card_that_lost_its_load_is_at_rest_and_not_judged_by_what_rest_does_to_its_link() -> None:
    """Its worker died after half a minute; the stage went on for the others."""
    time_s = np.arange(LASTS_S)
    moving = {
        "pcie_generation": np.where(time_s < 30, 4.0, 1.0),
        "bandwidth_gbps": np.where(time_s < 30, 24.0, np.nan),
        "throughput_tflops": np.full(len(time_s), np.nan),
    }
    card = replace(GPU, pcie_generation_max=4, pcie_lanes_max=16)
    whole = run_of("host-link", device=card, moving=moving, pcie_lanes=16.0)
    died = StageResult(0, card.id, ResultStatus.DIED, "The worker died.", {"killed_from_outside": True})
    assert [reason.text for reason in reasons(replace(whole, results=[died]))] == ["host-link: The worker died."]
    slow = moving | {"pcie_generation": np.ones(len(time_s))}
    assert outcome(run_of("host-link", device=card, moving=slow, pcie_lanes=16.0)) is Outcome.WARN


def test_a_healthy_card_gives_no_alarm_in_any_kind_of_stage() -> None:
    kinds = ("idle", "known-answer", "vram", "bandwidth", "host-link", "gemm", "resnet", "transformer", "cooldown")
    assert reasons(run_of(*kinds)) == []


@pytest.mark.parametrize("limit", COUNTER_LIMITS, ids=lambda limit: limit.metric)
def test_every_counter_speaks_beyond_its_limit_and_not_at_it(limit: Any) -> None:
    assert limit.metric in BY_NAME
    hours = (LASTS_S - 1) / 3600
    scale = {"hour": max(hours, 1.0), "second": float(LASTS_S - 1)}.get(limit.per, 1.0)
    for above, expected in ((limit.warn_above, Outcome.WARN), (limit.fail_above, Outcome.FAIL)):
        if above is None:
            continue
        for risen, verdict in ((above * scale, None), (above * scale + scale, expected)):
            counter = np.linspace(100.0, 100.0 + risen, LASTS_S) if limit.per != "state" else np.full(LASTS_S, risen)
            outcomes = [r.outcome for r in reasons(run_of(moving={limit.metric: counter}))]
            assert (verdict in outcomes) is (verdict is not None) or (verdict is None and expected not in outcomes)


def test_a_counter_that_was_reset_counts_from_zero_and_one_that_stood_before_is_not_the_runs() -> None:
    counter = np.concatenate((np.full(300, 5000.0), np.full(300, 0.0)))
    assert reasons(run_of(moving={"pcie_replays": counter})) == []
    assert outcome(run_of(moving={"ecc_uncorrected": np.full(LASTS_S, 7.0)})) is Outcome.PASS


def test_time_that_was_held_before_the_drivers_counter_began_anew_still_counts() -> None:
    counter = np.concatenate((np.linspace(100.0, 150.0, LASTS_S // 2), np.zeros(LASTS_S // 2)))
    assert outcome(run_of(moving={"throttle_hw_thermal_s": counter})) is Outcome.FAIL


@pytest.mark.parametrize("limit", THROTTLE_LIMITS, ids=lambda limit: limit.reason)
def test_every_reason_to_hold_clocks_back_is_judged(limit: Any) -> None:
    bit = next(reason.bit for reason in THROTTLE_REASONS if reason.name == limit.reason)
    worst = Outcome.FAIL if limit.fail_above_pct is not None else Outcome.WARN
    assert outcome(run_of(throttle_mask=float(bit | 4))) is worst
    if limit.metric:
        counter = np.concatenate((np.zeros(500), np.linspace(0, 60, 100)))
        assert outcome(run_of(moving={limit.metric: counter})) is worst


def test_a_burst_of_corrected_errors_that_ends_in_a_remap_warns_and_a_failed_remap_fails() -> None:
    burst = {"ecc_corrected": np.linspace(0.0, 5000.0, LASTS_S), "remapped_corrected": np.arange(LASTS_S) // 400}
    assert outcome(run_of(moving=burst, remap_pending=1.0)) is Outcome.WARN
    assert outcome(run_of(moving=burst, remap_failed=1.0)) is Outcome.FAIL
    assert outcome(run_of(moving=burst, sram_worn=1.0)) is Outcome.FAIL
    assert outcome(run_of(moving={"remapped_uncorrected": np.arange(LASTS_S) // 400})) is Outcome.FAIL


def test_published_rates_of_products_are_reported_and_never_judged_by() -> None:
    products = [one for one in shipped_references() if one.stage == "gemm"]
    assert products
    assert not any(one.judged for one in products)


def test_the_drivers_own_counter_goes_before_the_samples() -> None:
    still = {"throttle_sw_thermal_s": np.full(LASTS_S, 12.0)}
    assert outcome(run_of(moving=still, throttle_mask=float(0x20))) is Outcome.PASS


@pytest.mark.parametrize(
    ("held_s", "expected"), [(0.0, Outcome.PASS), (0.5, Outcome.PASS), (3.0, Outcome.WARN), (9.0, Outcome.FAIL)]
)
def test_a_little_time_at_the_thermal_limit_warns_and_more_fails(held_s: float, expected: Outcome) -> None:
    counter = np.linspace(0, held_s, LASTS_S)
    assert outcome(run_of(moving={"throttle_sw_thermal_s": counter})) is expected


GENERATION_FALLS = np.where(np.arange(LASTS_S) % 300 < 200, 4.0, 3.0)


@pytest.mark.parametrize("kind", ["gemm", "vram", "transformer", "transients", "soak", "host-link"])
def test_a_generation_that_falls_under_load_is_reported_in_any_stage(kind: str) -> None:
    busy = {"utilisation_pct": 99.0, "performance_state": 2.0, "throughput_tflops": 30.0}
    warnings = reasons(run_of(kind, moving={"pcie_generation": GENERATION_FALLS}, **busy))
    assert [(one.outcome, one.measured, one.limit) for one in warnings] == [(Outcome.WARN, 3.0, 4.0)]


@pytest.mark.parametrize(("rate", "expected"), [(830.0, Outcome.PASS), (400.0, Outcome.FAIL)])
def test_the_bandwidth_that_a_card_states_counts_before_what_another_program_measured(
    rate: float, expected: Outcome
) -> None:
    part = shipped_card(GPU)
    assert part is not None
    references = references_of(GPU, shipped_references())
    assert not references["bandwidth", "copy"].judged
    recorded = run_of("bandwidth", evidence={"rates": {"copy": rate}})
    with_references = replace(recorded, products={GPU.id: part}, references={GPU.id: references})
    assert outcome(with_references) is expected
    assert any("GB/s as stated for" in reason.text for reason in judge(with_references)[1].reasons)


IDLE_MHZ = 210.0


def test_a_clock_that_stays_at_idle_under_load_fails_though_its_peak_would_excuse_the_rate() -> None:
    """Half of the peak at 210 MHz is a healthy share of it, of a card that is stuck."""
    card, rate, part = replace(GPU, clock_max_mhz=2100.0), 35.58 * IDLE_MHZ / 1695 * 0.7, shipped_card(GPU)
    recorded = run_of("idle", "gemm", evidence={"rates": {"float32": rate}}, device=card, clock_mhz=IDLE_MHZ)
    assert part is not None
    [stuck] = reasons(replace(recorded, products={GPU.id: part}))
    assert (stuck.outcome, stuck.about, stuck.measured, stuck.stage) == (Outcome.FAIL, "clock_mhz", IDLE_MHZ, 1)


def test_a_profile_can_set_every_criterion_anew() -> None:
    strict = Criteria(counters=(), throttling=(), margin_warn_c=40)
    assert outcome(run_of(criteria=strict)) is Outcome.WARN
    assert outcome(run_of(criteria=Criteria(counters=()), moving={"ecc_uncorrected": np.arange(600.0)})) is Outcome.PASS


def test_every_threshold_says_where_it_comes_from() -> None:
    assert all(limit.source for limit in (*COUNTER_LIMITS, *THROTTLE_LIMITS))
    undocumented = [name for name, field in Criteria.model_fields.items() if not field.description]
    assert set(undocumented) <= {"slower_than_best_warn_pct", "below_reference_warn_pct", "bandwidth_warn_pct",
                                 "unsteady_warn_pct", "drift_warn_pct", "scaling_below_plan_warn_pct",
                                 "counters", "throttling"}  # fmt: skip
    assert find_profile("every-check").criteria.counters == COUNTER_LIMITS
