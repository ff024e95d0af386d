"""Checking and predicting eight GPUs must not be felt while typing."""

from __future__ import annotations

from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from core.build.build import Build, Line
from core.predict.prediction import predict
from core.rules.engine import check
from tests.rules.machines import good_build, part, slot, with_line

CHECK_S = 2e-3
PREDICT_S = 3e-3


@pytest.fixture
def eight_gpus() -> Build:
    board = part("motherboard", slots=[slot(position) for position in range(1, 9)])
    build = with_line(with_line(good_build(), board), part("psu"), 2)
    gpus = tuple(
        Line(part("gpu", suffix=f"-{n}", width_slots=1, bracket_slots=1), 2, (2 * n - 1, 2 * n)) for n in range(1, 5)
    )
    others = tuple(line for line in build.lines if line.part.id != "gpu")
    return build.with_lines((*others, *gpus))


def test_eight_gpus_are_checked_within_2_ms(benchmark: BenchmarkFixture, eight_gpus: Build) -> None:
    benchmark(check, eight_gpus)
    if benchmark.stats:
        assert benchmark.stats["mean"] <= CHECK_S


def test_eight_gpus_are_predicted_within_3_ms(benchmark: BenchmarkFixture, eight_gpus: Build) -> None:
    benchmark(predict, eight_gpus)
    if benchmark.stats:
        assert benchmark.stats["mean"] <= PREDICT_S


def test_neither_takes_ten_times_its_budget_even_on_a_busy_machine(eight_gpus: Build) -> None:
    for job, budget in ((check, CHECK_S), (predict, PREDICT_S)):
        assert min(_seconds(job, eight_gpus) for _ in range(10)) <= 10 * budget


def _seconds(job: object, build: Build) -> float:
    assert callable(job)
    start = perf_counter()
    job(build)
    return perf_counter() - start
