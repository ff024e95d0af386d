"""The command that holds builds against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from core.assessment import Assessment
from core.cli.lookup import read_priced_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.present.share.comparison import Comparison, compare
from core.words import tr


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
    comparison = compare([_assessed(file, folder) for file in files])
    if as_json:
        print_json(comparison.as_dict())
        return
    _print(comparison, only_differences)


def _assessed(file: str, folder: Path | None) -> Assessment:
    build, guide = read_priced_build(file, folder)
    return Assessment(build, guide=guide)


def _print(comparison: Comparison, only_differences: bool) -> None:
    """Figures first, the best in bold; a star marks each row that differs."""
    table = Table(" ", "", *map(escape, comparison.names), box=None)
    for row in comparison.rows():
        if row.differs or not only_differences:
            cells = (
                f"[bold]{escape(cell)}[/]" if at in row.best else escape(cell) for at, cell in enumerate(row.cells)
            )
            table.add_row("*" if row.differs else "", row.label, *cells)
    console.print(table)
    console.print(f"\n[dim]{tr('* differs; bold: the best of them.')}[/]")
