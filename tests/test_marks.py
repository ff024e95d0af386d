"""`make test` reads every folder of tests; a turn of it that is selected by marks, only the files that have them."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.marks import can_be_selected

TESTS = Path(__file__).parent
MARKED = "@pytest.mark.process\ndef test_it(): ..."
PLAIN = "def test_it(): ..."


@pytest.mark.parametrize(
    ("text", "expression", "possible"),
    [
        (MARKED, "process", True),
        (PLAIN, "process", False),
        (PLAIN, "not process", True),
        (MARKED, "not process", True),
        (MARKED, "process and not (journey or soak)", True),
        (f"{MARKED}\n@pytest.mark.journey\n{PLAIN}", "process and not (journey or soak)", True),
        (PLAIN, "process and not (journey or soak)", False),
        (PLAIN, "journey and not soak", False),
        ("from hypothesis import given", "hypothesis and not process", True),
        ("preprocess(it)", "process", False),
    ],
)
def test_a_file_is_left_out_only_where_no_test_of_it_can_be_meant(text: str, expression: str, possible: bool) -> None:
    assert can_be_selected(text, expression) is possible


def test_no_test_gets_the_mark_of_a_turn_from_another_file() -> None:
    """Or its own text would not name it."""
    marks = re.compile(r"mark\.(process|journey|soak|fuzz)\b")
    others = [path for path in TESTS.rglob("*.py") if not path.name.startswith("test_")]
    assert [path for path in others if marks.search(path.read_text(encoding="utf-8"))] == []


def test_no_folder_with_tests_is_left_out(pytestconfig: pytest.Config) -> None:
    """tests/build was for a week: pytest takes a folder of that name for the output of a tool."""
    left_out: list[str] = pytestconfig.getini("norecursedirs")
    folders = {part for path in TESTS.rglob("test_*.py") for part in path.relative_to(TESTS).parent.parts}
    assert [name for name in folders if any(fnmatch(name, pattern) for pattern in left_out)] == []
