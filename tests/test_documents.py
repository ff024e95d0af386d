"""The documents of the project name files that exist."""

from __future__ import annotations

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
    found = NAMED.findall("See `core/parts/part.py` and [it](docs/glossary.md), not [that](https://example.org/a).")
    assert found == [("core/parts/part.py", ""), ("", "docs/glossary.md")]
