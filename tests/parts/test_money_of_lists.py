"""Lists are shown, sorted and limited by prices in the currency that is set, with VAT where that is set."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.money import COMPARED, FILE, PER_USD, ExchangeRate, MoneyTerms, write_terms
from core.parts.own import Correction
from core.parts.part import Price
from core.parts.price_guide import count_unpriced
from core.parts.query import Filter, Query
from core.parts.vocabulary import Category

EUR = PER_USD["EUR"]
DAY = date(2026, 11, 1)


def _part(number: int, amount: float, currency: str) -> str:
    price = f'price = {{ amount = {amount}, currency = "{currency}", as_of = 2026-10-01, kind = "street" }}'
    return f"""
[[part]]
id = "card-{number}"
maker = "Maker"
name = "Card {number}"
{price if amount else ""}
spec = {{ product = "Card {number}", memory_gb = 24, fp32_tflops = 10 }}
sources = [{{ title = "Maker's page", url = "https://example.org/{number}" }}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "shipped" / "gpu" / "cards.toml"
    path.parent.mkdir(parents=True)
    path.write_text(_part(1, 1000, "USD") + _part(2, 900, "EUR") + _part(3, 5000, "CNY") + _part(4, 0, "USD"))
    return tmp_path


def _open(folder: Path) -> Catalogue:
    return Catalogue(folder, shipped=folder / "shipped")


@pytest.fixture
def euros(folder: Path) -> Iterator[Catalogue]:
    write_terms(folder, MoneyTerms(currency="EUR"))
    with closing(_open(folder)) as opened:
        yield opened


def _shown(catalogue: Catalogue, query: Query) -> dict[str, float]:
    shown = {hit.id: hit.shown for hit in catalogue.find(query)}
    assert {price.currency for price in shown.values() if price} == {"EUR"}
    return {part_id: round(price.amount, 2) for part_id, price in shown.items() if price}


def test_prices_are_shown_in_the_set_currency_and_what_is_stored_stays_beside_it(euros: Catalogue) -> None:
    (first,) = [hit for hit in euros.find(Query(category=Category.GPU)) if hit.id == "card-1"]
    assert first.price == Price(amount=1000, currency="USD", as_of=date(2026, 10, 1), kind="street")
    assert first.shown and (first.shown.currency, first.shown.amount) == ("EUR", pytest.approx(1000 * EUR))


def test_the_order_and_the_figure_of_it_are_those_that_are_shown(euros: Catalogue) -> None:
    query = Query(category=Category.GPU, sort="price")
    shown = _shown(euros, query)
    assert list(shown.values()) == sorted(shown.values()) and list(shown)[-1] == "card-2"
    for hit in euros.find(query):
        assert hit.figure == (pytest.approx(hit.shown.amount) if hit.shown else None)
    per_tflops = euros.find(Query(category=Category.GPU, sort="price_per_tflops"))
    assert per_tflops[0].figure == pytest.approx(min(shown.values()) / 10, abs=0.01)


def test_a_limit_is_in_the_set_currency_and_what_has_no_price_is_counted(euros: Catalogue) -> None:
    query = Query(category=Category.GPU, filters=(Filter("price", high=890.0),))
    assert _shown(euros, query) == {"card-1": round(1000 * EUR, 2), "card-3": round(5000 / PER_USD["CNY"] * EUR, 2)}
    assert count_unpriced(euros, query) == 1
    facets = {facet.field: facet for facet in euros.facets(Query(category=Category.GPU))}
    assert facets["price"].high == 900
    assert "currency" not in facets, "all are in one"


def test_vat_and_the_users_rates_count_in_order_and_limits(folder: Path) -> None:
    rate = ExchangeRate(value=0.95, as_of=DAY)
    write_terms(folder, MoneyTerms(currency="EUR", rates={"USD": rate}, vat_pct=20, with_vat=True))
    with closing(_open(folder)) as catalogue:
        shown = _shown(catalogue, Query(category=Category.GPU, sort="price"))
        assert shown["card-1"] == 1140 and shown["card-2"] == 900, "a price in dollars is without VAT"
        assert list(shown)[-1] == "card-1"
        assert "card-1" not in _shown(catalogue, Query(category=Category.GPU, filters=(Filter("price", high=1100.0),)))


def test_another_currency_is_followed_by_every_connection_and_there_and_back_changes_nothing(folder: Path) -> None:
    with closing(_open(folder)) as one, closing(_open(folder)) as other:
        query = Query(category=Category.GPU, sort="price")
        before = [(hit.id, hit.figure) for hit in one.find(query)]
        assert one.money == COMPARED
        write_terms(folder, MoneyTerms(currency="CNY"))
        one.follow_money()
        assert {hit.shown.currency for hit in other.find(query) if hit.shown} == {"CNY"}
        write_terms(folder, MoneyTerms(currency="USD"))
        other.follow_money()
        after = [(hit.id, hit.figure) for hit in one.find(query)]
        assert [part_id for part_id, _ in after] == [part_id for part_id, _ in before]
        assert [figure for _, figure in after if figure] == pytest.approx([figure for _, figure in before if figure])


def test_a_price_of_ones_own_is_filed_in_the_set_currency_too(euros: Catalogue) -> None:
    own = Price(amount=100, currency="USD", as_of=DAY, kind="own")
    euros.correct({"card-2": Correction(price=own)})
    assert next(iter(_shown(euros, Query(category=Category.GPU, sort="price")).items())) == (
        "card-2",
        round(100 * EUR, 2),
    )


def test_without_a_currency_lists_are_in_order_of_dollars(folder: Path) -> None:
    write_terms(folder, MoneyTerms(currency=None))
    with closing(_open(folder)) as catalogue:
        ordered = catalogue.find(Query(category=Category.GPU, sort="price"))
        assert {hit.shown.currency for hit in ordered if hit.shown} == {"USD"}
        listed = catalogue.find(Query(category=Category.GPU))
        assert {hit.shown.currency for hit in listed if hit.shown} == {"USD", "EUR", "CNY"}


def test_terms_that_cannot_be_read_leave_lists_as_they_were(folder: Path) -> None:
    (folder / FILE).write_text("{")
    with closing(_open(folder)) as catalogue:
        assert catalogue.money == COMPARED
