"""An update of prices: what it changes, what it leaves, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.parts.catalogue import Catalogue
from core.parts.own import correction
from core.parts.part import Origin, Part, Price
from core.parts.price_import import Outcome, PriceUpdate, price_source, take_chosen, take_prices
from core.parts.price_list import Doubt, ListTerms, write_aside
from core.parts.price_words import factor_words, update_words

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
    own = Price(amount=999, currency="USD", as_of=date(2026, 1, 1), kind="own")
    catalogue.correct({CARD: correction({}, price=own)})
    assert outcomes(update(catalogue, listed, f"{CARD},1400,USD,,,\n")) == [Outcome.OWN]
    assert amount(catalogue) == 999
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


def test_of_a_new_and_a_used_price_of_one_list_a_part_has_one(catalogue: Catalogue, listed: Path) -> None:
    for order in ((0, 1), (1, 0)):
        rows = ("corsair-ax1600i,500,USD,2026-11-20,new,\n", "corsair-ax1600i,300,USD,2026-11-20,used,\n")
        done = update(catalogue, listed, rows[order[0]] + rows[order[1]])
        assert {change.price.kind: change.outcome.taken for change in done.changes} == {"street": True, "used": False}
        assert amount(catalogue, "corsair-ax1600i") == 500
        catalogue.undo_prices()


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
    told = update(catalogue, listed, f"{CARD},1400,USD,2026-11-01,,\n,5,USD,,,Nobody's card\n").as_dict()
    assert set(told["counts"]) == {*Outcome, *Doubt}
    assert told["changes"][0]["before"]["amount"] == 1600
    assert told["changes"][0]["times"] == pytest.approx(0.875)
    assert told["bad"][0] | {"reason": ""} == {
        "place": "3", "number": 3, "doubt": "unmatched", "reason": "", "similar": [],
    }  # fmt: skip
