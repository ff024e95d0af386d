"""Power peaks in five windows of time, against what PSUs must bear."""

from dataclasses import replace
from math import inf, sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.vocabulary import Category
from core.plan.assumptions import Assumptions
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.predict.conditions import LoadCase
from core.predict.excursions import (
    CARD_USUAL,
    CPU_PEAK,
    PSU_ATX3,
    PSU_OTHER,
    PSU_SERVER,
    SEVERAL,
    UNHELD,
    WINDOWS_MS,
    Excursions,
    predict_excursions,
)
from core.predict.power import predict_power
from core.predict.prediction import predict
from core.rules.context import RuleContext
from core.rules.engine import run
from core.rules.power_peaks import EXCURSION_RULES
from tests.rules.machines import changed, good_build, part, with_line, without
from tests.shipped import templates

NATIVE = [{"kind": "12v_2x6", "cables": 4, "connectors_per_cable": 1}]
CARDS_W, CPU_W = 4 * 300, 200


def peaks(build: Build) -> Excursions:
    return predict_excursions(build, predict_power(build))


def meeting(build: Build, share: float) -> Build:
    return replace(build, assumptions=Assumptions(coincidence=share))


@pytest.mark.parametrize("at", range(len(WINDOWS_MS)))
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_window_asks_for_the_steady_power_and_what_meets_of_all_peaks(at: int, share: float) -> None:
    build = meeting(good_build(), share)
    steady = predict_power(build).dc_w[LoadCase.EVERYTHING].expected
    above = CARDS_W * (CARD_USUAL[at] - 1) + CPU_W * (CPU_PEAK[at] - 1)
    assert peaks(build).windows[at].demand_w.expected == pytest.approx(steady + share * above)


@pytest.mark.parametrize(
    ("figures", "multiples"),
    [
        ({"atx_version": "3.0", "cables": NATIVE}, PSU_ATX3),
        ({"atx_version": "3.1", "cables": [{"kind": "12vhpwr", "total_plugs": 1}]}, PSU_ATX3),
        ({"atx_version": "2.4", "cables": NATIVE}, PSU_OTHER),
        ({"atx_version": "3.0"}, PSU_OTHER),
        ({"atx_version": None, "cables": NATIVE}, PSU_OTHER),
        ({"atx_version": "3.0", "cables": NATIVE, "power_w": 450, "input_limits": None}, PSU_OTHER),
        ({"form_factor": "CRPS", "cables": []}, PSU_SERVER),
        ({"form_factor": "proprietary", "cables": [{"kind": "pcie_8pin", "cables": 10}]}, PSU_SERVER),
        ({"form_factor": "ATX", "cables": [{"kind": "pcie_8pin", "cables": 10}]}, PSU_OTHER),
        ({"form_factor": "CRPS", "peaks": [{"window_ms": 10, "factor": 1.6}]}, (1.6, 1.6, 1.6, 1.0, 1.0)),
    ],
    ids=[
        *("atx 3", "plugs counted", "atx 2 with a 16-pin", "no 16-pin", "no version", "450 W"),
        *("CRPS", "breakout board", "cables of an ATX PSU", "own peaks"),
    ],
)
def test_psu_capability_depends_on_version_and_plug(figures: dict[str, Any], multiples: tuple[float]) -> None:
    build = changed(good_build(), "psu", **figures)
    watts = figures.get("power_w", 2200)
    assert [window.allowed_w for window in peaks(build).windows] == [watts * one for one in multiples]


def test_the_mains_voltage_bounds_what_a_psu_gives() -> None:
    limits = [{"from_v": 100, "to_v": 130, "power_w": 1200}, {"from_v": 200, "to_v": 240, "power_w": 2200}]
    build = replace(changed(good_build(), "psu", input_limits=limits), region="us-120v-15a")
    assert peaks(build).windows[-1].allowed_w == 1200


def test_equal_and_different_psus_add_up_and_that_is_an_assumption() -> None:
    old, modern = part("psu"), part("psu", suffix="-b", atx_version="3.0", cables=NATIVE)
    excursions = peaks(with_line(with_line(good_build(), old, 2), modern))
    assert excursions.windows[0].allowed_w == pytest.approx(2 * 2200 * 1.5 + 2200 * 2.0)
    assert [(row.part_id, row.count, row.atx3) for row in excursions.psus] == [("psu", 2, False), ("psu-b", 1, True)]
    assert SEVERAL in excursions.assumptions
    assert SEVERAL not in peaks(good_build()).assumptions


@pytest.mark.parametrize("figure", ["power_w", "atx_version"])
def test_an_unknown_figure_of_a_psu_is_named(figure: str) -> None:
    build = changed(good_build(), "psu", **{figure: None}, input_limits=None)
    excursions = peaks(build)
    assert excursions.missing == (f"psu.{figure}",)
    assert (excursions.windows[0].allowed_w is None) == (figure == "power_w")
    assert f"psu.{figure}" in predict(build).missing


def test_without_a_psu_there_is_a_demand_and_no_capability() -> None:
    excursions = peaks(without(good_build(), Category.PSU))
    assert excursions.tightest is None
    assert all(window.share is None and window.demand_w.expected > 0 for window in excursions.windows)
    assert excursions.as_dict()["windows"][0]["allowed_w"] is None


def test_a_cards_own_figure_takes_the_place_of_what_others_showed_where_its_window_is_near() -> None:
    build = changed(good_build(), "gpu", excursions=[{"window_ms": 5, "factor": 2.0}])
    usual, own = peaks(good_build()), peaks(build)
    raised = [
        (a.demand_w.expected - b.demand_w.expected) / (0.7 * CARDS_W)
        for a, b in zip(own.windows, usual.windows, strict=True)
    ]
    assert raised == pytest.approx([0, 2.0 - CARD_USUAL[1], 2.0 - CARD_USUAL[2], 0, 0], abs=1e-9)


def test_a_set_limit_does_not_hold_peaks_of_a_millisecond() -> None:
    free, limited = peaks(good_build()), peaks(SetPowerLimit("gpu", 200).apply(good_build()))
    assert UNHELD in limited.assumptions
    for at, window in enumerate(limited.windows):
        assert window.demand_w.expected < free.windows[at].demand_w.expected
        lower = 100 * 4 * 1.02
        assert window.demand_w.high < free.windows[at].demand_w.high - (0.9 * lower if window.window_ms > 1 else 0)
    steady, brief = limited.windows[-1].demand_w, limited.windows[1].demand_w
    assert brief.high - steady.high > CARDS_W * CARD_USUAL[1] - 1.02 * 800


@given(st.integers(1, 8), st.floats(0, 1))
def test_the_band_reaches_from_independent_cards_to_lockstep(cards: int, share: float) -> None:
    build = meeting(with_line(good_build(), part("gpu"), cards, ()), share)
    excursions = peaks(build)
    low, high = (peaks(meeting(build, end)) for end in (min(share, 1 / sqrt(cards)), 1.0))
    for window, least, most in zip(excursions.windows, low.windows, high.windows, strict=True):
        assert window.demand_w.low <= window.demand_w.expected <= window.demand_w.high
        assert window.demand_w.low == pytest.approx(least.demand_w.low)
        assert window.demand_w.high == pytest.approx(most.demand_w.high)


def test_longer_windows_never_ask_for_more() -> None:
    for build in templates().values():
        demands_w = [window.demand_w.expected for window in peaks(build).windows]
        assert demands_w == sorted(demands_w, reverse=True)


def test_the_rule_says_what_the_prediction_says() -> None:
    for build in templates().values():
        (finding,) = run(EXCURSION_RULES[0], RuleContext(build))
        tightest = predict(build).excursions.tightest
        if finding.measured is not None:
            assert (finding.measured, finding.limit) == (
                pytest.approx(tightest.demand_w.expected), pytest.approx(tightest.allowed_w),
            )  # fmt: skip


def test_the_steady_window_has_no_length_in_a_document() -> None:
    excursions = peaks(good_build())
    assert excursions.windows[-1].window_ms == inf
    assert [row["window_ms"] for row in excursions.as_dict()["windows"]] == [0.1, 1, 10, 100, None]
    assert excursions.as_dict()["coincidence"] == 0.7


def test_a_machine_without_cards_assumes_nothing_of_their_peaks() -> None:
    bare = without(good_build(), Category.GPU)
    assert peaks(bare).assumptions == ()
    assert peaks(bare).windows[0].demand_w.expected > peaks(bare).windows[-1].demand_w.expected
