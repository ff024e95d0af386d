"""Commands that change the catalogue: parts import, quarantine, set, new, own, remove, export, take, prices."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars
from rich.table import Table

from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.cli.planning import open_catalogue
from core.errors import BadInput, ExitCode
from core.parts.opendb.load import Imported, Progress, import_opendb
from core.parts.own import checked, correction, figure
from core.parts.own import price as parsed_price
from core.parts.own_file import read_parts, write_parts
from core.parts.part import Origin
from core.parts.price_list import read_price_list, write_price_list
from core.parts.vocabulary import Category

SHOWN = 20
Identity = Annotated[str, typer.Argument(metavar="ID", help="The id of a part.")]
Figures = Annotated[
    list[str] | None,
    typer.Argument(help="figure=value, such as length_mm=285 or cooling=blower; figure= makes it unknown."),
]
Title = Annotated[str, typer.Option("--source", help="Where the figures were read.")]
Address = Annotated[str | None, typer.Option("--url", help="Its address: with one, the figures are confirmed.")]
Note = Annotated[str | None, typer.Option("--note", help="A note on the part.")]
Money = Annotated[str | None, typer.Option("--price", help='Amount, currency, date: "1499 USD 2026-05-31".')]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for name, command in (
        ("import", import_data_set),
        ("quarantine", quarantine),
        ("forget-import", forget_import),
        ("set", set_figures),
        ("new", new_part),
        ("own", own),
        ("remove", remove),
        ("export", export),
        ("take", take),
        ("prices-out", prices_out),
        ("prices-in", prices_in),
    ):
        app.command(name)(command)


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


def set_figures(
    part_id: Identity,
    figures: Figures = None,
    source: Title = "",
    url: Address = None,
    note: Note = None,
    price: Money = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Correct figures of a part, or give it a price or a note. It survives upgrades and imports."""
    change = correction(
        _figures(figures), title=source, url=url, note=note, price=parsed_price(price, _today()) if price else None
    )
    if not change.spec and note is None and price is None:
        raise BadInput("Nothing to set. Write figures as figure=value, or use --price or --note.")
    with open_catalogue(folder) as catalogue:
        catalogue.correct({part_id: change})
        part = catalogue.require(part_id)
    if as_json:
        print_json(part.model_dump(mode="json"))
    else:
        console.print(
            f"Saved your figures of {escape(part.title)}. Take them back with: rigwright parts remove {part_id}"
        )


def new_part(
    part_id: Identity,
    category: Annotated[Category, typer.Option(help="What it is.")],
    maker: Annotated[str, typer.Option(help="Who makes it.")],
    name: Annotated[str, typer.Option(help="Its name.")],
    figures: Figures = None,
    part_number: Annotated[list[str] | None, typer.Option(help="A part number. Repeatable.")] = None,
    year: Annotated[int | None, typer.Option(help="The year it came out.")] = None,
    source: Title = "",
    url: Address = None,
    note: Note = None,
    price: Money = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Add a part of your own."""
    spec = {field: value for field, value in _figures(figures).items() if value is not None}
    made = checked(
        {
            "id": part_id,
            "maker": maker,
            "name": name,
            "part_numbers": part_number or [],
            "year": year,
            "spec": spec | {"category": category.value},
            "sources": [{"title": source or "Own figures, no source given", "url": url}],
            "price": parsed_price(price, _today()) if price else None,
            "note": note or "",
            "origin": Origin.USER,
        }
    )
    with open_catalogue(folder) as catalogue:
        if catalogue.part(part_id) is not None:
            raise BadInput(f"The id {part_id!r} is taken. Correct that part with: rigwright parts set {part_id}")
        catalogue.save_user_part(made)
    if as_json:
        print_json(made.model_dump(mode="json"))
    else:
        console.print(f"Saved {escape(made.title)} as {part_id}.")


def own(folder: DataDir = None, as_json: AsJson = False) -> None:
    """List your own parts and the parts that you corrected."""
    with open_catalogue(folder) as catalogue:
        mine = list(catalogue.parts(origin=Origin.USER))
        changes = catalogue.corrections()
    if as_json:
        print_json([{"id": part.id, "title": part.title, "corrects": part.id in changes} for part in mine])
        return
    if not mine:
        console.print("You have no parts of your own. Add one with: rigwright parts new; correct one with: parts set")
        return
    table = Table("Id", "Part", "What is yours", box=None)
    for part in mine:
        change = changes.get(part.id)
        words = (
            [*change.spec, *(["price"] if change.price else []), *(["note"] if change.note else [])] if change else []
        )
        table.add_row(part.id, escape(part.title), ", ".join(words) if change else "the whole part")
    console.print(table)


def remove(part_id: Identity, folder: DataDir = None, as_json: AsJson = False) -> None:
    """Remove your own part, or your correction of a part; the shipped or imported one shows again."""
    with open_catalogue(folder) as catalogue:
        catalogue.delete_user_part(part_id)
        left = catalogue.part(part_id)
    if as_json:
        print_json({"removed": part_id, "now": left.origin.value if left else None})
    else:
        console.print(f"Removed. {'The part as before shows again.' if left else 'The part is gone.'}")


def export(
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Write your own and corrected parts to a file, to keep them or to hand them on."""
    with open_catalogue(folder) as catalogue:
        count = write_parts(out, catalogue.parts(origin=Origin.USER))
    _say(as_json, {"written": count, "file": str(out)}, f"Wrote {count} parts to {out}.")


def take(
    file: Annotated[Path, typer.Argument(help="A file that parts export has written.")],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Take parts from such a file as your own; those of the same id are replaced."""
    mine = read_parts(file)
    with open_catalogue(folder) as catalogue:
        catalogue.save_user_parts(mine)
    _say(as_json, {"taken": len(mine)}, f"Took {len(mine)} parts.")


def prices_out(
    out: Annotated[Path, typer.Option("-o", "--out", help="The CSV file to write.")],
    category: Annotated[Category | None, typer.Option(help="Only this category.")] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Write a price list as CSV: all parts with their prices, unknown ones empty."""
    with open_catalogue(folder) as catalogue:
        count = write_price_list(out, catalogue.parts(category=category))
    _say(as_json, {"written": count, "file": str(out)}, f"Wrote {count} parts to {out}.")


def prices_in(
    file: Annotated[Path, typer.Argument(help="CSV with the columns amount, currency, and id or part_number.")],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Take prices from a CSV list. Lines that name no part or no price are listed; exit code 2 if there are any."""
    with open_catalogue(folder) as catalogue:
        priced, bad = read_price_list(file, catalogue.id_of, _today())
        catalogue.correct({row.part_id: correction({}, price=row.price) for row in priced})
    if as_json:
        print_json({"taken": len(priced), "bad": [asdict(line) for line in bad]})
    else:
        console.print(f"Took {len(priced)} prices.")
        for line in bad[:SHOWN]:
            errors.print(f"line {line.number}: {escape(line.reason)}")
        if len(bad) > SHOWN:
            errors.print(f"and {len(bad) - SHOWN} more lines")
    if bad:
        raise typer.Exit(ExitCode.USAGE)


def _figures(terms: list[str] | None) -> dict[str, Any]:
    made = {}
    for term in terms or []:
        name, sign, value = term.partition("=")
        if not sign or not name.strip():
            raise BadInput(f"{term!r} is no figure. Write figure=value, such as length_mm=285.")
        made[name.strip()] = figure(value)
    return made


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


def _say(as_json: bool, value: dict[str, Any], words: str) -> None:
    if as_json:
        print_json(value)
    else:
        console.print(escape(words))


def _today() -> Any:
    return datetime.now(tz=UTC).date()
