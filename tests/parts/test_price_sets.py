"""Public price sets: a name that is spread over columns is the part that it is, and never its sibling."""

import csv
import json
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.identity import Exact, Identities
from core.parts.own import correction
from core.parts.part import Origin, Part, Price
from core.parts.price_list import ListTerms, read_price_lists
from core.parts.price_match import part_of_row
from core.parts.price_table import PriceRow, category_of, price_rows, spread_name
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from tests.shipped import every_part

SETS = Path(__file__).parent / "price_set"
TODAY = date(2026, 11, 28)
STREET = ListTerms(TODAY, "USD", "street")
LEAST_FOUND = 0.6
"""Of the rows whose part the catalogue has."""


@pytest.fixture(scope="module")
def identities() -> Identities:
    return Identities.of(every_part())


def expected_of(path: Path) -> Iterator[str]:
    if path.suffix == ".jsonl":
        yield from (json.loads(line)["expected"] for line in path.read_text("utf-8").splitlines())
    else:
        with path.open(newline="", encoding="utf-8") as stream:
            yield from (row["expected"] for row in csv.DictReader(stream))


@pytest.mark.parametrize("name", ["memory.csv", "internal-hard-drive.csv", "video-card.jsonl"])
def test_rows_are_the_parts_that_they_are_and_no_others(identities: Identities, name: str) -> None:
    rows, expected = list(price_rows(name, (SETS / name).read_text("utf-8"))), list(expected_of(SETS / name))
    answers = [part_of_row(row, identities) for row in rows]
    taken = [answer.part.id if isinstance(answer, Exact) else "" for answer in answers]
    both = zip(rows, taken, expected, strict=True)
    assert [(row.full_name, got, right) for row, got, right in both if got and got != right] == []
    assert sum(map(bool, taken)) >= LEAST_FOUND * sum(map(bool, expected))


@pytest.mark.parametrize(
    ("cells", "text", "category"),
    [
        (
            {"name": "NVIDIA Founders Edition", "chipset": "GeForce RTX 5090", "memory": "32"},
            "NVIDIA Founders Edition GeForce RTX 5090 32 GB",
            Category.GPU,
        ),
        (
            {"name": "MSI GeForce RTX 3060 Ventus", "chipset": "GeForce RTX 3060", "memory": 12.0},
            "MSI GeForce RTX 3060 Ventus 12 GB",
            Category.GPU,
        ),
        (
            {"name": "Corsair Vengeance", "speed": "5,6000", "modules": "2,16", "cas_latency": "36"},
            "Corsair Vengeance DDR5-6000 2 x 16 GB CL36",
            Category.RAM,
        ),
        (
            {"name": "Samsung 990 Pro", "capacity": "2000", "type": "SSD", "interface": "M.2 PCIe 4.0 X4"},
            "Samsung 990 Pro 2000 GB SSD M.2 PCIe 4.0 X4",
            Category.STORAGE,
        ),
        (
            {"name": "WD Red", "capacity": "3 TB", "type": "5400", "interface": ""},
            "WD Red 3 TB 5400 rpm",
            Category.STORAGE,
        ),
        ({"name": "A UPS", "capacity_w": "900", "capacity_va": "1500"}, "A UPS 900 W 1500 VA", Category.UPS),
        ({"name": "Anything", "memory": "32"}, "Anything", None),
        ({"name": "A drive", "capacity": "much", "type": "SSD"}, "A drive SSD", Category.STORAGE),
    ],
)
def test_a_name_is_put_together(cells: dict[str, object], text: str, category: Category | None) -> None:
    assert category_of(cells) is category
    assert spread_name(str(cells["name"]), cells, category).text == text


@pytest.mark.parametrize(
    "columns", [{"capacity": "4000"}, {"type": "7200"}, {"form_factor": "2.5", "interface": "SATA 6.0 Gb/s"}]
)
def test_a_drive_of_another_size_or_kind_is_another(identities: Identities, columns: dict[str, str]) -> None:
    cells = {"name": "Samsung 990 Pro", "capacity": "2000", "type": "SSD", "form_factor": "M.2-2280"}
    cells["interface"] = "M.2 PCIe 4.0 X4"
    assert part_in(identities, cells) == "samsung-990-pro-2tb"
    assert part_in(identities, cells | columns) != "samsung-990-pro-2tb"


def part_in(parts: Identities, cells: dict[str, str]) -> str | None:
    category = category_of(cells)
    row = PriceRow(1, name=cells["name"], full_name=spread_name(cells["name"], cells, category).text, category=category)
    answer = part_of_row(row, parts)
    return answer.part.id if isinstance(answer, Exact) else None


def rows_of(path: Path, text: str) -> list[tuple[str, str | float]]:
    return [(row.full_name, row.amount) for row in price_rows(str(path), text)]


def test_json_lines_are_read_as_a_list_is(tmp_path: Path) -> None:
    line = '{"name":"Corsair Vengeance","price":94.99,"speed":[5,6000],"modules":[2,16],"cas_latency":36}'
    expected: list[tuple[str, str | float]] = [("Corsair Vengeance DDR5-6000 2 x 16 GB CL36", 94.99)]
    assert rows_of(tmp_path / "a.json", f"[{line}]") == expected
    assert rows_of(tmp_path / "a.jsonl", line + "\n\n" + line + "\n") == expected * 2
    with pytest.raises(BadInput, match="line 2"):
        rows_of(tmp_path / "b.jsonl", f'{line}\n{{"name" "x"}}\n')


def test_an_archive_is_read_table_by_table(tmp_path: Path, identities: Identities) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(SETS / "memory.csv", "data/memory.csv")
        archive.write(SETS / "video-card.jsonl", "data/video-card.jsonl")
        archive.writestr("README.md", "no table")
        archive.writestr("notes.csv", "a,b\n1,2\n")
    lists = read_price_lists(tmp_path / "set.zip", identities, STREET)
    taken = {one.part_id for one in lists.priced}
    assert {"gskill-trident-z5-64gb-2x32-6000", "nvidia-rtx-5070-founders-edition"} <= taken
    assert {line.file for line in lists.bad} == {"data/memory.csv", "data/video-card.jsonl"}
    assert [one.file for one in lists.refused] == ["notes.csv"]
    assert lists.bad[0].place.startswith("data/memory.csv, ")


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"a.txt.exe": b"x"}, "holds no .csv"),
        ({"a.csv": b"x,y\n1,2\n"}, "first line must name"),
        ({"a.csv": b"name,price\n" + b"x" * 70_000_000}, "larger than 64 MB unpacked"),
    ],
)
def test_an_archive_that_is_no_list_says_why(tmp_path: Path, members: dict[str, bytes], sentence: str) -> None:
    with zipfile.ZipFile(tmp_path / "set.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(BadInput, match=sentence):
        read_price_lists(tmp_path / "set.zip", Identities.of(()), STREET)


def test_a_damaged_archive_is_reported(tmp_path: Path) -> None:
    (tmp_path / "set.zip").write_bytes(b"PK\x03\x04" + b"x" * 100)
    with pytest.raises(BadInput, match="cannot be unpacked"):
        read_price_lists(tmp_path / "set.zip", Identities.of(()), STREET)


def test_a_part_that_stands_several_times_has_the_range_of_its_prices(tmp_path: Path, identities: Identities) -> None:
    path = tmp_path / "set.csv"
    path.write_text("id,price\n" + "".join(f"samsung-990-pro-2tb,{price}\n" for price in (180, 150, 160, 150)), "utf-8")
    lists = read_price_lists(path, identities, STREET)
    (priced,) = lists.priced
    assert priced.price == Price(amount=150, low=150, high=180, currency="USD", as_of=TODAY, kind="street")
    assert priced.price.range_words.replace("\N{NO-BREAK SPACE}", " ") == "150 to 180 USD"
    assert lists.bad == ()
    own = read_price_lists(path, identities, ListTerms(TODAY, "USD"))
    assert [line.number for line in own.bad] == [3, 4, 5]


def test_a_price_makes_no_part_of_a_data_set_the_likelier_one(catalogue: Catalogue) -> None:
    """Two boards of a data set, one of which lists the name of the other among its part numbers."""
    spec = {"category": "motherboard", "socket": "AM5"}
    rows = [
        ("opendb-1", "X870E AORUS ELITE WIFI7 ICE", ("X870 AORUS ELITE WIFI7 ICE",)),
        ("opendb-2", "X870 AORUS ELITE WIFI7", ()),
    ]
    parts = [
        Part.model_validate(
            {"id": part_id, "maker": "Gigabyte", "name": name, "part_numbers": numbers, "spec": spec,
             "sources": [{"title": "a set"}], "origin": Origin.IMPORTED}
        )
        for part_id, name, numbers in rows
    ]  # fmt: skip
    catalogue.replace_imported_parts(Category.MOTHERBOARD, parts)
    before = catalogue.identities().called("Gigabyte X870 AORUS ELITE WIFI7 ICE")
    price = Price(amount=330, currency="USD", as_of=TODAY, kind="street")
    catalogue.correct({"opendb-1": correction({}, price=price)})
    after = catalogue.identities().called("Gigabyte X870 AORUS ELITE WIFI7 ICE")
    assert not isinstance(before, Exact) and type(after) is type(before)


def test_the_price_that_is_paid_comes_before_the_makers(tmp_path: Path) -> None:
    text = "Product,MSRP (USD),Street price\nCorsair AX1600i,$610,549.90\nAMD EPYC 7702P,,650\n"
    assert rows_of(tmp_path / "a.csv", text) == [("Corsair AX1600i", "549.90"), ("AMD EPYC 7702P", "650")]


def test_a_row_without_the_columns_of_its_table_is_of_any_category(identities: Identities) -> None:
    text = "name,price,modules,speed\nCorsair AX1600i,549,,\nAMD Ryzen 9 5950X tray,329,,\n"
    answers = [part_of_row(row, identities) for row in price_rows("a.csv", text)]
    assert [answer.part.id for answer in answers if isinstance(answer, Exact)] == [
        "corsair-ax1600i",
        "amd-ryzen-9-5950x",
    ]
