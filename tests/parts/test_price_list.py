"""Price lists: out to a spreadsheet, in from a shop."""

import csv
import errno
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.parts.catalogue import Catalogue
from core.parts.identity import Exact, Similar
from core.parts.own import correction
from core.parts.part import Origin, Price
from core.parts.price_import import price_source, take_prices
from core.parts.price_list import ListTerms, read_price_lists, write_aside, write_price_list
from core.parts.price_match import part_of_row
from core.parts.price_table import PriceRow
from core.parts.vocabulary import Category
from core.platform.errors import BadInput

TODAY = date(2026, 11, 21)


def read(catalogue: Catalogue, path: Path, text: str) -> tuple[list[tuple[str, float, str, str]], dict[int, str]]:
    path.write_text(text, encoding="utf-8")
    lists = read_price_lists(path, catalogue.identities(), ListTerms(TODAY))
    rows = [(row.part_id, row.price.amount, row.price.currency, row.price.as_of.isoformat()) for row in lists.priced]
    return rows, {line.number: line.reason for line in lists.bad}


def test_a_list_goes_out_and_comes_back(catalogue: Catalogue, tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    assert write_price_list(path, catalogue.parts()) == 3
    lists = read_price_lists(path, catalogue.identities(), ListTerms(TODAY))
    assert [(row.part_id, row.price.amount, row.price.as_of) for row in lists.priced] == [
        ("asus-turbo-3090", 1600, date(2020, 10, 1))
    ]
    assert lists.bad == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id,amount,currency\rasus-turbo-3090,1499,usd\r", ("asus-turbo-3090", 1499, "USD", "2026-11-21")),
        ("id,amount,currency\nasus-turbo-3090,1499,usd\n", ("asus-turbo-3090", 1499, "USD", "2026-11-21")),
        (
            "part_number;amount;currency;date\n90YV0F94-M0NM00;1.499,50;EUR;2026-05-31\n",
            ("asus-turbo-3090", 1499.5, "EUR", "2026-05-31"),
        ),
        (
            "\ufeffAmount\tCurrency\tID\r\n1 499\tCNY\tasus-turbo-3090\r\n",
            ("asus-turbo-3090", 1499, "CNY", "2026-11-21"),
        ),
        ('id,amount,currency\nasus-turbo-3090,"1,499.50",USD\n', ("asus-turbo-3090", 1499.5, "USD", "2026-11-21")),
        ('part_number,amount,currency\n90yv0f94-m0nm00,"12,50",EUR\n', ("asus-turbo-3090", 12.5, "EUR", "2026-11-21")),
    ],
)
def test_lists_of_many_countries_are_read(catalogue: Catalogue, tmp_path: Path, text: str, expected: Any) -> None:
    rows, bad = read(catalogue, tmp_path / "p.csv", text)
    assert (rows, bad) == ([expected], {})


def test_bad_lines_are_reported_and_the_good_ones_taken(catalogue: Catalogue, tmp_path: Path) -> None:
    rows, bad = read(
        catalogue,
        tmp_path / "p.csv",
        "id,part_number,amount,currency,date\n"
        "asus-turbo-3090,,1499,USD,\n"
        "nobody,,1,USD,\n"
        "corsair-ax1600i,,much,USD,\n"
        "corsair-ax1600i,,5,DOLLARS,\n"
        "corsair-ax1600i,,-5,USD,\n"
        "corsair-ax1600i,,5,USD,yesterday\n"
        "corsair-ax1600i,,,,\n"
        ",,5,USD,\n"
        "short\n",
    )
    assert [row[0] for row in rows] == ["asus-turbo-3090"]
    assert list(bad) == [3, 4, 5, 6, 7, 9]
    assert bad[3] == "no part matches nobody"
    assert bad[4] == "much USD is not a price with currency and date"


@pytest.mark.parametrize(
    ("row", "usual", "expected"),
    [
        ("499,used", "street", (499, "used")),
        ("499,Gebraucht", "street", (499, "used")),
        ("499,new", "used", (499, "street")),
        ("499,", "used", (499, "used")),
        ("499,", "street", (499, "street")),
        ("499,used", "own", (499, "own")),
    ],
)
def test_a_row_says_whether_it_is_of_a_used_part(
    catalogue: Catalogue, tmp_path: Path, row: str, usual: str, expected: tuple[float, str]
) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"id,currency,amount,condition\nasus-turbo-3090,USD,{row}\n")
    lists = read_price_lists(path, catalogue.identities(), ListTerms(TODAY, kind=usual))
    (priced,) = lists.priced
    assert (priced.price.amount, priced.price.kind, lists.bad) == (*expected, ())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "first line must name"),
        (b"name,price\nx,1\n", "which currency"),
        (b"price,currency\n1,USD\n", "first line must name"),
        (b"[1, 2]", "no list of rows"),
        (b"[{", "not readable JSON"),
        (b"\xff\xfe\x00", "first line must name"),
        (b'id,amount,currency\n"' + b"x" * 300_000, "field larger|no part|line"),
    ],
)
def test_what_is_no_list_is_reported(catalogue: Catalogue, tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "p.csv").write_bytes(content)
    with pytest.raises(BadInput, match=sentence):
        read_price_lists(tmp_path / "p.csv", catalogue.identities(), ListTerms(TODAY))


@pytest.mark.parametrize("amount", [1499.5, 12345.67, 1234567.0, 9_876_543_210.25])
def test_no_digit_of_a_price_is_lost(catalogue: Catalogue, tmp_path: Path, amount: float) -> None:
    cost = Price(amount=amount, currency="JPY", as_of=TODAY, kind="own")
    catalogue.correct({"asus-turbo-3090": correction({}, price=cost)})
    write_price_list(tmp_path / "p.csv", catalogue.parts())
    lists = read_price_lists(tmp_path / "p.csv", catalogue.identities(), ListTerms(TODAY))
    assert [row.price.amount for row in lists.priced] == [amount]


def test_a_list_that_cannot_be_written_leaves_the_old_one(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("old")
    monkeypatch.setattr("os.fsync", _no_space)
    with pytest.raises(BadInput, match="cannot be written: the disk is full"):
        write_price_list(path, catalogue.parts())
    assert path.read_text() == "old"


def _no_space(number: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_name_cannot_become_a_formula(catalogue: Catalogue, own_part: Any, tmp_path: Path) -> None:
    catalogue.save_user_part(own_part("own", maker="=HYPERLINK(evil)", name="+1 Card"))
    write_price_list(tmp_path / "p.csv", catalogue.parts())
    with (tmp_path / "p.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'=HYPERLINK(evil)" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def named(catalogue: Catalogue, **row: str) -> tuple[str, ...]:
    match part_of_row(PriceRow(1, **row), catalogue.identities()):
        case Exact(part):
            return (part.id,)
        case Similar(parts):
            return tuple(part.id for part in parts)
    return ()


def test_a_part_number_that_two_parts_share_names_both(catalogue: Catalogue, own_part: Any) -> None:
    for name in ("one", "two"):
        catalogue.save_user_part(own_part(f"own-{name}", name=name).model_copy(update={"part_numbers": ("SAME-1",)}))
    assert sorted(named(catalogue, part_number="SAME-1")) == ["own-one", "own-two"]
    assert named(catalogue, id="own-one", part_number="SAME-1") == ("own-one",)
    assert named(catalogue, part_number="90YV0F94 m0nm00") == ("asus-turbo-3090",)
    assert named(catalogue, part_number='"*') == ()


def test_a_part_is_found_by_maker_and_name_however_they_are_spaced(catalogue: Catalogue) -> None:
    part = catalogue.require("asus-turbo-3090")
    assert named(catalogue, maker=part.maker.upper(), name=part.name.replace(" ", "  ")) == (part.id,)
    assert named(catalogue, name=f"{part.maker}-{part.name}") == (part.id,)
    assert named(catalogue, maker=part.maker, name=part.name.replace("3090", "3080")) == ()
    assert named(catalogue, maker="MSI", name=part.name) == ()


def test_a_number_of_a_shipped_part_that_a_data_set_lists_too_means_the_shipped_one(catalogue: Catalogue) -> None:
    shipped = catalogue.require("asus-turbo-3090")
    twins = [shipped.model_copy(update={"id": f"opendb-{name}", "origin": Origin.IMPORTED}) for name in ("a", "b")]
    catalogue.replace_imported_parts(Category.GPU, twins)
    assert named(catalogue, part_number=shipped.part_numbers[0]) == (shipped.id,)


DATA_SET = """{"source": "A shop", "products": [
    {"Manufacturer": "Nobody", "Product Name": "Nothing", "price": {"amount": 5, "currency": "USD"}},
    {"MPN": "90YV0F94-M0NM00", "price": {"amount": 1499.999, "currency": "usd"}, "updated": "2026-10-02T08:00:00Z"},
    {"MPN": "90YV0F94-M0NM00", "price": {"amount": 900, "currency": "usd"}, "updated": "2026-10-02"},
    {"MPN": "90YV0F94-M0NM00", "price": {"amount": 700, "currency": "usd"}, "updated": "2026-10-01"},
    {"MPN": "x", "price": null}
]}"""


def test_a_json_data_set_is_read_by_the_usual_names_and_its_other_rows_are_kept_aside(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    (tmp_path / "set.json").write_text(DATA_SET)
    terms = ListTerms(TODAY, kind="street", source=price_source("A shop", "https://example.org/prices"))
    taken = take_prices(catalogue, tmp_path / "set.json", terms)
    price = catalogue.require("asus-turbo-3090").price
    assert price == Price(amount=900, low=900, high=1499.999, currency="USD", as_of=date(2026, 10, 2), kind="street")
    assert [(line.number, line.reason) for line in taken.bad] == [(1, "no part matches Nobody Nothing")]
    write_aside(tmp_path / "aside.csv", taken.bad)
    assert ",1,,Nobody,Nothing,,5,USD,2026-11-21,no part matches Nobody Nothing" in (tmp_path / "aside.csv").read_text(
        "utf-8-sig"
    )


def test_a_price_of_a_data_set_replaces_the_source_of_the_one_before_and_confirms_nothing(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    (tmp_path / "p.csv").write_text('mpn,price_eur\n90YV0F94-M0NM00,"1.299,00 €"\n')
    take_prices(catalogue, tmp_path / "p.csv", ListTerms(TODAY, kind="street", source=price_source("A set", None)))
    part = catalogue.require("asus-turbo-3090")
    assert part.price is not None and (part.price.amount, part.price.currency) == (1299, "EUR")
    assert [source.title for source in part.sources if "price" in source.covered] == ["A set"]
