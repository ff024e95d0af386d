"""What benchmarks share."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.pace import Pace

TOLD = pytest.StashKey[list[str]]()


@pytest.fixture
def pace(benchmark: BenchmarkFixture, request: pytest.FixtureRequest) -> Pace:
    """How fast the machine is while the benchmark runs."""
    return Pace(benchmark, request.config.stash.setdefault(TOLD, []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Each time beside its limit, and how much slower than usual the machine was."""
    if told := config.stash.get(TOLD, []):
        terminalreporter.section("times and limits, by how much slower than usual this machine was")
        terminalreporter.write_line("\n".join(told))
