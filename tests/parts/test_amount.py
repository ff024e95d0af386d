"""Amounts and prices as people type them."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.money import typed_amount, typed_price, typed_rate, written
from core.platform.errors import BadInput

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    "text", ["1999,50", "1999.5", "1.999,50", "1,999.50", "1 999,50", "1\u202f999.50", "1'999.50", "1’999,50"]
)
def test_both_notations_are_understood(text: str) -> None:
    assert typed_amount(text) == 1999.5


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1.999", 1999), ("1,999", 1999), ("1.234.567", 1234567), ("0.999", 0.999), ("12,5", 12.5), ("5", 5), ("7.", 7)],
)
def test_a_sign_before_just_three_digits_stands_between_thousands(text: str, amount: float) -> None:
    assert typed_amount(text) == amount


@pytest.mark.parametrize("text", ["", "much", "1.99.5", "1,2,3", "-5", "1e5", "nan", "1.999.50,1", "٣"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an amount"):
        typed_amount(text)


@given(amount=st.decimals("0.01", "999999999", places=2), comma=st.booleans(), grouped=st.booleans())
def test_an_amount_with_cents_is_read_back_in_either_notation(amount: Decimal, comma: bool, grouped: bool) -> None:
    text = f"{amount:,.2f}" if grouped else f"{amount:.2f}"
    if comma:
        text = text.translate(str.maketrans(".,", ",."))
    assert typed_amount(text) == float(amount)


@given(amount=st.floats(0.001, 1e12))
def test_a_written_amount_is_read_back_with_all_its_digits(amount: float) -> None:
    assert typed_amount(written(amount)) == amount


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("1499", "CNY"),
        ("1499 eur", "EUR"),
        ("€ 1.499", "EUR"),
        ("1,499.00 usd", "USD"),
        ("$1,499.00", "USD"),
        ("1499,00£", "GBP"),
    ],
)
def test_a_price_has_the_currency_that_is_typed_else_the_usual_one(text: str, currency: str) -> None:
    price = typed_price(text, TODAY, "CNY")
    assert (price.amount, price.currency, price.as_of, price.kind) == (1499, currency, TODAY, "own")


def test_a_day_stands_behind_the_price() -> None:
    assert typed_price("1 499,50 EUR 2026-05-31", TODAY).as_of == date(2026, 5, 31)


@pytest.mark.parametrize(
    "text",
    [
        *("", "1499", "USD", "much USD", "5 dollars", "-1 USD", "0 USD", "inf USD", "1e308 USD"),
        *("1 USD soon", "1 USD 2026-13-01", "1 USD 2026-05-31 more", "1 2 USD EUR"),
    ],
)
def test_what_is_no_price_is_reported_in_a_sentence(text: str) -> None:
    with pytest.raises(BadInput, match=r"is not a price\. Write amount and currency"):
        typed_price(text, TODAY)


def test_a_rate_is_a_currency_what_it_is_worth_and_a_day() -> None:
    assert typed_rate(" usd", "0,92", "", TODAY) == ("USD", 0.92, TODAY)
    with pytest.raises(BadInput, match="is not a rate"):
        typed_rate("USD", "much", "", TODAY)
