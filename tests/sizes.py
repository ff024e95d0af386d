"""How much code each folder holds, and how much it may: `python -m tests.sizes` writes the table of them anew."""

import math
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
TOP = ("core", "gui", "packaging", "tests")
HEADING = "| Folder | Files | Lines |\n| --- | --: | --: |\n"
ROW = re.compile(r"^\| `([^`]+)` \| (\d+) \| (\d+) \|\n", re.MULTILINE)
STALE = 0.95


class Size(NamedTuple):
    """How many Python files, with how many lines altogether."""

    files: int
    lines: int

    @property
    def row(self) -> "Size":
        """The most that a folder of this size may hold: 1 % more lines and 20, so that a small fix fits."""
        return Size(self.files, math.ceil((self.lines * 1.01 + 20) / 10) * 10)


def lines_of(path: Path) -> int:
    """The lines of a file, empty ones included."""
    return len(path.read_text(encoding="utf-8").splitlines())


def sizes(root: Path = ROOT) -> dict[str, Size]:
    """What each folder of `TOP`, and each folder in one of them, holds; the former without the latter.

    `root` need not be a checkout: a source archive will do.
    """
    tree: dict[str, Size] = {}
    for top in TOP:
        for path in (root / top).rglob("*.py"):
            inner = path.relative_to(root / top).parts[:-1]
            name = "/".join((top, *inner[:1]))
            files, lines = tree.get(name, Size(0, 0))
            tree[name] = Size(files + 1, lines + lines_of(path))
    return tree


def rows(page: str) -> dict[str, Size]:
    """The table in the text of `page`."""
    return {name: Size(int(files), int(lines)) for name, files, lines in ROW.findall(page)}


def with_rows(page: str, tree: dict[str, Size]) -> str:
    """The text of `page` with the table that fits `tree`."""
    table = "".join(f"| `{name}` | {size.row.files} | {size.row.lines} |\n" for name, size in sorted(tree.items()))
    return ROW.sub("", page).replace(HEADING, HEADING + table)


def objections(table: dict[str, Size], tree: dict[str, Size]) -> list[str]:
    """A sentence for each folder of `tree` that holds more than its row in `table`, or far less."""
    nothing = Size(0, 0)
    sentences = []
    for name in sorted(table.keys() | tree.keys()):
        row, size = table.get(name, nothing), tree.get(name, nothing)
        held = f"{name}: {size.files} files with {size.lines} lines, where its row says {row.files} with {row.lines}."
        if size.files > row.files or size.lines > row.lines:
            sentences.append(
                f"{held} Make it smaller, or raise the row in the same commit with `python -m tests.sizes` and give "
                "the reason in the commit's message."
            )
        elif size == nothing or size.files < int(row.files * STALE) or size.row.lines < int(row.lines * STALE):
            sentences.append(f"{held} Lower the row with `python -m tests.sizes`.")
    return sentences


if __name__ == "__main__":
    PAGE.write_text(with_rows(PAGE.read_text(encoding="utf-8"), sizes()), encoding="utf-8")
