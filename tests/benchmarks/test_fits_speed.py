"""Which of fifty thousand parts fit a build must be known before a list is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from core.advise.fits import Obstacle, fits
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from tests.benchmarks.many_parts import KINDS, PARTS, catalogue_of
from tests.rules.random_builds import templates

FEW = 400
FITS_S = 0.100
"""Cold and warm; 0.05 is the aim."""
CATEGORIES = [category for category, _, _ in KINDS]
BUILDS = ("six-rtx-3090-quiet", "researcher-pc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    place = tmp_path_factory.mktemp("many")
    many = PARTS if request.config.getoption("benchmark_enable") else FEW
    catalogue_of(many, place).close()
    return place


@pytest.fixture
def catalogue(folder: Path) -> Iterator[Catalogue]:
    """Opened anew, so that nothing is read yet."""
    opened = Catalogue(folder)
    yield opened
    opened.close()


def rules(answer: dict[str, Obstacle | None]) -> dict[str, str]:
    return {part_id: obstacle.rule for part_id, obstacle in answer.items() if obstacle}


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("name", BUILDS)
def test_what_fits_is_known_in_an_instant(
    benchmark: BenchmarkFixture, catalogue: Catalogue, name: str, category: Category
) -> None:
    """The first time reads the catalogue, the others do not."""
    build = templates()[name]
    fits(build, Category.UPS, catalogue)
    start = perf_counter()
    first = fits(build, category, catalogue)
    benchmark.extra_info["cold ms"] = cold = 1e3 * (perf_counter() - start)
    assert rules(benchmark(fits, build, category, catalogue)) == rules(first)
    assert len(first) == catalogue.counts()[category]
    if benchmark.enabled and benchmark.stats is not None:
        assert benchmark.stats.stats.median < FITS_S
        assert cold < 2e3 * FITS_S
