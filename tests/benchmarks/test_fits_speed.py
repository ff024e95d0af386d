"""The first screenful of what fits must be known in an instant, however many parts there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from core.advise.fits import WhatFits
from core.advise.putting_in import usually_replaced
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from tests.benchmarks.many_parts import KINDS, PARTS, catalogue_of
from tests.rules.random_builds import templates

FEW = 400
SCREENFUL = 30
FITS_S = 0.100
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


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("name", BUILDS)
def test_the_first_screenful_is_judged_in_an_instant(
    benchmark: BenchmarkFixture, catalogue: Catalogue, name: str, category: Category
) -> None:
    """The first time reads the catalogue, the others do not."""
    build = templates()[name]
    replaced = usually_replaced(build, category)

    def screenful() -> dict[str, str]:
        asked = WhatFits(build, category, catalogue, replaced)
        return {part_id: asked.verdict(part_id).state.value for part_id in asked.ids[:SCREENFUL]}

    start = perf_counter()
    first = screenful()
    benchmark.extra_info["cold ms"] = cold = 1e3 * (perf_counter() - start)
    assert benchmark(screenful) == first
    if benchmark.enabled and benchmark.stats is not None:
        assert benchmark.stats.stats.median < FITS_S
        assert cold < 2e3 * FITS_S
