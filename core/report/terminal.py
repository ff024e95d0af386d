"""Blocks for a terminal: what rich prints of them, and nothing of it read as markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from core.language import plain
from core.report.document import Block, Cell, Heading, Illustration, KeyValues, Paragraph, Table, Tone, without_bars
from core.report.formatting import cell_text, cell_tone
from core.shown import visible

TONE_STYLE = {
    Tone.PLAIN: "",
    Tone.PASS: "green",
    Tone.NOTE: "cyan",
    Tone.WARN: "yellow",
    Tone.FAIL: "bold red",
    Tone.UNKNOWN: "magenta",
}
NARROWEST_WORDS = 20
"""Columns of the terminal that a column of words keeps at least; figures never wrap."""
GAP = 2


def print_blocks(console: Console, blocks: Iterable[Block]) -> None:
    """Prints blocks, with a blank line before sections, tables and lists of facts."""
    before: Block | None = None
    for block in blocks:
        if before is not None and not isinstance(before, Heading) and not isinstance(block, Paragraph):
            console.print()
        for renderable in _renderables(block, console.width):
            console.print(renderable)
        before = block


def _renderables(block: Block, width: int) -> Iterator[RenderableType]:
    match block:
        case Heading(text):
            yield Text(visible(text), "bold")
        case Paragraph(text, tone, quiet):
            yield Text(visible(text), TONE_STYLE[tone] or ("dim" if quiet else ""))
        case KeyValues(rows):
            yield _facts(rows)
        case Table(rows=()):
            yield Text(visible(block.empty), "dim")
        case Table():
            table = without_bars(block)
            yield from [_grid(table)] if _fits(table, width) else _records(table)
        case Illustration(figures=Table() as figures):
            yield from _renderables(figures, width)
        case Illustration(title, alt=alt):
            yield Text(visible(plain("{title}: {words}", title=title, words=alt)))


def _facts(rows: Iterable[tuple[str, str]]) -> Grid:
    grid = Grid(show_header=False, box=None, padding=(0, GAP, 0, 0), pad_edge=False)
    for name, value in rows:
        grid.add_row(Text(visible(name)), Text(visible(value)))
    return grid


def _grid(table: Table) -> Grid:
    grid = Grid(
        box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=any(column.title for column in table.columns)
    )
    for column in table.columns:
        grid.add_column(
            Text(visible(column.title)), justify="right" if column.numeric else "left", no_wrap=column.numeric
        )
    for row in table.rows:
        grid.add_row(*map(_cell, row))
    return grid


def _fits(table: Table, width: int) -> bool:
    """Whether figures have the width they need, and words enough to wrap in."""
    needed = 0
    for at, column in enumerate(table.columns):
        lines = [column.title, *(line for row in table.rows for line in cell_text(row[at]).split("\n"))]
        longest = max(map(cell_len, lines))
        needed += GAP + (longest if column.numeric else min(longest, NARROWEST_WORDS))
    return needed <= width


def _records(table: Table) -> Iterator[RenderableType]:
    """A row as a list under its first cell, where the terminal is too narrow for its columns."""
    for first, *others in table.rows:
        yield Text.assemble(_cell(first), style="bold")
        for column, cell in zip(table.columns[1:], others, strict=True):
            yield Text.assemble("  ", visible(column.title), "  " if column.title else "", _cell(cell))


def _cell(cell: Cell) -> Text:
    return Text(visible(cell_text(cell)), TONE_STYLE[cell_tone(cell)])
