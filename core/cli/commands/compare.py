"""The command that holds builds against each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from core.assessment import Assessment
from core.cli.lookup import read_priced_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.present.report.document import Cell, Paragraph, Tone, Words, table
from core.present.report.formatting import both
from core.present.report.terminal import print_blocks
from core.present.share.comparison import ComparedRow, Comparison, compare
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
    """Figures first; a star marks each row that differs."""
    rows = [_cells(row) for row in comparison.rows() if row.differs or not only_differences]
    print_blocks(console, [table(("", *comparison.names), rows), Paragraph(f"\n* {tr('differs')}", quiet=True)])


def _cells(row: ComparedRow) -> Iterator[Cell]:
    yield f"{row.label} *" if row.differs else row.label
    for at, cell in enumerate(row.cells):
        yield Words(both(cell, tr("best")), tone=Tone.PASS) if at in row.best else cell
