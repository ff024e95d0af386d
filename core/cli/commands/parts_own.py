"""Commands for parts of one's own: parts set, new, own, remove, export, take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json, say, today
from core.parts.entered import figure_of
from core.parts.money import typed_price
from core.parts.own import checked, correction, read_parts, source_of_new, write_parts
from core.parts.part import Origin, Source
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.present.report.document import table
from core.present.report.terminal import print_blocks
from core.words import joined, tr, trn
from core.words.refusal import refused_as

Identity = Annotated[str, typer.Argument(metavar="ID", help=tr("The id of a part."))]
Figures = Annotated[
    list[str] | None,
    typer.Argument(
        help=tr(
            "figure=value, such as length_mm=285 or cooling=blower; figure= makes it unknown. "
            "Lists and tables are JSON or TOML, as parts show --as-command prints them: "
            '\'noise=[{{"condition": "load", "level_dba": 38}}]\'.'
        )
    ),
]
Title = Annotated[str, typer.Option("--source", help=tr("Source of the figures."))]
Address = Annotated[str | None, typer.Option("--url", help=tr("Its address: with one, the figures are confirmed."))]
Note = Annotated[str | None, typer.Option("--note", help=tr("A note on the part."))]
Money = Annotated[str | None, typer.Option("--price", help=tr('Amount, currency, date: "1499 USD 2026-05-31".'))]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "set", help=tr("Correct figures of a part, or give it a price or a note. It survives upgrades and imports.")
    )(set_figures)
    app.command("new", help=tr("Add a part of your own."))(new_part)
    app.command("own", help=tr("List your own parts and the parts that you corrected."))(own)
    app.command(
        "remove",
        help=tr("Remove your own part, or your correction of a part; the shipped or imported one shows again."),
    )(remove)
    app.command("export", help=tr("Write your own and corrected parts to a file, to back them up or pass them on."))(
        export
    )
    app.command("take", help=tr("Import parts from such a file as your own; those with the same id are replaced."))(
        take
    )


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
    if not figures and note is None and price is None:
        raise BadInput(tr("Nothing to set. Write figures as figure=value, or use --price or --note."))
    cost = typed_price(price, today()) if price else None
    with open_catalogue(folder) as catalogue:
        typed = _figures(figures, catalogue.require(part_id).category)
        catalogue.correct({part_id: correction(typed, title=source, url=url, note=note, price=cost)})
        part = catalogue.require(part_id)
    if as_json:
        print_json(part.model_dump(mode="json"))
    else:
        console.print(
            tr(
                "Saved your figures of {title}. Undo with: rigwright parts remove {part}",
                title=escape(part.title),
                part=part_id,
            )
        )


def new_part(
    part_id: Identity,
    category: Annotated[Category, typer.Option(help=tr("Its category."))],
    maker: Annotated[str, typer.Option(help=tr("Its maker."))],
    name: Annotated[str, typer.Option(help=tr("Its name."))],
    figures: Figures = None,
    part_number: Annotated[list[str] | None, typer.Option(help=tr("A part number. Repeatable."))] = None,
    year: Annotated[int | None, typer.Option(help=tr("The year it came out."))] = None,
    source: Title = "",
    url: Address = None,
    note: Note = None,
    price: Money = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    spec = {field: value for field, value in _figures(figures, category).items() if value is not None}
    made = checked(
        {
            "id": part_id,
            "maker": maker,
            "name": name,
            "part_numbers": part_number or [],
            "year": year,
            "spec": spec | {"category": category.value},
            "sources": [_source(source, url, spec).model_dump()],
            "price": typed_price(price, today()) if price else None,
            "note": note or "",
            "origin": Origin.USER,
        }
    )
    with open_catalogue(folder) as catalogue:
        if catalogue.part(part_id) is not None:
            raise BadInput(
                tr("The id {part!r} is taken. Correct that part with: rigwright parts set {part}", part=part_id)
            )
        catalogue.save_user_part(made)
    if as_json:
        print_json(made.model_dump(mode="json"))
    else:
        console.print(tr("Saved {title} as {part}.", title=escape(made.title), part=part_id))


def own(folder: DataDir = None, as_json: AsJson = False) -> None:
    with open_catalogue(folder) as catalogue:
        mine = list(catalogue.parts(origin=Origin.USER))
        changes = catalogue.corrections()
    if as_json:
        print_json([{"id": part.id, "title": part.title, "corrects": part.id in changes} for part in mine])
        return
    if not mine:
        console.print(
            tr("You have no parts of your own. Add one with: rigwright parts new; correct one with: parts set")
        )
        return
    rows = []
    for part in mine:
        change = changes.get(part.id)
        words = (
            [*change.spec, *(["price"] if change.price else []), *(["note"] if change.note else [])] if change else []
        )
        rows.append((part.id, part.title, ", ".join(words) if change else tr("the whole part")))
    print_blocks(console, [table((tr("Id"), tr("Part"), tr("Yours")), rows)])


def remove(part_id: Identity, folder: DataDir = None, as_json: AsJson = False) -> None:
    with open_catalogue(folder) as catalogue:
        catalogue.delete_user_part(part_id)
        left = catalogue.part(part_id)
    if as_json:
        print_json({"removed": part_id, "now": left.origin.value if left else None})
    else:
        console.print(tr("Removed. The original part shows again.") if left else tr("Removed. The part is gone."))


def export(
    out: Annotated[Path, typer.Option("-o", "--out", help=tr("The file to write."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue:
        count = write_parts(out, catalogue.parts(origin=Origin.USER))
    say(
        as_json,
        {"written": count, "file": str(out)},
        trn("Wrote {count} part to {file}.", "Wrote {count} parts to {file}.", count=count, file=out),
    )


def take(
    file: Annotated[Path, typer.Argument(help=tr("A file that parts export has written."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    read = read_parts(file)
    with open_catalogue(folder) as catalogue:
        # A corrected part that comes back as it is stays a correction, which follows upgrades.
        mine = [part for part in read if part != catalogue.part(part.id)]
        catalogue.save_user_parts(mine)
    same = len(read) - len(mine)
    took = trn("Imported {count} part.", "Imported {count:,} parts.", count=len(mine))
    same_words = trn(
        "{count} more was identical in the catalogue.", "{count} more were identical in the catalogue.", count=same
    )
    words = joined([took, same_words if same else ""])
    say(as_json, {"taken": len(mine), "same": same}, words)


def _source(title: str, url: str | None, spec: dict[str, Any]) -> Source:
    with refused_as(
        lambda place, reason: tr("The {place} of the source: {reason}. Nothing was saved.", place=place, reason=reason)
    ):
        return source_of_new(title, url, (name for name, value in spec.items() if value not in ([], {})))


def _figures(terms: list[str] | None, category: Category) -> dict[str, Any]:
    made = {}
    for term in terms or []:
        name, sign, value = term.partition("=")
        field = name.strip()
        if not sign or not field:
            raise BadInput(tr("{term!r} is not a figure. Write figure=value, such as length_mm=285.", term=term))
        if field == "category":
            raise BadInput(tr("A part stays in its category. Add another with: rigwright parts new"))
        made[field] = figure_of(category, field, value)
    return made
