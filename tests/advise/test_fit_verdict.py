"""The figures that decide are told as short as they can be."""

import pytest

from core.advise.fit_verdict import FITS, TITLE_PLACEHOLDER, FitReason, FitState, verdict
from core.parts.vocabulary import Category
from core.rules.finding import Status


@pytest.mark.parametrize(
    ("category", "measured", "limit", "unit", "words"),
    [
        (Category.PSU, 2125.3, 1600, "W", "1600 < 2125 W"),
        (Category.GPU, 2125.3, 1600, "W", "2125 > 1600 W"),
        (Category.CASE, 357, 330, "mm", "330 < 357 mm"),
        (Category.GPU, 1600.4, 1600, "W", "1600.4 > 1600 W"),
        (Category.GPU, 6.1, 7.5, "", "6.1 < 7.5"),
        (Category.MOTHERBOARD, 0, 1, "slots", "0 < 1 slots"),
        (Category.PSU, 2, 2, "PSUs", ""),
        (Category.PSU, None, 2, "PSUs", ""),
    ],
)
def test_the_figure_of_the_part_comes_first(
    category: Category, measured: float | None, limit: float, unit: str, words: str
) -> None:
    assert FitReason("a", Status.FAIL, "", measured, limit, unit).figures(category) == words


def test_the_missing_figures_are_named_those_of_the_part_first() -> None:
    missing = (("", "power_limit_w"), ("AMD X", "sustained_power_w"))
    reason = FitReason("a", Status.UNKNOWN, "", missing=missing)
    assert reason.figures(Category.GPU) == "power limit; sustained power limit of AMD X unknown"


def test_a_reason_is_told_of_the_part_that_it_is_asked_for() -> None:
    assert (
        FitReason("a", Status.FAIL, f"{TITLE_PLACEHOLDER} is too long.").sentence("Acme One") == "Acme One is too long."
    )


@pytest.mark.parametrize(
    ("statuses", "state"),
    [
        ((), FitState.FITS),
        ((Status.WARN,), FitState.WARNS),
        ((Status.WARN, Status.UNKNOWN), FitState.UNKNOWN),
        ((Status.WARN, Status.UNKNOWN, Status.FAIL), FitState.DOES_NOT),
    ],
)
def test_the_gravest_decides_and_comes_first(statuses: tuple[Status, ...], state: FitState) -> None:
    found = verdict([FitReason("a", status, "") for status in statuses])
    assert found.state is state
    assert [reason.status for reason in found.reasons] == list(reversed(statuses))
    assert found == FITS or found.reason is not None
