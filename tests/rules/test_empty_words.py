"""A machine whose parts are all known says little that is empty: few open questions and four hints, mostly."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from statistics import mean, median

import pytest

from core.build.build import Build
from core.build.file import load_build
from core.paths import ASSETS
from core.predict.prediction import predict
from core.rules.engine import check, summary
from core.rules.finding import Finding, Status
from tests.rules.test_real_machines import MACHINES
from tests.shipped import parts_by_id

QUESTIONS, HINTS = 3, 4
"""The aim for one machine."""


@cache
def builds() -> dict[str, Build]:
    """The templates, and the machines of the table that work."""
    parts = parts_by_id()
    shipped = {path.stem: load_build(path, parts.get) for path in (ASSETS / "templates").glob("*.rig.json")}
    return shipped | {one.name: one.build(parts) for one in MACHINES if one.works and not one.template}


@cache
def counts() -> dict[str, dict[Status, int]]:
    return {name: summary(check(build, predict(build))) for name, build in builds().items()}


def _all(status: Status) -> list[int]:
    return [count[status] for count in counts().values()]


def test_most_machines_ask_for_one_figure_and_hint_three_times() -> None:
    assert median(_all(Status.UNKNOWN)) <= 1
    assert mean(_all(Status.UNKNOWN)) <= 1.2
    assert median(_all(Status.NOTE)) <= 3
    assert mean(_all(Status.NOTE)) <= HINTS


def test_nearly_every_machine_asks_for_three_figures_at_most() -> None:
    """What is left waits for figures that makers of cases, boards and PSUs do not state, or no builder tells."""
    asked = [count <= QUESTIONS for count in _all(Status.UNKNOWN)]
    assert sum(asked) >= 0.9 * len(asked)
    assert max(_all(Status.UNKNOWN)) <= QUESTIONS + 4


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
