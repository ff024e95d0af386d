"""Commands for price lists: parts prices-out, prices-in."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, errors, print_json, say, today
from core.errors import ExitCode
from core.parts.own import correction
from core.parts.price_list import read_price_list, write_price_list
from core.parts.vocabulary import Category
from core.phrasing import count_of

SHOWN = 20


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("prices-out")(prices_out)
    app.command("prices-in")(prices_in)


def prices_out(
    out: Annotated[Path, typer.Option("-o", "--out", help="The CSV file to write.")],
    category: Annotated[Category | None, typer.Option(help="Only this category.")] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Write a price list as CSV: all parts with their prices, unknown ones empty."""
    with open_catalogue(folder) as catalogue:
        count = write_price_list(out, catalogue.parts(category=category))
    say(as_json, {"written": count, "file": str(out)}, f"Wrote {count_of(count, 'part')} to {out}.")


def prices_in(
    file: Annotated[Path, typer.Argument(help="CSV with the columns amount, currency, and id or part_number.")],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Take prices from a CSV list. Lines that name no part or no price are listed; exit code 2 if there are any."""
    with open_catalogue(folder) as catalogue:
        priced, bad = read_price_list(file, catalogue.id_of, today())
        catalogue.correct({row.part_id: correction({}, price=row.price) for row in priced})
    if as_json:
        print_json({"taken": len(priced), "bad": [asdict(line) for line in bad]})
    else:
        console.print(f"Took {count_of(len(priced), 'price')}.")
        for line in bad[:SHOWN]:
            errors.print(f"line {line.number}: {escape(line.reason)}")
        if len(bad) > SHOWN:
            errors.print(f"and {len(bad) - SHOWN} more lines")
    if bad:
        raise typer.Exit(ExitCode.USAGE)
