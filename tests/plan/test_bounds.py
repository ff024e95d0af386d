"""How large a build may be: more is refused in a sentence, and the largest is judged in a moment."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from core.parts.part import Part
from core.parts.values import MAX_ROWS, MAX_SOCKETS
from core.parts.vocabulary import Category
from core.plan.build import MOST_PARTS, Build
from core.plan.edits import AddPart, Edit, SetQuantity
from core.plan.file import dump_build, load_build, parse_build
from core.plan.line import Line
from core.platform.errors import BadInput
from core.rules.engine import check
from tests.shipped import every_part

LONGEST_S = 60.0
"""Of processor time: it takes one or two, and all ways to seat or wire so many parts would take years."""
TOO_MANY = "a build has at most 16 parts of the category PSU, not 17; plan several machines"


@pytest.mark.parametrize(
    ("start", "edit"), [(16, AddPart), (1, lambda part: AddPart(part, 16)), (16, lambda part: SetQuantity(part.id, 17))]
)
def test_an_edit_beyond_the_bound_is_refused(parts: Any, start: int, edit: Any) -> None:
    build = Build("Rig", (Line(parts.psu, start),))
    change: Edit = edit(parts.psu)
    with pytest.raises(BadInput, match=TOO_MANY):
        change.apply(build)


def test_parts_of_all_lines_count(parts: Any) -> None:
    with pytest.raises(ValueError, match="at most 64 parts of the category GPU, not 65"):
        Build("Rig", (Line(parts.one_slot, 60), Line(parts.two_slots, 5)))


def test_a_file_beyond_the_bound_is_refused_and_stays_as_it_is(parts: Any, tmp_path: Path) -> None:
    path = tmp_path / "old.rig.json"
    path.write_text(dump_build(Build("Rig", (Line(parts.psu, 16),))).replace('"quantity": 16', '"quantity": 17'))
    before = path.read_bytes()
    with pytest.raises(BadInput, match=rf"old\.rig\.json: {TOO_MANY}\."):
        load_build(path, lambda _: None)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kinds", [2, 4, 16])
def test_the_largest_build_is_judged_in_a_moment(kinds: int) -> None:
    build = _largest(kinds)
    assert all(build.count(category) == most for category, most in MOST_PARTS.items() if category not in ALONE)
    assert _seconds(build) < LONGEST_S


@pytest.mark.parametrize("kinds", [2, 4])
def test_so_is_one_whose_parts_have_the_longest_tables(kinds: int) -> None:
    raw = json.loads(dump_build(_largest(kinds)))
    for part in raw["parts"].values():
        part["spec"] = {field: _longest(field, value) for field, value in part["spec"].items()}
    assert _seconds(parse_build(json.dumps(raw), lambda _: None)) < LONGEST_S


def test_every_list_of_a_part_has_a_longest_length() -> None:
    schema = TypeAdapter(Part).json_schema()
    assert [where for where, keywords in _lists(schema, "Part") if "maxItems" not in keywords] == []


ALONE = (Category.MOTHERBOARD, Category.CASE)
"""One kind of these, or most rules wait."""
SOCKETS = ("power_connectors", "power_inputs", "boxed_adapter")


def _largest(kinds: int) -> Build:
    return Build("Large", tuple(line for category in MOST_PARTS for line in _lines(category, kinds)))


def _lines(category: Category, kinds: int) -> Iterator[Line]:
    parts = [part for part in every_part() if part.category is category]
    if category in ALONE:
        yield Line(max(parts, key=lambda part: len(part.spec.model_dump_json(exclude_none=True))))
        return
    parts = parts[:: max(1, len(parts) // kinds)][:kinds]
    whole, more = divmod(MOST_PARTS[category], len(parts))
    for number, part in enumerate(parts):
        if quantity := whole + (number < more):
            yield Line(part, quantity)


def _longest(field: str, value: Any) -> Any:
    """As many rows as the format takes, and nearly as many plugs, cables or fans in each."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict) or field == "slots":
        return value
    if field in SOCKETS:
        return [value[place % len(value)] | {"count": 1} for place in range(MAX_SOCKETS)]
    return [_changed(value[place % len(value)], place) for place in range(MAX_ROWS)]


def _changed(row: dict[str, Any], place: int) -> dict[str, Any]:
    """Each row is of another rating, so that no two are alike."""
    many = {key: 20 + place for key in ("count", "cables", "connectors_per_cable") if key in row}
    return row | many | ({"rated_w": 100.0 + place} if "cables" in row else {})


def _lists(schema: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        if schema.get("type") == "array":
            yield where, schema
        for key, inner in schema.items():
            yield from _lists(inner, f"{where}.{key}")
    elif isinstance(schema, list):
        for inner in schema:
            yield from _lists(inner, where)


def _seconds(build: Build) -> float:
    begun = time.process_time()
    check(build)
    return time.process_time() - begun
