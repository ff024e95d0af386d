"""A window on a small catalogue, with parts of the user's own and of the public data set beside the shipped ones."""

from contextlib import closing

import pytest

from core.lab.opendb.rows import TITLE
from core.parts.catalogue import Catalogue
from core.parts.part import Origin, Part, Source
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category, GpuCooling
from tests.gui.conftest import ship_instead, shown_window

MAKER_PAGE = "https://example.org/card"


def card(number, **figures):
    """A line of a part file: a card whose memory only is confirmed."""
    figures = {"product": '"Card"', "memory_gb": 8 * number, "power_limit_w": 100 * number} | figures
    spec = ", ".join(f"{field} = {value}" for field, value in figures.items())
    return f"""
[[part]]
id = "card-{number}"
maker = "{"Acme" if number % 2 else "Bolt & Co"}"
name = "Card {number}"
year = {2018 + number}
spec = {{ {spec} }}
sources = [
    {{ title = "Page of the maker", url = "{MAKER_PAGE}", fields = ["product", "memory_gb"] }},
    {{ title = "General knowledge" }},
]
{f'price = {{ amount = {1000 * number}, currency = "USD", as_of = 2024-01-01 }}' if number < 4 else ""}
"""


PSU = """
[[part]]
id = "psu"
maker = "Acme"
name = "PSU"
spec = { power_w = 1600 }
sources = [{ title = "Page of the maker", url = "https://example.org/psu" }]
"""


def imported(number):
    return Part(
        id=f"opendb-{number}",
        maker="Cirrus",
        name=f"Imported {number}",
        spec=GpuSpec(product="Card", memory_gb=24, power_limit_w=150 + number, cooling=GpuCooling.BLOWER),
        sources=(Source(title=TITLE, url="https://example.org/opendb", read=False),),
        origin=Origin.IMPORTED,
    )


@pytest.fixture
def small_shipped(tmp_path, monkeypatch):
    cards = "".join(card(number) for number in range(1, 6))
    return ship_instead(tmp_path / "shipped", {"gpu/cards": cards, "psu/psus": PSU}, monkeypatch)


@pytest.fixture
def small_folder(tmp_path, small_shipped):
    """Five shipped cards, two imported ones, one of one's own; and a PSU."""
    folder = tmp_path / "small"
    folder.mkdir()
    own = imported(1).model_copy(
        update={"id": "mine", "maker": "Me", "name": "Mine", "sources": (Source(title="Me!"),)}
    )
    with closing(Catalogue(folder)) as catalogue:
        catalogue.replace_imported_parts(Category.GPU, [imported(1), imported(2)])
        catalogue.save_user_part(own)
    return folder


@pytest.fixture
def small_catalogue(small_folder):
    with closing(Catalogue(small_folder)) as opened:
        yield opened


@pytest.fixture
def small_window(qtbot, small_folder, answers):
    with shown_window(qtbot, small_folder) as shown:
        yield shown
