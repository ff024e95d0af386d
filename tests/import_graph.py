"""Which module of the project imports which: every import counts, inside functions and under TYPE_CHECKING too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("core", "gui", "tests")


@cache
def import_graph() -> dict[str, frozenset[str]]:
    """Each module's own imports, by dotted names; a package is its `__init__`, if that is there."""
    files = {module_of(path): path for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    return {
        module: frozenset(imported_by(path.read_bytes()) & files.keys() - {module}) for module, path in files.items()
    }


def module_of(path: Path) -> str:
    """Dotted name of a file, given absolutely or from the project's root."""
    relative = path.relative_to(ROOT) if path.is_absolute() else path
    return ".".join(relative.with_suffix("").parts).removesuffix(".__init__")


def imported_by(source: str | bytes) -> set[str]:
    """Every name in a module's source that an import may mean."""
    return {name for node in ast.walk(ast.parse(source)) for name in _names(node)}


def _names(node: ast.AST) -> Iterator[str]:
    """Whatever an import may mean: `from core.parts import part` names a module of the package, or a name in it."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
