"""Commands that read the catalogue: parts search, show, categories, coverage, schema, validate."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter
from rich.markup import escape

from core.cli.commands import parts_fits, parts_import, parts_own, parts_prices, parts_search
from core.cli.commands.parts_search import CategoryOption, category_named, plain_figure
from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.parts.contribution import FieldCoverage, Odd, coverage, file_schema, odd_figures, read_contributions
from core.parts.entered import new_command
from core.parts.figures import field_words
from core.parts.part import Origin, Part
from core.parts.price_estimate import Estimate
from core.parts.price_guide import read_guide
from core.parts.vocabulary import Category
from core.present.report.document import Paragraph, figures_column, table
from core.present.report.part_figures import part_blocks
from core.present.report.terminal import print_blocks
from core.words import listed, tr

parts = typer.Typer(
    help=tr("Search, import and correct parts of the catalogue."), no_args_is_help=True, rich_markup_mode=None
)
for module in (parts_search, parts_fits, parts_import, parts_own, parts_prices):
    module.register(parts)


def register(app: typer.Typer) -> None:
    """Adds the commands of this module, as subcommands of `parts`."""
    app.add_typer(parts, name="parts")


@parts.command("categories", help=tr("List the categories with their number of parts."))
def categories(folder: DataDir = None, as_json: AsJson = False) -> None:
    with open_catalogue(folder) as catalogue:
        counts = catalogue.counts()
    if as_json:
        print_json({category.value: counts.get(category, 0) for category in Category})
        return
    rows = [(category.value, category.label, str(counts.get(category, 0))) for category in Category]
    print_blocks(console, [table((tr("Category"), tr("Name"), figures_column(tr("Parts"))), rows)])


@parts.command("show", help=tr("Show all figures of a part, how well each is supported, and where it was read."))
def show(
    part_id: Annotated[str, typer.Argument(metavar="ID")],
    as_command: Annotated[
        bool, typer.Option("--as-command", help=tr("Print the command that makes a part of your own like it."))
    ] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue:
        part = catalogue.require(part_id)
        guide, correction = read_guide(catalogue, (part,)), catalogue.corrections().get(part_id)
    if as_json:
        price, used = guide.price(part), guide.used_price(part)
        estimates = {"price_estimate": price, "price_used": used}
        estimated = {name: one.as_dict() for name, one in estimates.items() if isinstance(one, Estimate)}
        print_json(part.model_dump(mode="json") | estimated)
    elif as_command:
        console.print(escape(new_command(part, f"my-{part.id}"[:80].rstrip("-"))))
    else:
        how = tr(
            "Correct a figure with: rigwright parts set {part} FIGURE=VALUE. --as-command "
            "prints the command that makes a part of your own like it.",
            part=part.id,
        )
        print_blocks(console, [*part_blocks(part, guide, correction), Paragraph(f"\n{how}")])


@parts.command(
    "coverage",
    help=tr("Show how many of the shipped parts' deciding figures are known, and how many confirmed by a source."),
)
def show_coverage(
    category: CategoryOption = None,
    lacking: Annotated[bool, typer.Option("--lacking", help=tr("Name the parts that lack each figure."))] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue:
        rows = coverage(catalogue.parts(origin=Origin.SHIPPED, category=category_named(category)))
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    figures = map(figures_column, (tr("Parts"), tr("Known"), tr("Confirmed"), tr("Two sources")))
    cells = [(*_coverage_cells(row), *([", ".join(row.lacking)] if lacking else [])) for row in rows]
    print_blocks(console, [table((tr("Category"), tr("Figure"), *figures, *([""] if lacking else [])), cells)])
    for one in (*Category, None):
        if words := _share_words([row for row in rows if one in (None, row.category)]):
            console.print(f"{'All' if one is None else one.label}: {words}")


def _share_words(rows: list[FieldCoverage]) -> str:
    filled, confirmed, twice, total = (
        sum(getattr(row, name) for row in rows) for name in ("known", "confirmed", "twice", "parts")
    )
    if not total:
        return ""
    return tr(
        "Of {number:,} figures, {known:.0%} known, {confirmed:.0%} confirmed, {twice:.0%} by two sources.",
        known=filled / total,
        confirmed=confirmed / total,
        twice=twice / total,
        number=total,
    )


@parts.command(
    "schema", help=tr("Print the JSON Schema of a file of parts, to check contributions and to help editors.")
)
def schema(
    category: Annotated[str | None, typer.Argument(help=tr("A category, such as gpu. Default: all."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    del folder, as_json  # it is JSON in any case, and the same everywhere
    print_json(file_schema(category_named(category)))


@parts.command(
    "validate",
    help=tr("Check part files as a contribution: schema, units, ranges, sources. Exit code 2 if one is wrong."),
)
def validate(
    files: Annotated[list[Path], typer.Argument(help=tr("Part files (.toml) as under assets/catalogue."))],
    siblings: Annotated[
        bool, typer.Option("--siblings", help=tr("Also name figures that differ from those of all similar parts."))
    ] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    contributions = read_contributions(files)
    odd = _odd_ones([part for made in contributions.values() for part in made], folder) if siblings else []
    if as_json:
        ids = {file: [part.id for part in made] for file, made in contributions.items()}
        print_json({"files": ids, "odd": [_odd_json(one) for one in odd]} if siblings else ids)
        return
    for file, made in contributions.items():
        console.print(tr("{file}: {number} parts, all valid.", file=escape(file), number=len(made)))
    for one in odd:
        console.print(escape(_odd_words(one)))


def _odd_ones(parts: list[Part], folder: Path | None) -> list[Odd]:
    with open_catalogue(folder) as catalogue:
        return odd_figures(parts, catalogue.parts(origin=Origin.SHIPPED))


def _odd_words(odd: Odd) -> str:
    return tr(
        "Check {part}: {field} is {value}, but {usual} in all {number} others with the same {figures}.",
        part=odd.part.id,
        field=odd.field,
        value=_figure_words(odd.value),
        usual=_figure_words(odd.usual),
        number=odd.siblings,
        figures=listed([field_words(name) for name in odd.shared]),
    )


def _odd_json(odd: Odd) -> dict[str, Any]:
    return {"part": odd.part.id, "field": odd.field, "siblings": odd.siblings, "shared": odd.shared} | {
        name: _as_json(value) for name, value in (("value", odd.value), ("usual", odd.usual))
    }


def _as_json(value: Any) -> Any:
    return TypeAdapter(Any).dump_python(value, mode="json")


def _figure_words(value: Any) -> str:
    if isinstance(value, float):
        return plain_figure(value)
    plain = _as_json(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _coverage_cells(row: FieldCoverage) -> tuple[str, ...]:
    shares = (f"{row.known_share:.0%}", f"{row.confirmed_share:.0%}", f"{row.twice_share:.0%}")
    return (row.category.label, field_words(row.field), str(row.parts), *shares)
