"""What a row leaves to its series, to its file and to sources.toml."""

from pathlib import Path

import pytest

from core.parts.part import About, Evidence, Part
from core.parts.shipped import CATALOGUE, fingerprint, shipped_parts
from core.platform.errors import BadInput
from tests.parts.contributed import read_contribution

CARDS = """
[shared.spec]
bar1 = "resizable"
[[shared.sources]]
title = "A page on the line"
url = "https://example.org/line"
fields = ["bar1"]

[series.chip]
sources = [
  { from = "list", of = "The chip", at = "chip-1", about = "chip", fields = ["product", "memory_gb", "power_limit_w"] },
]
[series.chip.spec]
product = "The chip"
memory_gb = 24
power_limit_w = 350

[[part]]
id = "plain"
maker = "Acme"
name = "Plain"
series = "chip"
[part.spec]

[[part]]
id = "fast"
maker = "Acme"
name = "Fast"
series = "chip"
sources = [{ from = "test", says = { power_limit_w = 390 } }]
[part.spec]
power_limit_w = 390
"""
SOURCES = """
[list]
title = "List of chips, {of}"
url = "https://example.org/chips/{at}.html"
[test]
title = "A test of the card"
url = "https://example.org/test"
"""


def written(folder: Path, cards: str = CARDS, sources: str = SOURCES) -> Path:
    (folder / "gpu").mkdir(parents=True, exist_ok=True)
    (folder / "gpu" / "cards.toml").write_text(cards, encoding="utf-8")
    (folder / "sources.toml").write_text(sources, encoding="utf-8")
    return folder


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, Part]:
    return {part.id: part for part in shipped_parts(written(tmp_path))}


def test_a_row_has_the_figures_of_its_series_and_of_its_file(parts: dict[str, Part]) -> None:
    spec = parts["plain"].spec.model_dump(mode="json")
    assert (spec["product"], spec["memory_gb"], spec["power_limit_w"], spec["bar1"]) == (
        "The chip",
        24,
        350,
        "resizable",
    )


def test_a_known_source_is_written_out_with_name_and_place(parts: dict[str, Part]) -> None:
    chips, line = parts["plain"].sources
    assert (chips.title, chips.url) == ("List of chips, The chip", "https://example.org/chips/chip-1.html")
    assert (chips.about, line.title) == (About.CHIP, "A page on the line")
    assert parts["plain"].evidence("memory_gb") is Evidence.CONFIRMED
    assert parts["plain"].borrowed_from("power_limit_w") is About.CHIP


def test_a_figure_of_its_own_is_no_longer_that_of_the_series(parts: dict[str, Part]) -> None:
    """What the list says of the chip is no source for a card with another limit."""
    own, chips, _ = parts["fast"].sources
    assert parts["fast"].spec.model_dump()["power_limit_w"] == 390
    assert (own.covered, chips.covered) == (("power_limit_w",), ("product", "memory_gb"))
    assert parts["fast"].evidence("power_limit_w") is Evidence.CONFIRMED


def test_a_page_that_row_and_series_name_stands_there_once(tmp_path: Path) -> None:
    page = '{ from = "list", of = "The chip", at = "chip-1", about = "chip", says = { price = 999 } }, '
    price = 'series = "chip"\nprice = { amount = 999, currency = "USD", as_of = 2025-01-30 }\nsources = [' + page
    cards = CARDS.replace('series = "chip"\nsources = [', price)
    fast = {part.id: part for part in shipped_parts(written(tmp_path, cards))}["fast"]
    assert [source.title for source in fast.sources] == [
        "List of chips, The chip",
        "A test of the card",
        "A page on the line",
    ]
    assert fast.sources[0].covered == ("product", "memory_gb", "price")


def test_an_inherited_figure_needs_a_source_too(tmp_path: Path) -> None:
    bare = written(tmp_path, CARDS.replace('"product", "memory_gb", "power_limit_w"', '"product", "power_limit_w"'))
    with pytest.raises(BadInput, match="part plain: no source covers memory_gb"):
        read_contribution(bare / "gpu" / "cards.toml")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('series = "chip"', 'series = "chips"', r"part plain: the file has no \[series\.chips\]"),
        ('series = "chip"', "series = 3", r"part plain: the file has no \[series\.3\]"),
        ('from = "test"', 'from = "tests"', r"part fast: tests is no source of sources\.toml"),
        ("[series.chip.spec]", "[series.chip.specs]", r"series\.chip\.specs: there is no such field"),
    ],
)
def test_a_wrong_name_is_reported_with_its_place(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        list(shipped_parts(written(tmp_path, CARDS.replace(old, new))))


def test_wrong_sources_are_reported_with_their_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"sources\.toml, test\.link: there is no such field"):
        list(
            shipped_parts(written(tmp_path, sources=SOURCES.replace('url = "https://example.org/test"', 'link = "x"')))
        )


def test_a_file_elsewhere_may_name_the_shipped_sources(tmp_path: Path) -> None:
    folder = written(
        tmp_path, CARDS.replace('from = "test"', 'from = "unconfirmed"').replace('"list"', '"techpowerup"')
    )
    (folder / "sources.toml").unlink()
    parts = {part.id: part for part in read_contribution(folder / "gpu" / "cards.toml")}
    assert parts["fast"].evidence("power_limit_w") is Evidence.UNCONFIRMED
    assert parts["plain"].sources[0].url == "https://www.techpowerup.com/gpu-specs/chip-1"


def test_the_catalogue_is_built_anew_when_a_known_source_changes(tmp_path: Path) -> None:
    before = fingerprint(written(tmp_path))
    assert fingerprint(written(tmp_path, sources=SOURCES + "\n")) != before
    assert (CATALOGUE / "sources.toml").is_file()
