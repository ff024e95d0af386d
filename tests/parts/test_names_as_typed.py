"""Three hundred parts under the names that builders type: found, with the figures that decide, at a price of today."""

import csv
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.figures import must_have
from core.parts.part import Condition, Part, Price, no_longer_sold
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide, read_guide
from core.parts.query import Query

NAMES = Path(__file__).with_name("names_as_typed.csv")
"""Category, words as typed, and a pattern of the titles that are meant. Written down before any was tried."""
FIRST = 3
YEAR = 2026


@pytest.fixture(scope="module")
def catalogue(module_data_dir: Path) -> Iterator[Catalogue]:
    with closing(Catalogue(module_data_dir)) as opened:
        yield opened


@pytest.fixture(scope="module")
def answers(catalogue: Catalogue) -> list[tuple[str, Part | None]]:
    """What was typed, and the first hit that is meant; None where there is none among the first three."""
    with NAMES.open(encoding="utf-8", newline="") as file:
        return [(row["typed"], _hit(catalogue, row["typed"], row["title"])) for row in csv.DictReader(file)]


def _hit(catalogue: Catalogue, typed: str, title: str) -> Part | None:
    hits = [catalogue.require(hit.id) for hit in catalogue.answer(Query(typed, limit=FIRST)).hits]
    meant = re.compile(title, re.IGNORECASE)
    return next((part for part in hits if meant.search(" ".join((part.title, *part.part_numbers)))), None)


def test_nearly_all_are_among_the_first_three(answers: list[tuple[str, Part | None]]) -> None:
    missed = [typed for typed, part in answers if part is None]
    assert len(answers) > 300
    assert len(missed) <= 0.04 * len(answers), missed


def test_two_of_three_have_all_deciding_figures(answers: list[tuple[str, Part | None]]) -> None:
    lacking = {typed: _unknown(part) for typed, part in answers if part is None or _unknown(part)}
    assert len(lacking) <= 0.34 * len(answers), lacking


def _unknown(part: Part | None) -> list[str]:
    return [] if part is None else [name for name in must_have(part) if getattr(part.spec, name) is None]


def test_three_of_four_have_a_price_of_the_year_or_an_estimate_from_such(
    catalogue: Catalogue, answers: list[tuple[str, Part | None]]
) -> None:
    unpriced = [typed for typed, part in answers if part is None or not _has_price_of_year(catalogue, part)]
    assert len(unpriced) <= 0.25 * len(answers), unpriced


def _has_price_of_year(catalogue: Catalogue, part: Part) -> bool:
    guide = read_guide(catalogue, [part])
    price = _as_it_is_sold(guide, part)
    if price is None:
        return False
    if isinstance(price, Price):
        return price.as_of.year >= YEAR
    return price.until.year >= YEAR or (price.index is not None and price.index.until.year >= YEAR)


def _as_it_is_sold(guide: PriceGuide, part: Part) -> Price | Estimate | None:
    """New as long as it is sold new, else used."""
    condition = Condition.USED if no_longer_sold(part, date.today()) else Condition.NEW
    return guide.price(part, condition) or guide.used_price(part)
