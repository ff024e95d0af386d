"""What a fix costs in money: in one currency, with the age of its oldest price."""

from datetime import date

import pytest

from core.advise.fix import Fix, PriceChange, price_change
from core.build.assumptions import DEFAULT_ASSUMPTIONS
from core.build.build import Build
from core.build.site_edits import SetAssumptions
from core.parts.money import COMPARED, PER_USD
from core.parts.part import Part, Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide
from core.parts.vocabulary import Category
from tests.rules.machines import part

GUIDE = PriceGuide(today=date(2026, 5, 20))


def priced(amount: float, currency: str, day: date, ended: int | None = None) -> Part:
    price = Price(amount=amount, currency=currency, as_of=day, kind="launch" if ended else "own")
    return part("gpu", discontinued=ended).model_copy(update={"price": price})


def test_prices_in_two_currencies_are_one_difference_with_the_month_of_the_oldest() -> None:
    new, old = priced(1000, "USD", date(2026, 5, 1)), priced(700, "EUR", date(2022, 11, 3))
    change = price_change(Build(), [(new, 2), (old, -1)], GUIDE)
    assert change and change.currency == "EUR"
    assert change.amount == pytest.approx(2000 * PER_USD["EUR"] - 700)
    assert (change.words, change.as_dict()["oldest"]) == ("+1064 EUR (2022-11)", "2022-11")


def test_an_old_price_enters_as_what_it_comes_to_today_and_is_called_an_estimate() -> None:
    price = Price(amount=200, currency="USD", as_of=date(2024, 11, 3), kind="street")
    change = price_change(Build(), [(part("psu").model_copy(update={"price": price}), 1)], GUIDE)
    assert change and change.estimated and change.as_dict()["estimated"]
    assert change.amount == pytest.approx(200 * 0.87, rel=0.05) and change.words.endswith(" USD (2024-11)")


def test_a_fresh_price_has_no_age() -> None:
    assert price_change(Build(), [(priced(90, "USD", date(2026, 4, 1)), 1)], GUIDE) == PriceChange(90, 90, "USD")


@pytest.mark.parametrize(
    "other", [priced(5, "VND", date(2026, 5, 1)), priced(1499, "USD", date(2020, 9, 24), ended=2024)]
)
def test_a_part_without_a_rate_or_a_price_of_today_is_left_out_and_told(other: Part) -> None:
    change = price_change(Build(), [(priced(90, "USD", date(2026, 4, 1)), 1), (other, 2)], GUIDE)
    assert change and change.words == "+90 USD, 2 parts without a price"
    dollars = PriceGuide(terms=COMPARED, today=GUIDE.today)
    assert price_change(Build(), [(other, 1)], dollars) is None


def test_estimates_make_a_band_and_what_is_given_away_lowers_it() -> None:
    def similar(amount: float, part_id: str) -> Part:
        return part("gpu", suffix=part_id, product="RTX A").model_copy(
            update={"price": Price(amount=amount, currency="USD", as_of=date(2026, 5, 1), kind="street")}
        )

    likes = [similar(amount, f"-{amount:.0f}") for amount in (1000, 1100, 1200)]
    guide = PriceGuide({Category.GPU: tuple((one, one.price) for one in likes if one.price)}, today=GUIDE.today)
    unknown = part("gpu", suffix="-unknown", product="RTX A")
    known = priced(500, "USD", date(2026, 5, 1))
    change = price_change(Build(), [(unknown, 1), (known, -1)], guide)
    estimate = guide.price(unknown)
    assert isinstance(estimate, Estimate) and change
    assert (change.low, change.high) == (estimate.low - 500, estimate.high - 500)
    assert change.words.startswith(f"+{estimate.low - 500:.0f} to +{estimate.high - 500:.0f} USD")


def fix(cost: float, price: PriceChange | None = None, *buys: str) -> Fix:
    return Fix(SetAssumptions(DEFAULT_ASSUMPTIONS), "x", buys, price, cost=cost)


def test_fixes_come_by_effort_then_by_money_and_a_known_price_comes_first() -> None:
    free, cheap = fix(1.0), fix(5.9, PriceChange(80, 80, "USD"), "PSU")
    dear, unknown = fix(5.0, PriceChange(100, 140, "USD"), "PSU"), fix(4.0, None, "PSU")
    partly = fix(4.5, PriceChange(10, 10, "USD", unpriced=1), "PSU", "cable")
    board = fix(9.0, PriceChange(-50, -50, "USD"), "board")
    assert sorted([board, unknown, partly, dear, cheap, free], key=lambda one: one.order) == [
        *(free, cheap, dear, unknown, partly),
        board,
    ]
