"""Part files as contributions: the schema as a document, and the check."""

import json
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from core.parts.contribution import coverage, file_schema, read_contributions
from core.parts.figures import deciding, must_have, ranges
from core.parts.part import Evidence, Part
from core.parts.shipped import catalogue_files
from core.parts.specs import FanSpec, MotherboardSpec, spec_model
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from tests.parts.contributed import read_contribution

FILES = catalogue_files()
GOOD = """
[[part]]
id = "asus-turbo-3090"
maker = "ASUS"
name = "TURBO-RTX3090-24G"
spec = { product = "GeForce RTX 3090", cooling = "blower", length_mm = 268 }
sources = [{ title = "Maker's page", url = "https://example.org/turbo" }]
"""


RATE = """
[[part]]
id = "a-radeon"
maker = "Acme"
name = "RX 7900 XTX"
spec = { product = "Radeon RX 7900 XTX", cores = 6144, boost_clock_mhz = 2498, fp32_tflops = RATE }
sources = [{ title = "Maker's page", url = "https://example.org/radeon" }]
"""


@cache
def contributed(path: Path) -> Sequence[Part]:
    """The parts of a shipped file, checked as a contribution once."""
    return read_contribution(path)


def plain(path: Path) -> Any:
    """A part file as JSON has it: dates are text."""
    return json.loads(json.dumps(tomllib.loads(path.read_text(encoding="utf-8")), default=str))


@pytest.fixture(scope="module")
def validators() -> dict[str, Any]:
    schemas = {category.value: file_schema(category) for category in Category}
    return {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.items()}


def test_the_schema_is_one() -> None:
    for category in (None, *Category):
        jsonschema.Draft202012Validator.check_schema(file_schema(category))
        assert json.loads(json.dumps(file_schema(category))) == file_schema(category)


def test_every_shipped_file_passes_schema_and_check(validators: dict[str, Any]) -> None:
    refused = [(path, one.message) for path in FILES for one in validators[path.parent.name].iter_errors(plain(path))]
    assert refused == []
    assert all(contributed(path) for path in FILES)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('id = "asus-turbo-3090"', 'id = "ASUS Turbo"', "part ASUS Turbo, id"),
        ("length_mm = 268", 'length_mm = "long"', "length_mm"),
        ("length_mm = 268", "length_inch = 10.5", "length_inch"),
        ("length_mm = 268", "length_mm = -268", "length_mm"),
        ('cooling = "blower"', 'cooling = "magic"', "cooling"),
        ('maker = "ASUS"\n', "", "maker"),
    ],
)
def test_schema_and_check_refuse_the_same(
    tmp_path: Path, validators: dict[str, Any], old: str, new: str, sentence: str
) -> None:
    path = tmp_path / "gpu" / "cards.toml"
    path.parent.mkdir()
    path.write_text(GOOD)
    assert list(validators["gpu"].iter_errors(plain(path))) == []
    assert len(read_contribution(path)) == 1
    path.write_text(GOOD.replace(old, new))
    assert list(validators["gpu"].iter_errors(plain(path))) != []
    with pytest.raises(BadInput, match=sentence):
        read_contribution(path)


MANY_FAULTS = """
wrong = 1
[shared]
specs = {}
[shared.spec]
wide = 3
[[part]]
id = "one"
maker = "X"
name = "One"
spec = { product = "RTX", cooling = "blowr", length_mm = 5000, lenth_mm = 1, width_slots = 2, memory_gb = 24 }
sources = [
  { title = "Page", url = "ftp://example.org", fields = ["product", "cooling", "colour"],
    says = { memory_gb = 48, width_slots = 2 } },
  { title = "Other", url = "https://example.org/2", fields = ["wat"] },
]
[[part]]
id = "two"
maker = "X"
name = "Two"
year = 1066
[[part]]
id = "one"
maker = "X"
name = "Three"
colour = "red"
spec = { category = "psu", product = "RTX", cooling = "blower", length_mm = 26.8, memory_gb = "much" }
sources = [{ title = "Page", url = "https://example.org/1", fields = ["product"] }]
[[part]]
id = "four"
maker = "X"
name = "Four"
spec = { product = "RTX", cooling = "blower", height_mm = 9 }
sources = [{ title = "Page", url = "https://example.org/1", fields = ["product", "cooling"] }]
"""
FAULTS = (
    "unknown key 'wrong'",
    "shared.specs: there is no such field",
    "part one, spec.cooling: 'blowr' is not 'open_air'",
    "part one, spec.lenth_mm: there is no such field",
    "part one: lenth_mm: there is no such figure. Did you mean length_mm?",
    "part one, sources.0.url: 'ftp://example.org' does not have the form",
    "part one: length (length_mm) is 5000, outside 100 to 500. Check the unit.",
    "part one: source 'Page' covers unknown fields ['colour']",
    "part one: source 'Other' covers unknown fields ['wat']",
    "part one: 'Page' says 48 for memory_gb, the part has 24. Correct one, or quote in words.",
    "part one: no source covers length_mm. Name one, or leave them out.",
    "part two has no [part.spec] table",
    "part two, sources: this is missing",
    "part two, year: 1066 is less than 1995",
    "part one says it is a psu, not a gpu",
    "part one, colour: there is no such field",
    "part one, spec.memory_gb: 'much' is not a number",
    "part one: length (length_mm) is 26.8, outside 100 to 500. Check the unit.",
    "part one: no source covers cooling, length_mm. Name one, or leave them out.",
    "two parts with the id one. Give one of them another id.",
    "part four: height (height_mm) is 9",
    "part four: no source covers height_mm. Name one, or leave them out.",
    "boards.toml: the id four is already used in",
    "part board, spec.socket: 'AM9' is not",
    "part board: no source covers ram_slots. Name one, or leave them out.",
)
BOARDS = """
[[part]]
id = "four"
maker = "X"
name = "Board"
spec = { socket = "AM5" }
sources = [{ title = "Page", url = "https://example.org/1", fields = ["socket"] }]
[[part]]
id = "board"
maker = "X"
name = "Board"
spec = { socket = "AM9", ram_slots = 4 }
sources = [{ title = "Page", url = "https://example.org/1", fields = ["socket"] }]
"""


def test_no_fault_hides_another_in_any_part_of_any_file(tmp_path: Path) -> None:
    """Of form, of words, of figures, of sources: each is told once, with its place and with what to do."""
    for name, text in (("gpu/cards", MANY_FAULTS), ("gpu/good", GOOD), ("motherboard/boards", BOARDS)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.toml").write_text(text)
    with pytest.raises(BadInput) as refusal:
        read_contributions(sorted(tmp_path.glob("*/*.toml")))
    lines = str(refusal.value).splitlines()
    assert [fault for fault in FAULTS if sum(fault in line for line in lines) != 1] == []
    others = [line for line in lines if not any(fault in line for fault in FAULTS)]
    assert [line for line in others if "spec.wide" not in line] == []
    assert all(str(tmp_path) in line for line in lines)


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu/a.toml").write_text("[[part]\n")
    (tmp_path / "gpu/b.toml").write_text(GOOD.replace("blower", "blowr"))
    with pytest.raises(BadInput) as refusal:
        read_contributions(sorted(tmp_path.glob("*/*.toml")))
    first, second = str(refusal.value).splitlines()
    assert "a.toml is not valid TOML" in first
    assert "b.toml, part asus-turbo-3090, spec.cooling" in second


# -- what must be there ------------------------------------------------------------------------------------------


def test_deciding_figures_and_ranges_are_figures_of_the_category() -> None:
    for category in Category:
        assert {*deciding(category), *ranges(category)} <= set(spec_model(category).model_fields), category
        assert all(low < high for low, high in ranges(category).values()), category


def test_coverage_counts_each_part_once_per_deciding_figure() -> None:
    parts = [part for path in FILES for part in contributed(path)]
    for row in coverage(parts):
        due = [part for part in parts if part.category is row.category and row.field in must_have(part)]
        evidence = [part.evidence(row.field) for part in due]
        assert row.parts == len(due)
        assert row.known == len(due) - evidence.count(Evidence.UNKNOWN)
        assert row.confirmed == evidence.count(Evidence.CONFIRMED)
        assert row.twice <= row.confirmed
        assert set(row.lacking) == {part.id for part in due if part.evidence(row.field) is Evidence.UNKNOWN}


KNOWN, CONFIRMED = 0.85, 0.60
"""What is wanted of every deciding figure: known in so many of its parts, and confirmed by a source in so many."""
BELOW: dict[Category, set[str]] = {
    Category.GPU: {"height_mm", "power_limit_w"},
    Category.CPU: {"ram_kinds", "sustained_power_w"},
    Category.MOTHERBOARD: {"m2", "power_inputs", "ram_kinds"},
    Category.STORAGE: {"active_power_w"},
    Category.PSU: {"inlet", "length_mm"},
    Category.CASE: {"cpu_cooler_max_height_mm", "panels", "psu_mounts", "radiator_mounts"},
    Category.SYSTEM: {"includes", "kind", "memory_bandwidth_gbps", "psu_w"},
    Category.CPU_COOLER: {"fan_count", "height_mm"},
    Category.FAN: {"power_w", "thickness_mm"},
    Category.RADIATOR: {"thickness_mm"},
    Category.PUMP: {"power_w"},
    Category.WATER_BLOCK: {"width_slots"},
    Category.RISER: {"generation", "kind", "lanes", "length_mm"},
    Category.CARRIER: {"generation", "host_lanes", "seats"},
    Category.NIC: {"power_w", "width_slots"},
    Category.UPS: {"inlet"},
    Category.NVLINK_BRIDGE: {"generation"},
    Category.CABLE: {"source_count", "source_kind", "target_count", "target_kind"},
}
"""Figures that makers seldom publish where they can be read: unknown or unconfirmed until somebody reads them."""


def test_coverage_is_as_wanted_but_for_the_figures_that_are_listed() -> None:
    rows = coverage(part for path in FILES for part in contributed(path))
    below: dict[Category, set[str]] = {}
    for row in rows:
        if row.known_share < KNOWN or row.confirmed_share < CONFIRMED:
            below.setdefault(row.category, set()).add(row.field)
    assert below == BELOW, "a gap that is closed goes from the list; a new one is to be closed"


def test_coverage_of_all_deciding_figures_together() -> None:
    rows = coverage(part for path in FILES for part in contributed(path))
    figures = sum(row.parts for row in rows)
    assert sum(row.known for row in rows) / figures > 0.9
    assert sum(row.confirmed for row in rows) / figures > 0.7


def test_there_are_as_many_parts_of_each_category_as_builders_need() -> None:
    least_pct = {
        Category.GPU: 70,
        Category.CPU: 40,
        Category.MOTHERBOARD: 45,
        Category.RAM: 25,
        Category.PSU: 30,
        Category.CASE: 30,
        Category.CPU_COOLER: 20,
        Category.FAN: 25,
        Category.RISER: 8,
        Category.NVLINK_BRIDGE: 6,
        Category.STORAGE: 12,
        Category.NIC: 6,
        Category.UPS: 6,
        Category.PDU: 12,
    }
    parts = [part for path in FILES for part in contributed(path)]
    counts = Counter(part.category for part in parts)
    assert {category: counts[category] for category in least_pct if counts[category] < least_pct[category]} == {}
    assert counts[Category.RADIATOR] + counts[Category.PUMP] + counts[Category.WATER_BLOCK] >= 12
    ordered = [part for part in parts if isinstance(part.spec, MotherboardSpec) and part.spec.slots]
    assert len(ordered) >= 45, "boards with their slots in order"
    with_points = [part for part in parts if isinstance(part.spec, FanSpec) and part.spec.points]
    assert len(with_points) >= 25, "fans with published points"


@pytest.mark.parametrize(("rate", "is_vectors"), [(30.7, True), (33.0, True), (61.39, False), (15.3, False)])
def test_an_fp32_rate_is_that_of_vectors(tmp_path: Path, rate: float, is_vectors: bool) -> None:
    """AMD counts dual issue, so that its figures are twice those of another maker's card."""
    path = tmp_path / "gpu" / "cards.toml"
    path.parent.mkdir()
    path.write_text(RATE.replace("RATE", str(rate)), encoding="utf-8")
    if is_vectors:
        assert read_contribution(path)
    else:
        with pytest.raises(BadInput, match=f"fp32_tflops is {rate}, cores and boost clock make 30.7"):
            read_contribution(path)
