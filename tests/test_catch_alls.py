"""Errors are caught where meaning can be added: the few places that catch everything are listed here."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BROAD = {"Exception", "BaseException"}

ALLOWED = {
    "core/cli/app.py": "usage errors of the command line, whose class is private; all others are bugs, kept in a log",
    "core/loads/units/video.py": "a video library's own errors: the unit is NOT RUN with its words",
    "gui/shell/app.py": "a bug while the window opens: kept in a log, one sentence",
    "gui/shell/bugs.py": "keeping the work after a bug, which may be in the work: said beside the bug",
    "gui/widgets/background.py": "work beside the window: what failed is shown, as a sentence or as a bug report",
}


def broad_handlers(path: Path) -> Iterator[int]:
    """Lines of handlers that catch everything and do not end by raising it again."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler) and not _passes_on(node):
            caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(kind is None or (isinstance(kind, ast.Name) and kind.id in BROAD) for kind in caught):
                yield node.lineno


def _passes_on(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_only_the_listed_places_catch_everything() -> None:
    places = {
        path.relative_to(ROOT).as_posix()
        for package in ("core", "gui")
        for path in (ROOT / package).rglob("*.py")
        if list(broad_handlers(path))
    }
    assert places == set(ALLOWED)
