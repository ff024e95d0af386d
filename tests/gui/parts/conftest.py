"""A window on a small catalogue, and a small data set to import into it."""

import json
from uuid import UUID

import pytest

from core.parts.catalogue import Catalogue
from tests.gui.conftest import ship_instead

PARTS = {
    "gpu/cards": """
[[part]]
id = "asus-turbo-3090"
maker = "ASUS"
name = "TURBO-RTX3090-24G"
part_numbers = ["90YV0F94-M0NM00"]
year = 2020
note = "Blower."
price = { amount = 1600, currency = "USD", as_of = 2020-10-01 }
sources = [{ title = "Maker's page", url = "https://example.org/turbo" }]
[part.spec]
product = "GeForce RTX 3090"
cooling = "blower"
length_mm = 267
width_slots = 2
memory_gb = 24
power_limit_w = 350
power_connectors = [{ kind = "pcie_8pin", count = 2 }]
""",
    "motherboard/boards": """
[[part]]
id = "asrock-romed8"
maker = "ASRock Rack"
name = "ROMED8-2T"
sources = [{ title = "Maker's page", url = "https://example.org/romed8" }]
[part.spec]
socket = "SP3"
ram_kinds = ["RDIMM", "LRDIMM"]
ram_slots = 8
slots = [
  { position = 1, label = "PCIE7", mechanical_lanes = 16, lanes = 16, generation = 4, attachment = "cpu" },
  { position = 2, label = "PCIE6", mechanical_lanes = 16, lanes = 16, generation = 4, bifurcation = ["x8x8", "x4x4"] },
]
lane_cases = [{ filled = ["M2_1"], widths = { PCIE6 = 8 } }]
""",
    "psu/psus": """
[[part]]
id = "corsair-ax1600i"
maker = "Corsair"
name = "AX1600i"
spec = { power_w = 1600 }
sources = [{ title = "Maker's page", url = "https://example.org/ax" }]
""",
}


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Stands in the place of the shipped catalogue wherever one is opened."""
    return ship_instead(tmp_path / "shipped", PARTS, monkeypatch)


@pytest.fixture
def data_dir(tmp_path, shipped):
    folder = tmp_path / "data"
    folder.mkdir()
    Catalogue(folder).close()
    return folder


@pytest.fixture
def data_set(tmp_path):
    """Three cards, one of them with a figure that cannot be, and a PSU without a name."""
    rows = {
        "GPU": [("Big card", {"length": 320}), ("Small card", {"length": 170}), ("Odd card", {"length": 9})],
        "PSU": [(None, {"wattage": 850})],
    }
    number = 0
    for folder, files in rows.items():
        (tmp_path / "set/open-db" / folder).mkdir(parents=True)
        for name, figures in files:
            number += 1
            row = {"metadata": {"name": name, "manufacturer": "Maker"}, "chipset": "GeForce RTX 4090", **figures}
            path = tmp_path / "set/open-db" / folder / f"{UUID(int=number)}.json"
            path.write_text(json.dumps(row))
    return tmp_path / "set"


@pytest.fixture
def actions(window):
    return window.menus.actions


@pytest.fixture
def dialog(window, qtbot):
    """The newest open dialog of a class."""

    def find(kind):
        qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(kind)))
        newest = [one for one in window.findChildren(kind) if one.isVisible()][-1]
        qtbot.waitUntil(newest.isActiveWindow)
        return newest

    return find
