"""How long planning waits for the catalogue: one frame for a search, an instant for opening."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from core.parts.catalogue import Catalogue
from core.parts.shipped import shipped_parts

FRAME_S = 0.016
OPENING_S = 0.030
FIRST_OPENING_S = 2.0
IMPORTED = 50_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose catalogue is made."""
    path = tmp_path_factory.mktemp("data")
    Catalogue(path).close()
    return path


@pytest.fixture
def catalogue(folder: Path) -> Iterator[Catalogue]:
    opened = Catalogue(folder)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Catalogue]:
    """As many parts as the public data set has: the shipped ones, over and over; few when nothing is measured."""
    opened = Catalogue(tmp_path_factory.mktemp("large"))
    shipped = list(shipped_parts())
    copies = IMPORTED // len(shipped) if request.config.getoption("benchmark_enable") else 1
    opened.replace_imported_parts(
        part.model_copy(update={"id": f"{part.id[:70]}-{number}", "name": f"{part.name} {number}"})
        for number in range(copies)
        for part in shipped
    )
    yield opened
    opened.close()


def limit(benchmark: BenchmarkFixture, seconds: float) -> None:
    """Fails when the median took longer; says nothing when benchmarks are disabled."""
    if benchmark.enabled and benchmark.stats is not None:
        assert benchmark.stats.stats.median < seconds


@pytest.mark.parametrize("text", ["3090 blower 2 slot", "r", "", "显卡 水冷", "90YV0F94"])
def test_a_search_takes_no_more_than_a_frame(benchmark: BenchmarkFixture, catalogue: Catalogue, text: str) -> None:
    benchmark(catalogue.search, text)
    limit(benchmark, FRAME_S)


@pytest.mark.parametrize("text", ["3090 blower 2 slot", "ax1600i", ""])
def test_a_search_among_fifty_thousand_takes_no_more_than_a_frame(
    benchmark: BenchmarkFixture, large: Catalogue, text: str
) -> None:
    benchmark(large.search, text)
    limit(benchmark, FRAME_S)


def test_an_unchanged_catalogue_opens_in_an_instant(benchmark: BenchmarkFixture, folder: Path) -> None:
    benchmark(lambda: Catalogue(folder).close())
    limit(benchmark, OPENING_S)


def test_the_first_opening_takes_no_more_than_two_seconds(
    benchmark: BenchmarkFixture, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def fresh() -> tuple[tuple[Path], dict[str, object]]:
        return (tmp_path_factory.mktemp("fresh"),), {}

    benchmark.pedantic(lambda path: Catalogue(path).close(), setup=fresh, rounds=5)  # type: ignore[no-untyped-call]
    limit(benchmark, FIRST_OPENING_S)
