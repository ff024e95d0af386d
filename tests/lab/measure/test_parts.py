"""One budget of time for all parts.

What the parts make of what their processes tell: products, tests, the quick profile, power, rest.
"""

import json
import subprocess
import sys
import time
from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lab.measure import checks
from core.lab.measure.measurement import ROOT, WISHES, Budget, Wish, data_sheet_gbps, missing_packages
from core.lab.measure.page import Did
from core.lab.measure.power import PowerReading, at_rest, summed_up
from core.lab.measure.products import gathered, round_cost_pct
from tests.patience import PATIENCE_S


class Clock:
    """Stands still but for what is spent."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.mark.parametrize(
    ("total_s", "wishes", "spent_s", "granted_s"),
    [
        (1000, {"a": (100, 10), "b": (50, 10)}, [100], [100, 50]),
        (100, {"a": (100, 10), "b": (100, 10)}, [20], [pytest.approx(50), pytest.approx(80)]),
        (100, {"a": (60, 10), "b": (60, 30), "c": (20, 20)}, [65, 30], [pytest.approx(600 / 14), 30, None]),
    ],
    ids=["enough for every wish", "all cut alike, and the rest goes on", "an overrun leaves the last unstarted"],
)
def test_time_is_granted_by_what_is_left(
    total_s: float, wishes: dict[str, tuple[float, float]], spent_s: list[float], granted_s: list[float | None]
) -> None:
    clock = Clock()
    budget = Budget(total_s, {name: Wish(*bounds, name) for name, bounds in wishes.items()}, clock=clock)
    grants = []
    for name, seconds in zip_longest(wishes, spent_s, fillvalue=0):
        grants.append(budget.grant(str(name)))
        clock.now_s += float(seconds)
    assert grants == granted_s


@given(
    total_s=st.floats(1, 1000),
    wishes=st.lists(st.tuples(st.floats(1, 300), st.floats(0.1, 1), st.floats(0, 1)), min_size=1, max_size=6),
)
def test_parts_that_keep_their_time_never_overrun_the_whole(
    total_s: float, wishes: list[tuple[float, float, float]]
) -> None:
    clock = Clock()
    named = {str(place): Wish(most, most * share, str(place)) for place, (most, share, _) in enumerate(wishes)}
    budget = Budget(total_s, named, clock=clock)
    for place, (_, _, used) in enumerate(wishes):
        granted = budget.grant(str(place))
        if granted is not None:
            assert named[str(place)].least_s <= granted * (1 + 1e-9)
            assert granted <= budget.left_s * (1 + 1e-9)
            clock.now_s += granted * used
    assert clock.now_s <= 1000.0 + total_s * (1 + 1e-9)


def test_every_part_has_its_time_and_title() -> None:
    assert all(wish.title and wish.least_s < wish.most_s for wish in WISHES.values())


def turn(kind: str, flop: float, *, errors: int = 0, seconds: float = 1.0, name: str = "tf32") -> dict[str, Any]:
    return {
        "type": "turn", "format": name, "size": 64, "check_every": 8, "kind": kind, "started_s": 0.0,
        "seconds": seconds, "flop": flop, "checks": 5 if kind == "verified" else 0, "errors": errors,
    }  # fmt: skip


def a_round(cost: float, *, errors: int = 0) -> list[dict[str, Any]]:
    slower = 1e12 * (1 - cost)
    return [
        turn("verified", slower, errors=errors), turn("bare", 1e12), turn("bare", 1e12), turn("verified", slower),
    ]  # fmt: skip


DONE = {"type": "finished"}


def test_rows_hold_rates_and_the_cost_of_checking() -> None:
    outcome = gathered(iter([*a_round(0.01), *a_round(0.02), *a_round(0.06), DONE]), None, "x")
    (row,) = outcome.rows
    assert (outcome.did, row.format, row.checks, row.errors) == (Did.DONE, "tf32", 30, 0)
    assert row.bare_tflops == pytest.approx(1.0)
    assert row.verified_tflops == pytest.approx(0.97)
    assert (row.cost_from_pct, row.cost_pct, row.cost_to_pct) == pytest.approx((1, 2, 6))


@given(cost=st.floats(-0.5, 0.9), drift=st.floats(-0.2, 0.2))
def test_a_clock_that_falls_evenly_changes_no_cost(cost: float, drift: float) -> None:
    turns = [{**one, "flop": one["flop"] * (1 + drift * place)} for place, one in enumerate(a_round(cost))]
    assert round_cost_pct(turns) == pytest.approx(100 * cost, abs=1e-6)


@pytest.mark.parametrize(
    ("reports", "did", "why"),
    [
        ([*a_round(0.0, errors=2), DONE], Did.FAILED, "Wrong results: 2 in tf32."),
        ([turn("verified", 1e12, errors=1)], Did.FAILED, "Wrong results: 1 in tf32."),
        (a_round(0.0), Did.NOT_RUN, "ended, or did not answer"),
        ([DONE], Did.NOT_RUN, "offers none of the formats"),
        ([], Did.NOT_RUN, "ended, or did not answer"),
    ],
)
def test_products_are_done_only_when_told_so(reports: list[dict[str, Any]], did: Did, why: str) -> None:
    outcome = gathered(iter(reports), None, "x")
    assert outcome.did is did
    assert why in outcome.reason


@pytest.mark.parametrize(("blame", "did"), [("device", Did.FAILED), ("memory", Did.DONE), ("environment", Did.DONE)])
def test_only_the_cards_own_errors_fail_it(blame: str, did: Did) -> None:
    broken = {"type": "failed", "format": "float8", "reason": "So it went.", "blame": blame, "sticky": False}
    outcome = gathered(iter([*a_round(0.0), broken, DONE]), None, "x")
    assert outcome.did is did
    assert "So it went." in outcome.reason


# -- tests ---------------------------------------------------------------------------------------------------------

XML = """<testsuites><testsuite>
<testcase name="one"/><testcase name="two"/>{}
<testcase name="left"><skipped message="NOT RUN: one GPU"/></testcase>
<testcase name="also"><skipped message="NOT RUN: one GPU"/></testcase>
</testsuite></testsuites>"""
FAILED = '<testcase name="bad[gemm]"><failure message="assert 1 == 2&#10;where"/></testcase>'


def test_tests_are_counted_and_failed_ones_named() -> None:
    did, why, rows = checks.judged(XML.format(FAILED))
    assert (did, why) == (Did.FAILED, "1 of 3 tests failed.")
    assert [(row.name, row.outcome, row.reason) for row in rows] == [
        ("2 tests", "passed", ""),
        ("bad[gemm]", "failed", "assert 1 == 2"),
        ("2 tests", "not run", "NOT RUN: one GPU"),
    ]
    assert checks.judged(XML.format(""))[0] is Did.DONE


def test_nothing_passed_is_not_run() -> None:
    nothing = '<testsuite><testcase name="x"><skipped message="no"/></testcase></testsuite>'
    assert checks.judged(nothing)[:2] == (Did.NOT_RUN, "No test was run.")


# -- quick profile -------------------------------------------------------------------------------------------------


def burned(outcome: str) -> str:
    cells = (
        (0, "GPU-1", "passed", "", {}), (0, "GPU-2", "failed", "Broken.", {}), (1, "", "not_run", "No time.", {}),
        (1, "GPU-1", "passed", "3 seen.", {"warnings": ["Warm."]}),
    )  # fmt: skip
    results = [dict(zip(("number", "device_id", "status", "reason", "evidence"), row, strict=True)) for row in cells]
    lines = [
        ("PASS", "stage", "Preflight: fine."),
        ("WARN", "stage", "Replay: Warm."),
        ("WARN", "swap", "2 GB in swap."),
    ]
    reasons = [{"outcome": grave, "criterion": criterion, "text": text} for grave, criterion, text in lines]
    verdicts = [
        {"device_id": "", "outcome": outcome, "reasons": [reasons[2]]},
        {"device_id": "GPU-1", "outcome": "WARN", "reasons": reasons[:2]},
    ]
    stages = [{"title": "Preflight"}, {"title": "Replay"}]
    return json.dumps({"verdicts": verdicts, "results": results, "stages": stages}, indent=2)


@pytest.mark.parametrize(
    ("outcome", "did"), [("PASS", Did.DONE), ("WARN", Did.DONE), ("FAIL", Did.FAILED), ("INCOMPLETE", Did.NOT_RUN)]
)
def test_the_verdict_counts_whatever_was_said_around_it(outcome: str, did: Did) -> None:
    text = f"Waiting for {{the driver}} ...\n{burned(outcome)}\nBye.\n"
    answer, why, rows = checks.judged_run(text, 1, ["GPU-1", "GPU-2"])
    assert answer is did
    assert why == f"Verdict {outcome}: 2 of 4 results passed."
    assert [(row.name, row.outcome, row.reason) for row in rows["GPU-1"]] == [
        ("Replay", "not run", "No time."),
        ("Replay", "passed", "Warm."),
        ("swap", "warn", "2 GB in swap."),
    ]
    assert [row.reason for row in rows["GPU-2"]] == ["Broken.", "No time.", "2 GB in swap."]


@pytest.mark.parametrize(
    ("text", "code", "why"),
    [
        ("", 3, "ended with code 3: it said nothing"),
        ("There is no device GPU-1.", 2, "ended with code 2: There is no device GPU-1."),
        ('{"verdicts": []}', None, "did not end in time"),
        ("{broken}", 1, "ended with code 1"),
    ],
)
def test_without_a_verdict_nothing_was_run(text: str, code: int | None, why: str) -> None:
    outcome, reason, rows = checks.judged_run(text, code, ["GPU-1"])
    assert (outcome, rows) == (Did.NOT_RUN, {})
    assert why in reason


def test_the_burn_in_starts_with_the_packages_that_are_named_and_no_others() -> None:
    """Everything that pyproject.toml asks for beside them is blocked."""
    others = "PySide6", "pyqtgraph", "qtawesome", "pynvml", "typst", "apprise"
    assert not set(others) & set(checks.NEEDS_OF_BURN_IN)
    program = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {others!r}: raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
import core.cli.app, core.burnin.run.runner, core.machine.telemetry.sampler
import core.loads.products.gemm, core.loads.training.overfit
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE_S, cwd=ROOT)


# -- power and rest ------------------------------------------------------------------------------------------------


def reading(at_s: float, power_w: float | None, mask: int | None = 4) -> PowerReading:
    return PowerReading(at_s, power_w, 350.0, 1500.0, 60.0 + at_s, mask)


def test_power_is_summed_up_with_what_held_the_clocks() -> None:
    power = summed_up([reading(0, 300), reading(1, 340, mask=0x24), reading(2, None), reading(3, 350, mask=0)])
    assert power.mean_w == 330
    assert power.share_pct == pytest.approx(94.2857, abs=1e-3)
    assert power.temperature_c == 63
    assert power.held_by == {"Power limit": 75.0, "Thermal limit": 25.0}


def test_too_few_readings_are_no_mean() -> None:
    assert summed_up([reading(0, 300), reading(1, 300), reading(2, None)]) is None


def test_rest_is_when_the_power_has_fallen() -> None:
    asked_s = time.monotonic()
    curve = [(0.1, 300.0), (0.4, 200.0), (0.9, 61.0), (1.5, 60.0)]
    readings = [reading(asked_s + after, watts) for after, watts in curve]
    assert at_rest(lambda since: [one for one in readings if one.at_s >= since], asked_s, 65.0) == pytest.approx(0.9)


def test_a_board_that_does_not_come_to_rest_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.lab.measure.power.REST_WITHIN_S", 0.1)
    assert at_rest(lambda since: [reading(since, 300.0)], time.monotonic(), 65.0) is None


# -- surroundings --------------------------------------------------------------------------------------------------


def test_a_driver_name_finds_the_data_sheet() -> None:
    gbps, part = data_sheet_gbps("NVIDIA GeForce RTX 3090", 24576)
    assert gbps == pytest.approx(936, rel=0.01)
    assert part
    assert data_sheet_gbps("NVIDIA Unheard-of 9000", 1000) == (None, None)


def test_missing_packages_are_those_of_the_project() -> None:
    lacking = set(missing_packages(ROOT))
    assert "torch" not in lacking
    assert "numpy" not in lacking
