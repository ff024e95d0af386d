"""Price lists: out to a spreadsheet, in from a shop."""

from __future__ import annotations

import csv
import errno
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInput
from core.parts.catalogue import Catalogue
from core.parts.own import correction
from core.parts.part import Origin, Price
from core.parts.price_list import read_price_list, write_price_list
from core.parts.vocabulary import Category

TODAY = date(2026, 11, 21)


def read(catalogue: Catalogue, path: Path, text: str) -> tuple[list[tuple[str, float, str, str]], dict[int, str]]:
    path.write_text(text, encoding="utf-8")
    priced, bad = read_price_list(path, catalogue.id_of, TODAY)
    rows = [(row.part_id, row.price.amount, row.price.currency, row.price.as_of.isoformat()) for row in priced]
    return rows, {line.number: line.reason for line in bad}


def test_a_list_goes_out_and_comes_back(catalogue: Catalogue, tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    assert write_price_list(path, catalogue.parts()) == 3
    priced, bad = read_price_list(path, catalogue.id_of, TODAY)
    assert [(row.part_id, row.price.amount, row.price.as_of) for row in priced] == [
        ("asus-turbo-3090", 1600, date(2020, 10, 1))
    ]
    assert bad == []


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


def test_bad_lines_are_told_and_the_good_ones_taken(catalogue: Catalogue, tmp_path: Path) -> None:
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
    assert "no part, or more than one, has the id 'nobody'" in bad[3]
    assert "'much' 'USD' '' is no price" in bad[4]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "first line must name"),
        (b"name,price\nx,1\n", "first line must name"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b'id,amount,currency\n"' + b"x" * 300_000, "field larger|no part|line"),
    ],
)
def test_what_is_no_list_is_told(catalogue: Catalogue, tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "p.csv").write_bytes(content)
    with pytest.raises(BadInput, match=sentence):
        read_price_list(tmp_path / "p.csv", catalogue.id_of, TODAY)


@pytest.mark.parametrize("amount", [1499.5, 12345.67, 1234567.0, 9_876_543_210.25])
def test_no_digit_of_a_price_is_lost(catalogue: Catalogue, tmp_path: Path, amount: float) -> None:
    cost = Price(amount=amount, currency="JPY", as_of=TODAY, kind="own")
    catalogue.correct({"asus-turbo-3090": correction({}, price=cost)})
    write_price_list(tmp_path / "p.csv", catalogue.parts())
    priced, _ = read_price_list(tmp_path / "p.csv", catalogue.id_of, TODAY)
    assert [row.price.amount for row in priced] == [amount]


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


def test_a_part_number_that_two_parts_share_names_none(catalogue: Catalogue, own_part: Any) -> None:
    for name in ("one", "two"):
        catalogue.save_user_part(own_part(f"own-{name}").model_copy(update={"part_numbers": ("SAME-1",)}))
    assert catalogue.id_of("", "SAME-1") is None
    assert catalogue.id_of("own-one", "SAME-1") == "own-one"
    assert catalogue.id_of("", "90YV0F94-M0NM00") == "asus-turbo-3090"
    assert catalogue.id_of("", '"*') is None


def test_a_number_of_a_shipped_part_that_a_data_set_lists_too_means_the_shipped_one(catalogue: Catalogue) -> None:
    shipped = catalogue.require("asus-turbo-3090")
    twins = [shipped.model_copy(update={"id": f"opendb-{name}", "origin": Origin.IMPORTED}) for name in ("a", "b")]
    catalogue.replace_imported_parts(Category.GPU, twins)
    assert catalogue.id_of("", shipped.part_numbers[0]) == shipped.id
