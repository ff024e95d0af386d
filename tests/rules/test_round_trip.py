"""A build that is saved and opened again is judged and predicted as before."""

from __future__ import annotations

from random import Random

import pytest

from core.build.build import Build
from core.build.file import dump_build, parse_build
from core.predict.prediction import predict
from core.rules.engine import check
from tests.rules.machines import good_build
from tests.rules.random_builds import forgetful, random_build
from tests.shipped import templates

SEEDS = 40


def opened_again(build: Build) -> Build:
    return parse_build(dump_build(build), lambda _: None)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_round_trip_keeps_every_finding_of_any_build(seed: int) -> None:
    build = forgetful(Random(seed), random_build(Random(seed)), seed % 5)
    assert check(opened_again(build)) == check(build)


@pytest.mark.parametrize("name", [*templates(), "good"])
def test_a_round_trip_keeps_findings_and_predictions_of_known_machines(name: str) -> None:
    build = {**templates(), "good": good_build()}[name]
    again = opened_again(build)
    assert check(again, predict(again)) == check(build, predict(build))
