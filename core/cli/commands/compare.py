"""The command that holds builds against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from core.assessment import Assessment
from core.build.line import Line
from core.cli.lookup import read_priced_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.language import tr
from core.predict.band import Band
from core.report.formatting import band_text
from core.share.comparison import Comparison, compare, line_words


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "compare",
        help=tr("Compare builds: parts, watts, noise, heat, speed, price and findings, with the differences marked."),
    )(compare_builds)


def compare_builds(
    files: Annotated[list[str], typer.Argument(metavar="BUILD...", help=tr("Two to four build files or templates."))],
    only_differences: Annotated[
        bool, typer.Option("--differences", help=tr("Leave out what is the same in all of them."))
    ] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    found = compare([_assessed(file, folder) for file in files])
    if as_json:
        print_json(found.as_dict())
        return
    _print(found, only_differences)


def _assessed(file: str, folder: Path | None) -> Assessment:
    build, guide = read_priced_build(file, folder)
    return Assessment(build, guide=guide)


def _print(found: Comparison, only_differences: bool) -> None:
    """Figures first, the best in bold; a star marks each row that differs."""
    table = Table(" ", "", *(escape(name) for name in found.names), box=None)
    for figure in found.figures:
        if figure.differs or not only_differences:
            cells = [_figure(value, number in figure.best) for number, value in enumerate(figure.values)]
            table.add_row("*" if figure.differs else "", figure.label, *cells)
    prices = [price.dated_words for price in found.prices]
    for label, cells in ((tr("Price"), prices), *(((tr("Budget"), found.budgets),) if any(found.budgets) else ())):
        if len(set(cells)) > 1 or not only_differences:
            table.add_row("*" if len(set(cells)) > 1 else "", label, *map(escape, cells))
    table.add_section()
    for row in found.parts:
        if row.differs or not only_differences:
            table.add_row("*" if row.differs else "", row.category.label, *(_line(line) for line in row.lines))
    console.print(table)
    console.print(f"\n[dim]{tr('* differs; bold: the best of them.')}[/]")


def _figure(value: Band | None, best: bool) -> str:
    text = tr("none") if value is None else escape(band_text(value))
    return f"[bold]{text}[/]" if best else text


def _line(line: Line | None) -> str:
    return f"[dim]{tr('none')}[/]" if line is None else escape(line_words(line))
