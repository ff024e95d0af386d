"""The first screenful of what fits must be known in an instant, however many parts there are."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from core.advise.add_or_replace import usually_replaced
from core.advise.fit_verdict import FitState
from core.advise.fits import WhatFits, collector_at_rest, fits
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from tests.benchmarks.many_parts import KINDS, PARTS, catalogue_of
from tests.benchmarks.reference_work import quiet_seconds
from tests.shipped import templates

FEW = 400
SCREENFUL = 30
FITS_S = 0.100
"""On the quiet machine of the reference work."""
CATEGORIES = [category for category, _, _ in KINDS]
BUILDS = ("six-rtx-3090-quiet", "researcher-pc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    place = tmp_path_factory.mktemp("many")
    many = PARTS if request.config.getoption("benchmark_enable") else FEW
    catalogue_of(many, place).close()
    return place


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[Catalogue]:
    """The figures of a category stay read for all tests."""
    catalogue = Catalogue(folder)
    yield catalogue
    catalogue.close()


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("name", BUILDS)
def test_the_first_screenful_is_judged_in_an_instant(opened: Catalogue, name: str, category: Category) -> None:
    """With all that is done before it: the build checked as it stands, the parts put in the order of use."""
    build, today = templates()[name], date(2026, 1, 1)
    replaced = usually_replaced(build, category)

    def screenful() -> list[FitState]:
        with collector_at_rest():
            what_fits = WhatFits(build, category, opened, replaced)
            ids = sorted(what_fits.ids, key=lambda part_id: what_fits.rank(part_id, today))
            return [what_fits.verdict(part_id).state for part_id in ids[:SCREENFUL]]

    assert len(screenful()) == min(SCREENFUL, opened.counts()[category])
    assert quiet_seconds(screenful, FITS_S) <= FITS_S


@pytest.mark.parametrize("category", CATEGORIES)
def test_all_parts_of_a_category_are_judged_beside_the_window_in_seconds(
    benchmark: BenchmarkFixture, folder: Path, category: Category
) -> None:
    build = templates()[BUILDS[0]]
    with closing(Catalogue(folder)) as catalogue:
        verdicts = benchmark.pedantic(
            fits, (build, category, catalogue, usually_replaced(build, category)), rounds=1, iterations=1
        )
        assert len(verdicts) == catalogue.counts()[category]
