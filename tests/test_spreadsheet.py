"""One guard against formulas, and every CSV of the program goes through it."""

import ast
from pathlib import Path

import pytest

from core.platform.spreadsheet import csv_text, harmless, plain
from core.words.units import number

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("lead", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_what_a_spreadsheet_takes_for_a_formula_is_text(lead: str) -> None:
    cell = f"{lead}cmd|' /C calc'!A0"
    assert harmless(cell) == f"'{cell}"
    assert csv_text([[cell]]).lstrip('"').startswith("'")


@pytest.mark.parametrize("cell", ["-5.2", "+3", "-1.5e-07", "RTX 3090", "", "12"])
def test_numbers_and_words_stay_as_they_are(cell: str) -> None:
    assert harmless(cell) == cell
    assert plain(harmless(cell)) == cell
    assert harmless(number(-12_345)) == "-12345", "thousands are set apart for people alone"


@pytest.mark.parametrize("cell", ["-5+3", "+1+cmd", "-", "+", "=1", "-1e"])
def test_what_only_begins_as_a_number_is_guarded(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"


def test_nothing_else_writes_csv() -> None:
    """Who writes CSV by itself forgets the guard."""
    writers = {
        str(path.relative_to(ROOT))
        for folder in ("core", "gui")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("writer", "DictWriter")
        and isinstance(node.value, ast.Name) and node.value.id == "csv"
    }  # fmt: skip
    assert writers == {"core/platform/spreadsheet.py"}
