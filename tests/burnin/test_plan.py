"""Measured beside planned: at each end of a band, with and without a tolerance, and what is compared at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.burnin.planned import shipped_card
from core.burnin.profile.profile import Criteria
from core.burnin.record.rows import MACHINE, ResultStatus, StageRow
from core.burnin.verdict.plan import BandSide, PlanComparison, comparisons, plan_reasons
from core.burnin.verdict.predicted import PlannedRun
from core.burnin.verdict.wall import WallRecord, wall_comparison, wall_reasons
from core.loads.inference.contract import ServedModel
from core.machine.telemetry.device import Device
from core.plan.build import Build
from core.plan.line import Line
from core.predict.band import Band
from core.predict.conditions import LoadCase
from tests.burnin.made_run import CARD, PASS, PROCESSOR, WARN, ended, figures, run_of, sampled, stage

BELOW, WITHIN, ABOVE = BandSide.BELOW, BandSide.WITHIN, BandSide.ABOVE
POWER = Band(300.0, 320.0, 350.0, "W")


def compared(measured: float, **other: Any) -> PlanComparison:
    """Of 300 to 350 W in a soak, with a tolerance of 10 %: from 270 to 385 W."""
    usual = PlanComparison(CARD.id, 2, "Soak", LoadCase.TRAINING, "power_w", POWER, measured, 10.0)
    return replace(usual, **other)


@pytest.mark.parametrize(
    ("measured", "place", "says"),
    [
        (269.9, BELOW, "Soak: 270 W, below the 300 to 350 W that the plan predicts."),
        (270.0, WITHIN, "Soak: 270 W, within 10 % of the 300 to 350 W that the plan predicts."),
        (299.9, WITHIN, "Soak: 300 W, within 10 % of the 300 to 350 W that the plan predicts."),
        (300.0, WITHIN, "Soak: 300 W, within the 300 to 350 W that the plan predicts."),
        (350.0, WITHIN, "Soak: 350 W, within the 300 to 350 W that the plan predicts."),
        (350.1, WITHIN, "Soak: 350 W, within 10 % of the 300 to 350 W that the plan predicts."),
        (385.0, WITHIN, "Soak: 385 W, within 10 % of the 300 to 350 W that the plan predicts."),
        (385.1, ABOVE, "Soak: 385 W, above the 300 to 350 W that the plan predicts."),
    ],
)
def test_a_figure_lies_within_its_band_at_its_ends_and_at_the_ends_of_the_tolerance(
    measured: float, place: BandSide, says: str
) -> None:
    assert (compared(measured).place, compared(measured).sentence) == (place, says)


def test_without_a_tolerance_the_ends_of_the_band_are_the_edge() -> None:
    places = [compared(measured, tolerance_pct=0.0).place for measured in (299.9, 300.0, 350.0, 350.1)]
    assert places == [BELOW, WITHIN, WITHIN, ABOVE]
    unsaid = PlanComparison(CARD.id, 2, "Soak", LoadCase.TRAINING, "power_w", POWER, 350.1)
    assert unsaid.place is ABOVE
    assert replace(unsaid, measured=350.0).place is WITHIN


@pytest.mark.parametrize(
    ("what", "unit", "load", "suspicious"),
    [
        ("power_w", "W", LoadCase.TRAINING, {BELOW, ABOVE}),
        ("power_w", "W", LoadCase.EVERYTHING, {BELOW, ABOVE}),
        ("power_w", "W", LoadCase.IDLE, {ABOVE}),
        ("temperature_c", "°C", LoadCase.TRAINING, {ABOVE}),
        ("bfloat16", "TFLOPS", LoadCase.TRAINING, {BELOW}),
        ("bfloat16", "TFLOPS", LoadCase.IDLE, {BELOW}),
    ],
)
def test_cooler_or_faster_or_less_at_rest_is_none_the_worse(
    what: str, unit: str, load: LoadCase, suspicious: set[BandSide]
) -> None:
    ends = {BELOW: 200.0, WITHIN: 320.0, ABOVE: 400.0}
    one = compared(0.0, what=what, load=load, predicted=POWER.measured_in(unit))
    assert {place for place, measured in ends.items() if replace(one, measured=measured).suspicious} == suspicious


@pytest.mark.parametrize(
    ("band", "measured", "says"),
    [
        (Band(40.0, 50.0, 99.9, "TFLOPS"), 30.04, "Soak, tf32: 30.0 TFLOPS, below the 40.0 to 99.9 TFLOPS that"),
        (Band(40.0, 50.0, 99.9, "TFLOPS"), 50.04, "Soak, tf32: 50.0 TFLOPS, within the 40.0 to 99.9 TFLOPS that"),
        (Band(40.0, 50.0, 60.0, "TFLOPS"), 62.0, "Soak, tf32: 62.0 TFLOPS, within 10 % of the 40.0 to 60.0 TFLOPS"),
        (Band(40.0, 50.0, 60.0, "TFLOPS"), 70.0, "Soak, tf32: 70.0 TFLOPS, above the 40.0 to 60.0 TFLOPS that"),
        (Band(40.0, 50.0, 100.0, "TFLOPS"), 30.04, "Soak, tf32: 30 TFLOPS, below the 40 to 100 TFLOPS that"),
    ],
)
def test_a_rate_names_its_format_and_a_small_one_has_a_decimal(band: Band, measured: float, says: str) -> None:
    assert compared(measured, what="tf32", predicted=band).sentence.startswith(says)
    small = compared(30.04, predicted=Band(40.0, 50.0, 60.0, "W"))
    assert small.sentence == "Soak: 30 W, below the 40 to 60 W that the plan predicts."


def test_a_comparison_is_plain_values_for_json() -> None:
    assert [str(side) for side in BandSide] == ["below", "within", "above"]
    assert compared(269.904).as_dict() == {
        "device_id": CARD.id, "stage": 2, "what": "power_w", "measured": 269.9, "place": "below",
        "predicted": {"low": 300.0, "expected": 320.0, "high": 350.0, "unit": "W"},
    }  # fmt: skip


@pytest.fixture(scope="module")
def plan() -> Build:
    part = shipped_card(CARD)
    assert part is not None
    return Build("Plan", (Line(part, 1),))


TIMES = np.arange(1000.0)


def of(plan: Build, one: StageRow, how: ResultStatus = ResultStatus.PASSED, device: Device = CARD, **other: Any) -> Any:
    """What is compared of one stage with 300 W, 70 °C."""
    readings = {"power_w": np.full(1000, 300.0), "temperature_c": np.full(1000, 70.0)} | other.pop("readings", {})
    results = {one.number: ended(one.number, how, device=device, **other)}
    rows = comparisons(
        PlannedRun(plan), device, [one], results, lambda _, metric: (TIMES, readings[metric]), tolerance_pct=5.0
    )
    return [(one.what, one.measured, one.tolerance_pct) for one in rows]


BOTH = [("power_w", 300.0, 5.0), ("temperature_c", 70.0, 0.0)]


@pytest.mark.parametrize(
    ("kind", "seconds", "expected"),
    [
        ("soak", 300.0, BOTH), ("soak", 299.9, BOTH[:1]), ("soak", 20.0, BOTH[:1]), ("soak", 19.9, []),
        ("whole-system", 300.0, BOTH), ("idle", 300.0, BOTH[:1]), ("idle", 19.9, []),
        ("transformer", 300.0, []), ("resnet", 300.0, []), ("gemm", 300.0, []), ("vram", 300.0, []),
    ],
)  # fmt: skip
def test_what_is_steady_is_compared_once_it_lasted_long_enough(
    plan: Build, kind: str, seconds: float, expected: Any
) -> None:
    assert of(plan, stage(0, kind, 100.0, 100.0 + seconds)) == expected
    assert of(plan, stage(0, kind, None, 100.0 + seconds)) == []
    assert of(plan, stage(0, kind, 100.0, None)) == []
    for how in (ResultStatus.FAILED, ResultStatus.STOPPED, ResultStatus.NOT_RUN, ResultStatus.DIED):
        assert of(plan, stage(0, kind, 100.0, 100.0 + seconds), how) == []


def test_the_mean_is_of_the_last_third_with_both_of_its_ends_and_of_what_was_measured(plan: Build) -> None:
    power = np.full(1000, 1000.0)
    power[200:301] = 300.0
    power[200], power[300], power[250] = 200.0, 500.0, np.nan
    [(_, watts, _)] = of(
        plan, stage(0, "soak", 0.0, 300.0), readings={"power_w": power, "temperature_c": power * np.nan}
    )
    assert watts == pytest.approx((200.0 + 500.0 + 98 * 300.0) / 100)
    assert of(plan, stage(0, "soak", 0.0, 300.0), readings={"power_w": power * np.nan})[:1] == BOTH[1:]


def test_of_a_sweep_the_hottest_format_counts_and_rates_have_the_tolerance(plan: Build) -> None:
    power, rates = {"float32": 310.0, "bfloat16": 330.0}, {"bfloat16": 60.0, "int8": 1.0}
    assert of(plan, stage(0, "gemm"), power_by_format_w=power, rates=rates) == [
        ("power_w", 330.0, 5.0), ("bfloat16", 60.0, 5.0),
    ]  # fmt: skip
    assert of(plan, stage(0, "soak", 0.0, 10.0), power_by_format_w=power) == []


OPT_6_7B = {"layers": 32, "width": 4096, "heads": 32, "vocabulary": 50_304, "context": 2048, "generated": 128,
            "requests": 1}  # fmt: skip
SPEEDS = {"rates": {"prefill": 3000.0, "decode": 45.0}, "rate_unit": "tokens/s"}


def answers_of(plan: Build, rates: dict[str, float], **model: Any) -> list[PlanComparison]:
    evidence = {"model": OPT_6_7B | model, "precision": "bf16", "rates": rates}
    results = {0: ended(0, **evidence)}
    readings = (TIMES, np.full(1000, 300.0))
    return list(comparisons(PlannedRun(plan), CARD, [stage(0, "inference", 0.0, 300.0)], results, lambda *_: readings))


def test_answers_are_compared_with_the_prediction_for_the_model_that_answered(plan: Build) -> None:
    [decode] = answers_of(plan, {"prefill": 3000.0, "decode": 45.0})
    assert (decode.what, decode.measured, decode.place) == ("decode", 45.0, WITHIN)
    assert decode.sentence.startswith("inference, decode: 45.0 tokens/s, within the ")
    assert decode.predicted.unit == "tokens/s"
    read = ServedModel(**OPT_6_7B).step_bytes(2) / 1e9
    assert 936 / read * 0.5 < decode.predicted.expected < 936 / read, "936 GB/s, of which a part is lost"
    [slow] = answers_of(plan, {"prefill": 3000.0, "decode": 0.9 * decode.predicted.low})
    assert slow.suspicious
    [fast] = answers_of(plan, {"prefill": 3000.0, "decode": 1.1 * decode.predicted.high})
    assert not fast.suspicious
    [small] = answers_of(plan, {"prefill": 3000.0, "decode": 45.0}, layers=8)
    assert 3 < small.predicted.expected / decode.predicted.expected < 4.1, "a quarter of the layers, and its vocabulary"


@pytest.mark.parametrize(
    "evidence",
    [
        {"model": None, "precision": "bf16"}, {"precision": "bf16"}, {"model": OPT_6_7B, "precision": "fp32"},
        {"model": OPT_6_7B | {"layers": 0}, "precision": "bf16"},
        {"model": OPT_6_7B | {"width": 10**30}, "precision": "bf16"},
        {"model": OPT_6_7B | {"experts": 8}, "precision": "bf16"}, {"model": {"layers": 2}, "precision": "bf16"},
        {"model": OPT_6_7B | {"heads": 3}, "precision": "bf16"}, {"model": "OPT", "precision": "bf16"},
    ],
)  # fmt: skip
def test_answers_of_a_model_of_which_nothing_is_predicted_are_not_compared(
    plan: Build, evidence: dict[str, Any]
) -> None:
    """Nor those of a record that no load wrote."""
    assert of(plan, stage(0, "inference", 0.0, 300.0), **SPEEDS, **evidence) == []


def test_stages_without_a_result_are_skipped_and_the_others_come_in_their_order(plan: Build) -> None:
    stages = [stage(0, "soak", 0.0, 100.0), stage(1, "soak", 100.0, 200.0), stage(2, "idle", 200.0, 300.0)]
    results = {number: ended(number) for number in (1, 2)}
    readings = (TIMES, np.full(1000, 300.0))
    rows = list(comparisons(PlannedRun(plan), CARD, stages, results, lambda *_: readings))
    assert [(one.device_id, one.stage, one.title, one.load, one.tolerance_pct) for one in rows] == [
        (CARD.id, 1, "soak", LoadCase.TRAINING, 0.0), (CARD.id, 2, "idle", LoadCase.IDLE, 0.0),
    ]  # fmt: skip


def judged(plan: Build | None, watts: float, device: Device = CARD, **criteria: float) -> Any:
    samples = sampled(TIMES, power_w=watts, temperature_c=np.nan)
    run = run_of(
        [stage(0, "vram", 0.0, 50.0), stage(1, "soak", 100.0, 300.0)], [ended(1, device=device), ended(0, device=CARD)],
        samples, devices=[device], plan=plan, criteria=Criteria(**criteria),
    )  # fmt: skip
    return list(plan_reasons(run, device))


@pytest.mark.parametrize(
    ("off", "outcome", "end"), [("low", WARN, 0.94), ("low", PASS, 0.96), ("high", PASS, 1.04), ("high", WARN, 1.06)]
)
def test_beyond_the_tolerance_is_a_warning_with_the_nearest_end(
    plan: Build, off: str, outcome: Any, end: float
) -> None:
    band = PlannedRun(plan).bands("soak", CARD)["power_w"]
    watts = getattr(band, off) * end
    limit = band.low if (off, outcome) == ("low", WARN) else band.high
    for device, source in (
        (CARD, "the prediction for Plan"),
        (replace(CARD, simulated=True), "the prediction for Plan; SIMULATED"),
    ):
        [reason] = judged(plan, watts, device)
        assert figures([reason]) == [(outcome, round(watts, 1), round(limit, 1), "W")]
        assert (reason.source, reason.about, reason.stage) == (source, "power_w", 1)
    if outcome is WARN:
        assert [one.outcome for one in judged(plan, watts, power_above_plan_warn_pct=50)] == [PASS]


def test_the_results_of_another_card_say_nothing_of_this_one(plan: Build) -> None:
    other = replace(CARD, id="GPU-9")
    results = [ended(0), ended(0, ResultStatus.FAILED, device=other)]
    samples = sampled(TIMES, power_w=9000.0)
    run = run_of([stage(0, "soak", 100.0, 300.0)], results, {CARD.id: samples}, [CARD, other], plan=plan)
    assert [one.outcome for one in plan_reasons(run, CARD)] == [WARN]
    assert list(plan_reasons(run, other)) == []


def test_a_card_of_one_of_several_products_is_compared_with_its_own(plan: Build) -> None:
    part = shipped_card(replace(CARD, name="NVIDIA RTX A6000"))
    assert part is not None
    both = plan.with_lines((*plan.lines, Line(part, 1)))
    assert [one.about for one in judged(both, 320.0)] == ["power_w"]


def test_a_card_that_the_plan_lacks_is_reported_and_what_is_no_whole_gpu_is_not_compared(plan: Build) -> None:
    other = replace(CARD, name="NVIDIA RTX A6000")
    [reason] = judged(plan, 300.0, other)
    assert figures([reason]) == [(WARN, None, None, "")]
    assert reason.text == "The plan has no NVIDIA RTX A6000: nothing is compared with it."
    assert reason.source == "the prediction for Plan"
    assert judged(None, 9000.0) == []
    assert judged(plan, 9000.0, PROCESSOR) == []
    assert judged(plan, 9000.0, replace(CARD, parent="GPU-9")) == []


SOAK, WHOLE = stage(3, "soak", 0.0, 90.0), stage(1, "whole-system", 100.0, 190.0)


def test_at_the_wall_the_last_soak_that_ran_long_enough_counts_and_then_the_whole_system(plan: Build) -> None:
    planned = PlannedRun(plan)
    watts = np.where(TIMES < 95, 400.0, np.where(TIMES < 195, 500.0, 600.0))
    late, short = stage(5, "soak", 200.0, 290.0), stage(7, "soak", 300.0, 319.9)

    def wall(*stages: StageRow) -> Any:
        one = wall_comparison(planned, stages, (TIMES, watts), tolerance_pct=7.0)
        assert one is None or one.predicted == planned.prediction.wall_w[one.load]
        return one and (one.device_id, one.stage, one.title, one.load, one.measured, one.tolerance_pct)

    training, everything = LoadCase.TRAINING, LoadCase.EVERYTHING
    assert wall(WHOLE, SOAK) == (MACHINE, 3, "At the wall in soak", training, 400.0, 7.0)
    assert wall(SOAK, late, short) == (MACHINE, 5, "At the wall in soak", training, 600.0, 7.0)
    assert wall(short, WHOLE) == (MACHINE, 1, "At the wall in whole-system", everything, 500.0, 7.0)
    assert wall(short, stage(0, "gemm"), stage(2, "idle")) is None
    one = wall_comparison(planned, [SOAK], (TIMES, watts))
    assert (one.tolerance_pct, one.what) == (0.0, "power_w")
    assert wall_comparison(planned, [SOAK], (TIMES, np.full(1000, np.nan))) is None, "nothing was measured"
    band = planned.prediction.wall_w[training]
    for measured, outcome, limit in (
        (band.low * 0.94, WARN, band.low), (band.low * 0.96, PASS, band.high), (band.high * 1.04, PASS, band.high),
        (band.high * 1.06, WARN, band.high),
    ):  # fmt: skip
        [reason] = wall_reasons(run_of([SOAK], plan=plan), WallRecord((TIMES, np.full(1000, measured))))
        assert figures([reason]) == [(outcome, round(measured, 1), round(limit, 1), "W")]
        assert (reason.about, reason.source, reason.stage) == ("machine_power_w", "the prediction for Plan", 3)
    assert list(wall_reasons(run_of([SOAK]), WallRecord((TIMES, np.full(1000, 9000.0))))) == [], "without a plan"
    assert list(wall_reasons(run_of([], plan=plan), WallRecord((TIMES, np.full(1000, 100.0))))) == [], (
        "without a stage for it"
    )
