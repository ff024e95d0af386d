"""`make test` reads every folder of tests; a turn of it that is selected by marks, only the files that have them."""

import re
import subprocess
import sys
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests import rotation
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


@pytest.mark.parametrize("cases", [range(7), [("a", 1), ("b", 2), ("c", 3), ("d", 4)]])
def test_of_many_cases_each_has_its_turn_and_the_rest_is_for_the_soak(
    monkeypatch: pytest.MonkeyPatch, cases: Sequence[object]
) -> None:
    tried = []
    for commit in range(3):
        monkeypatch.setattr(rotation, "turn", lambda commit=commit: commit)
        shared = rotation.share(cases, 3, rest=pytest.mark.soak)
        assert len(shared) == len(cases)
        tried += [case for case in shared if case in cases]
    assert sorted(tried) == list(cases)


def test_benchmarks_can_be_collected_and_only_where_they_are_asked_for() -> None:
    """Nobody runs them with the other tests: a name that is gone would be found by `make bench`, much later."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", str(TESTS / "benchmarks")]
    enabled, plain = (
        subprocess.run([*command, *more], capture_output=True, text=True, check=False)
        for more in (["--benchmark-enable"], [])
    )
    assert (enabled.returncode, "test_window_start.py" in enabled.stdout) == (0, True), enabled.stdout + enabled.stderr
    assert plain.returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def test_no_folder_with_tests_is_left_out(pytestconfig: pytest.Config) -> None:
    """tests/build was for a week: pytest takes a folder of that name for the output of a tool."""
    left_out: list[str] = pytestconfig.getini("norecursedirs")
    folders = {part for path in TESTS.rglob("test_*.py") for part in path.relative_to(TESTS).parent.parts}
    assert [name for name in folders if any(fnmatch(name, pattern) for pattern in left_out)] == []
