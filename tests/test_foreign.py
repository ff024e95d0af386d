"""JSON and TOML of others: nothing in them is too deep or too long for the program, and what is wrong is said."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.platform.foreign import MAX_DEPTH, MAX_DIGITS, Unreadable, read_json, read_toml

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=VALUES)
def test_any_json_of_usual_size_is_read(value: Any) -> None:
    assert read_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("read", "text", "why"),
    [
        (read_json, "", "line 1, column 1: a value is missing"),
        (read_json, '{"a": 1', "line 1, column 8: a comma or a closing bracket"),
        (read_json, '["a', "line 1, column 2: the closing quotation mark"),
        (read_json, '{"a" 1}', "a colon is missing"),
        (read_json, "{a: 1}", "a name in double quotation marks"),
        (read_json, "[1] 2", "there is more text after the end"),
        (read_json, '["a\nb"]', "a line break or control character"),
        (read_json, r'["\q"]', "a backslash"),
        (read_json, "\ufeff[]", "an invisible mark"),
        (read_json, "9" * 5000, "more than 300 digits"),
        (read_json, f"[[{'9' * 301}]]", "more than 300 digits"),
        (read_json, f"-{'9' * 301}", "more than 300 digits"),
        (read_json, "[" * 2000 + "]" * 2000, "nested too deeply"),
        (read_json, "[" * 100_000, "nested too deeply"),
        (read_json, '{"a":' * 100 + "1" + "}" * 100, "nested too deeply"),
        (read_toml, "a = ?", "line 1, column 5"),
        (read_toml, f"a = {'9' * 4301}", "more than 300 digits"),
        (read_toml, f"a = {'9' * 301}", "more than 300 digits"),
        (read_toml, f"a = {'[' * 2000}{']' * 2000}", "nested too deeply"),
        (read_toml, "a." * 5000 + "a = 1", "nested too deeply"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_wrong_is_said_in_words(read: Callable[[str], Any], text: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read(text)


def test_the_bounds_themselves_are_within() -> None:
    assert read_json("9" * MAX_DIGITS) == int("9" * MAX_DIGITS)
    deep = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert json.dumps(read_json(deep)) == deep
