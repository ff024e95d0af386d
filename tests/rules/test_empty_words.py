"""A machine whose parts are all known says little that is empty: at most two open questions and four hints, mostly."""

from collections.abc import Iterable
from functools import cache
from statistics import mean, median

import pytest

from core.build.build import Build
from core.build.file import load_build
from core.paths import ASSETS
from core.predict.prediction import predict
from core.rules.engine import COMPLETE, check, summary
from core.rules.finding import Finding, Status
from tests.rules.test_real_machines import FEW_FIGURES, MACHINES
from tests.shipped import parts_by_id

QUESTIONS, HINTS = 2, 4
"""The aim for one machine."""


@cache
def builds() -> dict[str, Build]:
    """The templates, and the machines of the table that work, but for those of parts with few figures."""
    parts = parts_by_id()
    shipped = {path.stem: load_build(path, parts.get) for path in (ASSETS / "templates").glob("*.rig.json")}
    machines = (one for one in MACHINES if one.works and not one.template and one.file not in FEW_FIGURES)
    return shipped | {one.name: one.build(parts) for one in machines}


@cache
def counts() -> dict[str, dict[Status, int]]:
    """What is missing altogether is no question about a figure."""
    answers = {name: check(build, predict(build)) for name, build in builds().items()}
    return {name: summary(one for one in findings if one.rule != COMPLETE) for name, findings in answers.items()}


def _all(status: Status) -> list[int]:
    return [count[status] for count in counts().values()]


def test_most_machines_ask_for_no_figure_and_hint_three_times() -> None:
    assert median(_all(Status.UNKNOWN)) == 0
    assert mean(_all(Status.UNKNOWN)) <= 0.8
    assert median(_all(Status.NOTE)) <= 3
    assert mean(_all(Status.NOTE)) <= HINTS


def test_nearly_every_machine_asks_for_two_figures_at_most() -> None:
    """What is left waits for figures of rack and server cases that their makers do not state."""
    asked = [count <= QUESTIONS for count in _all(Status.UNKNOWN)]
    assert sum(asked) >= 0.95 * len(asked)
    assert max(_all(Status.UNKNOWN)) <= QUESTIONS + 1


def test_three_in_five_machines_hint_four_times_at_most() -> None:
    """Those with more are rigs on risers with several PSUs, cards of several kinds and platforms of ten years ago."""
    hinted = [count <= HINTS for count in _all(Status.NOTE)]
    assert sum(hinted) >= 0.6 * len(hinted)
    assert max(_all(Status.NOTE)) <= 9


@pytest.mark.parametrize("system", ["nvidia-dgx-1", "nvidia-dgx-1v", "nvidia-dgx-station"])
def test_a_complete_system_asks_for_nothing_that_its_maker_fixed(system: str) -> None:
    said = counts()[f"{system}.rig"]
    assert said[Status.UNKNOWN] <= 1
    assert said[Status.NOTE] <= HINTS


def test_nothing_is_measured_where_the_words_carry_it() -> None:
    """A year, or one PSU against a limit of two, is no measurement."""
    assert not [one.message for one in _told() if one.limit == 1 and one.unit in ("PSUs", "parts")]
    assert not [one.message for one in _told() if one.measured and one.measured > 1900 and not one.unit]


def _told() -> Iterable[Finding]:
    return (finding for build in builds().values() for finding in check(build, predict(build)))
