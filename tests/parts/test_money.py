"""How prices are shown: one currency with rates of the user's, with or without VAT."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.money import AS_THEY_ARE, FILE, PER_USD, RATES_OF, MoneyTerms, checked_terms, read_terms, write_terms
from core.parts.part import Price
from core.platform.errors import BadInput
from tests.shipped import every_part

DAY = date(2026, 11, 20)


def price(amount: float, currency: str, kind: str = "street") -> Price:
    return Price(amount=amount, currency=currency, as_of=date(2025, 1, 1), kind=kind)


def terms(**more: Any) -> MoneyTerms:
    vat = {"vat_pct": 0.0, "with_vat": False} | more
    return checked_terms("eur", [("usd", 0.9, DAY)], vat["vat_pct"], with_vat=vat["with_vat"])


def test_a_price_is_converted_at_the_rate_and_the_note_names_its_day() -> None:
    assert terms().shown(price(1000, "USD")) == price(900, "EUR")
    assert terms().notes([price(1000, "USD")]) == ("1 USD is 0.9 EUR, as of 2026-11-20.",)


def test_a_currency_without_any_rate_stays_apart_and_says_so() -> None:
    assert terms().shown(price(1000, "VND")) == price(1000, "VND")
    assert terms().notes([price(1000, "VND"), price(1, "EUR")]) == ("VND is kept separate: no rate is set for it.",)


def test_who_sets_no_rate_gets_those_that_come_with_the_program_and_reads_of_which_day() -> None:
    yen = terms().shown(price(100_000, "JPY"))
    assert (yen.currency, yen.amount) == ("EUR", pytest.approx(100_000 / PER_USD["JPY"] * PER_USD["EUR"]))
    (note,) = terms().notes([price(1, "JPY")])
    assert note.startswith("1 JPY is 0.0056") and note.endswith(f"EUR, as of {RATES_OF}.")
    assert terms().words.endswith(f"Currencies without one: at the rates of {RATES_OF}.")


def test_each_price_stays_in_its_own_currency_where_none_is_set() -> None:
    assert AS_THEY_ARE.shown(price(1000, "JPY")) == price(1000, "JPY")
    assert AS_THEY_ARE.notes([price(1000, "USD"), price(1, "EUR")]) == ()


def test_a_total_names_the_rate_at_which_other_currencies_were_added_to_it() -> None:
    (note,) = AS_THEY_ARE.notes([price(1000, "USD"), price(1, "EUR")], "USD")
    assert note.startswith("1 EUR is 1.13403 USD") and note.endswith(f"as of {RATES_OF}.")


def test_every_currency_of_the_shipped_prices_has_a_rate() -> None:
    used = {part.price.currency for part in every_part() if part.price}
    assert used <= set(PER_USD)


@pytest.mark.parametrize(
    ("listed", "with_vat", "amount"),
    [
        (price(1000, "USD"), True, 900 * 1.2),
        (price(1000, "USD"), False, 900),
        (price(1200, "EUR"), True, 1200),
        (price(1200, "EUR"), False, 1000),
        (price(1200, "EUR", "own"), False, 1200),
        (price(1000, "USD", "own"), True, 900),
    ],
)
def test_vat_is_added_to_untaxed_prices_and_taken_off_others_but_never_changes_own_ones(
    listed: Price, with_vat: bool, amount: float
) -> None:
    assert terms(vat_pct=20, with_vat=with_vat).shown(listed).amount == pytest.approx(amount)


def test_the_note_says_what_was_done_about_vat() -> None:
    with_it = terms(vat_pct=19, with_vat=True)
    assert with_it.notes([price(1, "EUR")]) == ("With 19 % VAT.",)
    assert with_it.notes([price(1, "USD")])[1] == "With 19 % VAT, added to prices that exclude it."


@given(
    currency=st.sampled_from([None, "EUR", "CNY"]),
    rate=st.floats(1e-6, 1e6),
    vat=st.floats(0, 50),
    with_vat=st.booleans(),
)
def test_what_is_set_is_kept(
    tmp_path_factory: pytest.TempPathFactory, currency: str | None, rate: float, vat: float, with_vat: bool
) -> None:
    folder = tmp_path_factory.mktemp("money")
    made = checked_terms(currency, [("USD", rate, DAY)], vat, with_vat=with_vat)
    write_terms(folder, made)
    assert read_terms(folder) == made


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"currency": "Euro"}', '{"vat_pct": 900}', '{"rates": {"USD": 1}}']
)
def test_a_file_that_is_none_is_reported_in_a_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    with pytest.raises(BadInput, match="does not say how prices are shown"):
        read_terms(tmp_path)


def test_what_is_typed_wrong_is_reported() -> None:
    with pytest.raises(BadInput, match="three letters"):
        checked_terms("Euro", [], 0, with_vat=False)
    with pytest.raises(BadInput, match="rate more than 0"):
        checked_terms("EUR", [("USD", -1, DAY)], 0, with_vat=False)
