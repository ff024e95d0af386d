"""Speed at each limit and beside it: the best of the model, its past, what is expected of it; how steady it was."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.burnin.planned import shipped_card
from core.burnin.profile.profile import Criteria
from core.burnin.references import Reference
from core.burnin.verdict.speed import expected_rate, peer_reasons, speed_reasons
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.predict.speed.card_speed import gemm_share
from core.predict.speed.networks import ComputePrecision
from core.predict.speed.peaks import peaks_of
from tests.burnin.made_run import CARD, FAIL, PASS, PROCESSOR, WARN, ended, figures, run_of, sampled, stage, twin

QUARTER_AND_HALF = {"slower_than_best_warn_pct": 25, "slower_than_best_fail_pct": 50}


def beside(rate: float, *others: Any, kind: str = "gemm", name: str = "tf32", **criteria: float) -> Any:
    """A card with this rate beside others: rates, or a device with its rate."""
    cards = [CARD, *(other[0] if isinstance(other, tuple) else twin(n) for n, other in enumerate(others, 1))]
    rates = [rate, *(other[1] if isinstance(other, tuple) else other for other in others)]
    results = [ended(1, device=card, rates={name: one}) for card, one in zip(cards, rates, strict=True)]
    run = run_of(
        [stage(0, "idle"), stage(1, kind)], results, devices=cards, criteria=Criteria(**(QUARTER_AND_HALF | criteria))
    )
    return list(peer_reasons(run, CARD))


@pytest.mark.parametrize(
    ("rate", "others", "expected"),
    [
        (75.0, (100.0,), []),
        (74.0, (100.0,), [(WARN, 26.0, 25, "%")]),
        (50.0, (100.0,), [(WARN, 50.0, 25, "%")]),
        (49.0, (100.0,), [(FAIL, 51.0, 50, "%")]),
        (49.0, (60.0, 100.0, 90.0), [(FAIL, 51.0, 50, "%")]),
        (100.0, (75.0,), []),
        (49.0, ((twin(1, name="NVIDIA RTX A6000"), 100.0),), []),
        (49.0, ((twin(1, name="NVIDIA RTX A6000"), 100.0), 70.0), [(WARN, 30.0, 25, "%")]),
        (49.0, (None,), []),
        (49.0, (), []),
    ],
)
def test_a_card_is_held_to_the_best_of_its_model(rate: float, others: Any, expected: Any) -> None:
    reasons = beside(rate, *others)
    assert figures(reasons) == [(outcome, pytest.approx(pct), limit, unit) for outcome, pct, limit, unit in expected]
    for one in reasons:
        assert (one.stage, one.about, one.source) == (1, "tf32", "10 % below the best card fails in gpu-fryer too")
        assert one.text == f"gemm, tf32: {one.measured:.1f} % slower than the best device of this model."


def test_what_the_slot_decides_and_what_a_cpu_does_is_not_compared() -> None:
    for kind in ("host-link", "p2p", "collectives", "data-parallel"):
        assert beside(1.0, 100.0, kind=kind) == []
    [named] = beside(1.0, 100.0, kind="bandwidth", name="to_host")
    assert named.text.startswith("bandwidth, to host: 99.0 %")
    [slow] = beside(40.0, 100.0, kind="inference", name="decode")
    assert figures([slow]) == [(FAIL, 60.0, 50.0, "%")]
    assert slow.text == "inference, decode: 60.0 % slower than the best device of this model."
    cpus = [PROCESSOR, replace(PROCESSOR, id="cpu-1")]
    results = [ended(0, device=cpu, rates={"tf32": rate}) for cpu, rate in zip(cpus, (1.0, 100.0), strict=True)]
    run = run_of([stage(0, "gemm")], results, devices=cpus)
    assert list(peer_reasons(run, PROCESSOR)) == list(speed_reasons(run, PROCESSOR)) == []


def spoken(rate: float | None = None, *, kind: str = "gemm", shortened: bool = False, **other: Any) -> Any:
    """What is said of the speed of one card, of a stage after one of which nothing is known."""
    evidence = other.pop("evidence", {}) | ({} if rate is None else {"rates": {"tf32": rate}})
    device, samples = other.pop("device", CARD), other.pop("samples", None)
    run = run_of([stage(0, "idle"), stage(1, kind)], [ended(1, device=device, **evidence)], samples, [device], **other)
    return list(speed_reasons(replace(run, shortened=shortened), device))


@pytest.mark.parametrize(("rate", "slower"), [(75.0, None), (74.0, 26.0), (1.0, 99.0), (200.0, None)])
def test_a_card_is_held_to_its_own_past_and_only_warned_of(rate: float, slower: float | None) -> None:
    criteria = Criteria(below_history_warn_pct=25)
    history = {CARD.id: {("gemm", "tf32"): 100.0, ("soak", "tf32"): 900.0, ("gemm", "float32"): 900.0}}
    reasons = spoken(rate, history=history, criteria=criteria)
    assert figures(reasons) == ([] if slower is None else [(WARN, pytest.approx(slower), 25, "%")])
    for one in reasons:
        assert (one.stage, one.source) == (1, "its own best in earlier runs")
        assert one.text == f"gemm, tf32: {slower:.1f} % slower than this device was in an earlier run."
    assert spoken(rate, history={CARD.id: {("gemm", "tf32"): 0.0}}) == spoken(rate, history={"GPU-9": {}}) == []


def reference(*, judged: bool = True, kind: str = "gemm") -> dict[str, Any]:
    one = Reference(
        product="RTX 3090", stage=kind, name="tf32", rate=100.0, unit="TFLOPS", source="a test", judged=judged
    )
    return {CARD.id: {(kind, "tf32"): one}}


HALVED = Criteria(below_reference_warn_pct=25, below_reference_fail_pct=50)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (100.0, (PASS, 100.0, 75.0, "TFLOPS")), (75.0, (PASS, 75.0, 75.0, "TFLOPS")),
        (74.9, (WARN, 74.9, 75.0, "TFLOPS")), (50.0, (WARN, 50.0, 75.0, "TFLOPS")),
        (49.9, (FAIL, 49.9, 50.0, "TFLOPS")),
    ],
)  # fmt: skip
def test_a_card_is_held_to_what_its_model_was_measured_to_do(rate: float, expected: Any) -> None:
    [reason] = spoken(rate, references=reference(), criteria=HALVED)
    assert figures([reason]) == [expected]
    assert reason.text == f"gemm, tf32: {rate:.4g} TFLOPS, {rate:.0f} % of 100 TFLOPS measured on this model."
    assert (reason.source, reason.stage) == ("a test", 1)
    [shown] = spoken(rate, references=reference(judged=False), criteria=HALVED)
    assert figures([shown]) == [(PASS, rate, None, "TFLOPS")]
    assert shown.text.endswith("100 TFLOPS measured on this model by another program, a rough guide only.")
    assert shown.source == "a test"


def test_a_reference_is_of_the_same_work_on_a_real_card_in_the_same_stage() -> None:
    assert spoken(1.0, references=reference(kind="soak")) == []
    assert spoken(1.0, references=reference(), device=replace(CARD, simulated=True)) == []
    assert spoken(1.0, references={"GPU-9": reference()[CARD.id]}) == []
    run = run_of([stage(0, "gemm")], [ended(0, rates={"tf32": 1.0})], references=reference())
    assert expected_rate(run, CARD, run.stages[0], "tf32") is not None
    small = run.profile.stages[0].model_copy(update={"params": {"size": 4096}})
    other = replace(run, profile=run.profile.model_copy(update={"stages": (small,)}))
    assert expected_rate(other, CARD, other.stages[0], "tf32") is None
    for kind in ("host-link", "p2p", "collectives", "data-parallel"):
        assert spoken(1.0, references=reference(kind=kind), kind=kind) == []


LIMITED = replace(CARD, power_limit_w=350.0)


@pytest.mark.parametrize(
    ("device", "limits", "lowered"),
    [
        (LIMITED, [350.0, 342.9, 350.0], True), (LIMITED, [350.0, 343.0, 350.0], False),
        (LIMITED, [np.nan] * 3, False), (CARD, [100.0] * 3, False), (LIMITED, [400.0] * 3, False),
    ],
)  # fmt: skip
def test_a_card_whose_limit_was_lowered_is_not_held_to_its_model(
    device: Any, limits: list[float], lowered: bool
) -> None:
    samples = sampled([0.0, 1.0, 2.0], power_limit_w=limits)
    [reason] = spoken(40.0, references=reference(), device=device, samples=samples)
    expected = (PASS, 40.0, 100.0, "TFLOPS") if lowered else (FAIL, 40.0, 70.0, "TFLOPS")
    assert figures([reason]) == [expected]
    words = "gemm, tf32: 40 TFLOPS, 40 % of 100 TFLOPS measured on this model."
    assert reason.text == (f"{words} Its power limit was lowered." if lowered else words)


@pytest.mark.parametrize(("rate", "outcome"), [(10.0, PASS), (9.9, FAIL)])
def test_a_lowered_limit_excuses_no_rate_under_the_floor(rate: float, outcome: Any) -> None:
    samples = sampled([0.0, 1.0], power_limit_w=200.0)
    [reason] = spoken(rate, references=reference(), device=LIMITED, samples=samples)
    assert reason.outcome is outcome
    [reason] = spoken(STATED * rate / 100, kind="bandwidth", products={CARD.id: PART}, device=LIMITED, samples=samples)
    assert reason.outcome is outcome


PART = shipped_card(CARD)
SPEC = PART.spec
assert isinstance(SPEC, GpuSpec)
DERIVED = shipped_card(replace(CARD, name="NVIDIA RTX A6000"))
"""A card of which some peaks are derived, and are a band."""
assert DERIVED is not None
STATED = SPEC.memory_bandwidth_gbps or 0.0


@pytest.mark.parametrize(
    ("pct", "less", "outcome", "limit"),
    [(80, 0.0, PASS, 80), (80, 0.1, WARN, 80), (70, 0.0, WARN, 80), (70, 0.1, FAIL, 70)],
)
def test_memory_is_held_to_the_bandwidth_that_the_card_states(
    pct: int, less: float, outcome: Any, limit: float
) -> None:
    rate = STATED * pct / 100 - less
    [reason] = spoken(rate, kind="bandwidth", products={CARD.id: PART})
    assert figures([reason]) == [(outcome, rate, pytest.approx(STATED * limit / 100), "GB/s")]
    assert reason.text.endswith(f"{pct} % of {STATED:g} GB/s as stated for {PART.title}.")
    assert reason.source == "published tests reach 80 to 91 %"


def test_no_figure_of_a_plan_goes_before_that_of_the_shipped_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    slower = PART.model_copy(update={"spec": SPEC.model_copy(update={"memory_bandwidth_gbps": 1.0})})
    unstated = PART.model_copy(update={"spec": SPEC.model_copy(update={"memory_bandwidth_gbps": None})})
    plan: Any = SimpleNamespace(name="Plan")
    lines: list[Any] = [SimpleNamespace(part=slower)]
    monkeypatch.setattr("core.burnin.verdict.speed.planned_card", lambda *_: lines[-1])
    fields = {"kind": "bandwidth", "products": {CARD.id: PART}}
    run = run_of([stage(0, "bandwidth")], products={CARD.id: PART})
    unlisted = replace(run, products={})
    for one, rate in ((replace(run, plan=plan), STATED), (replace(unlisted, plan=plan), 1.0), (run, STATED)):
        expected = expected_rate(one, CARD, one.stages[0], "copy")
        assert expected.rate == rate
    lines.append(None)
    assert expected_rate(replace(unlisted, plan=plan), CARD, run.stages[0], "copy") is None
    assert spoken(1.0, **(fields | {"products": {CARD.id: unstated}})) == []
    assert spoken(1.0, **(fields | {"products": {"GPU-9": PART}})) == []


@pytest.mark.parametrize(("less", "outcome"), [(0.0, PASS), (0.1, FAIL)])
def test_a_reference_of_next_to_nothing_lowers_no_floor(less: float, outcome: Any) -> None:
    own = Reference(product=CARD.name, stage="bandwidth", name="tf32", rate=1.0, unit="GB/s", source="ours")
    fields = {"products": {CARD.id: PART}, "references": {CARD.id: {("bandwidth", "tf32"): own}}}
    rate = STATED / 10 - less
    [reason] = spoken(rate, kind="bandwidth", **fields)
    assert reason.outcome is outcome
    assert "1 GB/s measured on this model" in reason.text
    elsewhere = own.model_copy(update={"unit": "TFLOPS"})
    [reason] = spoken(1.0, kind="bandwidth", **(fields | {"references": {CARD.id: {("bandwidth", "tf32"): elsewhere}}}))
    assert reason.outcome is FAIL


CLOCKS = sampled([0.0, 49.0, 50.0, 75.0, 100.0, 101.0], clock_mhz=[1.0, 1.0, 1000.0, np.nan, 2000.0, 1.0])
"""A mean of 1500 MHz in the second half, both of its ends included."""


def product(name: str, *, kind: str = "gemm", samples: Any = CLOCKS, part: Any = PART, **row: Any) -> Any:
    run = run_of([stage(0, kind, **row)], samples=samples, products={CARD.id: part})
    return expected_rate(run, CARD, run.stages[0], name)


@pytest.mark.parametrize(
    ("name", "precision"),
    [
        ("float32", ComputePrecision.FP32), ("tf32", ComputePrecision.TF32), ("float16", ComputePrecision.MIXED),
        ("bfloat16", ComputePrecision.MIXED),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["gemm", "soak"])
@pytest.mark.parametrize("part", [PART, DERIVED], ids=["stated", "derived"])
def test_beside_products_stands_what_the_architecture_reaches_at_the_measured_clock(
    name: str, precision: ComputePrecision, kind: str, part: Part
) -> None:
    spec = part.spec
    peak = peaks_of(part).rate(precision)
    assert peak is not None
    assert isinstance(spec, GpuSpec)
    assert spec.boost_clock_mhz is not None
    reached = peak.values[1] * 1500.0 / spec.boost_clock_mhz * gemm_share(spec, precision)[1]
    burst = product(name, kind=kind, part=part)
    assert (burst.rate, burst.unit) == (pytest.approx(reached), "TFLOPS")
    assert burst.words == (f"{reached:.4g} TFLOPS, which its architecture reaches in short bursts at 1500 MHz")
    assert burst.source == "published PyTorch products relative to the stated peak, at the measured clock"


def test_without_a_clock_a_peak_or_an_end_nothing_stands_beside_products() -> None:
    unclocked = PART.model_copy(update={"spec": SPEC.model_copy(update={"boost_clock_mhz": None})})
    assert product("int8") is None
    assert product("tf32", kind="resnet") is None
    assert product("tf32", samples=sampled([60.0], power_w=1.0)) is None
    assert product("tf32", samples=CLOCKS[:2]) is None
    assert product("tf32", start_s=None) is None
    assert product("tf32", end_s=None) is None
    assert product("tf32", part=unclocked) is None


@pytest.mark.parametrize(
    ("pct", "criteria", "expected"),
    [
        (2.0, {}, []), (2.1, {}, [(WARN, 2.1, 2, "%")]), (99.0, {}, [(WARN, 99.0, 2, "%")]),
        (5.0, {"unsteady_fail_pct": 5}, [(WARN, 5.0, 2, "%")]),
        (5.1, {"unsteady_fail_pct": 5}, [(FAIL, 5.1, 5, "%")]),
    ],
)  # fmt: skip
def test_a_speed_that_varies_warns_and_fails_only_by_a_limit_that_was_set(
    pct: float, criteria: dict[str, float], expected: Any
) -> None:
    reasons = spoken(kind="resnet", evidence={"variation_pct": pct}, criteria=Criteria(**criteria))
    assert figures(reasons) == expected
    for one in reasons:
        assert one.text == f"resnet: its speed varied by {pct:.1f} % over windows of ten seconds."
        assert one.source == "ResNet-50 varied 0.1 to 0.6 % on 39 similar machines"


@pytest.mark.parametrize(
    ("pct", "held_back_by", "expected"),
    [
        (3.0, ["Thermal limit"], []),
        (3.1, ["Thermal limit"], [(WARN, 3.1, 3, "%")]),
        (8.0, ["Thermal limit"], [(WARN, 8.0, 3, "%")]),
        (8.1, ["Thermal limit"], [(FAIL, 8.1, 8, "%")]),
        (8.1, ["Power limit", "Thermal limit"], [(FAIL, 8.1, 8, "%")]),
        (8.1, ["Power limit", "Idle"], [(WARN, 8.1, 3, "%")]),
        (8.1, ["Power limit"], [(WARN, 8.1, 3, "%")]),
        (8.1, ["Idle"], [(WARN, 8.1, 3, "%")]),
        (8.1, [], [(WARN, 8.1, 3, "%")]),
        (8.1, None, [(WARN, 8.1, 3, "%")]),
    ],
)
def test_a_speed_that_falls_when_warm_fails_unless_the_power_limit_alone_held_it(
    pct: float, held_back_by: list[str] | None, expected: Any
) -> None:
    evidence = {"drift_pct": pct, "held_back_by": held_back_by}
    reasons = spoken(kind="soak", evidence=evidence)
    assert figures(reasons) == expected
    for one in reasons:
        assert (one.text, one.source) == (f"soak: {pct:.1f} % slower when warm than in minutes 2 to 4.", "our proposal")
    assert spoken(kind="soak", evidence=evidence, shortened=True) == []


@pytest.mark.parametrize(
    ("covered", "of_free", "expected", "says"),
    [
        (95.0, None, None, ""),
        (94.9, None, (WARN, 94.9, 95, "%"), "patterns reached 95 % of the memory."),
        (47.0, 95.0, (PASS, 95.0, 95, "%"), "patterns reached 47 % of the memory, 95 % of what was free."),
        (47.0, 94.9, (WARN, 94.9, 95, "%"), "patterns reached 47 % of the memory, 95 % of what was free."),
        (95.0, 10.0, None, ""),
        (None, 10.0, None, ""),
    ],
)
def test_patterns_must_reach_the_memory_that_was_free(
    covered: float | None, of_free: float | None, expected: Any, says: str
) -> None:
    reasons = spoken(kind="vram", evidence={"coverage_pct": covered, "coverage_of_free_pct": of_free})
    assert figures(reasons) == ([] if expected is None else [expected])
    for one in reasons:
        assert (one.text, one.source) == (f"vram: {says}", "DCGM requires 75 % of all")
