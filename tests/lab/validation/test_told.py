"""Figures that strangers gave of their machines, and how wide the bands are that hold them.

`README.md` beside this says which figures count, what the model has seen of them, and what lies outside and why.
"""

from pathlib import Path
from statistics import median

import pytest

from core.lab.validation.cases import read_cases
from core.lab.validation.outcome import CaseOutcome, predict_cases
from core.platform.paths import ASSETS
from tests.shipped import every_part

GIVEN = Path(__file__).parent / "told.csv"
LATER = Path(__file__).parent / "told_later.csv"
FROZEN = {"": 0.2444, "gpu_temp": 0.2170, "noise": 0.2152, "board_power": 0.2443}
"""Median width of the band over its expected value for the shipped cases, before hybrids and slot heat were told apart;
"" is all kinds together. A band that holds more because it is wider would be no better."""
FROZEN_GIVEN = {"": 0.2256, "gpu_temp": 0.2264, "board_power": 0.1443}
"""The same for `told.csv`."""
FROZEN_LATER = {"": 0.2472, "gpu_temp": 0.2454, "noise": 0.2621, "board_power": 0.1989}
"""The same for `told_later.csv`, by the model of then."""
INSIDE, INSIDE_LATER = 0.88, 0.83
"""Share of the figures that lies within its band: 74 of 84, and 15 of the 18 that no figure of the model rests on."""
AIM = 0.85
ROUNDED, READING_W = 0.5, 5.0
"""Figures are whole; the manual of nvidia-smi gives its watts to within 5 W."""


def outcomes(file: Path) -> list[CaseOutcome]:
    return [one for one in predict_cases(read_cases(file), every_part()) if one.predicted]


def median_width(cases: list[CaseOutcome], quantity: str) -> float:
    return median(
        (one.predicted.high - one.predicted.low) / one.predicted.expected
        for one in cases
        if one.predicted and one.predicted.expected and quantity in ("", one.case.quantity)
    )


def holds(one: CaseOutcome) -> bool:
    """Whether the band holds the figure as well as that is known."""
    read = one.case.unit == "W" and one.case.source.startswith("nvidia-smi")
    either_way = READING_W if read else ROUNDED
    assert one.predicted
    return one.predicted.low - either_way <= one.case.value <= one.predicted.high + either_way


@pytest.mark.parametrize(
    ("file", "frozen"),
    [(ASSETS / "measurements/cases.csv", FROZEN), (GIVEN, FROZEN_GIVEN), (LATER, FROZEN_LATER)],
    ids=["shipped", "given", "later"],
)
def test_bands_are_no_wider_than_they_were(file: Path, frozen: dict[str, float]) -> None:
    cases = outcomes(file)
    for quantity, most in frozen.items():
        assert median_width(cases, quantity) <= most + 0.0005, quantity


@pytest.mark.parametrize(("file", "share", "least"), [(GIVEN, INSIDE, 60), (LATER, INSIDE_LATER, 12)])
def test_most_figures_of_strangers_lie_within_their_band(file: Path, share: float, least: int) -> None:
    cases = outcomes(file)
    assert len(cases) >= least
    outside = [(one.case.id, one.case.value, one.predicted) for one in cases if not holds(one)]
    assert len(outside) <= (1 - share) * len(cases), outside


def test_all_figures_of_strangers_together_meet_the_aim() -> None:
    cases = [*outcomes(GIVEN), *outcomes(LATER)]
    assert sum(map(holds, cases)) >= AIM * len(cases)


def test_what_nvidia_smi_leaves_open_decides_little() -> None:
    """To the watt as printed 71 of the 84 lie inside, 84.5 %: half a per cent below the aim."""
    cases = outcomes(GIVEN)
    bands = [(one.predicted, one.case.value) for one in cases if one.predicted]
    inside = sum(band.low - ROUNDED <= value <= band.high + ROUNDED for band, value in bands)
    assert inside >= 0.84 * len(cases)


def test_sound_was_heard_at_least_six_times() -> None:
    assert sum(one.case.quantity == "noise" for one in outcomes(LATER)) >= 6


def test_no_figure_of_a_stranger_is_a_shipped_case() -> None:
    """An address that was used to make the model is no test of it."""
    shipped = {case.source for case in read_cases(ASSETS / "measurements/cases.csv")}
    cases = [*read_cases(GIVEN), *read_cases(LATER)]
    assert len({case.id for case in cases}) == len(cases)
    assert all(case.source for case in cases)
    assert not shipped & {case.source for case in cases}
