"""Users read the words of docs/glossary.md, and none of those that it replaces."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
SOURCES = sorted([*(ROOT / "core").rglob("*.py"), *(ROOT / "gui").rglob("*.py")])
NAMED = sorted([*SOURCES, *(ROOT / "packaging").rglob("*.py"), *(ROOT / "tests").rglob("*.py")])
READ = sorted([ROOT / "README.md", *(ROOT / "assets" / "profiles").glob("*.toml")])


def rows() -> list[list[str]]:
    lines = [line for line in GLOSSARY.read_text("utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] not in ("Term", "---")]


REPLACED = tuple(word for row in rows() for word in row[2].split(", ") if word)


@cache
def said_in(path: Path) -> list[str]:
    return sentences(path.read_text("utf-8"))


def sentences(source: str) -> list[str]:
    """String literals of a module without its docstrings, which only developers read."""
    tree = ast.parse(source)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    literals = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in bare)
    return [node.value.lower() for node in literals if isinstance(node.value, str)]


def test_every_term_is_explained_once() -> None:
    terms = [row[0] for row in rows()]
    assert len(terms) == len(set(terms)) >= 20
    assert all(row[1].endswith(".") for row in rows())
    assert not set(terms) & set(REPLACED)


def test_sentences_are_found_and_docstrings_are_not() -> None:
    assert sentences('def f():\n    """Hangs on it."""\n    return f"It is borne by {1}."\n') == [
        "it is borne by ",
        ".",
    ]


@pytest.mark.parametrize("word", REPLACED)
def test_no_sentence_has_a_word_that_was_replaced(word: str) -> None:
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    code = [path for path in SOURCES if any(map(pattern.search, said_in(path)))]
    texts = [path for path in READ if pattern.search(path.read_text("utf-8").lower())]
    assert [str(path.relative_to(ROOT)) for path in (*code, *texts)] == []


SAYS_NOTHING = frozenset(("found", "known", "told", "wanted", "kept", "given", "said", "asked"))
IN_FILES = {
    "core/lab/validation/outcome.py": {"found", "wanted"},
    "core/loads/memory/contract.py": {"found"},
    "core/machine/asbuilt/as_built.py": {"found"},
    "core/parts/contribution.py": {"known"},
}
"""Fields that recordings and JSON name so."""


def named_in(source: str) -> Iterator[str]:
    """What a module defines: functions, classes, parameters, variables and attributes."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name


@pytest.mark.parametrize("path", NAMED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_name_says_the_thing(path: Path) -> None:
    """Not that it was found or is known."""
    names = {name for name in named_in(path.read_text("utf-8")) if name.strip("_") in SAYS_NOTHING}
    assert names == IN_FILES.get(str(path.relative_to(ROOT)), set())
