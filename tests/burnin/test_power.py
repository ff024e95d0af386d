"""Power: what a soak drew of its limit and what held it, and sensors that stand still through load and rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.burnin.record.limiter import Limiter
from core.burnin.verdict.power import power_reasons
from tests.burnin.made_run import CARD, FAIL, PASS, PROCESSOR, Figures, ended, figures, run_of, sampled, stage, twin

SOAK = stage(0, "soak", 0.0, 100.0)


def soaked(kind: str = "soak", **evidence: Any) -> Any:
    told = {"steady_power_w": 342.44, "share_of_limit_pct": 96.0, **evidence}
    return list(power_reasons(run_of([stage(0, kind)], [ended(0, **told)]), CARD))


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
        ("power_w", 0.0, True),
        ("power_w", 0.009, True),
        ("power_w", 0.011, False),
        ("temperature_c", 0.4, True),
        ("temperature_c", 0.5, False),
    ],
)
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
