"""The JSON Schema of a build file: it takes what the program writes, and what it refuses is refused."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plan.build import Build
from core.plan.file import dump_build, parse_build
from core.plan.file_format import build_schema
from core.plan.line import Line
from core.platform.errors import BadInput
from core.platform.paths import ASSETS
from tests.rotation import share
from tests.shipped import every_part

TEMPLATES = sorted((ASSETS / "templates").glob("*.rig.json"))


@pytest.fixture(scope="module")
def schema() -> Any:
    made = jsonschema.Draft202012Validator(build_schema())
    made.check_schema(made.schema)
    return made


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_it_takes_every_template(schema: Any, path: Any) -> None:
    schema.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("first", share(range(4), 4, rest=pytest.mark.soak))
def test_it_takes_what_the_program_writes_of_every_shipped_part(schema: Any, first: int) -> None:
    for part in every_part()[first::4]:
        schema.validate(json.loads(dump_build(Build("One", (Line(part),)))))


@given(data=st.data())
def test_it_takes_every_build_that_the_program_writes(schema: Any, data: st.DataObject, builds: Any) -> None:
    schema.validate(json.loads(dump_build(data.draw(builds))))


def test_it_tells_editors_the_regions_and_the_fields(schema: Any) -> None:
    fields = schema.schema["properties"]
    assert "uk-230v-13a" in fields["region"]["enum"]
    assert "additionalProperties" in schema.schema and schema.schema["additionalProperties"] is False
    assert [
        name for name in ("lines", "region", "other_loads_w", "fan_share") if "description" not in fields[name]
    ] == []


ANYTHING: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "1", "2", "true", "gpu", "2026-01-01"]),
    st.sampled_from([(), (1,), ("",)]).map(list),
    st.builds(dict),
)


@given(
    data=st.data(),
    way=st.lists(st.integers(0, 999), min_size=1, max_size=8),
    change=st.sampled_from(["replace", "remove", "add"]),
    anything=ANYTHING,
)
def test_what_it_refuses_the_program_refuses(
    schema: Any, data: st.DataObject, builds: Any, way: list[int], change: str, anything: Any
) -> None:
    raw = json.loads(dump_build(data.draw(builds)))
    place: Any = raw
    for step in way:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = keys[step % len(keys)]
        if not isinstance(place[key], (dict, list)) or not place[key]:
            break
        inside, place = place, place[key]
    else:
        place = inside
    if change == "replace" or isinstance(place, list):
        place[key] = anything
    elif change == "remove":
        del place[key]
    else:
        place["typing_error"] = 1
    if not schema.is_valid(raw):
        with pytest.raises(BadInput):
            parse_build(json.dumps(raw), lambda _: None)
