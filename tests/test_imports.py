"""No module of core or gui imports itself in a circle: not at run time, not within a function, not for types alone."""

from __future__ import annotations

from collections.abc import Mapping, Set

import pytest

from tests.import_graph import import_graph, imported_by

Graph = Mapping[str, Set[str]]


def circles(imports: Graph) -> list[list[str]]:
    """Groups of modules that reach each other by imports (strongly connected components larger than one)."""
    left = {name: targets - {name} for name, targets in imports.items()}
    while ends := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in ends}
    reach = {name: reachable(left, name) for name in left}
    groups = {frozenset(other for other in reach[name] if name in reach[other]) for name in left}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def reachable(imports: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = (imports.get(ahead.pop(), set()) & imports.keys()) - seen
        seen |= new
        ahead += new
    return seen


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, [["a", "b"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}, [["b", "c"]]),
        ({"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"e"}, "e": {"c"}}, [["a", "b"], ["c", "d", "e"]]),
    ],
)
def test_circles_are_found(imports: Graph, expected: list[list[str]]) -> None:
    assert circles(imports) == expected


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
    assert "top.one" in imported_by(source)


def test_nothing_imports_itself_in_a_circle() -> None:
    """A package is a module of its own, its `__init__`."""
    graph = {module: names for module, names in import_graph().items() if module.startswith(("core", "gui"))}
    assert len(graph) > 300
    assert circles(graph) == []
