"""When each number format ran: told by a stage that is over, known of one that goes on only where it has one format."""

from __future__ import annotations

from typing import Any

import pytest

from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import StageResult
from core.burnin.verdict.format_periods import FormatPeriod, format_periods
from tests.burnin.made_run import ended, stage

BEGAN_S = 1000.0


def periods(kind: str, results: Any = (), *, before: tuple[str, ...] = (), dtypes: str = "", **row: Any) -> Any:
    """Of the last stage, after these others; its load began at 1000 s."""
    kinds = (*before, kind)
    settings = [StageSettings(kind=one, seconds=10) for one in before]
    settings.append(StageSettings(kind=kind, seconds=10, params={"dtypes": dtypes} if dtypes else {}))
    stages = [stage(number, one) for number, one in enumerate(before)]
    last = stage(len(before), kind, **({"end_s": None} | row))
    profile = Profile(name="x", title="x", stages=tuple(settings))
    by_number: dict[int, StageResult] = {result.number: result for result in results}
    found = list(format_periods(profile, [*stages, last], by_number, last, BEGAN_S))
    assert len(kinds) == len(stages) + 1
    return found


def swept(number: int, **power_w: float) -> StageResult:
    return ended(number, power_by_format_w={name.replace("_", "+"): watts for name, watts in power_w.items()})


TURNS = {"tf32": [0.0, 10.0], "tf32+memory": [10.0, 12.0], "float64": [12.0, 20.0]}


@pytest.mark.parametrize("kind", ["gemm", "soak"])
def test_a_stage_that_is_over_tells_when_each_format_ran_by_itself(kind: str) -> None:
    expected = [FormatPeriod("tf32", 1000.0, 1010.0), FormatPeriod("float64", 1012.0, 1020.0)]
    assert periods(kind, [ended(0, periods=TURNS)], end_s=100.0) == expected
    assert periods(kind, [ended(0)], dtypes="tf32") == [], "it is over, and told nothing"
    assert periods("vram", [ended(0, periods=TURNS)]) == []
    assert periods(kind, [ended(0, periods=TURNS)], start_s=None) == []


@pytest.mark.parametrize(
    ("kind", "dtypes", "names"),
    [
        ("gemm", "tf32", ["tf32"]), ("soak", "tf32", ["tf32"]), ("soak", "tf32+memory", []),
        ("soak", "tf32,float64", []),
        ("gemm", "", []), ("soak", "", []),
    ],
)  # fmt: skip
def test_a_stage_that_goes_on_is_known_where_its_profile_names_one_format(
    kind: str, dtypes: str, names: list[str]
) -> None:
    assert periods(kind, dtypes=dtypes) == [FormatPeriod(name, BEGAN_S, None) for name in names]
    assert periods(kind, dtypes=dtypes, end_s=100.0) == [], "it is over, and its result is not there yet"


@pytest.mark.parametrize(
    ("kind", "before", "results", "names"),
    [
        ("soak", ("gemm",), [swept(0, tf32=300.0, float64=100.0)], ["tf32"]),
        ("soak", ("gemm",), [swept(0, tf32=300.0, tf32_memory=310.0)], []),
        ("soak", ("gemm", "gemm"), [swept(0, tf32=300.0), swept(1, float64=1.0)], ["float64"]),
        ("soak", ("gemm", "gemm"), [swept(0, tf32=300.0), swept(1)], ["tf32"]),
        ("soak", ("gemm", "gemm"), [swept(0, tf32=300.0)], ["tf32"]),
        ("soak", ("vram",), [swept(0, tf32=300.0)], []),
        ("gemm", ("gemm",), [swept(0, tf32=300.0)], []),
        ("soak", ("gemm",), [], []),
    ],
)
def test_a_soak_runs_in_the_hottest_format_of_the_sweep_before_it(
    kind: str, before: tuple[str, ...], results: Any, names: list[str]
) -> None:
    assert periods(kind, results, before=before) == [FormatPeriod(name, BEGAN_S, None) for name in names]


def test_a_sweep_after_a_soak_says_nothing_of_it() -> None:
    settings = tuple(StageSettings(kind=kind, seconds=10) for kind in ("soak", "gemm"))
    stages = [stage(0, "soak", end_s=None), stage(1, "gemm")]
    profile = Profile(name="x", title="x", stages=settings)
    assert list(format_periods(profile, stages, {1: swept(1, tf32=300.0)}, stages[0], BEGAN_S)) == []
