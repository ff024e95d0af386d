"""Figures that strangers gave of their machines, and how wide the bands are that hold them.

`told.csv` has the columns of the shipped cases; nothing is fitted to it. Most rows are moments of nvidia-smi that
somebody pasted somewhere, with what was printed as their source. A moment counts where the card is at least 90 % busy,
its fan is above its floor if it draws what it may (a card that still warms up says nothing of its steady state), and
its cooler is given or nearly all cards of its product have the same. The last two conditions were added after a first
look: without them, 56 % of 69 temperatures lay inside. Watts count where the load is named. Both are whole numbers.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from core.paths import ASSETS
from core.validation.cases import read_cases
from core.validation.outcome import CaseOutcome, predict_cases
from tests.shipped import every_part

GIVEN = Path(__file__).parent / "told.csv"
FROZEN = {"": 0.2444, "gpu_temp": 0.2170, "noise": 0.2152, "board_power": 0.2443}
"""Median width of the band over its expected value for the shipped cases, before hybrids and slot heat were told apart;
"" is all kinds together. A band that holds more because it is wider would be no better."""
FROZEN_GIVEN = {"": 0.2256, "gpu_temp": 0.2264, "board_power": 0.1443}
"""The same for `told.csv`."""
INSIDE = 0.77
"""Share of `told.csv` that lies within its band; 85 % is the aim. Outside lie cards that stand 2 to 5 K above the
temperature at which the driver should hold them (TITAN X, GTX 1080 Ti and RTX 3090 at 87 C), RTX A5000 and passive
cards in cold aisles (2 to 8 K below), and moments at 68 to 87 % of the limit within a training."""
ROUNDED = 0.5


def outcomes(file: Path) -> list[CaseOutcome]:
    return [one for one in predict_cases(read_cases(file), every_part()) if one.predicted]


def median_width(found: list[CaseOutcome], quantity: str) -> float:
    return median(
        (one.predicted.high - one.predicted.low) / one.predicted.expected
        for one in found
        if one.predicted and one.predicted.expected and quantity in ("", one.case.quantity)
    )


@pytest.mark.parametrize(
    ("file", "frozen"), [(ASSETS / "measurements/cases.csv", FROZEN), (GIVEN, FROZEN_GIVEN)], ids=["shipped", "given"]
)
def test_bands_are_no_wider_than_they_were(file: Path, frozen: dict[str, float]) -> None:
    found = outcomes(file)
    for quantity, most in frozen.items():
        assert median_width(found, quantity) <= most + 0.0005, quantity


def test_most_figures_of_strangers_lie_within_their_band() -> None:
    found = outcomes(GIVEN)
    assert len(found) >= 60
    outside = [
        (one.case.id, one.case.value, one.predicted)
        for one in found
        if one.predicted and not one.predicted.low - ROUNDED <= one.case.value <= one.predicted.high + ROUNDED
    ]
    assert len(outside) <= (1 - INSIDE) * len(found), outside


def test_no_figure_of_a_stranger_is_a_shipped_case() -> None:
    """An address that was used to make the model is no test of it."""
    shipped = {case.source for case in read_cases(ASSETS / "measurements/cases.csv")}
    given = read_cases(GIVEN)
    assert len({case.id for case in given}) == len(given)
    assert all(case.source for case in given)
    assert not shipped & {case.source for case in given}
