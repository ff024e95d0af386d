"""Every error number of the driver weighs as the design says, and none is taken lightly for being unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.telemetry.throttle import Severity
from core.telemetry.xid import XIDS, xid

FAILURES = (
    8, 13, 31, 32, 38, 43, 46, 48, 54, 56, 57, 58, 61, 62, 64, 65, 69, 73, 74, 79, 80, 81, 94, 95, 109, 110, 119, 120,
    136, 140, 143, *range(144, 151), 155, 156, 158, 167, 168, 169, 171, 172,
)  # fmt: skip
WARNINGS = (45, 63, 68, 92, 121, 137, 141, 154, 157, *range(159, 166))


def test_the_table_holds_exactly_the_numbers_that_were_weighed() -> None:
    assert {entry.number for entry in XIDS} == {*FAILURES, *WARNINGS}
    assert len(XIDS) == len(FAILURES) + len(WARNINGS)


@pytest.mark.parametrize("number", FAILURES)
def test_a_failure_says_what_to_do(number: int) -> None:
    entry = xid(number)
    assert (entry.severity, entry.known) == (Severity.FAIL, True)
    assert entry.action.endswith(".")
    assert entry.sentence == f"Xid {number}: {entry.title}. {entry.action}"


@pytest.mark.parametrize("number", WARNINGS)
def test_a_warning_is_no_failure(number: int) -> None:
    assert xid(number).severity is Severity.WARN


@given(st.integers(0, 10_000).filter(lambda number: number not in {entry.number for entry in XIDS}))
def test_an_unknown_number_fails_until_it_is_looked_up(number: int) -> None:
    entry = xid(number)
    assert (entry.number, entry.severity, entry.known) == (number, Severity.FAIL, False)
    assert "Look it up" in entry.sentence


@pytest.mark.parametrize("number", [43, 45, 154, 171, 172])
def test_errors_that_follow_another_one_say_so(number: int) -> None:
    assert xid(number).follows
