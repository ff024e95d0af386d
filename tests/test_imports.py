"""No module of core or gui imports itself in a circle: not at run time, not within a function, not for types alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
Graph = Mapping[str, set[str]]


def modules(root: Path, packages: Iterable[str]) -> dict[str, Path]:
    """By dotted name; a package is its `__init__`."""
    paths = [path for package in packages for path in sorted((root / package).rglob("*.py"))]
    parts = {path: path.relative_to(root).with_suffix("").parts for path in paths}
    return {".".join(name[:-1] if name[-1] == "__init__" else name): path for path, name in parts.items()}


def imported(source: str, own: str, known: Iterable[str]) -> Iterator[str]:
    """The modules among `known` that a module names in any import of its source."""
    known = set(known)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{own} has a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield from (name for name in (inner if inner in known else node.module,) if name in known)


def graph(root: Path, packages: Iterable[str]) -> dict[str, set[str]]:
    found = modules(root, packages)
    return {name: set(imported(path.read_text("utf-8"), name, found)) for name, path in found.items()}


def circles(imports: Graph) -> list[list[str]]:
    """Groups of modules that reach each other by imports (strongly connected components larger than one)."""
    left = {name: targets - {name} for name, targets in imports.items()}
    while ends := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in ends}
    reach = {name: reachable(left, name) for name in left}
    groups = {frozenset(other for other in reach[name] if name in reach[other]) for name in left}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def reachable(imports: Graph, start: str) -> set[str]:
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = (imports.get(ahead.pop(), set()) & imports.keys()) - found
        found |= new
        ahead += new
    return found


@pytest.mark.parametrize(
    ("imports", "found"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, [["a", "b"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}, [["b", "c"]]),
        ({"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"e"}, "e": {"c"}}, [["a", "b"], ["c", "d", "e"]]),
    ],
)
def test_circles_are_found(imports: Graph, found: list[list[str]]) -> None:
    assert circles(imports) == found


@pytest.mark.parametrize(
    "source",
    [
        "from top.one import Value",
        "from top import one",
        "import top.one as first",
        "def f():\n    from top.one import Value\n",
        "if TYPE_CHECKING:\n    from top.one import Value\n",
    ],
)
def test_every_kind_of_import_counts(source: str) -> None:
    assert list(imported(source, "top.two", ("top", "top.one", "top.two"))) == ["top.one"]


def test_a_package_is_a_module_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "top" / "parts").mkdir(parents=True)
    (tmp_path / "top" / "parts" / "__init__.py").write_text("from top.parts.one import Value\n")
    (tmp_path / "top" / "parts" / "one.py").write_text("from top.parts import NAME\n")
    assert circles(graph(tmp_path, ("top",))) == [["top.parts", "top.parts.one"]]


def test_nothing_imports_itself_in_a_circle() -> None:
    found = graph(ROOT, ("core", "gui"))
    assert len(found) > 300
    assert circles(found) == []
