"""Forty prices of 2026, drawn by a seed and kept out of the catalogue and of the index, against what old ones make."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from core.parts.money import in_net_dollars
from core.parts.part import Part, Price
from core.parts.price_ageing import WIDEST, amount_today
from core.parts.price_estimate import Estimate
from core.parts.price_guide import Priced, PriceGuide
from core.parts.vocabulary import Category
from tests.shipped import every_part, parts_by_id

FILE = Path(__file__).parent / "prices_of_2026.csv"
"""Part, price, day, place and source. Copies of public shop lists, without listings that a list calls gone."""
NEAR, WIDE = 0.3, 0.4
CLASSES = {
    Category.RAM, Category.GPU, Category.PSU, Category.CASE, Category.MOTHERBOARD, Category.CPU_COOLER,
    Category.STORAGE, Category.CPU,
}  # fmt: skip


@dataclass(frozen=True)
class Held:
    part: Part
    price: Price
    told: Price | Estimate | None
    """By all that the catalogue knows, on the day of the price."""

    @property
    def ratio(self) -> float:
        """What is told, by its middle, of what the list says; both without tax."""
        assert self.told is not None
        middle = self.told if isinstance(self.told, Price) else self.told.as_price
        told, listed = in_net_dollars(middle), in_net_dollars(self.price)
        assert told is not None and listed is not None
        return told.amount / listed.amount

    @property
    def inside(self) -> bool:
        """Within the range; within the widest that there is where an older price counts as it is."""
        share = self.told.share if isinstance(self.told, Estimate) else WIDEST
        return share <= WIDE and 1 - share <= 1 / self.ratio <= 1 + share


@pytest.fixture(scope="module")
def held() -> list[Held]:
    return list(_held())


def _held() -> Iterator[Held]:
    guides: dict[date, PriceGuide] = {}
    for row in csv.DictReader(FILE.read_text("utf-8").splitlines()):
        day = date.fromisoformat(row["day"])
        if day not in guides:
            guides[day] = PriceGuide({category: _priced(category, day) for category in CLASSES}, today=day)
        part = parts_by_id()[row["part"]]
        price = Price(amount=float(row["amount"]), currency=row["currency"], as_of=day, kind="street")
        yield Held(part, price, guides[day].price(part))


def _priced(category: Category, day: date) -> Priced:
    return tuple(
        (part, part.price.model_copy(update={"amount": own.amount, "low": None, "high": None}))
        for part in every_part()
        if part.category is category and part.price and (own := amount_today(part, day))
    )


def test_they_are_forty_of_all_classes_with_a_place_and_a_source(held: list[Held]) -> None:
    rows = list(csv.DictReader(FILE.read_text("utf-8").splitlines()))
    assert len({row["part"] for row in rows}) == len(rows) == 40
    assert {one.part.category for one in held} == CLASSES
    assert all(row["place"] and row["source"].startswith("https://") and row["day"] >= "2026" for row in rows)


def test_none_of_them_is_in_the_catalogue(held: list[Held]) -> None:
    assert [one.part.id for one in held if one.part.price == one.price] == []


def test_four_of_five_middles_are_within_30_per_cent(held: list[Held]) -> None:
    near = [one for one in held if abs(one.ratio - 1) <= NEAR]
    assert len(near) >= 0.8 * len(held)


def test_95_per_cent_lie_in_a_range_no_wider_than_40_per_cent(held: list[Held]) -> None:
    outside = [(one.part.id, round(one.ratio, 2)) for one in held if not one.inside]
    assert len(outside) <= 0.05 * len(held), outside
