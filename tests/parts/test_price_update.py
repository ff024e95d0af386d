"""An update of prices: what it changes, what it leaves, and the way back."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.parts.catalogue import Catalogue
from core.parts.own import correction
from core.parts.part import Condition, Origin, Part, Price
from core.parts.price_guide import PriceGuide
from core.parts.price_import import (
    Outcome,
    PriceUpdate,
    factor_words,
    price_source,
    take_chosen,
    take_prices,
    update_words,
)
from core.parts.price_list import Doubt, ListTerms, write_aside

TODAY = date(2026, 11, 21)
CARD = "asus-turbo-3090"
"""Shipped at 1600 USD of 2020-10-01, at launch."""
SOURCE = price_source("A shop", None)


def update(catalogue: Catalogue, path: Path, rows: str, *, kind: str = "street") -> PriceUpdate:
    path.write_text(f"id,price,currency,date,condition,name\n{rows}", "utf-8")
    return take_prices(catalogue, path, ListTerms(TODAY, "USD", kind, SOURCE if kind != "own" else None))


def outcomes(done: PriceUpdate) -> list[Outcome]:
    return [change.outcome for change in done.changes]


def amount(catalogue: Catalogue, part_id: str = CARD) -> float | None:
    price = catalogue.require(part_id).price
    return price and price.amount


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    return tmp_path / "list.csv"


def test_new_changed_unchanged_and_older_prices_are_told_apart(catalogue: Catalogue, listed: Path) -> None:
    rows = f"{CARD},1400,USD,2026-11-01,,\ncorsair-ax1600i,500,USD,2026-11-01,,\n"
    assert outcomes(update(catalogue, listed, rows)) == [Outcome.NEW, Outcome.NEW], "what a maker asked is no price"
    assert outcomes(update(catalogue, listed, f"{CARD},1450,USD,2026-11-10,,\n")) == [Outcome.CHANGED]
    assert outcomes(update(catalogue, listed, f"{CARD},1400,USD,2026-11-11,,\n")) == [Outcome.CHANGED]
    assert outcomes(update(catalogue, listed, f"{CARD},1400,USD,2026-11-20,,\n")) == [Outcome.SAME]
    assert catalogue.require(CARD).price == Price(amount=1400, currency="USD", as_of=date(2026, 11, 20), kind="street")
    older = update(catalogue, listed, f"{CARD},1300,USD,2026-11-19,,\n")
    assert outcomes(older) == [Outcome.OLDER]
    assert (amount(catalogue), older.taken) == (1400, ())


def test_an_own_price_stays_until_another_own_one_comes(catalogue: Catalogue, listed: Path) -> None:
    own = Price(amount=999, currency="CNY", as_of=date(2026, 1, 1), kind="own")
    catalogue.correct({CARD: correction({}, price=own)})
    assert outcomes(update(catalogue, listed, f"{CARD},1400,USD,,,\n")) == [Outcome.OWN]
    assert catalogue.require(CARD).price == own
    assert outcomes(update(catalogue, listed, f"{CARD},950,USD,,,\n", kind="own")) == [Outcome.CHANGED]
    assert amount(catalogue) == 950


def test_a_price_ten_times_away_waits_for_a_person(catalogue: Catalogue, listed: Path) -> None:
    update(catalogue, listed, f"{CARD},1400,USD,,,\n")
    for cents in (140000, 14):
        done = update(catalogue, listed, f"{CARD},{cents},USD,,,\n")
        assert (outcomes(done), amount(catalogue)) == ([Outcome.DOUBTFUL], 1400)
        assert "Ten times" in done.changes[0].reason
    (change,) = done.changes
    take_chosen(catalogue, CARD, change.price, SOURCE)
    assert amount(catalogue) == 14


def test_prices_of_several_currencies_are_compared(catalogue: Catalogue, listed: Path) -> None:
    update(catalogue, listed, f"{CARD},1000,USD,2026-11-01,,\n")
    (change,) = update(catalogue, listed, f"{CARD},881.81,EUR,,,\n").changes
    assert change.times == pytest.approx(1.0, rel=1e-4)
    assert (change.outcome, factor_words(change.times)) == (Outcome.CHANGED, "±0 %")
    assert change.before == Price(amount=1000, currency="USD", as_of=date(2026, 11, 1), kind="street")


@pytest.mark.parametrize(
    ("first", "second", "stays"),
    [
        ("1000,USD,2026-11-01,new", "900,USD,2026-11-02,MSRP", 1000),
        ("900,USD,2026-11-01,MSRP", "1000,USD,2026-11-02,new", 1000),
        ("1000,USD,2026-11-01,new", "500,USD,2026-11-02,used", 1000),
        ("500,USD,2026-11-01,used", "1000,USD,2026-11-02,new", 1000),
        ("900,USD,2026-11-01,MSRP", "500,USD,2026-11-02,used", 900),
    ],
)
def test_a_price_that_counts_more_stays(
    catalogue: Catalogue, listed: Path, first: str, second: str, stays: float
) -> None:
    update(catalogue, listed, f"corsair-ax1600i,{first},\n")
    update(catalogue, listed, f"corsair-ax1600i,{second},\n")
    assert amount(catalogue, "corsair-ax1600i") == stays


PSU = "corsair-ax1600i"
NEW_ONE, USED_ONE = f"{PSU},500,USD,2026-11-20,new,\n", f"{PSU},300,USD,2026-11-20,used,\n"


@pytest.mark.parametrize(
    "rows", [(NEW_ONE + USED_ONE,), (USED_ONE + NEW_ONE,), (NEW_ONE, USED_ONE), (USED_ONE, NEW_ONE)]
)
def test_a_used_price_of_a_part_still_sold_is_kept_beside_the_new_one(
    catalogue: Catalogue, listed: Path, rows: tuple[str, ...]
) -> None:
    for row in rows:
        assert set(outcomes(update(catalogue, listed, row))) == {Outcome.NEW}
    part, guide = catalogue.require(PSU), PriceGuide(today=TODAY)
    prices = {condition: guide.price(part, condition) for condition in (Condition.NEW, Condition.USED)}
    assert {condition: price and price.amount for condition, price in prices.items()} == {"new": 500, "used": 300}
    assert guide.as_listed(part, Condition.USED) == part.used_price and not guide.counts_as_new(part)
    naming = {field: [source.title for source in part.sources_of(field)] for field in ("price", "used_price")}
    assert naming == {"price": ["A shop"], "used_price": ["A shop"]}


def test_a_used_price_is_updated_and_undone_like_a_new_one(catalogue: Catalogue, listed: Path) -> None:
    update(catalogue, listed, NEW_ONE)
    before = catalogue.require(PSU)
    update(catalogue, listed, USED_ONE)
    assert outcomes(update(catalogue, listed, f"{PSU},280,USD,2026-11-01,used,\n")) == [Outcome.OLDER]
    assert outcomes(update(catalogue, listed, f"{PSU},3,USD,2026-11-21,used,\n")) == [Outcome.DOUBTFUL]
    (change,) = update(catalogue, listed, f"{PSU},330,USD,2026-11-21,used,\n").changes
    assert (change.outcome, change.before and change.before.amount, change.times) == (Outcome.CHANGED, 300, 1.1)
    assert catalogue.undo_prices() == [PSU]
    used = catalogue.require(PSU).used_price
    assert used is not None and (used.amount, amount(catalogue, PSU)) == (300, 500)
    update(catalogue, listed, f"{PSU},510,USD,2026-11-21,new,\n{PSU},310,USD,2026-11-21,used,\n")
    assert catalogue.undo_prices() == [PSU]
    assert catalogue.require(PSU).used_price == used and catalogue.require(PSU).price == before.price


def test_a_used_price_stays_where_the_new_one_is_corrected(catalogue: Catalogue, listed: Path) -> None:
    update(catalogue, listed, USED_ONE)
    own = Price(amount=1, currency="USD", as_of=TODAY, kind="own")
    catalogue.correct({PSU: correction({"length_mm": 200}, price=own)})
    part = catalogue.require(PSU)
    assert part.used_price is not None and part.used_price.amount == 300
    price = PriceGuide(today=TODAY).price(part, Condition.USED)
    assert price is not None and price.amount == 1, "what the user entered goes first"


def test_what_a_part_no_longer_sold_fetches_used_is_its_price(catalogue: Catalogue, listed: Path) -> None:
    catalogue.correct({CARD: correction({"discontinued": 2022})})
    update(catalogue, listed, f"{CARD},900,USD,2026-11-20,used,\n")
    part = catalogue.require(CARD)
    assert (part.price and part.price.amount, part.used_price) == (900, None)


def test_undo_puts_back_what_there_was(catalogue: Catalogue, listed: Path, own_part: Callable[..., Part]) -> None:
    paid = Price(amount=5, currency="USD", as_of=date(2026, 1, 1), kind="street")
    catalogue.save_user_part(own_part("mine").model_copy(update={"price": paid}))
    catalogue.correct({"corsair-ax1600i": correction({"length_mm": 200}, title="My ruler")})
    before = {part.id: part for part in catalogue.parts()}
    update(catalogue, listed, f"{CARD},1400,USD,,,\ncorsair-ax1600i,500,USD,,,\nmine,6,USD,,,\n")
    assert (amount(catalogue, "mine"), catalogue.updated_prices()) == (6, 3)
    assert sorted(catalogue.undo_prices()) == [CARD, "corsair-ax1600i", "mine"]
    assert {part.id: part for part in catalogue.parts()} == before
    assert catalogue.require(CARD).origin is Origin.SHIPPED
    assert list(catalogue.corrections()) == ["corsair-ax1600i"]
    assert (catalogue.updated_prices(), catalogue.undo_prices()) == (0, [])


def test_undo_puts_back_the_prices_of_the_update_before(catalogue: Catalogue, listed: Path) -> None:
    update(catalogue, listed, f"{CARD},1400,USD,2026-11-01,,\n")
    update(catalogue, listed, f"{CARD},1300,USD,2026-11-02,,\n")
    catalogue.undo_prices()
    part = catalogue.require(CARD)
    assert part.price is not None and (part.price.amount, part.price.as_of) == (1400, date(2026, 11, 1))
    assert [source.title for source in part.sources if "price" in source.covered] == ["A shop"]


def test_undo_leaves_what_was_entered_since(catalogue: Catalogue, listed: Path) -> None:
    update(catalogue, listed, f"{CARD},1400,USD,,,\ncorsair-ax1600i,500,USD,,,\n")
    own = Price(amount=1, currency="USD", as_of=TODAY, kind="own")
    catalogue.correct({CARD: correction({"length_mm": 270}, price=own)})
    catalogue.correct({"corsair-ax1600i": correction({"length_mm": 200})})
    assert catalogue.undo_prices() == ["corsair-ax1600i"]
    assert (amount(catalogue), amount(catalogue, "corsair-ax1600i")) == (1, None)
    spec: Any = catalogue.require("corsair-ax1600i").spec
    assert spec.length_mm == 200


def test_an_update_that_changes_nothing_leaves_the_way_back(catalogue: Catalogue, listed: Path) -> None:
    update(catalogue, listed, f"{CARD},1400,USD,2026-11-01,,\n")
    update(catalogue, listed, f"{CARD},1400,USD,2026-11-01,,\nno-such-part,5,USD,,,\n")
    assert catalogue.updated_prices() == 1


def test_what_was_set_aside_is_a_list_again(catalogue: Catalogue, listed: Path, tmp_path: Path) -> None:
    done = update(catalogue, listed, ",1400,USD,2026-11-01,,ASUS RTX3090\n")
    (line,) = done.bad
    assert (line.doubt, [part.id for part in line.similar]) == (Doubt.SIMILAR, [CARD])
    write_aside(tmp_path / "aside.csv", done.bad)
    chosen = (tmp_path / "aside.csv").read_text("utf-8-sig").replace("\n,", f"\n{CARD},", 1)
    (tmp_path / "aside.csv").write_text(chosen, "utf-8")
    again = take_prices(catalogue, tmp_path / "aside.csv", ListTerms(TODAY, "", "street", SOURCE))
    assert outcomes(again) == [Outcome.NEW]
    assert catalogue.require(CARD).price == Price(amount=1400, currency="USD", as_of=date(2026, 11, 1), kind="street")


def test_the_words_name_what_there_is_any_of(catalogue: Catalogue, listed: Path) -> None:
    rows = f"{CARD},1400,USD,,,\ncorsair-ax1600i,500,USD,,,\n,5,USD,,,Nobody's card\n"
    assert update_words(update(catalogue, listed, rows)) == "Prices: 2 new. 1 line matches no part."
    assert update_words(PriceUpdate(())) == "No price was updated."
    assert [factor_words(times) for times in (None, 1.12, 0.9, 4.2, 0.1)] == ["", "+12 %", "−10 %", "× 4.2", "÷ 10.0"]


def test_json_has_every_outcome_and_every_doubt(catalogue: Catalogue, listed: Path) -> None:
    report = update(catalogue, listed, f"{CARD},1400,USD,2026-11-01,,\n,5,USD,,,Nobody's card\n").as_dict()
    assert set(report["counts"]) == {*Outcome, *Doubt}
    assert report["changes"][0]["before"]["amount"] == 1600
    assert report["changes"][0]["times"] == pytest.approx(0.875)
    assert report["bad"][0] | {"reason": ""} == {
        "place": "3", "number": 3, "doubt": "unmatched", "reason": "", "similar": [],
    }  # fmt: skip
