"""The published indices: what a file of them must hold, and what brings a price to today."""

from datetime import date
from pathlib import Path

import pytest

from core.parts.part import Part, Price
from core.parts.price_ageing import WIDEST, amount_today, carried
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_index import INDEX_FILE, PriceIndex, index_of, read_indices, shipped_indices
from core.parts.price_today import price_today
from core.parts.specs import RamSpec
from core.parts.vocabulary import Category, RamType
from core.platform.errors import BadInput
from tests.rules.machines import part
from tests.shipped import every_part

TODAY = date(2026, 11, 29)
GOOD = """
[[source]]
id = "a-list"
title = "A list"
url = "https://example.org/list"
[[index]]
name = "PSUs"
category = "psu"
spread = 0.3
sources = ["a-list"]
points = [["2025-07", 100], ["2025-08", 110], ["2026-01", 121]]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "index.toml"
    path.write_text(text, encoding="utf-8")
    return path


def psus(folder: Path) -> PriceIndex:
    (index,) = read_indices(written(folder, GOOD))[Category.PSU]
    return index


def priced(amount: float, day: date, kind: str = "street", name: str = "psu", discontinued: int | None = None) -> Part:
    price = Price(amount=amount, currency="USD", as_of=day, kind=kind)
    return part(name, discontinued=discontinued).model_copy(update={"price": price})


@pytest.mark.parametrize(
    ("day", "level"),
    [
        (date(2025, 6, 30), None),
        (date(2025, 7, 1), 100),
        (date(2025, 7, 15), 100),
        (date(2025, 8, 15), 110),
        (date(2026, 1, 15), 121),
        (date(2027, 5, 1), 121),
    ],
)
def test_a_level_is_known_from_the_first_month_on_and_the_last_holds(
    tmp_path: Path, day: date, level: float | None
) -> None:
    assert psus(tmp_path).level(day) == level


def test_between_two_months_it_moves_evenly(tmp_path: Path) -> None:
    half = psus(tmp_path).level(date(2025, 7, 31))
    assert half is not None and half**2 == pytest.approx(100 * 110, rel=0.01)


def test_every_fault_of_a_file_is_reported_at_once(tmp_path: Path) -> None:
    text = GOOD.replace('sources = ["a-list"]', 'where = { colour = ["red"] }\nsources = ["b-list"]')
    text = text.replace('["2025-08", 110]', '["2025-07", 110]')
    with pytest.raises(BadInput) as caught:
        read_indices(written(tmp_path, text))
    lines = str(caught.value).splitlines()
    assert [line.partition(", ")[2] for line in lines] == [
        "index 'PSUs': no [[source]] has the id 'b-list'.",
        "index 'PSUs': psu has no figure 'colour'.",
        "index 'PSUs': 2025-07 follows 2025-07. One point a month, in order.",
        "source 'a-list': no index names it.",
    ]


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        (GOOD.replace("spread = 0.3", "spread = 3"), "index.0.spread"),
        (GOOD.replace('"2025-08"', '"2025-13"'), "index.0.points.1.0"),
        (GOOD.replace("https://", "ftp://"), "source.0.url"),
        (GOOD.replace('category = "psu"', 'category = "toaster"'), "index.0.category"),
    ],
)
def test_a_fault_of_form_names_its_place(tmp_path: Path, wrong: str, place: str) -> None:
    with pytest.raises(BadInput, match=place):
        read_indices(written(tmp_path, wrong))


def test_what_is_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not valid TOML"):
        read_indices(written(tmp_path, "[[index"))


def test_the_shipped_file_is_whole_and_reaches_into_2026() -> None:
    indices = [index for rows in read_indices(INDEX_FILE).values() for index in rows]
    assert len(indices) > 20
    assert [index.name for index in indices if index.until < date(2026, 6, 1)] == []


def test_every_part_that_shops_price_has_an_index_of_its_class() -> None:
    lacking = {
        one.category
        for one in every_part()
        if one.price and one.price.kind == "street" and index_of(one, shipped_indices()) is None
    }
    assert lacking <= {Category.CARRIER, Category.GPU, Category.RISER, Category.CABLE, Category.SYSTEM}


def test_memory_and_graphics_cards_rose_and_power_supplies_did_not() -> None:
    july, now = date(2025, 7, 15), date(2026, 8, 15)

    def rose(category: Category, name: str) -> float:
        (index,) = (one for one in shipped_indices()[category] if one.name == name)
        before, after = index.level(july), index.level(now)
        assert before and after
        return after / before

    assert rose(Category.RAM, "DDR5 modules") > 4
    assert rose(Category.GPU, "GeForce RTX 5090") > 1.4
    assert 0.7 < rose(Category.PSU, "PSUs") < 1


def test_a_recent_price_of_shops_counts_as_it_is() -> None:
    fresh = priced(200, date(2026, 6, 12))
    assert price_today(fresh, TODAY) == fresh.price and carried(fresh, TODAY) is None


def test_an_old_price_of_shops_is_brought_to_today() -> None:
    estimate = amount_today(priced(200, date(2025, 7, 23)), TODAY)
    assert isinstance(estimate, Estimate)
    assert (estimate.basis, estimate.since, estimate.currency) == (Basis.OWN_PRICE, date(2025, 7, 23), "USD")
    assert estimate.amount == pytest.approx(200 * 0.88, rel=0.05)
    assert "200 USD, street, 2025-07-23" in estimate.words and "prices of PSUs moved until 2026-06" in estimate.words
    assert estimate.as_dict()["index"]["name"] == "PSUs" and estimate.as_dict()["price"]["amount"] == 200


def test_a_price_of_this_year_does_not_count_where_its_class_has_moved_since() -> None:
    kit = next(one for one in every_part() if isinstance(one.spec, RamSpec) and one.spec.ram_type is RamType.DDR5)
    price = Price(amount=300, currency="USD", as_of=date(2025, 12, 20), kind="street")
    kit = kit.model_copy(update={"price": price})
    assert price_today(kit, TODAY) is None
    estimate = carried(kit, TODAY)
    assert estimate is not None and estimate.amount > 1.2 * 300


def test_a_range_widens_with_age_to_a_limit() -> None:
    shares = [
        estimate.share
        for year in (2025, 2024, 2023)
        if (estimate := carried(priced(200, date(year, 8, 1), name="motherboard"), TODAY))
    ]
    assert len(shares) == 3 and shares == sorted(shares) and shares[0] < shares[1] and shares[-1] <= WIDEST


def test_the_users_own_price_counts_at_any_age() -> None:
    own = priced(200, date(2019, 1, 1), "own")
    assert price_today(own, TODAY) == own.price


def test_a_price_from_before_the_index_says_nothing() -> None:
    assert amount_today(priced(200, date(2017, 12, 7)), TODAY) is None


@pytest.mark.parametrize(("year", "ended", "is_range"), [(2024, None, True), (2019, None, False), (2024, 2026, False)])
def test_a_makers_price_is_a_range_while_the_part_is_sold(year: int, ended: int | None, is_range: bool) -> None:
    estimate = amount_today(priced(500, date(year, 8, 15), "launch", "cpu", ended), TODAY)
    assert (estimate is not None) is is_range
    assert not isinstance(estimate, Price)
