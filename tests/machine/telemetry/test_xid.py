"""Every error number of the driver weighs as the design says, and none is taken lightly for being unknown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.machine.telemetry.throttle import Severity
from core.machine.telemetry.xid import LAST, XIDS, xid

IGNORED = (37, 38, 43, 44, 63, 66, 67, 92, 93, 106, 107, 121, 137, 141, 152, 153, 157, 160, 161)
"""What NVIDIA's catalogue says to ignore is no failure."""
WARNINGS = (38, 43, 44, 45, 63, 68, 78, 92, 121, 137, 141, 154, 157, *range(159, 166))
NOTES = (37, 66, 67, 93, 106, 107, 152, 153)
UNUSED = (
    *range(1, 8), 9, 10, 12, *range(14, 25), *range(26, 31), *range(33, 37), 42, 47, *range(49, 54), 55, 59, 87, 90, 91,
    108, *range(111, 119), *range(122, 126), 138,
)  # fmt: skip
FAILURES = tuple(sorted({*range(1, LAST + 1)} - {*WARNINGS, *NOTES, *UNUSED}))
COPY_ENGINES = (39, 40, 41, 70, 71, 72, 75, 76, 77, 85, *range(126, 136))


def test_the_table_holds_exactly_the_numbers_that_were_weighed() -> None:
    assert {entry.number for entry in XIDS} == {*FAILURES, *WARNINGS, *NOTES}
    assert len(XIDS) == len(FAILURES) + len(WARNINGS) + len(NOTES)


def test_every_published_number_is_known() -> None:
    assert [number for number in range(1, LAST + 1) if not xid(number).listed] == []


def test_what_the_catalogue_ignores_is_no_failure() -> None:
    assert [number for number in IGNORED if xid(number).severity is Severity.FAIL] == []


def test_copy_engines_are_called_by_their_number() -> None:
    titles = [str(xid(number).title) for number in COPY_ENGINES]
    assert titles == [f"Copy engine error (CE {engine})" for engine in range(20)]


@pytest.mark.parametrize(
    ("number", "message", "severity", "says"),
    [
        (
            149,
            "NETIR_BER_EVENT Nonfatal XC0 i0 Link 03 (0x00086226 0x00000001 0x0)",
            Severity.WARN,
            "if it is frequent",
        ),
        (149, "NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x021425c6 0x00000000 0x0)", Severity.FAIL, "other end"),
        (149, "NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x026001c6 0x00000000)", Severity.FAIL, "software"),
        (149, "NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x00000000)", Severity.FAIL, "cables"),
        (145, "pid=4, name=a, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x040988e2 0x00000008)", Severity.WARN, "Nothing"),
        (145, "RLW_RXPIPE Nonfatal XC0 i0 Link 00 (0x00000006 0x00000001)", Severity.WARN, "Reset"),
        (146, "TLW_RX/TLW_RX_PIPE0 Fatal XC0 i0 Link 00 (0x0000000a 0x00000004)", Severity.FAIL, "Reset"),
        (150, "MSE_WATCHDOG Fatal XC0 i0 Link 00 (0x00000000", Severity.FAIL, "Reset"),
        (150, "", Severity.FAIL, "NVLink"),
        (154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", Severity.FAIL, "Reset"),
        (154, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", Severity.FAIL, "Restart"),
        (154, "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)", Severity.NORMAL, ""),
        (154, "", Severity.WARN, "message"),
    ],
)
def test_the_line_says_more_than_the_number(number: int, message: str, severity: Severity, says: str) -> None:
    entry = xid(number, message)
    assert entry.by_message
    assert (entry.severity, says in entry.action) == (severity, True)


def test_a_failure_says_what_to_do() -> None:
    for number in FAILURES:
        entry = xid(number)
        assert (entry.number, entry.severity, entry.listed) == (number, Severity.FAIL, True)
        assert entry.action.endswith("."), number
        assert entry.sentence == f"Xid {number}: {entry.title}. {entry.action}"


def test_a_warning_is_no_failure() -> None:
    assert [number for number in WARNINGS if xid(number).severity is not Severity.WARN] == []


@given(st.integers(0, 10_000).filter(lambda number: not 1 <= number <= LAST))
def test_an_unknown_number_fails_until_it_is_looked_up(number: int) -> None:
    entry = xid(number)
    assert (entry.number, entry.severity, entry.listed) == (number, Severity.FAIL, False)
    assert "Look it up" in entry.sentence


def test_errors_that_follow_another_one_say_so() -> None:
    assert [number for number in (43, 45, 154, 171, 172) if not xid(number).follows] == []
