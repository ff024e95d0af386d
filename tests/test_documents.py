"""The documents of the project name files that exist, and what stands in two of them is the same."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
NAMED = re.compile(r"`((?:core|gui|assets|tests|packaging|docs)(?:/[\w.-]+)+)`|\]\((?!https?:)([^)#]+)\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_a_document_names_exists(document: Path) -> None:
    named = [
        inside or str((document.parent / link).resolve()) for inside, link in NAMED.findall(document.read_text("utf-8"))
    ]
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_files_that_are_named_are_found() -> None:
    names = NAMED.findall("See `core/parts/part.py` and [it](docs/glossary.md), not [that](https://example.org/a).")
    assert names == [("core/parts/part.py", ""), ("", "docs/glossary.md")]


def test_what_is_checked_before_a_commit_is_what_make_lint_checks() -> None:
    hooks = re.findall(r"entry: \.venv/bin/(.+)", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    lint = (ROOT / "Makefile").read_text("utf-8").partition("\nlint:")[2].partition("\n\n")[0]
    assert hooks == re.findall(r"^\t\$\(BIN\)/(.+)", lint, re.MULTILINE) != []
