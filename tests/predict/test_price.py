"""What a build costs: known and estimated prices together, and how many parts have neither."""

import json
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.money import PER_USD, RATES_OF
from core.parts.part import Part, Price
from core.parts.price_guide import PriceGuide
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.price import price_of
from core.words.units import span
from tests.rules.machines import good_build, part, with_line

SEEN = date(2026, 5, 20)


def priced(name: str, amount: float, currency: str = "USD", day: date = date(2025, 1, 1)) -> Part:
    return part(name).model_copy(update={"price": Price(amount=amount, currency=currency, as_of=day, kind="own")})


def guide(*amounts: float) -> PriceGuide:
    """What so many cards cost that are like the one of the good build."""
    card = part("gpu")
    cards = [card.model_copy(update={"id": f"like-{number}"}) for number in range(len(amounts))]
    prices = [Price(amount=amount, currency="USD", as_of=date(2024, 5, 1), kind="street") for amount in amounts]
    return PriceGuide({Category.GPU: tuple(zip(cards, prices, strict=True))})


def test_prices_of_several_currencies_are_one_sum_in_that_of_most_parts() -> None:
    build = with_line(with_line(good_build(), priced("gpu", 1000)), priced("cpu", 1000, "EUR"))
    price = price_of(build)
    (total,) = price.totals
    euro = PER_USD["USD"] / PER_USD["EUR"]
    assert (total.currency, total.amount, total.parts) == ("USD", pytest.approx(4000 + 1000 * euro), 5)
    assert price.basis[-1] == f"1 EUR is {euro:g} USD, as of {RATES_OF}."


def test_what_no_rate_is_known_for_is_summed_apart_and_parts_without_a_price_are_counted() -> None:
    build = with_line(with_line(good_build(), priced("gpu", 1000)), priced("cpu", 1000, "VND"))
    price = price_of(build)
    assert [(row.currency, row.amount, row.parts) for row in price.totals] == [("USD", 4000, 4), ("VND", 1000, 1)]
    assert price.unpriced == 8 + 5
    assert "ram" in price.unpriced_ids and "gpu" not in price.unpriced_ids
    assert price.words == "4000 USD + 1000 VND plus 13 parts without a price"
    assert price.basis[-1] == "VND is kept separate: no rate is set for it."


def test_estimates_widen_the_total_and_are_counted_apart() -> None:
    build = with_line(good_build(), priced("cpu", 500, day=date(2023, 3, 9)))
    price = price_of(build, guide(1000, 1500, 1200))
    (total,) = price.totals
    assert (total.amount, total.parts, total.estimated) == (500, 1, 4)
    assert total.low <= 4 * 1000 and total.high >= 4 * 1500
    low, high = total.range
    share = round(100 * (low + high - 1000) / (low + high))
    assert total.estimated_share == pytest.approx(1 - 1000 / (low + high))
    assert price.words == f"{span(low, high, 'USD')}, {share} % estimated, plus 13 parts without a price"
    assert "gpu" not in price.unpriced_ids and not price.all_priced
    assert price.dated == f"The oldest price is of 2023-03 ({part('cpu').title}); over a year old: 1 of 1."


def test_an_old_price_of_shops_is_estimated_and_named_as_the_oldest() -> None:
    card = part("psu").model_copy(
        update={"price": Price(amount=200, currency="USD", as_of=date(2025, 3, 9), kind="street")}
    )
    build = with_line(with_line(Build(), card), priced("cpu", 300, day=date(2026, 5, 1)))
    price = price_of(build, PriceGuide(today=SEEN))
    (total,) = price.totals
    assert (total.parts, total.amount, total.estimated) == (1, 300, 1)
    assert price.dated == f"The oldest price is of 2025-03 ({card.title}); over a year old: 1 of 2."
    document = price.as_dict()
    assert document["estimates"]["psu"]["basis"] == "own_price"
    assert document["totals"][0]["estimated"]["share"] == pytest.approx(total.estimated_share, abs=0.001)


def test_a_total_of_fresh_prices_says_their_months() -> None:
    build = with_line(with_line(good_build(), priced("gpu", 900, day=date(2026, 3, 9))), priced("cpu", 500, day=SEEN))
    price = price_of(build, PriceGuide(today=SEEN))
    assert (price.dated, price.aged) == (f"The oldest price is of 2026-03 ({part('gpu').title}).", 0)


@pytest.mark.parametrize(
    ("kind", "ended", "counts"),
    [
        ("launch", 2024, False),
        ("list", 2026, False),
        ("launch", None, True),
        ("launch", 2027, True),
        ("own", 2024, True),
    ],
)
def test_what_a_maker_asked_for_a_part_no_longer_sold_is_named_and_not_counted(
    kind: str, ended: int | None, counts: bool
) -> None:
    card = part("gpu", discontinued=ended)
    maker_price = Price(amount=1499, currency="USD", as_of=date(2022, 9, 24), kind=kind)
    build = with_line(good_build(), card.model_copy(update={"price": maker_price}))
    price = price_of(build, PriceGuide(today=SEEN))
    document = price.as_dict()
    assert ("gpu" in document["unpriced_ids"], list(document["not_counted"])) == (not counts, [] if counts else ["gpu"])
    assert sum(row.amount for row in price.totals) == (4 * 1499 if kind == "own" else 0)
    assert sum(row.estimated for row in price.totals) == (4 if counts and kind == "launch" else 0)
    assert any(f"(1499 USD, {kind}, 2022-09-24)" in words for words in price.basis) is not counts


def test_a_build_is_summed_in_the_currency_that_is_asked_for() -> None:
    build = with_line(with_line(good_build(), priced("gpu", 1000)), priced("cpu", 1000, "VND"))
    euro = PER_USD["EUR"]
    totals = price_of(build, into="EUR").totals
    assert [(row.currency, row.amount) for row in totals] == [("EUR", pytest.approx(4000 * euro)), ("VND", 1000)]
    assert price_of(Build(), into="EUR").totals == ()


def test_the_total_becomes_json() -> None:
    document = json.loads(json.dumps(price_of(good_build(), guide(1000, 1500, 1200)).as_dict()))
    assert document["totals"][0]["estimated"]["parts"] == 4
    assert document["estimates"]["gpu"]["similar_parts"] == 3
    assert document["unpriced"] == 14


def test_an_empty_build_costs_nothing_known() -> None:
    price = price_of(Build())
    assert price.words == "unknown" and price.dated == "" and price.all_priced


@given(amounts=st.lists(st.floats(1, 1e6), min_size=3, max_size=30), number=st.integers(1, 8))
def test_a_total_lies_between_its_ends_and_counts_every_part(amounts: list[float], number: int) -> None:
    build = good_build()
    lines = tuple(replace(line, quantity=number, slots=()) if line.part.id == "gpu" else line for line in build.lines)
    build = build.with_lines(lines)
    price = price_of(build, guide(*amounts))
    assert all(row.amount <= row.range[0] <= row.range[1] for row in price.totals)
    counted = sum(row.parts + row.estimated for row in price.totals) + price.unpriced
    assert counted == sum(line.quantity for line in build.lines)
