"""A data set in OpenDB's published layout, made row by row."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.parts.conftest import catalogue, shipped

__all__ = ["catalogue", "shipped"]

WriteRow = Callable[..., str]


def identity(number: int) -> str:
    """The name of a row's file: numbers stand in for random identities, in order."""
    return str(UUID(int=number))


@pytest.fixture
def data_set(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "open-db").mkdir(parents=True)
    return folder


@pytest.fixture
def write_row(data_set: Path) -> WriteRow:
    """Writes a row and returns its identity; `raw` is JSON text in the place of a row."""

    def write(number: int, category: str = "GPU", *, raw: str | None = None, **figures: Any) -> str:
        path = data_set / "open-db" / category / f"{identity(number)}.json"
        path.parent.mkdir(exist_ok=True)
        metadata = {"name": f"Maker Part {number}", "manufacturer": "Maker"} | figures.pop("metadata", {})
        path.write_text(json.dumps({"metadata": metadata} | figures) if raw is None else raw)
        return f"opendb-{identity(number)}"

    return write


CARD: dict[str, Any] = {
    "chipset": "GeForce RTX 3090",
    "memory": 24,
    "memory_type": "GDDR6X",
    "memory_bus": 384,
    "core_base_clock": 1395,
    "core_boost_clock": 1695,
    "interface": "PCIe 4.0 x16",
    "length": 313,
    "tdp": 350,
    "total_slot_width": 3,
    "case_expansion_slot_width": 2,
    "cooling": "3 Fans",
    "power_connectors": {"pcie_6_pin": 0, "pcie_8_pin": 2, "pcie_12VHPWR": 0, "pcie_12V_2x6": 0},
}
"""A whole and true row."""


@pytest.fixture
def card() -> dict[str, Any]:
    return json.loads(json.dumps(CARD))
