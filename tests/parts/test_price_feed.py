"""The documented format of price feeds, and the recorded example of one."""

import csv
import json
import re
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.identity import Identities
from core.parts.price_columns import NAMES
from core.parts.price_import import Outcome, price_source, take_prices
from core.parts.price_list import Doubt, ListTerms, read_price_lists
from tests.shipped import every_part

DOCS = Path(__file__).parents[2] / "docs"
FEED = DOCS / "price-feed"
PAGE = (DOCS / "price-feed.md").read_text(encoding="utf-8")
TODAY = date(2026, 11, 29)


@pytest.fixture(scope="module")
def identities() -> Identities:
    return Identities.of(every_part())


def test_the_example_is_read_as_the_page_says(identities: Identities) -> None:
    lists = read_price_lists(FEED, identities, ListTerms(TODAY, "USD", "street"))
    prices = {
        one.part_id: (one.price.amount, one.price.currency, one.price.kind, one.price.as_of.isoformat())
        for one in lists.priced
    }
    assert prices == {
        "asus-turbo-rtx-3090-24g": (749, "USD", "used", "2026-11-28"),
        "samsung-990-pro-2tb": (219.9, "EUR", "street", "2026-11-27"),
        "corsair-ax1600i": (529.99, "USD", "street", "2026-11-28"),
        "nvidia-rtx-3090-founders-edition": (799, "USD", "used", "2026-11-20"),
    }
    assert [(line.doubt, line.named) for line in lists.bad] == [
        (Doubt.SIMILAR, "NVIDIA RTX 3090"),
        (Doubt.UNMATCHED, "Nobody Card of tomorrow"),
    ]
    assert lists.refused == ()


def test_the_example_updates_the_catalogue(data_dir: Path) -> None:
    terms = ListTerms(TODAY, "USD", "street", price_source("Example price feed", "https://example.org/feed"))
    with closing(Catalogue(data_dir)) as catalogue:
        update = take_prices(catalogue, FEED, terms)
        assert {change.part.id: change.outcome.taken for change in update.changes} == dict.fromkeys(
            ("asus-turbo-rtx-3090-24g", "samsung-990-pro-2tb", "corsair-ax1600i", "nvidia-rtx-3090-founders-edition"),
            True,
        )
        assert Outcome.CHANGED in {change.outcome for change in update.changes}
        assert len(catalogue.undo_prices()) == 4


def test_the_columns_of_the_page_and_of_the_example_are_those_that_are_read() -> None:
    columns = set(re.findall(r"^\| `([a-z_]+)` ", PAGE, re.MULTILINE))
    assert columns == set(NAMES) - {"used", "list"}
    assert all(one in NAMES[one] for one in columns)
    with (FEED / "2026-11-28.csv").open(encoding="utf-8", newline="") as file:
        assert columns <= set(next(csv.reader(file)))
    rows = json.loads((FEED / "2026-11-21.json").read_text(encoding="utf-8"))
    assert set(rows["prices"][0]) <= columns


def test_the_commands_of_the_page_are_there() -> None:
    commands = re.findall(r"^rigwright parts (prices[a-z-]*)", PAGE, re.MULTILINE)
    assert set(commands) == {"prices", "prices-undo"}
