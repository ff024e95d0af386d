"""The list of files of which tests pass every line: what it objects to."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("covered", Path(__file__).parents[1] / "packaging" / "covered.py")
assert _SPEC is not None
assert _SPEC.loader is not None
covered = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(covered)


@pytest.mark.parametrize(
    ("missing", "excepted", "sentences"),
    [
        ({"a.py": [], "b.py": []}, {}, []),
        ({"a.py": [3, 7]}, {}, ["a.py: no test passes line 3, 7."]),
        ({"a.py": [3], "b.py": [1]}, {"b.py": "of a machine with two users"}, ["a.py: no test passes line 3."]),
        ({"a.py": []}, {"a.py": "a reason"}, ["a.py: every line is passed. Take it off the exceptions."]),
        ({}, {"gone.py": "a reason"}, ["gone.py: no such file. Take it off the exceptions."]),
        ({"a.py": [3]}, {"a.py": ""}, ["a.py: give the reason why it is excepted."]),
    ],
)
def test_every_line_is_passed_or_the_file_is_excepted_for_a_reason(
    missing: Mapping[str, list[int]], excepted: Mapping[str, str], sentences: list[str]
) -> None:
    assert covered.shortfalls(missing, excepted) == sentences


def test_lines_that_no_test_passes_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing" / "__init__.py").write_text("def half(n):\n    if n:\n        return n / 2\n    return None\n")
    (tmp_path / "test_thing.py").write_text("import thing\n\ndef test_half():\n    assert thing.half(2) == 1\n")
    monkeypatch.chdir(tmp_path)
    assert covered.missing_lines({"packages": ["thing"], "tests": ["test_thing.py"]}) == {"thing/__init__.py": [4]}
