"""Sentences that differ in their figures alone are said as one."""

from __future__ import annotations

from core.words import joined, plain, spoken, tr, trn
from core.words.phrasing import over, shape


def checked(count: int, celsius: float) -> str:
    at = plain("{celsius:.0f} °C", celsius=celsius)
    return joined((trn("{count} check passed", "{count} checks passed", count=count), at))


def test_figures_that_differ_are_reported_as_a_range() -> None:
    assert over([checked(1_040, 30.2), checked(988, 31.9), checked(1_012, 30.0)]) == "988–1040 checks passed 30–32 °C"


def test_figures_that_are_written_alike_are_reported_once() -> None:
    assert over([checked(5, 30.1), checked(5, 30.2)]) == "5 checks passed 30 °C"


def test_the_range_follows_the_language() -> None:
    rates = [plain("{rate:.1f} TFLOPS", rate=rate) for rate in (52.44, 52.9)]
    with spoken("de"):
        assert over(rates) == "52,4–52,9 TFLOPS"


def test_only_figures_may_differ() -> None:
    assert shape(checked(1, 30.0)) == shape(checked(2, 40.0))
    assert shape(tr("{stage}.", stage="Idle")) != shape(tr("{stage}.", stage="Soak"))
    assert shape("10 W") != shape("11 W")
    assert over(["10 W", "10 W"]) == "10 W"
