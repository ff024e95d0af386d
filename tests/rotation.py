"""A share of many cases: another one for each commit, the same for whoever tries that commit; `make soak` tries all."""

import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings


def share(cases: Iterable[Any], of: int, *, rest: pytest.MarkDecorator) -> list[Any]:
    """All cases as parameters of a test; of each `of` in a row, those whose turn it is not have the mark `rest`.

    The mark is named where the test is, because files are chosen by the marks in their text (tests/marks.py).
    """
    return [case if (place - turn()) % of == 0 else _marked(case, rest) for place, case in enumerate(cases)]


def _marked(case: Any, rest: pytest.MarkDecorator) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=rest)


def examples(of: int) -> int:
    """So many times fewer examples of a property than others are tried with: for one whose examples take a second."""
    return max(1, settings().max_examples // of)


@cache
def turn() -> int:
    """A number of this commit's own, from its hash; 0 where there is no history."""
    command = ["git", "rev-parse", "HEAD"]
    answer = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return int(answer.stdout, 16) if answer.returncode == 0 else 0
