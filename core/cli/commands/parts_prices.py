"""Commands for prices: parts prices, prices-undo, prices-out, prices-in, currency."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, errors, print_json, say, today
from core.parts.money import MoneyTerms, checked_terms, read_terms, typed_rate, write_terms
from core.parts.price_import import (
    Outcome,
    PriceChange,
    PriceUpdate,
    factor_words,
    price_source,
    take_prices,
    update_words,
)
from core.parts.price_list import ListTerms, write_aside, write_price_list
from core.parts.price_today import STREET, USED, full_words
from core.parts.vocabulary import Category
from core.platform.errors import BadInput, ExitCode
from core.platform.paths import data_dir
from core.present.report.document import Table, figures_column, table
from core.present.report.terminal import print_blocks
from core.words import joined, tr, trn

SHOWN = 20
TABLED = (Outcome.DOUBTFUL, Outcome.CHANGED, Outcome.NEW)
"""What the table of an update names; the others are counted."""
List = Annotated[
    Path,
    typer.Argument(
        help=tr("CSV, JSON, JSONL, a .zip or a folder of them, with prices and parts: id, part number or name.")
    ),
]
InCurrency = Annotated[str, typer.Option("--currency", help=tr("Currency of rows without one, such as USD."))]
Aside = Annotated[
    Path | None, typer.Option(help=tr("Write the lines that were not imported to this CSV, with the reasons."))
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "prices",
        help=tr(
            "Update prices from a price list, a public data set or a folder of them: by id, part number, else by maker "
            "and name. Your own prices stay, and no older price replaces a newer one.\n\nLines that match no part of "
            "the catalogue, or several, are set aside. Undo with: rigwright parts prices-undo"
        ),
    )(prices)
    app.command("prices-undo", help=tr("Put back the prices of before the last update."))(prices_undo)
    app.command("prices-out", help=tr("Write a price list as CSV: all parts with their prices, unknown ones empty."))(
        prices_out
    )
    app.command(
        "prices-in",
        help=tr(
            "Import your own prices from a list. Lines without a part or a price are listed; exit "
            "code 2 if there are any."
        ),
    )(prices_in)
    app.command(
        "currency",
        help=tr("Show or set the currency of all prices, rates for the others, and VAT; the window uses the same."),
    )(currency)


def prices_out(
    out: Annotated[Path, typer.Option("-o", "--out", help=tr("The CSV file to write."))],
    category: Annotated[Category | None, typer.Option(help=tr("Only this category."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue:
        count = write_price_list(out, catalogue.parts(category=category))
    say(
        as_json,
        {"written": count, "file": str(out)},
        trn("Wrote {count} part to {file}.", "Wrote {count} parts to {file}.", count=count, file=out),
    )


def prices_in(
    file: List, in_currency: InCurrency = "", aside: Aside = None, folder: DataDir = None, as_json: AsJson = False
) -> None:
    update = _take(file, ListTerms(today(), in_currency.upper()), aside, folder)
    _tell(update, aside, as_json)
    if update.bad or update.refused:
        raise typer.Exit(ExitCode.USAGE)


def prices(
    file: List,
    in_currency: InCurrency = "",
    day: Annotated[
        datetime | None,
        typer.Option(
            "--date",
            formats=["%Y-%m-%d"],
            help=tr("Date of rows without one. Default: as the file's name says, else when it was written."),
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option(help=tr("What rows without a condition are: street, of new parts in shops, or used."))
    ] = STREET,
    title: Annotated[str, typer.Option("--source", help=tr("Name of the data set; the file's name by default."))] = "",
    url: Annotated[str | None, typer.Option(help=tr("Its address."))] = None,
    aside: Aside = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    if kind not in (STREET, USED):
        raise BadInput(tr("--kind is {street} or {used}, not {kind!r}.", street=STREET, used=USED, kind=kind))
    source = price_source(title or file.resolve().name, url)
    terms = ListTerms(today(), in_currency.upper(), kind, source, day.date() if day else None)
    _tell(_take(file, terms, aside, folder), aside, as_json)


def prices_undo(folder: DataDir = None, as_json: AsJson = False) -> None:
    with open_catalogue(folder) as catalogue:
        before = catalogue.updated_prices()
        back = catalogue.undo_prices()
    if not before:
        words = tr("There is no update of prices to undo.")
    else:
        words = trn("{count} price is as it was before.", "{count:,} prices are as they were before.", count=len(back))
        since = trn("{count} entered since stays.", "{count} entered since stay.", count=before - len(back))
        words = joined([words, since if before > len(back) else ""])
    say(as_json, {"undone": back, "stay": before - len(back)}, words)


def currency(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help=tr("Show all prices in this currency; none: each in its own."))
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(help=tr("Value of one unit of another currency: USD=0.92, or USD=0.92@2026-11-20.")),
    ] = None,
    vat: Annotated[float | None, typer.Option(help=tr("VAT in percent; 0 for none."))] = None,
    with_vat: Annotated[
        bool | None,
        typer.Option("--with-vat/--without-vat", help=tr("How prices are shown, and how you enter your own.")),
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    before = read_terms(place)
    terms = _changed(before, code, rate or [], vat, with_vat)
    if terms != before:
        write_terms(place, terms)
    if as_json:
        print_json(terms.model_dump(mode="json"))
    else:
        console.print(escape(terms.words))


def _changed(
    before: MoneyTerms, code: str | None, rates: list[str], vat: float | None, with_vat: bool | None
) -> MoneyTerms:
    """Rates hold for one currency: those of the one before are forgotten with it."""
    currency = before.currency if code is None else code.upper().replace("NONE", "")
    same = (currency or None) == before.currency
    by_currency = {name: (name, one.value, one.as_of) for name, one in before.rates.items()} if same else {}
    by_currency |= {row[0]: row for row in map(_rate, rates)}
    return checked_terms(
        currency,
        by_currency.values(),
        before.vat_pct if vat is None else vat,
        with_vat=before.with_vat if with_vat is None else with_vat,
    )


def _rate(text: str) -> tuple[str, float, date]:
    code, _, rest = text.partition("=")
    value, _, day = rest.partition("@")
    return typed_rate(code, value, day, today())


def _take(file: Path, terms: ListTerms, aside: Path | None, folder: Path | None) -> PriceUpdate:
    with open_catalogue(folder) as catalogue:
        update = take_prices(catalogue, file, terms)
    if aside is not None:
        write_aside(aside, update.bad)
    return update


def _tell(update: PriceUpdate, aside: Path | None, as_json: bool) -> None:
    if as_json:
        print_json(update.as_dict())
        return
    console.print(escape(update_words(update)))
    if changed := [change for change in update.changes if change.outcome in TABLED]:
        print_blocks(console, [_table(changed[:SHOWN])])
        if len(changed) > SHOWN:
            console.print(trn("and {count} more price", "and {count:,} more prices", count=len(changed) - SHOWN))
    for refused in update.refused:
        errors.print(escape(refused.reason))
    if not update.bad:
        return
    count = len(update.bad)
    if aside:
        file = escape(str(aside))
        errors.print(
            trn(
                "{count} line not imported; all are in {file}:",
                "{count} lines not imported; all are in {file}:",
                count=count,
                file=file,
            )
        )
    else:
        errors.print(trn("{count} line not imported:", "{count} lines not imported:", count=count))
    for line in update.bad[:SHOWN]:
        errors.print(tr("line {number}: {reason}", number=escape(line.place), reason=escape(line.reason)))
    if len(update.bad) > SHOWN:
        errors.print(trn("and {count} more line", "and {count} more lines", count=count - SHOWN))


def _table(changes: Sequence[PriceChange]) -> Table:
    titles = (tr("Part"), tr("Result"), tr("Price before"), tr("Price now"), figures_column(tr("Factor")))
    rows = []
    for change in changes:
        before = full_words(change.before) if change.before else ""
        now, times = full_words(change.price), factor_words(change.times)
        rows.append((change.part.id, change.outcome.label, before, now, times))
    return table(titles, rows)
