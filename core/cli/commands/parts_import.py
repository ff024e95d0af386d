"""Commands for the public data set: parts import, quarantine, forget-import."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars
from rich.table import Table

from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.parts.opendb.load import Imported, Progress, import_opendb
from core.parts.vocabulary import Category


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("import")(import_data_set)
    app.command("quarantine")(quarantine)
    app.command("forget-import")(forget_import)


def import_data_set(
    path: Annotated[Path, typer.Argument(help="The data set: its folder, .zip or .tar.xz.")],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Import the public parts data set BuildCores OpenDB (ODC-By 1.0). A second import replaces the first."""
    with open_catalogue(folder) as catalogue, _bars() as bars:
        shown: dict[Any, Any] = {}

        def tell(progress: Progress) -> None:
            label = progress.category.label if progress.category else "Reading files"
            if label not in shown:
                shown[label] = bars.add_task(label, total=progress.total)
            bars.update(shown[label], completed=progress.done, total=progress.total)

        report = import_opendb(catalogue, path, tell)
    if as_json:
        print_json([asdict(row) for row in report])
    else:
        _print_report(report)


def quarantine(
    category: Annotated[Category | None, typer.Option(help="Only this category.")] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """List what the last import did not take, row by row and figure by figure, with the reason."""
    with open_catalogue(folder) as catalogue:
        rows = catalogue.quarantine(category)
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    table = Table("File", "Part", "Figure", "Value", "Reason", box=None)
    for row in rows:
        table.add_row(
            *(escape(cell) for cell in (row.source, row.title, row.field or "whole row", row.value, row.reason))
        )
    console.print(table)


def forget_import(folder: DataDir = None, as_json: AsJson = False) -> None:
    """Remove all imported parts. Your own parts and corrections stay."""
    with open_catalogue(folder) as catalogue:
        gone = catalogue.forget_import()
    if as_json:
        print_json({"removed": gone})
    else:
        console.print(f"Removed {gone} imported parts.")


def _print_report(report: list[Imported]) -> None:
    table = Table("Category", box=None)
    for title in ("Rows", "Taken", "Merged", "Refused", "Figures left out"):
        table.add_column(title, justify="right")
    for row in report:
        counts = (row.rows, row.parts, row.merged, row.refused, row.doubted)
        table.add_row(row.category.label, *(f"{count:,}" for count in counts))
    total = Counter[str]()
    for row in report:
        total.update({key: value for key, value in asdict(row).items() if isinstance(value, int)})
    console.print(table)
    console.print(
        f"\nTook {total['parts']:,} parts from BuildCores OpenDB, which is made available under the Open Data Commons "
        f"Attribution License (ODC-By 1.0).\nWhat was left out, and why: rigwright parts quarantine"
    )


def _bars() -> Bars:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Bars(*columns, console=errors, transient=True, disable=not errors.is_terminal)
