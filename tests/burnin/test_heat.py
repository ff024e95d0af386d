"""Temperatures at each limit and beside it, power below its limit, and sensors that stand still in load and rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.burnin.profile.profile import Criteria
from core.burnin.record.samples import Limiter
from core.burnin.verdict.heat import heat_reasons, power_reasons
from tests.burnin.made_run import (
    CARD,
    FAIL,
    PASS,
    PROCESSOR,
    WARN,
    Figures,
    ended,
    figures,
    run_of,
    sampled,
    stage,
    twin,
)

OWN = "the limit that the device itself reports"
LIMITS = {"temperature_slowdown_c": 95.0, "temperature_max_c": 93.0, "memory_temperature_max_c": 105.0}
SECONDS = np.arange(40.0)
ROOM = {"room_c": 22.0, "worst_room_c": 35.0}


def judged(
    limits: dict[str, float], metrics: dict[str, Any], criteria: dict[str, float] | None = None, *, cpu: bool = False
) -> Any:
    device = replace(PROCESSOR if cpu else CARD, **limits)
    run = run_of(devices=[device], samples=sampled(SECONDS, **metrics), criteria=Criteria(**(criteria or {})))
    return list(heat_reasons(run, device))


def below(*stretches: tuple[int, int], least: float = -3.0) -> Any:
    """A margin that is well but for these seconds, first and last included."""
    margin = np.full(len(SECONDS), 20.0)
    for first, last in stretches:
        margin[first : last + 1] = least
    return margin


@pytest.mark.parametrize(
    ("limits", "temperature_c", "expected"),
    [
        (LIMITS, 82.9, []),
        (LIMITS, 83.0, []),
        (LIMITS, 83.5, [(PASS, 83.5, 93.0, "°C")]),
        (LIMITS, 88.0, [(PASS, 88.0, 93.0, "°C")]),
        (LIMITS, 88.5, [(WARN, 88.5, 93.0, "°C")]),
        (LIMITS, 94.5, [(WARN, 94.5, 93.0, "°C")]),
        (LIMITS, 95.0, [(FAIL, 95.0, 95.0, "°C")]),
        ({"temperature_slowdown_c": 95.0}, 90.0, [(PASS, 90.0, 95.0, "°C")]),
        ({"temperature_slowdown_c": 95.0}, 90.5, [(WARN, 90.5, 95.0, "°C")]),
        ({"temperature_slowdown_c": 95.0, "temperature_max_c": 99.0}, 90.5, [(WARN, 90.5, 95.0, "°C")]),
        ({"temperature_max_c": 93.0}, 99.0, []),
        ({}, 120.0, []),
    ],
)
def test_the_hottest_sample_is_held_to_the_nearer_of_the_devices_limits(
    limits: dict[str, float], temperature_c: float, expected: list[Figures]
) -> None:
    warming = np.linspace(30.0, temperature_c, len(SECONDS))
    reasons = judged(limits, {"temperature_c": warming})
    assert figures(reasons) == expected
    assert {one.source for one in reasons} <= {OWN}


def test_near_and_beyond_are_said_with_their_figure_and_a_cpu_only_warns() -> None:
    near, hot = (judged(LIMITS, {"temperature_c": celsius}) for celsius in (89.0, 96.0))
    assert [one.text for one in near] == ["It came within 4 K of the temperature at which it throttles."]
    assert [one.text for one in hot] == ["It reached 96 °C and throttles."]
    processor = judged({"temperature_slowdown_c": 100.0}, {"temperature_c": 100.0}, cpu=True)
    assert figures(processor) == [(WARN, 100.0, 100.0, "°C")]
    assert judged(LIMITS, {}) == []


@pytest.mark.parametrize(
    ("limits", "metrics", "expected"),
    [
        ({}, {"margin_c": 10.0}, []),
        ({}, {"margin_c": 9.5}, [(PASS, 9.5, 0.0, "°C")]),
        ({}, {"margin_c": 5.0}, [(PASS, 5.0, 0.0, "°C")]),
        ({}, {"margin_c": 4.5}, [(WARN, 4.5, 0.0, "°C")]),
        ({}, {"margin_c": 0.0}, [(WARN, 0.0, 0.0, "°C")]),
        ({}, {"margin_c": below((10, 15))}, [(WARN, -3.0, 0.0, "°C")]),
        ({}, {"margin_c": below((10, 16))}, [(FAIL, 6.0, 5.0, "s")]),
        ({}, {"margin_c": below((0, 6))}, [(FAIL, 6.0, 5.0, "s")]),
        ({}, {"margin_c": below((33, 39))}, [(FAIL, 6.0, 5.0, "s")]),
        ({}, {"margin_c": below((2, 6), (8, 12))}, [(WARN, -3.0, 0.0, "°C")]),
        ({}, {"margin_c": below((2, 10), (20, 23))}, [(FAIL, 8.0, 5.0, "s")]),
        (LIMITS, {"margin_c": 4.5, "temperature_c": 90.0}, [(WARN, 4.5, 0.0, "°C")]),
        (LIMITS, {"margin_c": 4.5}, [(WARN, 4.5, 0.0, "°C")]),
        (LIMITS, {"margin_c": 4.5, "temperature_c": 95.0}, [(FAIL, 95.0, 95.0, "°C")]),
        (
            LIMITS,
            {"margin_c": below((10, 16)), "temperature_c": 95.0},
            [(FAIL, 95.0, 95.0, "°C"), (FAIL, 6.0, 5.0, "s")],
        ),
    ],
)
def test_the_margin_that_the_driver_tells_goes_before_the_subtraction(
    limits: dict[str, float], metrics: dict[str, Any], expected: list[Figures]
) -> None:
    reasons = judged(limits, metrics)
    assert figures(reasons) == expected
    assert {one.source for one in reasons} <= {OWN}


def test_how_long_and_how_far_it_was_beyond_its_limit_is_said() -> None:
    [reason] = judged({}, {"margin_c": below((10, 16))})
    assert reason.text == "It was beyond its limit for 6 s, by up to 3 K."


@pytest.mark.parametrize(
    ("memory_c", "expected", "says"),
    [
        (100.0, [], []),
        (100.5, [(WARN, 100.5, 105.0, "°C")], ["Its memory came within 4 K of its limit."]),
        (105.0, [(WARN, 105.0, 105.0, "°C")], ["Its memory came within 0 K of its limit."]),
        (106.0, [(FAIL, 106.0, 105.0, "°C")], ["Its memory reached 106 °C."]),
    ],
)
def test_memory_is_held_to_its_own_limit(memory_c: float, expected: list[Figures], says: list[str]) -> None:
    metrics = {"memory_temperature_c": np.linspace(40.0, memory_c, len(SECONDS))}
    reasons = judged(LIMITS, metrics)
    assert (figures(reasons), [one.text for one in reasons]) == (expected, says)
    assert {one.source for one in reasons} <= {OWN}
    assert judged({}, metrics) == [], "without a limit nothing is judged"


BY_MARGIN = {"memory_margin_limit_k": 4.0}


@pytest.mark.parametrize(
    ("metrics", "expected", "says"),
    [
        ({"margin_c": 12.0}, (PASS, 12.0, 4.0, "K"), "The margin stayed 8 K above the memory's limit."),
        ({"margin_c": 9.0}, (PASS, 9.0, 4.0, "K"), "The margin stayed 5 K above the memory's limit."),
        ({"margin_c": 8.5}, (WARN, 8.5, 4.0, "K"), "The margin stayed 4 K above the memory's limit."),
        (
            {"margin_c": below((10, 15), least=3.0)},
            (WARN, 3.0, 4.0, "K"),
            "The margin stayed -1 K above the memory's limit.",
        ),
        (
            {"margin_c": below((10, 16), least=3.0)},
            (FAIL, 3.0, 4.0, "K"),
            "The margin was below the memory's limit for 6 s.",
        ),
        (
            {"margin_c": 12.0, "memory_temperature_c": np.where(SECONDS == 3, 88.0, 40.0)},
            (PASS, 12.0, 4.0, "K"),
            "Its memory reached 88 °C; the margin stayed 8 K above the memory's limit.",
        ),
        (
            {"margin_c": below((10, 16), least=3.0), "memory_temperature_c": 88.0},
            (FAIL, 3.0, 4.0, "K"),
            "Its memory reached 88 °C; the margin was below the memory's limit for 6 s.",
        ),
    ],
)
def test_memory_whose_limit_is_a_margin_is_held_to_it(metrics: dict[str, Any], expected: Figures, says: str) -> None:
    of_memory = [one for one in judged(BY_MARGIN, metrics) if one.unit == "K"]
    assert (figures(of_memory), [one.text for one in of_memory]) == ([expected], [says])
    assert of_memory[0].source == OWN
    with_its_limit = BY_MARGIN | {"memory_temperature_max_c": 105.0}
    assert not [one for one in judged(with_its_limit, metrics) if one.unit == "K"], "its temperature is nearer"


def test_a_limit_without_a_margin_and_a_margin_without_a_limit_say_nothing_of_memory() -> None:
    assert judged(BY_MARGIN, {"memory_temperature_c": 120.0}) == []
    assert judged({}, {"margin_c": 50.0}) == []


@pytest.mark.parametrize(
    ("limits", "temperature_c", "criteria", "expected"),
    [
        ({"temperature_max_c": 93.0}, 80.0, ROOM, [(PASS, 93.0, 93.0, "°C")]),
        ({"temperature_max_c": 93.0}, 80.5, ROOM, [(FAIL, 93.5, 93.0, "°C")]),
        (LIMITS, 80.5, ROOM, [(FAIL, 93.5, 93.0, "°C")]),
        ({"temperature_slowdown_c": 95.0}, 80.5, ROOM, [(PASS, 93.5, 95.0, "°C")]),
        ({"temperature_max_c": 93.0}, 92.0, {"room_c": 22.0}, []),
        ({"temperature_max_c": 93.0}, 92.0, {"worst_room_c": 35.0}, []),
        ({}, 92.0, ROOM, []),
    ],
)
def test_what_a_hotter_room_would_make_of_it(
    limits: dict[str, float], temperature_c: float, criteria: dict[str, float], expected: list[Figures]
) -> None:
    temperatures = np.where(SECONDS == 7, temperature_c, 40.0)
    reasons = judged(limits, {"temperature_c": temperatures}, criteria)
    assert figures(reasons) == expected
    for one in reasons:
        assert one.source == OWN
        assert one.text == (
            f"In a room at 35 °C it would reach about {temperature_c + 13:.0f} °C; this run was at 22 °C."
        )
    assert judged(limits, {}, criteria) == [], "nothing was measured"


SOAK = stage(0, "soak", 0.0, 100.0)


def soaked(kind: str = "soak", **evidence: Any) -> Any:
    values = {"steady_power_w": 342.44, "share_of_limit_pct": 96.0, **evidence}
    return list(power_reasons(run_of([stage(0, kind)], [ended(0, **values)]), CARD))


@pytest.mark.parametrize(
    ("evidence", "says"),
    [
        ({"share_of_limit_pct": 97.0}, ""),
        ({"share_of_limit_pct": 97.0, "power_held_by": "heat", "power_held_pct": 82.0}, ""),
        ({"share_of_limit_pct": 96.9}, " What held it back is not known."),
        ({"power_held_by": "a word of a later version"}, " What held it back is not known."),
        (
            {"power_held_by": "nothing", "power_held_pct": 0.0},
            " Nothing held it back: the load did not need more, which is not a fault by itself.",
        ),
        ({"power_held_by": "heat"}, " Held back by heat for 0 % of the time."),
        *(
            ({"power_held_by": by.value, "power_held_pct": 82.0}, f" Held back by {by.label} for 82 % of the time.")
            for by in Limiter
            if by is not Limiter.NOTHING
        ),
    ],
)
def test_a_soak_below_its_power_limit_says_what_held_it_and_fails_nothing(evidence: dict[str, Any], says: str) -> None:
    share = evidence.get("share_of_limit_pct", 96.0)
    [reason] = soaked(**evidence)
    assert reason.text == f"soak: 342 W, {share:.0f} % of the limit in force.{says}"
    assert figures([reason]) == [(PASS, 342.4, round(34244 / share, 1), "W")]
    assert reason.source == "power limit as the card reports it"


def test_without_both_figures_or_in_another_stage_or_on_another_device_a_soak_says_nothing() -> None:
    assert soaked(steady_power_w=None) == []
    assert soaked(share_of_limit_pct=None) == []
    assert soaked(steady_power_w=0.0) == []
    assert soaked(kind="gemm") == []
    both = [stage(0, "gemm"), stage(1, "soak")]
    result = ended(1, steady_power_w=300.0, share_of_limit_pct=99.0)
    assert len(list(power_reasons(run_of(both, [result]), CARD))) == 1, "a stage without a result is passed over"
    assert list(power_reasons(run_of([SOAK], [result], devices=[CARD, twin(1)]), twin(1))) == []
    of_cpu = ended(0, device=PROCESSOR, steady_power_w=300.0, share_of_limit_pct=99.0)
    assert list(power_reasons(run_of([SOAK], [of_cpu], devices=[PROCESSOR]), PROCESSOR)) == []


LOAD_S, REST_S = 60, 30


def watched(power: Any, *, load_s: float = LOAD_S, rest_s: float = REST_S, metric: str = "power_w") -> Any:
    """A load from the start, rest after it; the reading of each second."""
    seconds = np.arange(load_s + rest_s + 1.0)
    run = run_of(
        [stage(0, "gemm", 0.0, load_s), stage(1, "idle", load_s, load_s + rest_s)],
        [ended(0), ended(1)],
        sampled(seconds, **{metric: power(seconds)}),
    )
    return list(power_reasons(run, CARD))


def trembling(step: float) -> Any:
    return lambda seconds: 300.0 + step * (seconds % 2)


@pytest.mark.parametrize(
    ("metric", "step", "frozen"),
    [
        ("power_w", 0.0, True), ("power_w", 0.009, True), ("power_w", 0.011, False), ("temperature_c", 0.4, True),
        ("temperature_c", 0.5, False),
    ],
)  # fmt: skip
def test_a_reading_that_does_not_move_is_frozen(metric: str, step: float, frozen: bool) -> None:
    word, tremble = {"power_w": ("power", 0.01), "temperature_c": ("temperature", 0.5)}[metric]
    reasons = watched(trembling(step), metric=metric)
    expected: list[Figures] = [(FAIL, 0.0, tremble, "")] if frozen else []
    assert figures(reasons) == expected
    for one in reasons:
        assert one.text == (
            f"The {word} reading stayed at 300.00 for 90 s, through load and idle. "
            "The sensor is frozen: nothing guarded the device."
        )


@pytest.mark.parametrize(
    ("load_s", "rest_s", "frozen"),
    [(60, 30, True), (59, 30, False), (60, 29, False), (59, 200, False), (300, 29, False)],
)
def test_a_reading_may_stand_still_in_load_or_rest_alone_and_for_a_while_in_both(
    load_s: float, rest_s: float, frozen: bool
) -> None:
    assert bool(watched(trembling(0.0), load_s=load_s, rest_s=rest_s)) is frozen


@pytest.mark.parametrize(("moves_at", "value"), [(100, "310.00"), (101, "300.00")])
def test_each_stretch_that_stands_still_is_held_to_all_loads_that_it_lay_in(moves_at: int, value: str) -> None:
    """Loads at 0 to 40, 80 to 120 and 160 to 200 s: before or after the one move, one stretch lay in 60 s of them."""
    seconds = np.arange(201.0)
    reading = np.where(seconds < moves_at, 300.0, 310.0)
    reading[[0, 30, 130]] = 300.0, np.nan, np.nan
    kinds = ("gemm", "idle", "soak", "idle", "vram")
    stages = [stage(n, kind, 40.0 * n + n % 2, 40.0 * n + 40 - n % 2) for n, kind in enumerate(kinds)]
    run = run_of(stages, [ended(n) for n in range(5)], sampled(seconds, power_w=reading))
    assert [one.text.partition(", ")[0] for one in power_reasons(run, CARD)] == [
        f"The power reading stayed at {value} for 100 s"
    ]
