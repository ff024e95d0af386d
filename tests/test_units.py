"""One table of units: what people read is spelled as the table has it, everywhere."""

import ast
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.words.units import FORMER_SPELLINGS, UNITS, as_printed, number, quantity, stated, unit_of, without_unit

ROOT = Path(__file__).parents[1]
PRINTED = frozenset(UNITS.values())


@pytest.mark.parametrize(
    ("name", "bare", "unit"),
    [
        ("power_limit_w", "power_limit", "W"),
        ("fan_airflow_m3h", "fan_airflow", "m³/h"),
        ("rate_tflops", "rate", "TFLOPS"),
        ("verification_pct", "verification", "%"),
        ("width_slots", "width_slots", "slots"),
        ("images_per_s", "images", "per s"),
        ("thermal_resistance_k_per_w", "thermal_resistance", "K/W"),
        ("checks", "checks", ""),
        ("first_loss", "first_loss", ""),
    ],
)
def test_a_name_carries_its_unit(name: str, bare: str, unit: str) -> None:
    assert (without_unit(name), unit_of(name)) == (bare, unit)


def test_units_of_earlier_files_are_read_in_the_spelling_of_today() -> None:
    assert {as_printed(unit) for unit in FORMER_SPELLINGS} <= PRINTED
    assert {as_printed(unit) for unit in PRINTED} == PRINTED


@pytest.mark.parametrize(("value", "text"), [(1, "1 slot"), (2.7, "2.7 slots"), (1234.5678, "1234.57 slots")])
def test_a_stated_figure_keeps_its_digits(value: float, text: str) -> None:
    assert stated(value, "slots") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.123456, "0.123"),
        (1.5, "1.5"),
        (12.34, "12.3"),
        (99.99, "100"),
        (1695, "1695"),
        (12_346, "12\u202f346"),
    ],
)
def test_a_figure_has_three_significant_digits_and_no_tail(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(2.6, 3, "2.600"), (24576, 0, "24\u202f576"), (99.96, 1, "100.0"), (-0.5, 1, "-0.5")],
)
def test_a_metric_keeps_its_own_decimals(value: float, decimals: int, text: str) -> None:
    assert number(value, decimals) == text


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_rounding_for_people_changes_less_than_one_per_cent(value: float) -> None:
    assert float(number(value).replace("\u202f", "")) == pytest.approx(value, rel=0.01)


def test_a_missing_figure_is_a_word_and_never_zero() -> None:
    assert quantity(None, "W") == "unknown"
    assert quantity(math.nan, "W", missing="not measured") == "not measured"
    assert quantity(0.0, "W") == "0\N{NO-BREAK SPACE}W"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(1, "slots", "1 slot"), (0, "slots", "0 slots"), (1, "PSUs", "1 PSU"), (1, "GB/s", "1 GB/s"), (1, "s", "1 s")],
)
def test_one_thing_is_not_many(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit).replace("\N{NO-BREAK SPACE}", " ") == text


# -- the whole program -------------------------------------------------------------------------------------------

MORE = {"dB", "Hz", "GHz", "kHz", "GT/s", "MB/s", "KiB", "MiB", "GiB", "TiB", "BTU/h", "x", "ppm"}
"""Units that no name ends in: of limits and sizes told in sentences, and of logarithms."""
OTHERWISE = re.compile(
    r"(?<![A-Za-z_])(TFLOP/s|TFlops|GFLOPS|GBps|MBps|Gbps|Gb/s|GB/sec|m3/h|m3|m\^3/h|mmH2O|mm H2O|dB\(A\)|Mhz|RPM|"
    r"U/min|degC|deg C|Mt/s|KB|K/w|KWh|l/hr|L/h)(?![A-Za-z0-9_./-])"
)
"""Other spellings of what the table has."""
COUNTED = {"", "PSUs", "cards", "dB", "x16 slots"}
"""What is counted, and nothing."""
BEHIND_VALUE = re.compile(r"^[ \N{NO-BREAK SPACE}]([A-Za-zµ°%³₂]+(?:/[A-Za-z]+)?)(?![\w/])")
UNIT_SHAPED = re.compile(r"°|µ|³|₂|/|%|^[kMGT]?(W|V|A|VA|Wh|Hz|B|J|Pa)$|^[kKMGT]i?B$|^[a-z]{1,2}[A-Z]+|FLOP")
"""What looks like a unit and not like a word."""
PATHS = sorted(path for part in ("core", "gui") for path in (ROOT / part).rglob("*.py") if path.name != "units.py")
TAKES_UNIT = {"Band", "_band", "band_of", "independent", "measured_in", "quantity", "stated", "total"}
"""Functions that are given a unit as text."""


def literals(tree: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """The texts of a file that are no docstring, and no part of a longer one."""
    inside = {id(value) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for value in node.values}
    explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        if text and id(node) not in inside | explained:
            yield node  # type: ignore[misc]


def unit_arguments(tree: ast.AST) -> Iterator[str]:
    """Units that are handed to a function by its side of a value."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _name(call.func) in TAKES_UNIT:
            for argument in (*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "unit")):
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and "_" not in argument.value:
                    yield argument.value


def _name(function: ast.expr) -> str:
    return getattr(function, "id", None) or getattr(function, "attr", "")


def spelled_otherwise(source: str) -> set[str]:
    """Units in the texts of a file that the table spells otherwise, or lacks."""
    tree = ast.parse(source)
    units = {unit for unit in unit_arguments(tree) if unit not in PRINTED | MORE | COUNTED}
    for node in literals(tree):
        pieces = node.values if isinstance(node, ast.JoinedStr) else [node]
        for before, piece in zip([None, *pieces], pieces, strict=False):
            if not isinstance(piece, ast.Constant):
                continue
            units |= {one[1] for one in OTHERWISE.finditer(piece.value)}
            behind = BEHIND_VALUE.match(piece.value) if isinstance(before, ast.FormattedValue) else None
            if behind and UNIT_SHAPED.search(behind[1]) and behind[1] not in PRINTED | MORE:
                units.add(behind[1])
    return units


@pytest.mark.parametrize(
    ("source", "units"),
    [
        ('x = f"{rate} TFLOP/s"', {"TFLOP/s"}),
        ('x = f"{rate} MT/s, {power} kW"', set()),
        ('x = f"{flow} ft³/min"', {"ft³/min"}),
        ('x = Band(1, 2, 3, "C")', {"C"}),
        ('UNIT = "m3/h"', {"m3/h"}),
        ('"""Flow in m3/h."""', set()),
        ('x = f"{count} slots and {many} RPM"', {"RPM"}),
    ],
)
def test_the_search_for_units_finds_them(source: str, units: set[str]) -> None:
    assert spelled_otherwise(source) == units


def test_no_file_spells_a_unit_of_its_own() -> None:
    wrong = {str(path.relative_to(ROOT)): units for path in PATHS if (units := spelled_otherwise(path.read_text()))}
    assert wrong == {}, "units are spelled as core/words/units.py has them"
