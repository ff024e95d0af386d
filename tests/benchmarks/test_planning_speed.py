"""How long planning waits for the catalogue: one frame for a search, an instant for opening."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from core.parts.catalogue import Catalogue

FRAME_S = 0.016
OPENING_S = 0.030
FIRST_OPENING_S = 3.0


@pytest.fixture
def catalogue(module_data_dir: Path) -> Iterator[Catalogue]:
    opened = Catalogue(module_data_dir)
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


def test_an_unchanged_catalogue_opens_in_an_instant(benchmark: BenchmarkFixture, module_data_dir: Path) -> None:
    benchmark(lambda: Catalogue(module_data_dir).close())
    limit(benchmark, OPENING_S)


def test_the_first_opening_takes_no_more_than_three_seconds(
    benchmark: BenchmarkFixture, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def fresh() -> tuple[tuple[Path], dict[str, object]]:
        return (tmp_path_factory.mktemp("fresh"),), {}

    benchmark.pedantic(lambda path: Catalogue(path).close(), setup=fresh, rounds=5)  # type: ignore[no-untyped-call]
    limit(benchmark, FIRST_OPENING_S)
