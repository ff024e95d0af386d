"""Blocks for a terminal: what rich prints of them, and nothing of it read as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table as Grid
from rich.text import Text

from core.present.report.document import (
    Block,
    Cell,
    Heading,
    Illustration,
    KeyValues,
    Paragraph,
    Table,
    Tone,
    without_bars,
)
from core.present.report.formatting import BULLET, cell_text, cell_tone, two_lines
from core.words import plain, visible

TONE_STYLE = {
    Tone.PLAIN: "",
    Tone.PASS: "green",
    Tone.NOTE: "cyan",
    Tone.WARN: "yellow",
    Tone.FAIL: "bold red",
    Tone.UNKNOWN: "magenta",
}
NARROWEST_WORDS = 20
"""Columns of the terminal that a column of words keeps at least; figures break before their band alone."""
WORD = re.compile(r"[^\s\u2e80-\uffef]+")
"""What no line breaks inside, so that an id can be copied; Chinese breaks anywhere."""
GAP = 2
BAND = re.compile(r" ?([(（])")
"""Where a figure breaks before its band."""
ENDLESS = 100_000
"""Columns of what goes into a pipe or a file: there a row stays one line, whatever its words."""


def print_blocks(console: Console, blocks: Iterable[Block]) -> None:
    """Prints blocks, with a blank line before sections, tables and lists of facts.

    Paragraphs wrap as `console` has it wrap; cells, and items of a list, on a terminal alone.
    """
    before: Block | None = None
    for block in blocks:
        if before is not None and not isinstance(before, Heading) and not isinstance(block, Paragraph):
            console.print()
        for renderable in _renderables(block, console):
            if isinstance(renderable, Text):
                console.print(renderable)
            else:
                console.print(_trimmed(console, renderable), end="")
        before = block


def _trimmed(console: Console, grid: Grid) -> Segments:
    """Its lines without the spaces that fill the last column."""
    trimmed: list[Segment] = []
    options = console.options if console.is_terminal else console.options.update(width=ENDLESS)
    for line in console.render_lines(grid, options, pad=False):
        while line and not line[-1].text.strip():
            line.pop()
        if line:
            line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
        trimmed += [*line, Segment.line()]
    return Segments(trimmed)


def _renderables(block: Block, console: Console) -> Iterator[Text | Grid]:
    match block:
        case Heading(text):
            yield Text(visible(text), "bold")
        case Paragraph(""):
            return
        case Paragraph(text, tone, quiet):
            yield from _lines_of(visible(text), TONE_STYLE[tone] or ("dim" if quiet else ""))
        case KeyValues(rows):
            yield _facts(rows)
        case Table(rows=()):
            yield Text(visible(block.empty), "dim")
        case Table():
            yield from _table(without_bars(block), console)
        case Illustration(figures=Table() as figures):
            yield from _renderables(figures, console)
        case Illustration(title, alt=alt):
            yield Text(visible(plain("{title}: {words}", title=title, words=alt)))


def _lines_of(text: str, style: str) -> Iterator[Text | Grid]:
    """As it stands; items of a list are indented under their mark where they are broken into lines."""
    for is_list, lines in groupby(text.split("\n"), lambda line: line.startswith(BULLET)):
        if is_list:
            grid = Grid.grid()
            for line in lines:
                grid.add_row(Text(BULLET, style), Text(line.removeprefix(BULLET), style))
            yield grid
        else:
            yield Text("\n".join(lines), style)


def _facts(rows: Iterable[tuple[str, str]]) -> Grid:
    grid = Grid(show_header=False, box=None, padding=(0, GAP, 0, 0), pad_edge=False)
    for name, value in rows:
        grid.add_row(Text(visible(name)), Text(visible(value)))
    return grid


def _table(table: Table, console: Console) -> Iterator[Text | Grid]:
    """In columns; where they do not fit, with the band of each figure below it, and else row by row."""
    titles, numeric = [visible(column.title) for column in table.columns], [column.numeric for column in table.columns]
    shown = [
        [_lines(cell, " " if figure else "\n") for cell, figure in zip(row, numeric, strict=True)] for row in table.rows
    ]
    width = console.width if console.is_terminal else ENDLESS
    widths = _widths(numeric, titles, shown, width)
    if widths is None:
        titles = [two_lines(title) if figure else title for title, figure in zip(titles, numeric, strict=True)]
        shown = [
            [BAND.sub(r"\n\1", words) if figure else words for words, figure in zip(row, numeric, strict=True)]
            for row in shown
        ]
        widths = _widths(numeric, titles, shown, width)
    if widths is None:
        yield from _records(table, width)
        return
    grid = Grid(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=any(titles))
    for figure, title, column_width in zip(numeric, titles, widths, strict=True):
        own_width = column_width if console.is_terminal else None
        grid.add_column(Text(title), justify="right" if figure else "left", width=own_width)
    for row, words in zip(table.rows, shown, strict=True):
        grid.add_row(*(Text(word, _style(cell)) for word, cell in zip(words, row, strict=True)))
    yield grid


def _widths(
    numeric: Sequence[bool], titles: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> list[int] | None:
    """Of the columns, the widest made narrower; None where there is no room for figures, or for words to wrap in."""
    widths, least = [], []
    for figure, *texts in zip(numeric, titles, *rows, strict=True):
        longest = max(cell_len(line) for text in texts for line in text.split("\n"))
        word = max((cell_len(word) for text in texts for word in WORD.findall(text)), default=0)
        widths.append(longest)
        least.append(longest if figure else min(longest, max(word, NARROWEST_WORDS)))
    room = width - GAP * len(widths)
    if sum(least) > room:
        return None
    while sum(widths) > room:
        widest = max((at for at in range(len(widths)) if widths[at] > least[at]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _records(table: Table, width: int) -> Iterator[Text | Grid]:
    """A row as a list under its first cell, where the terminal is too narrow for its columns."""
    for first, *others in table.rows:
        yield Text(_lines(first, ": "), f"bold {_style(first)}")
        for column, cell in zip(table.columns[1:], others, strict=True):
            if words := _lines(cell, " " if column.numeric else ", "):
                title = f"{visible(column.title)}  " if column.title else ""
                yield _indented(Text.assemble(title, (words, _style(cell))), width)


def _indented(text: Text, width: int) -> Text | Grid:
    """Its lines under one another, but for words too long for a line: those are left to the terminal."""
    if any(cell_len(word) > width - GAP for word in WORD.findall(text.plain)):
        return Text(" " * GAP) + text
    grid = Grid.grid()
    grid.add_row(" " * GAP, text)
    return grid


def _lines(cell: Cell, break_: str) -> str:
    return visible(cell_text(cell)).replace("\n", break_)


def _style(cell: Cell) -> str:
    return TONE_STYLE[cell_tone(cell)]
