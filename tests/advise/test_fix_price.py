"""What a fix costs in money: in one currency, with the age of its oldest price."""

from __future__ import annotations

from datetime import date

import pytest

from core.advise.fix import PriceChange, price_change
from core.parts.money import PER_USD
from core.parts.part import Part, Price
from core.parts.price_guide import PriceGuide
from tests.rules.machines import part

GUIDE = PriceGuide(today=date(2026, 5, 20))


def priced(amount: float, currency: str, day: date, ended: int | None = None) -> Part:
    price = Price(amount=amount, currency=currency, as_of=day, kind="launch" if ended else "own")
    return part("gpu", discontinued=ended).model_copy(update={"price": price})


def test_prices_in_two_currencies_are_one_difference_with_the_month_of_the_oldest() -> None:
    new, old = priced(1000, "USD", date(2026, 5, 1)), priced(700, "EUR", date(2022, 11, 3))
    change = price_change([(new, 2), (old, -1)], GUIDE)
    assert change and change.currency == "EUR"
    assert change.amount == pytest.approx(2000 * PER_USD["EUR"] - 700)
    assert (change.age, change.as_dict()["oldest"]) == (" (2022-11)", "2022-11")


def test_an_old_price_enters_as_what_it_comes_to_today_and_is_called_an_estimate() -> None:
    price = Price(amount=200, currency="USD", as_of=date(2024, 11, 3), kind="street")
    change = price_change([(part("psu").model_copy(update={"price": price}), 1)], GUIDE)
    assert change and change.estimated and change.as_dict()["estimated"]
    assert change.amount == pytest.approx(200 * 0.87, rel=0.05) and change.age == " (2024-11)"


def test_a_fresh_price_has_no_age() -> None:
    assert price_change([(priced(90, "USD", date(2026, 4, 1)), 1)], GUIDE) == PriceChange(90, "USD")


@pytest.mark.parametrize(
    "other", [priced(5, "VND", date(2026, 5, 1)), priced(1499, "USD", date(2020, 9, 24), ended=2024)]
)
def test_without_a_rate_or_a_price_of_today_there_is_no_difference(other: Part) -> None:
    assert price_change([(priced(90, "USD", date(2026, 4, 1)), 1), (other, 1)], GUIDE) is None
