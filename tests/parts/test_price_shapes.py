"""Price lists in the shapes that shops, trackers and data sets of many countries give them."""

import json
import os
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.price_list import Doubt, ListTerms, PriceLists, read_price_lists, write_aside
from core.platform.errors import BadInput

TODAY = date(2026, 11, 21)
CARD, PSU = "asus-turbo-3090", "corsair-ax1600i"
NUMBER = "90YV0F94-M0NM00"


def read(catalogue: Catalogue, path: Path, currency: str = "") -> PriceLists:
    return read_price_lists(path, catalogue.identities(), ListTerms(TODAY, currency, "street"))


def prices(lists: PriceLists) -> dict[str, tuple[float, str, str, str]]:
    return {
        one.part_id: (one.price.amount, one.price.currency, one.price.kind, one.price.as_of.isoformat())
        for one in lists.priced
    }


SHAPES = {
    "German, below a title": (
        "Preisliste Stand 2026;;;\n\nHersteller;Artikelbezeichnung;Preis;Zustand;Datum\n"
        "ASUS;TURBO-RTX3090-24G;1.299,00 €;gebraucht;20.11.2026\n",
        "",
        (1299, "EUR", "used", "2026-11-20"),
    ),
    "Japanese": (
        "メーカー,商品名,価格,更新日\nASUS,TURBO-RTX3090-24G,\"198,000円\",2026/11/20\n",
        "",
        (198000, "JPY", "street", "2026-11-20"),
    ),
    "Taiwanese, with their own dollar": (
        "品名,售價,日期\nASUS TURBO-RTX3090-24G,\"NT$ 45,990\",2026-11-20\n",
        "",
        (45990, "TWD", "street", "2026-11-20"),
    ),
    "a dollar sign is of the currency that is said": (
        "name,price\nASUS TURBO-RTX3090-24G,\"$45,990\"\n", "TWD", (45990, "TWD", "street", "2026-11-21"),
    ),
    "Excel, with its first line": (
        f"sep=;\nMPN;Street price;Currency\n{NUMBER};1499;USD\n", "", (1499, "USD", "street", "2026-11-21"),
    ),
    "bars between columns": (
        "product_id|name|description|price|stock\n001|ASUS TURBO-RTX3090-24G|a card|1599.0|3\n",
        "USD",
        (1599, "USD", "street", "2026-11-21"),
    ),
    "the currency in the heading": (f"mpn,price_eur\n{NUMBER},1299\n", "", (1299, "EUR", "street", "2026-11-21")),
    "no price but the maker's": (f"mpn,MSRP (USD)\n{NUMBER},1499\n", "", (1499, "USD", "list", "2026-11-21")),
    "lines of text": (
        "◎ Cards\n- ASUS TURBO-RTX3090-24G, $45990 ◆ ★\n- Corsair AX1600i, $16990\n- Something, $5\n",
        "TWD",
        (45990, "TWD", "street", "2026-11-21"),
    ),
    "lists by category, of one day": (
        json.dumps({
            "lastUpdated": "2026-11-19", "currency": "JPY",
            "gpu": [{"name": "ASUS TURBO-RTX3090-24G", "price": 198000, "modules": []}], "psu": [],
        }),
        "",
        (198000, "JPY", "street", "2026-11-19"),
    ),
    "offers of a product": (
        json.dumps({"data": {"products": [{
            "title": "ASUS TURBO-RTX3090-24G", "brand": {"name": "ASUS"},
            "offers": [
                {"price": 1450, "priceCurrency": "USD", "itemCondition": "https://schema.org/NewCondition"},
                {"price": 1500, "priceCurrency": "USD", "itemCondition": "https://schema.org/NewCondition"},
            ],
        }]}}),
        "",
        (1450, "USD", "street", "2026-11-21"),
    ),
    "rows that are lists": (
        json.dumps([["name", "price_usd", "date"], ["ASUS TURBO-RTX3090-24G", 1450, "2026-11-18"]]),
        "",
        (1450, "USD", "street", "2026-11-18"),
    ),
    "tables by name": (
        json.dumps({"ASUS TURBO-RTX3090-24G": {"price": 1450, "currency": "USD"}}),
        "",
        (1450, "USD", "street", "2026-11-21"),
    ),
    "a history, of which the newest counts": (
        json.dumps([{
            "id": "shop_0001", "name": "ASUS TURBO-RTX3090-24G", "price_min": 198000, "price_updated_at": "2026-11-15",
            "price_history": [{"date": "2026-02-26", "price": 99000}, {"date": "2026-03-26", "price": 98000}],
        }]),
        "JPY",
        (198000, "JPY", "street", "2026-11-15"),
    ),
    "seconds since 1970": (
        json.dumps([{"mpn": NUMBER, "price": 1450, "timestamp": 1795132800}]),
        "USD",
        (1450, "USD", "street", datetime.fromtimestamp(1795132800, UTC).date().isoformat()),
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_read(catalogue: Catalogue, tmp_path: Path, shape: str) -> None:
    text, currency, expected = SHAPES[shape]
    path = tmp_path / ("list.json" if text[0] in "[{" else "list.csv")
    path.write_text(text, "utf-8")
    lists = read(catalogue, path, currency)
    assert prices(lists)[CARD] == expected
    assert [line for line in lists.bad if line.row.name != "Something"] == []


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp932", "メーカー,商品名,価格\nASUS,TURBO-RTX3090-24G,198000\n"),
        ("big5", "品名,價格\nASUS TURBO-RTX3090-24G,198000\n"),
        ("gb18030", "商品名称,价格\nASUS TURBO-RTX3090-24G,198000\n"),
        ("cp949", "상품명,가격\nASUS TURBO-RTX3090-24G,198000\n"),
        ("cp1251", "Наименование,Цена\nASUS TURBO-RTX3090-24G,198000\n"),
        ("cp1252", "Désignation;Prix;État\nASUS TURBO-RTX3090-24G;198000;neuf\n"),
        ("utf-16", "name\tprice\nASUS TURBO-RTX3090-24G\t198000\n"),
    ],
)
def test_a_list_is_read_in_its_encoding(catalogue: Catalogue, tmp_path: Path, encoding: str, text: str) -> None:
    (tmp_path / "list.csv").write_bytes(text.encode(encoding))
    assert prices(read(catalogue, tmp_path / "list.csv", "EUR"))[CARD][0] == 198000


def test_a_row_may_say_what_it_costs_new_and_used(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(f"mpn,New price,Used price\n{NUMBER},1499,799\n")
    lists = read(catalogue, tmp_path / "list.csv", "USD")
    assert [(one.price.amount, one.price.kind) for one in lists.priced] == [(1499, "street"), (799, "used")]


@pytest.mark.parametrize(
    "cell", ["0", "-5", "1e300", "nan", "inf", "=1+1", "", "much", "1,2,3.4", "9" * 40, "¥ 5", "12.00 $ 11.00 €"]
)
def test_what_is_no_price_is_never_one(catalogue: Catalogue, tmp_path: Path, cell: str) -> None:
    (tmp_path / "list.csv").write_text(f'mpn;price\n{NUMBER};"{cell}"\n')
    lists = read(catalogue, tmp_path / "list.csv", "EUR")
    assert lists.priced == ()
    assert [line.doubt for line in lists.bad] == ([Doubt.NO_PRICE] if cell else [])


@pytest.mark.parametrize("number", ["-1", "0", "1e300", "1e400", "true", '"NaN"', "[]", "{}", '["x"]'])
def test_no_number_of_json_is_a_price_by_mistake(catalogue: Catalogue, tmp_path: Path, number: str) -> None:
    (tmp_path / "list.json").write_text(f'[{{"mpn": "{NUMBER}", "price": {number}}}, {{"mpn": "x", "price": 5}}]')
    assert read(catalogue, tmp_path / "list.json", "EUR").priced == ()


@pytest.mark.parametrize("day", ["05/06/2026", "2062-01-01", "1999-01-01", "2026-13-01", "soon", "99999999999999"])
def test_a_day_that_is_none_or_may_be_two_is_reported(catalogue: Catalogue, tmp_path: Path, day: str) -> None:
    """A price of the future would never be replaced."""
    (tmp_path / "list.csv").write_text(f"mpn,price,date\n{NUMBER},1499,{day}\n")
    lists = read(catalogue, tmp_path / "list.csv", "USD")
    assert lists.priced == ()
    assert day in lists.bad[0].reason


@pytest.mark.parametrize(
    ("condition", "name", "kind"),
    [
        ("Used - Good", "", "used"),
        ("https://schema.org/RefurbishedCondition", "", "used"),
        ("Neu", "", "street"),
        ("New other (see details)", "", "street"),
        ("二手", "", "used"),
        ("", "ASUS TURBO-RTX3090-24G (used)", "used"),
        ("", "中古 ASUS TURBO-RTX3090-24G", "used"),
        ("For parts or not working", "", None),
        ("", "ASUS TURBO-RTX3090-24G defekt", None),
        ("on its way", "", None),
    ],
)
def test_new_and_used_are_told_apart(
    catalogue: Catalogue, tmp_path: Path, condition: str, name: str, kind: str | None
) -> None:
    (tmp_path / "list.csv").write_text(f"mpn,name,price,condition\n{NUMBER},{name},999,{condition}\n", "utf-8")
    lists = read(catalogue, tmp_path / "list.csv", "USD")
    assert [one.price.kind for one in lists.priced] == ([kind] if kind else [])
    assert len(lists.bad) == (kind is None)


def test_a_folder_is_read_as_one_and_of_several_days_the_newest_counts(catalogue: Catalogue, tmp_path: Path) -> None:
    for day, price in (("2026-11-01", 1500), ("2026-11-20", 1400), ("2026-11-10", 1600)):
        (tmp_path / day).mkdir()
        (tmp_path / day / "gpu.csv").write_text(f"mpn,price\n{NUMBER},{price}\n")
    (tmp_path / "prices-2026-11-19.csv").write_text(f"mpn,price\n{NUMBER},1300\n")
    (tmp_path / "notes.txt").write_text("nothing to sell")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / ".hidden.csv").write_text(f"mpn,price\n{NUMBER},1\n")
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        archive.writestr("psu 20261118.csv", "name,price\nCorsair AX1600i,500\n")
    lists = read(catalogue, tmp_path, "USD")
    assert prices(lists) == {CARD: (1400, "USD", "street", "2026-11-20"), PSU: (500, "USD", "street", "2026-11-18")}
    assert [one.file for one in lists.refused] == ["notes.txt"]
    assert {one.part_id: one.place for one in lists.priced} == {
        CARD: "2026-11-20/gpu.csv, 2",
        PSU: "set.zip, psu 20261118.csv, 2",
    }


def test_a_list_without_any_day_is_of_the_day_that_it_was_written(catalogue: Catalogue, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"mpn,price\n{NUMBER},1400\n")
    os.utime(path, (1.78e9, 1.78e9))
    assert prices(read(catalogue, path, "USD"))[CARD][3] == datetime.fromtimestamp(1.78e9).date().isoformat()
    stated = ListTerms(TODAY, "USD", "street", day=date(2026, 1, 2))
    (priced,) = read_price_lists(path, catalogue.identities(), stated).priced
    assert priced.price.as_of == date(2026, 1, 2)


def test_a_folder_without_a_list_says_so(catalogue: Catalogue, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no \.csv"):
        read(catalogue, tmp_path)
    (tmp_path / "a.csv").write_text("nothing\n")
    with pytest.raises(BadInput, match="first line must name"):
        read(catalogue, tmp_path)


def test_a_link_out_of_the_folder_is_not_followed(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "outside.csv").write_text(f"mpn,price\n{NUMBER},1\n")
    (tmp_path / "feed").mkdir()
    (tmp_path / "feed/list.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(BadInput, match="holds no"):
        read(catalogue, tmp_path / "feed")


def test_a_reader_hears_of_progress_and_can_end_it(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("name,price\n" + "Nobody's card,5\n" * 500)
    heard: list[int] = []
    read_price_lists(tmp_path / "list.csv", catalogue.identities(), ListTerms(TODAY, "USD"), heard.append)
    assert heard == [200, 400]

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_price_lists(tmp_path / "list.csv", catalogue.identities(), ListTerms(TODAY, "USD"), stop)


@pytest.mark.parametrize(
    ("name", "part_id"),
    [
        ("華碩 TURBO-RTX3090-24G(1725MHz/27cm/註冊四年保)", CARD),
        ("[限組裝] 華碩 TURBO-RTX3090-24G【現貨】*加送滑鼠墊", CARD),
        ("海盜船 Corsair AX1600i/鈦金/全模/10年保", PSU),
        ("海盜船 AX1600i【少量】", PSU),
        ("華碩 TURBO-RTX3090-24G/REVA 紀念版", None),
        ("酷！PC【風龍】TURBO-RTX3090-24G/B650/32G DDR5/1TB SSD/750W電供", None),
        ("海盜船 AX1600i + 海盜船 機殼", None),
        ("組合價 海盜船 AX1600i", None),
    ],
)
def test_remarks_of_eastern_shops_are_left_out_but_no_variant_and_no_bundle(
    catalogue: Catalogue, tmp_path: Path, name: str, part_id: str | None
) -> None:
    (tmp_path / "list.csv").write_text(f'品名,售價\n"{name}",45990\n', "utf-8")
    lists = read(catalogue, tmp_path / "list.csv", "TWD")
    assert [one.part_id for one in lists.priced] == ([part_id] if part_id else [])


def test_one_endless_line_is_no_list(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("- " * 2_000_000 + "$5")
    with pytest.raises(BadInput, match="first line must name"):
        read(catalogue, tmp_path / "list.txt", "USD")


def test_a_folder_of_everything_is_refused(catalogue: Catalogue, tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / f"{number}.csv").touch()
    with pytest.raises(BadInput, match="more than 1000 lists"):
        read(catalogue, tmp_path)


def test_deeply_nested_json_is_refused_with_a_sentence(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text('{"a":' * 5000 + "1" + "}" * 5000)
    with pytest.raises(BadInput, match="not readable JSON"):
        read(catalogue, tmp_path / "list.json")


def test_no_cell_of_what_is_set_aside_becomes_a_formula(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("name,price\n=HYPERLINK(evil),5\n@SUM(1),6\n")
    write_aside(tmp_path / "aside.csv", read(catalogue, tmp_path / "list.csv", "USD").bad)
    rows = (tmp_path / "aside.csv").read_text("utf-8-sig")
    assert "'=HYPERLINK(evil)" in rows and "'@SUM(1)" in rows
