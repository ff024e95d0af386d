"""Commands for the public data set: parts import, compare-release, quarantine, forget-import."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.lab.opendb.load import Imported, ImportProgress, Tell, import_opendb
from core.lab.opendb.release import DifferenceKind, Release, compare_release, write_differences
from core.parts.vocabulary import Category
from core.present.report.document import figures_column, table
from core.present.report.terminal import print_blocks
from core.words import shown, tr
from core.words.units import number

SHOWN = 15


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "import",
        help=tr("Import the public parts data set BuildCores OpenDB (ODC-By 1.0). A second import replaces the first."),
    )(import_data_set)
    app.command(
        "compare-release",
        help=tr(
            "List what a new release of the data set changes: against the previous import, and our "
            "confirmed figures.\n\nNothing is imported."
        ),
    )(compare_with_release)
    app.command(
        "quarantine",
        help=tr("List what the last import did not accept, row by row and figure by figure, with the reason."),
    )(quarantine)
    app.command("forget-import", help=tr("Remove all imported parts. Your own parts and corrections stay."))(
        forget_import
    )


def import_data_set(
    path: Annotated[Path, typer.Argument(help=tr("The data set: its folder, .zip or .tar.xz."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue, _bars() as bars:
        report = import_opendb(catalogue, path, _told_on(bars))
    if as_json:
        print_json([asdict(row) for row in report])
    else:
        _print_report(report)


def quarantine(
    category: Annotated[Category | None, typer.Option(help=tr("Only this category."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue:
        rows = catalogue.quarantine(category)
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    cells = ((row.source, row.title, row.field or tr("whole row"), row.value, row.reason) for row in rows)
    print_blocks(console, [table((tr("File"), tr("Part"), tr("Figure"), tr("Value"), tr("Reason")), cells)])


def compare_with_release(
    path: Annotated[Path, typer.Argument(help=tr("The new release: its folder, .zip or .tar.xz."))],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help=tr("Write all differences to this CSV."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue, _bars() as bars:
        release = compare_release(catalogue, path, _told_on(bars))
    if output is not None:
        write_differences(output, release)
    if as_json:
        print_json(
            {"parts": release.parts, "before": release.before, "differences": [asdict(d) for d in release.differences]}
        )
        return
    _print_release(release)
    if output is not None:
        console.print("\n" + tr("All differences are in {file}.", file=escape(str(output))))


def forget_import(folder: DataDir = None, as_json: AsJson = False) -> None:
    with open_catalogue(folder) as catalogue:
        gone = catalogue.forget_import()
    if as_json:
        print_json({"removed": gone})
    else:
        console.print(tr("Removed {number} imported parts.", number=gone))


def _print_report(report: list[Imported]) -> None:
    titles = map(figures_column, (tr("Rows"), tr("Taken"), tr("Merged"), tr("Refused"), tr("Figures left out")))
    rows = (
        (row.category.label, *map(number, (row.rows, row.parts, row.merged, row.refused, row.doubted)))
        for row in report
    )
    print_blocks(console, [table((tr("Category"), *titles), rows)])
    console.print(
        "\n"
        + tr(
            "Imported {number:,} parts from BuildCores OpenDB, which is made available under the "
            "Open Data Commons Attribution License (ODC-By 1.0).\nWhat was left out, and why: "
            "rigwright parts quarantine",
            number=sum(row.parts for row in report),
        )
    )


def _print_release(release: Release) -> None:
    """Counts by category, then the first differences of each kind."""
    titles = (tr("Parts"), tr("Before"), tr("New"), tr("Gone"), tr("Figures changed"), tr("Disagree with ours"))
    kinds = (DifferenceKind.NEW, DifferenceKind.GONE, DifferenceKind.CHANGED, DifferenceKind.DISAGREES)
    counts = []
    for category, parts in release.parts.items():
        changes = (release.count(kind, category) for kind in kinds)
        counts.append((category.label, *map(number, (parts, release.before[category], *changes))))
    print_blocks(console, [table((tr("Category"), *map(figures_column, titles)), counts)])
    if release.first:
        console.print("\n" + tr("There is no previous import: nothing is listed as new, gone or changed."))
    for kind in reversed(DifferenceKind):
        rows = [row for row in release.differences if row.kind is kind]
        if not rows:
            continue
        console.print(f"\n[bold]{kind.label}[/]: {number(len(rows))}")
        for row in rows[:SHOWN]:
            change = f"  {row.field}: {shown(row.before)} -> {shown(row.after)}" if row.field else ""
            console.print(f"  {escape(row.title)} [dim]{row.part_id}[/]{escape(change)}")
        if len(rows) > SHOWN:
            console.print(f"  [dim]{tr('and {number:,} more; -o writes all of them', number=len(rows) - SHOWN)}[/]")


def _told_on(bars: Bars) -> Tell:
    shown: dict[str, TaskID] = {}

    def tell(progress: ImportProgress) -> None:
        label = progress.category.label if progress.category else tr("Reading files")
        if label not in shown:
            shown[label] = bars.add_task(label, total=progress.total)
        bars.update(shown[label], completed=progress.done, total=progress.total)

    return tell


def _bars() -> Bars:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Bars(*columns, console=errors, transient=True, disable=not errors.is_terminal)
