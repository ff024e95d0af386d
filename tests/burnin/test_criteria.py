"""Each criterion at and beyond its threshold: what it says, how gravely, with which figures."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.build.build import Build, Line
from core.burnin.planned import shipped_card
from core.burnin.profile.criteria import COUNTER_LIMITS, THROTTLE_LIMITS, Criteria
from core.burnin.profile.file import find_profile
from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.limiter import Limiter
from core.burnin.record.rows import (
    Event,
    EventLevel,
    Outcome,
    Reason,
    ResultStatus,
    RunDevice,
    StageResult,
    StageRow,
    StageStatus,
)
from core.burnin.record.samples import column
from core.burnin.references import Reference, references_of, shipped_references
from core.burnin.verdict import Recorded, judge
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import BY_NAME, NAMES
from core.telemetry.throttle import THROTTLE_REASONS

COLUMN = {name: place for place, name in enumerate(NAMES, start=1)}
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
    stages = tuple(StageSettings(kind=kind, seconds=LASTS_S) for kind in kinds)
    time_s = np.arange(0.0, LASTS_S * len(kinds))
    block = np.full((len(time_s), 1 + len(NAMES)), np.nan)
    block[:, 0] = time_s
    for name, value in (HEALTHY | metrics | (moving or {})).items():
        block[:, COLUMN[name]] = value
    # A living sensor trembles.
    block[::2, COLUMN["power_w"]] += 0.5
    block[::2, COLUMN["temperature_c"]] -= 1.0
    return Recorded(
        profile=Profile(name="test", title="Test", stages=stages, criteria=criteria or Criteria()),
        devices=[RunDevice(device, 0, burned=True)],
        stages=[
            StageRow(n, kind, kind, LASTS_S, StageStatus.DONE, 1.0, n * LASTS_S, (n + 1) * LASTS_S - 1.0, "boot")
            for n, kind in enumerate(kinds)
        ],
        results=[StageResult(n, device.id, ResultStatus.PASSED, "fine", evidence or {}) for n in range(len(kinds))],
        samples={device.id: block},
    )


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


@pytest.mark.parametrize(
    ("metrics", "expected", "says"),
    [
        ({"temperature_c": 82.0}, Outcome.PASS, ""),
        ({"temperature_c": 89.0}, Outcome.WARN, "within 4 K"),
        ({"temperature_c": 95.0}, Outcome.FAIL, "reached 95"),
        ({"margin_c": 12.0}, Outcome.PASS, ""),
        ({"margin_c": 3.0}, Outcome.WARN, "within 3 K"),
        ({"margin_c": -1.0}, Outcome.FAIL, "beyond its limit"),
        ({"memory_temperature_c": 99.0}, Outcome.PASS, ""),
        ({"memory_temperature_c": 102.0}, Outcome.WARN, "memory came within 3 K"),
        ({"memory_temperature_c": 106.0}, Outcome.FAIL, "memory reached 106"),
    ],
)
def test_temperatures_against_the_cards_own_limits(metrics: dict[str, float], expected: Outcome, says: str) -> None:
    found = run_of(**metrics)
    assert outcome(found) is expected
    assert says in " ".join(reason.text for reason in reasons(found))


def test_a_margin_below_zero_for_a_moment_is_near_and_not_beyond() -> None:
    margin = np.full(LASTS_S, 20.0)
    margin[100:104] = -1.0
    assert outcome(run_of(moving={"margin_c": margin})) is Outcome.WARN


@pytest.mark.parametrize(("worst_room_c", "expected"), [(35.0, Outcome.PASS), (55.0, Outcome.FAIL)])
def test_a_hotter_room_is_reckoned_on_top(worst_room_c: float, expected: Outcome) -> None:
    criteria = Criteria(room_c=22.0, worst_room_c=worst_room_c)
    assert outcome(run_of(criteria=criteria)) is expected


@pytest.mark.parametrize("limit", COUNTER_LIMITS, ids=lambda limit: limit.metric)
def test_every_counter_speaks_beyond_its_limit_and_not_at_it(limit: Any) -> None:
    assert limit.metric in BY_NAME
    hours = (LASTS_S - 1) / 3600
    scale = {"hour": max(hours, 1.0), "second": float(LASTS_S - 1)}.get(limit.per, 1.0)
    for above, expected in ((limit.warn_above, Outcome.WARN), (limit.fail_above, Outcome.FAIL)):
        if above is None:
            continue
        for risen, wanted in ((above * scale, None), (above * scale + scale, expected)):
            counter = np.linspace(100.0, 100.0 + risen, LASTS_S) if limit.per != "state" else np.full(LASTS_S, risen)
            found = [r.outcome for r in reasons(run_of(moving={limit.metric: counter}))]
            assert (wanted in found) is (wanted is not None) or (wanted is None and expected not in found)


def test_a_rate_by_the_hour_says_when_the_run_was_shorter_than_that() -> None:
    short = reasons(run_of(moving={"ecc_corrected": np.linspace(0.0, 7.0, LASTS_S)}))
    assert short[0].text.endswith("7 corrected memory errors an hour (a shorter run counts as one hour).")
    damaged = reasons(run_of(moving={"nvlink_crc": np.linspace(0.0, 10.0 * LASTS_S, LASTS_S)}))
    assert damaged[0].text.endswith("corrupted NVLink packets a second.")


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


def test_limits_that_fail_scaling_and_steadiness_can_be_set() -> None:
    criteria = Criteria(unsteady_fail_pct=5, scaling_below_plan_fail_pct=10)
    assert outcome(run_of("resnet", evidence={"variation_pct": 6.0}, criteria=criteria)) is Outcome.FAIL
    told = {"networks": {"resnet": {"efficiency_pct": 70.0, "no_overlap_pct": 85.0}}}
    assert outcome(run_of("data-parallel", evidence=told, criteria=criteria)) is Outcome.FAIL


def test_published_rates_of_products_are_told_and_never_judged_by() -> None:
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


@pytest.mark.parametrize(
    ("metrics", "rates", "expected", "says"),
    [
        ({}, {"to_device": 24.0, "to_host": 25.0}, Outcome.PASS, ""),
        ({"pcie_lanes": 8.0}, {"to_device": 12.0}, Outcome.WARN, "8 under traffic, 16 are possible"),
        ({"pcie_generation": 1.0}, {"to_device": 3.0}, Outcome.WARN, "generation 1 under traffic"),
        ({}, {"to_device": 15.0, "to_host": 25.0}, Outcome.FAIL, "less than 66 %"),
    ],
)
def test_the_link_is_judged_under_traffic(
    metrics: dict[str, float], rates: dict[str, float], expected: Outcome, says: str
) -> None:
    found = run_of("host-link", evidence={"rates": rates}, **metrics)
    assert outcome(found) is expected
    assert says in " ".join(reason.text for reason in reasons(found))
    assert outcome(run_of("gemm", **metrics)) is Outcome.PASS


def test_a_stage_too_short_for_readings_is_judged_by_the_lanes_that_others_have_shown() -> None:
    """A board that shares its lanes, in a run of one minute."""
    read = np.where(np.arange(2 * LASTS_S) < LASTS_S, 8.0, np.nan)
    rates = {"to_device": 12.0, "to_host": 12.0}
    assert outcome(run_of("gemm", "host-link", evidence={"rates": rates}, moving={"pcie_lanes": read})) is Outcome.PASS


def test_lanes_that_fall_at_the_end_of_the_stage_are_a_finding_and_one_odd_reading_is_none() -> None:
    fell = np.where(np.arange(LASTS_S) < LASTS_S - 5, 16.0, 4.0)
    found = run_of("host-link", moving={"pcie_lanes": fell})
    assert outcome(found) is Outcome.FAIL
    assert "PCIe lanes 4 under traffic, 16 are possible" in " ".join(reason.text for reason in reasons(found))
    odd = np.where(np.arange(LASTS_S) < LASTS_S - 1, 16.0, 4.0)
    assert outcome(run_of("host-link", moving={"pcie_lanes": odd})) is Outcome.PASS


@pytest.mark.parametrize("kinds", [("gemm",), ("gemm", "resnet"), ("resnet", "host-link", "gemm")])
def test_lanes_that_are_lost_under_any_load_are_told_once(kinds: tuple[str, ...]) -> None:
    count = LASTS_S * len(kinds)
    fell = np.where(np.arange(count) < count - 30, 16.0, 4.0)
    found = reasons(run_of(*kinds, moving={"pcie_lanes": fell}))
    assert [(one.outcome, one.measured, one.limit) for one in found] == [(Outcome.FAIL, 4.0, 16.0)]
    between = np.where(np.arange(2 * LASTS_S) < LASTS_S, 16.0, 8.0)
    told = reasons(run_of("gemm", "resnet", moving={"pcie_lanes": between}))
    assert [(one.outcome, one.measured, one.limit) for one in told] == [(Outcome.FAIL, 8.0, 16.0)]
    assert told[0].text.startswith("resnet: the link fell from 16 to 8")


GENERATION_FALLS = np.where(np.arange(LASTS_S) % 300 < 200, 4.0, 3.0)


@pytest.mark.parametrize("kind", ["gemm", "vram", "transformer", "transients", "soak", "host-link"])
def test_a_generation_that_falls_under_load_is_told_in_any_stage(kind: str) -> None:
    busy = {"utilisation_pct": 99.0, "performance_state": 2.0, "throughput_tflops": 30.0}
    found = reasons(run_of(kind, moving={"pcie_generation": GENERATION_FALLS}, **busy))
    assert [(one.outcome, one.measured, one.limit) for one in found] == [(Outcome.WARN, 3.0, 4.0)]


@pytest.mark.parametrize(
    "metrics",
    [{"utilisation_pct": 10.0}, {"utilisation_pct": 60.0, "performance_state": 8.0}],
    ids=["nothing to do", "clocks lowered"],
)
def test_a_link_that_saves_power_between_two_pieces_of_work_is_no_finding(metrics: dict[str, float]) -> None:
    assert reasons(run_of("transients", moving={"pcie_generation": GENERATION_FALLS}, **metrics)) == []


def test_a_link_that_lost_lanes_for_a_while_is_told_of_although_it_recovered() -> None:
    while_s = np.arange(LASTS_S)
    dip = np.where((while_s >= 300) & (while_s < 310), 8.0, 16.0)
    found = reasons(run_of("gemm", moving={"pcie_lanes": dip}))
    assert [(one.outcome, one.measured, one.limit) for one in found] == [(Outcome.FAIL, 8.0, 16.0)]
    rise = np.where(while_s < 300, 8.0, 16.0)
    assert reasons(run_of("gemm", moving={"pcie_lanes": rise})) == []


@pytest.mark.parametrize(("planned", "expected"), [(16, Outcome.FAIL), (8, Outcome.WARN)])
def test_a_narrow_link_fails_only_below_its_plan(
    planned: int, expected: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = SimpleNamespace(lanes=planned, generation=4)
    monkeypatch.setattr("core.burnin.verdict.links.least_planned_link", lambda plan, device: link)
    card = shipped_card(GPU)
    assert card is not None
    found = run_of("host-link", evidence={"rates": {"to_device": 12.0}}, pcie_lanes=8.0)
    assert outcome(replace(found, plan=Build("Plan", (Line(card),)))) is expected


def test_a_link_is_held_against_the_planned_slot_though_card_and_slot_can_do_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = SimpleNamespace(lanes=16, generation=4, slot=SimpleNamespace(position=3))
    monkeypatch.setattr("core.burnin.verdict.predicted.PlannedRun.link", lambda planned, device: link)
    narrow = replace(GPU, pcie_lanes_max=8)
    found = planned(run_of("host-link", evidence={"rates": {"to_device": 12.0}}, device=narrow, pcie_lanes=8.0))
    assert outcome(found) is Outcome.FAIL
    assert "PCIe lanes 8 under traffic, the plan has 16 for slot 3." in reasons(found)[0].text


def test_a_link_that_was_read_before_the_first_copy_or_hardly_at_all_is_no_finding() -> None:
    begun = np.where(np.arange(LASTS_S) < 2, 1.0, 4.0)
    assert outcome(run_of("host-link", moving={"pcie_generation": begun})) is Outcome.PASS
    few = np.full(LASTS_S, np.nan)
    few[:4] = 1.0
    assert outcome(run_of("host-link", moving={"pcie_generation": few})) is Outcome.PASS


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({"variation_pct": 1.9}, Outcome.PASS),
        ({"variation_pct": 3.0}, Outcome.WARN),
        ({"variation_pct": 6.0}, Outcome.WARN),
        ({"drift_pct": 2.0, "held_back_by": ["Thermal limit"]}, Outcome.PASS),
        ({"drift_pct": 5.0, "held_back_by": ["Thermal limit"]}, Outcome.WARN),
        ({"drift_pct": 9.0, "held_back_by": ["Thermal limit", "Power limit"]}, Outcome.FAIL),
        ({"drift_pct": 9.0, "held_back_by": ["Power limit"]}, Outcome.WARN),
        ({"coverage_pct": 96.0}, Outcome.PASS),
        ({"coverage_pct": 47.0, "coverage_of_free_pct": 98.0}, Outcome.PASS),
        ({"coverage_pct": 86.0, "coverage_of_free_pct": 90.0}, Outcome.WARN),
        ({"coverage_pct": 60.0}, Outcome.WARN),
    ],
)
def test_what_loads_measured_of_themselves_is_judged(evidence: dict[str, Any], expected: Outcome) -> None:
    assert outcome(run_of("soak", evidence=evidence)) is expected


@pytest.mark.parametrize(
    ("efficiency_pct", "expected"), [(96.0, Outcome.PASS), (82.0, Outcome.PASS), (70.0, Outcome.WARN)]
)
@pytest.mark.parametrize("by_size", [False, True])
def test_data_parallel_training_may_lose_what_its_gradients_cost(
    efficiency_pct: float, expected: Outcome, *, by_size: bool
) -> None:
    told = {"networks": {"resnet": {"efficiency_pct": efficiency_pct, "no_overlap_pct": 85.0}}}
    found = run_of("data-parallel", evidence={"by_size": {"2": told}} if by_size else told)
    assert outcome(found) is expected


@pytest.mark.parametrize(
    ("p2p", "busbw_gbps", "expected"),
    [("ok", 20.0, Outcome.PASS), ("ok", 10.0, Outcome.WARN), ("chipset", 10.0, Outcome.PASS),
     ("chipset", 5.0, Outcome.WARN)],
)  # fmt: skip
def test_an_all_reduce_is_held_to_the_link_and_to_direct_access(p2p: str, busbw_gbps: float, expected: Outcome) -> None:
    device = replace(GPU, p2p={"GPU-1": {"read": p2p}})
    one = run_of("collectives", evidence={"rates": {"all_reduce": busbw_gbps}}, device=device)
    twin = replace(GPU, id="GPU-1")
    two = replace(
        one, devices=[*one.devices, RunDevice(twin, 1, burned=True)],
        samples={**one.samples, twin.id: one.samples[GPU.id]},
    )  # fmt: skip
    assert outcome(two) is expected


def with_references(recorded: Recorded, **rates: float) -> Recorded:
    found = {
        ("gemm", name): Reference(product="RTX 3090", stage="gemm", name=name, rate=rate, unit="TFLOPS", source="test")
        for name, rate in rates.items()
    }
    return Recorded(
        **{field: getattr(recorded, field) for field in recorded.__slots__} | {"references": {GPU.id: found}}
    )


@pytest.mark.parametrize(("rate", "expected"), [(74.0, Outcome.PASS), (60.0, Outcome.WARN), (50.0, Outcome.FAIL)])
def test_a_measured_reference_can_fail_a_slow_card(rate: float, expected: Outcome) -> None:
    recorded = run_of("gemm", evidence={"rates": {"bfloat16": rate}})
    assert outcome(with_references(recorded, bfloat16=76.6)) is expected


def test_a_reference_says_nothing_about_other_work() -> None:
    recorded = with_references(run_of("gemm", evidence={"rates": {"bfloat16": 40.0}}), bfloat16=76.6)
    assert outcome(recorded) is Outcome.FAIL
    small = recorded.profile.stages[0].model_copy(update={"params": {"size": 1024}})
    other = replace(recorded, profile=recorded.profile.model_copy(update={"stages": (small,)}))
    assert outcome(other) is Outcome.PASS


def test_a_reference_of_another_program_is_told_and_never_judged_by() -> None:
    told = Reference(
        product="RTX 3090", stage="resnet", name="training", rate=905, unit="images/s", source="test", judged=False
    )
    recorded = run_of("resnet", evidence={"rates": {"training": 100.0}})
    judged = judge(replace(recorded, references={GPU.id: {("resnet", "training"): told}}))[1]
    assert judged.outcome is Outcome.PASS
    assert any("905 images/s" in reason.text for reason in judged.reasons)


@pytest.mark.parametrize(("rate", "expected"), [(830.0, Outcome.PASS), (400.0, Outcome.FAIL)])
def test_the_bandwidth_that_a_card_states_counts_before_what_another_program_measured(
    rate: float, expected: Outcome
) -> None:
    part = shipped_card(GPU)
    assert part is not None
    told = references_of(GPU, shipped_references())
    assert not told["bandwidth", "copy"].judged
    recorded = run_of("bandwidth", evidence={"rates": {"copy": rate}})
    known = replace(recorded, products={GPU.id: part}, references={GPU.id: told})
    assert outcome(known) is expected
    assert any("GB/s as stated for" in reason.text for reason in judge(known)[1].reasons)


def test_a_card_whose_limit_was_lowered_or_that_is_simulated_is_not_held_against_references() -> None:
    lowered = run_of("gemm", evidence={"rates": {"bfloat16": 40.0}}, power_limit_w=250.0)
    assert outcome(with_references(lowered, bfloat16=76.6)) is Outcome.PASS
    made_up = Device("GPU-0", DeviceKind.GPU, "NVIDIA GeForce RTX 3090", simulated=True)
    simulated = run_of("gemm", evidence={"rates": {"bfloat16": 40.0}}, device=made_up)
    assert outcome(with_references(simulated, bfloat16=76.6)) is Outcome.PASS


@pytest.mark.parametrize("kind", ["gemm", "soak"])
@pytest.mark.parametrize("rate", [34.0, 15.0])
def test_published_short_bursts_are_shown_beside_a_rate_and_judge_nothing_near_them(kind: str, rate: float) -> None:
    [shown] = rates_told(of_product(run_of(kind, evidence={"rates": {"tf32": rate}})))
    assert (shown.outcome, shown.measured) == (Outcome.PASS, rate)
    assert "published" in shown.source


TURING = replace(GPU, name="NVIDIA T4", memory_mb=16384)
IDLE_MHZ = 210.0


def of_product(recorded: Recorded, device: Device = GPU) -> Recorded:
    part = shipped_card(device)
    assert part is not None
    return replace(recorded, products={device.id: part})


def rates_told(recorded: Recorded) -> list[Reason]:
    return [reason for reason in judge(recorded)[1].reasons if reason.unit == "TFLOPS"]


@pytest.mark.parametrize(
    ("share_pct", "throttle_mask", "expected"),
    [
        (9.5, 4.0, Outcome.FAIL),
        (9.5, 0.0, Outcome.FAIL),
        (10.5, 0.0, Outcome.WARN),
        (10.5, 1.0, Outcome.WARN),
        (29.0, 0.0, Outcome.WARN),
        (29.0, 4.0, Outcome.PASS),
        (31.0, 0.0, Outcome.PASS),
    ],
)
@pytest.mark.parametrize(("name", "peak_tflops"), [("float32", 35.58), ("tf32", 35.58), ("bfloat16", 71.0)])
@pytest.mark.parametrize("clock_mhz", [1695.0, 847.5])
def test_a_rate_far_below_the_peak_at_its_clock_is_never_only_shown(
    name: str, peak_tflops: float, clock_mhz: float, share_pct: float, throttle_mask: float, expected: Outcome
) -> None:
    """1695 MHz is the boost clock of the part: at half of it the peak is half as high."""
    rate = peak_tflops * clock_mhz / 1695 * share_pct / 100
    recorded = run_of("gemm", evidence={"rates": {name: rate}}, clock_mhz=clock_mhz, throttle_mask=throttle_mask)
    [told] = rates_told(of_product(recorded))
    assert told.outcome is expected


@pytest.mark.parametrize("kind", ["gemm", "bandwidth"])
def test_a_lowered_power_limit_excuses_no_rate_of_nearly_nothing(kind: str) -> None:
    name = "float32" if kind == "gemm" else "copy"
    lowered = run_of(kind, evidence={"rates": {name: 0.01}}, power_limit_w=250.0)
    assert outcome(of_product(lowered)) is Outcome.FAIL


@pytest.mark.parametrize(
    ("device", "name", "rate"),
    [
        (replace(GPU, simulated=True), "float32", 0.01),
        (replace(GPU, parent="GPU-1"), "float32", 0.01),
        (TURING, "bfloat16", 2.5),  # emulated before Ampere
        (GPU, "float64", 0.5),
        (GPU, "int8", 0.01),
    ],
)
def test_a_rate_without_a_peak_of_its_own_is_not_held_against_one(device: Device, name: str, rate: float) -> None:
    recorded = of_product(run_of("gemm", evidence={"rates": {name: rate}}, device=device), device)
    assert [reason.outcome for reason in rates_told(recorded) if reason.outcome is not Outcome.PASS] == []


def test_small_products_and_small_networks_are_not_held_against_the_peak() -> None:
    recorded = of_product(run_of("gemm", evidence={"rates": {"float32": 0.5}}))
    small = recorded.profile.stages[0].model_copy(update={"params": {"size": 256}})
    assert outcome(recorded) is Outcome.FAIL
    assert outcome(replace(recorded, profile=recorded.profile.model_copy(update={"stages": (small,)}))) is Outcome.PASS
    assert outcome(of_product(run_of("lstm", evidence={"rates": {"training": 0.5}}))) is Outcome.PASS


def test_a_clock_that_stays_at_idle_under_load_fails_though_its_peak_would_excuse_the_rate() -> None:
    """Half of the peak at 210 MHz is a healthy share of it, of a card that is stuck."""
    card, rate = replace(GPU, clock_max_mhz=2100.0), 35.58 * IDLE_MHZ / 1695 * 0.7
    recorded = of_product(
        run_of("idle", "gemm", evidence={"rates": {"float32": rate}}, device=card, clock_mhz=IDLE_MHZ)
    )
    [told] = reasons(recorded)
    assert (told.outcome, told.about, told.measured, told.stage) == (Outcome.FAIL, "clock_mhz", IDLE_MHZ, 1)


@pytest.mark.parametrize(
    ("card", "kinds", "idle_mhz", "load_mhz"),
    [
        (replace(GPU, clock_max_mhz=2100.0), ("idle", "gemm"), IDLE_MHZ, 260.0),
        (replace(GPU, clock_max_mhz=2100.0), ("idle", "host-link"), IDLE_MHZ, IDLE_MHZ),
        (replace(GPU, clock_max_mhz=2100.0), ("gemm", "gemm"), IDLE_MHZ, IDLE_MHZ),
        (replace(GPU, clock_max_mhz=1480.0), ("idle", "gemm"), 1189.0, 1303.0),  # never lowers its clock at rest
        (replace(GPU, clock_max_mhz=2100.0, simulated=True), ("idle", "gemm"), IDLE_MHZ, IDLE_MHZ),
        (replace(GPU, clock_max_mhz=2100.0, parent="GPU-1"), ("idle", "gemm"), IDLE_MHZ, IDLE_MHZ),
        (GPU, ("idle", "gemm"), IDLE_MHZ, IDLE_MHZ),
    ],
)
def test_no_other_clock_is_blamed(card: Device, kinds: tuple[str, ...], idle_mhz: float, load_mhz: float) -> None:
    clocks = np.where(np.arange(2 * LASTS_S) < LASTS_S, idle_mhz, load_mhz)
    recorded = run_of(*kinds, device=card, moving={"clock_mhz": clocks})
    assert [reason for reason in reasons(recorded) if reason.about == "clock_mhz"] == []


def test_a_card_is_held_against_its_own_past() -> None:
    recorded = run_of("gemm", evidence={"rates": {"float32": 90.0}})
    past = replace(recorded, history={GPU.id: {("gemm", "float32"): 100.0}})
    assert [reason.measured for reason in reasons(past)] == [pytest.approx(10.0)]


def test_a_frozen_sensor_fails_for_nothing_guarded_the_card() -> None:
    recorded = run_of("idle", "gemm")
    column(recorded.samples[GPU.id], "power_w")[:] = 752.67
    assert "frozen" in reasons(recorded)[0].text
    assert outcome(recorded) is Outcome.FAIL


PLAN_W = (308, 357)
"""What is predicted of a card of 350 W in training."""


def planned(recorded: Recorded) -> Recorded:
    card = shipped_card(GPU)
    assert card is not None
    return replace(recorded, plan=Build("Plan", (Line(card),)))


def told_of_plan(recorded: Recorded) -> list[Reason]:
    return [reason for reason in judge(recorded)[1].reasons if "the plan predicts" in reason.text]


@pytest.mark.parametrize(
    ("power_w", "place", "expected"),
    [
        (275.0, "below", Outcome.WARN),
        (304.0, "within 5 % of", Outcome.PASS),
        (330.0, "within", Outcome.PASS),
        (400.0, "above", Outcome.WARN),
    ],
)
def test_steady_power_is_compared_on_both_sides_of_the_plan(power_w: float, place: str, expected: Outcome) -> None:
    found = told_of_plan(planned(run_of("soak", power_w=power_w, temperature_c=75.0)))
    power = next(reason for reason in found if reason.unit == "W")
    low, high = PLAN_W
    assert power.text == f"soak: {power_w:.0f} W, {place} the {low} to {high} W that the plan predicts."
    assert power.outcome is expected


def test_a_cooler_card_is_none_the_worse_and_a_hotter_one_is() -> None:
    cool, hot = (told_of_plan(planned(run_of("soak", temperature_c=celsius))) for celsius in (40.0, 92.0))
    assert [reason.outcome for reason in cool if reason.unit == "°C"] == [Outcome.PASS]
    assert [reason.outcome for reason in hot if reason.unit == "°C"] == [Outcome.WARN]


def test_of_a_sweep_the_hottest_format_is_compared_and_not_the_mean_of_all() -> None:
    evidence = {"power_by_format_w": {"float64": 120.0, "bfloat16": 331.0}, "rates": {"bfloat16": 20.0}}
    found = told_of_plan(planned(run_of("gemm", evidence=evidence)))
    assert [(reason.unit, reason.measured, reason.outcome) for reason in found] == [
        ("TFLOPS", 20.0, Outcome.WARN), ("W", 331.0, Outcome.PASS),
    ]  # fmt: skip


def test_a_stage_without_a_predicted_load_is_compared_with_nothing() -> None:
    assert not told_of_plan(planned(run_of("vram", "host-link", "transients", "cooldown")))


def test_a_simulated_card_is_compared_alike_and_marked() -> None:
    simulated = planned(run_of("soak", device=replace(GPU, simulated=True), power_w=400.0))
    power = next(reason for reason in told_of_plan(simulated) if reason.unit == "W")
    assert power.outcome is Outcome.WARN
    assert power.source.endswith("SIMULATED")


def test_a_card_that_the_plan_lacks_is_told() -> None:
    foreign = replace(run_of("gemm"), plan=Build("Plan", ()))
    assert "The plan has no NVIDIA GeForce RTX 3090" in reasons(foreign)[0].text


@pytest.mark.parametrize(
    ("level", "expected"),
    [(EventLevel.ERROR, Outcome.FAIL), (EventLevel.WARN, Outcome.WARN), (EventLevel.INFO, Outcome.PASS)],
)
def test_what_the_driver_told_weighs_by_its_level_and_is_counted(level: EventLevel, expected: Outcome) -> None:
    recorded = run_of()
    told = [Event(n, 5.0, "", GPU.id, level, "xid", "Xid 79: fallen off the bus.") for n in range(3)]
    elsewhere = Event(9, 5.0, "", "GPU-1", EventLevel.ERROR, "xid", "Xid 48")
    found = replace(recorded, events=[*told, elsewhere])
    assert outcome(found) is expected
    if expected is not Outcome.PASS:
        assert [reason.text for reason in reasons(found)] == ["Xid 79: fallen off the bus. (3 times)"]


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


def test_the_fall_from_a_cold_cards_first_boost_is_no_finding_in_a_shortened_soak() -> None:
    recorded = run_of("soak", evidence={"drift_pct": 9.0, "held_back_by": ["Too hot"]})
    assert outcome(recorded) is Outcome.FAIL
    assert outcome(replace(recorded, shortened=True)) is Outcome.PASS


@pytest.mark.parametrize(
    ("evidence", "says"),
    [
        ({"share_of_limit_pct": 98.0, "power_held_by": "power limit"}, "343 W, 98 % of the limit in force."),
        ({"share_of_limit_pct": 90.0, "power_held_by": "heat", "power_held_pct": 82.0},
         "343 W, 90 % of the limit in force. Held back by heat for 82 % of the time."),
        ({"share_of_limit_pct": 90.0, "power_held_by": "nothing", "power_held_pct": 0.0},
         "Nothing held it back: the load did not need more, which is not a fault by itself."),
        ({"share_of_limit_pct": 90.0}, "What held it back is not known."),
        ({"share_of_limit_pct": 90.0, "power_held_by": "a word of a later version"}, "What held it back is not known."),
        *(({"share_of_limit_pct": 90.0, "power_held_by": by.value, "power_held_pct": 50.0}, "50 % of the time.")
          for by in Limiter if by is not Limiter.NOTHING),
    ],
)  # fmt: skip
def test_a_soak_below_the_power_limit_says_what_held_it_and_fails_nothing(evidence: dict[str, Any], says: str) -> None:
    recorded = run_of("soak", evidence={"steady_power_w": 343.0, **evidence})
    told = [reason.text for reason in judge(recorded)[1].reasons if "of the limit in force" in reason.text]
    assert len(told) == 1
    assert told[0].endswith(says)
    assert outcome(recorded) is Outcome.PASS


def test_a_soak_without_figures_of_power_says_nothing_of_it() -> None:
    for evidence in ({}, {"steady_power_w": None, "share_of_limit_pct": None}):
        told = [reason.text for reason in judge(run_of("soak", evidence=evidence))[1].reasons]
        assert not any("of the limit" in text for text in told)


@pytest.mark.parametrize(("margin_c", "expected"), [(20.0, Outcome.PASS), (8.0, Outcome.WARN), (4.0, Outcome.FAIL)])
def test_memory_that_tells_its_limit_as_a_margin_is_judged_by_it(margin_c: float, expected: Outcome) -> None:
    card = replace(GPU, memory_temperature_max_c=None, memory_margin_limit_k=5.0)
    recorded = run_of(device=card, margin_c=margin_c)
    assert outcome(recorded) is expected
    [shown] = [reason for reason in judge(recorded)[1].reasons if "emory" in reason.text]
    assert (shown.measured, shown.limit) == (margin_c, 5.0)
