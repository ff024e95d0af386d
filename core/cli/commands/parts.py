"""Commands that read the catalogue: parts search, show, categories, coverage, schema, validate."""

from __future__ import annotations

import json
import shlex
from contextlib import suppress
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter
from rich.markup import escape
from rich.padding import Padding
from rich.table import Column, Table

from core.cli.commands import parts_fits, parts_import, parts_own, parts_prices
from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.cli.states import UNKNOWN
from core.errors import BadInput
from core.language import joined, spoken, tr
from core.parts.contribution import FieldCoverage, coverage, file_schema, read_contributions
from core.parts.facets import PRICE_FIGURES, Facet
from core.parts.figures import field_words
from core.parts.hit import Hit
from core.parts.known_prices import read_guide
from core.parts.part import Origin, Part, Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide
from core.parts.price_today import PRICE_KINDS, dated_words, full_words, uncounted
from core.parts.query import Filter, Query
from core.parts.siblings import Odd, odd_figures
from core.parts.spelling import unknown_words
from core.parts.typed import as_typed, new_command
from core.parts.vocabulary import Category
from core.phrasing import listed

parts = typer.Typer(
    help=tr("Search, import and correct parts of the catalogue."), no_args_is_help=True, rich_markup_mode=None
)
for module in (parts_fits, parts_import, parts_own, parts_prices):
    module.register(parts)

WIDTH_OF_TABLE = 110
"""Columns that the table of parts needs; a narrower terminal gets two lines for each part."""
SHOWN_CHOICES = 12
CategoryOption = Annotated[str | None, typer.Option("--category", help=tr("Only this category, such as gpu or psu."))]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module, as subcommands of `parts`."""
    app.add_typer(parts, name="parts")


@parts.command("search", help=tr("Find parts by maker, model, part number or spec words, and by their figures."))
def search(
    text: Annotated[list[str] | None, typer.Argument(help=tr('Words, such as "3090 blower".'))] = None,
    category: CategoryOption = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help=tr('A limit on a figure: memory_gb>=24, cooling=blower|hybrid, "length_mm<=270". Repeatable.')
        ),
    ] = None,
    sort: Annotated[
        str, typer.Option(help=tr("A figure to sort by, such as price, price_per_tflops or length_mm."))
    ] = "",
    descending: Annotated[bool, typer.Option("--descending", help=tr("The largest first."))] = False,
    facets: Annotated[
        bool, typer.Option("--facets", help=tr("Show the filters that narrow the result instead."))
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 50,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    limits = tuple(parsed_filter(term) for term in where or [])
    query = Query(" ".join(text or []), category_named(category), limits, sort, descending, limit)
    with open_catalogue(folder) as catalogue:
        _refuse_unknown_figures(query, catalogue.fields(query.category))
        found = catalogue.answer(query)
        if found.unknown or found.left_out:
            errors.print(escape(unknown_words(found.unknown, found.query.text, found.left_out)))
        if facets:
            _print_facets(catalogue.facets(found.query), catalogue.money.common, as_json)
            return
    if as_json:
        print_json([_as_row(hit) for hit in found.hits])
    elif found.hits:
        _print_hits(found.hits)
    else:
        console.print(tr("No part matches. Try fewer words; list the categories with: rigwright parts categories"))


@parts.command("categories", help=tr("List the categories with their number of parts."))
def categories(folder: DataDir = None, as_json: AsJson = False) -> None:
    with open_catalogue(folder) as catalogue:
        counts = catalogue.counts()
    if as_json:
        print_json({category.value: counts.get(category, 0) for category in Category})
        return
    table = Table(tr("Category"), tr("Name"), tr("Parts"), box=None)
    for category in Category:
        table.add_row(category.value, category.label, str(counts.get(category, 0)))
    console.print(table)


@parts.command(
    "show", help=tr("Show all figures of a part, in the form parts set and parts new accept, and where they come from.")
)
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
        guide = read_guide(catalogue, (part,))
        price = guide.price(part)
    if as_json:
        estimate = {"price_estimate": price.as_dict()} if isinstance(price, Estimate) else {}
        print_json(part.model_dump(mode="json") | estimate)
    elif as_command:
        console.print(escape(new_command(part, f"my-{part.id}"[:80].rstrip("-"))))
    else:
        _print_part(part, guide)


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
    table = Table(tr("Category"), tr("Figure"), Column(tr("Parts"), justify="right"), box=None)
    table.add_column(tr("Known"), justify="right")
    table.add_column(tr("Confirmed"), justify="right")
    table.add_column(tr("Two sources"), justify="right")
    for row in rows:
        table.add_row(*_coverage_cells(row))
        if lacking and row.lacking:
            table.add_row("", f"[dim]{', '.join(row.lacking)}[/]")
    console.print(table)
    for one in (*Category, None):
        if words := _share_words([row for row in rows if one in (None, row.category)]):
            console.print(f"{'All' if one is None else one.label}: {words}")


def _share_words(rows: list[FieldCoverage]) -> str:
    known, confirmed, twice, wanted = (
        sum(getattr(row, name) for row in rows) for name in ("known", "confirmed", "twice", "parts")
    )
    if not wanted:
        return ""
    return tr(
        "Of {number:,} figures, {known:.0%} known, {confirmed:.0%} confirmed, {twice:.0%} by two sources.",
        known=known / wanted,
        confirmed=confirmed / wanted,
        twice=twice / wanted,
        number=wanted,
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
    found = read_contributions(files)
    odd = _odd_ones([part for made in found.values() for part in made], folder) if siblings else []
    if as_json:
        ids = {file: [part.id for part in made] for file, made in found.items()}
        print_json({"files": ids, "odd": [_odd_json(one) for one in odd]} if siblings else ids)
        return
    for file, made in found.items():
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
        return _plain(value)
    plain = _as_json(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def category_named(word: str | None) -> Category | None:
    """The category of a word typed. Raises BadInput that lists all."""
    if word is None:
        return None
    try:
        return Category(word.lower())
    except ValueError as error:
        raise BadInput(
            tr("There is no category {word!r}. Known: {categories}.", word=word, categories=", ".join(Category))
        ) from error


def parsed_filter(term: str) -> Filter:
    """A limit as typed: "memory_gb>=24", "memory_gb<=48", "cooling=blower|hybrid". Raises BadInput."""
    for sign in (">=", "<=", "="):
        field, found, value = term.partition(sign)
        if not found or not field.strip() or not value.strip():
            continue
        if sign == "=":
            return Filter(field.strip(), tuple(reading for one in value.split("|") for reading in _readings(one)))
        *_, number = _readings(value)
        if isinstance(number, float):
            return Filter(field.strip(), low=number) if sign == ">=" else Filter(field.strip(), high=number)
    raise BadInput(
        tr(
            "{term!r} is not a limit. Write a figure, a sign and a value, such as memory_gb>=24 or cooling=blower.",
            term=term,
        )
    )


def _readings(text: str) -> tuple[str | float, ...]:
    """A value as typed and, if it is one, as a number: a compute capability of 8.6 is a word."""
    word = text.strip()
    with suppress(ValueError):
        return (word, float(word))
    return (word,)


def _refuse_unknown_figures(query: Query, known: tuple[str, ...]) -> None:
    for field in (*(limit.field for limit in query.filters), *((query.sort,) if query.sort else ())):
        if field not in (*known, "title"):
            raise BadInput(
                tr("No part has a figure {figure!r}. Known here: {figures}.", figure=field, figures=", ".join(known))
            )


def _as_row(hit: Hit) -> dict[str, Any]:
    row = {key: getattr(hit, key) for key in ("id", "category", "title", "summary", "origin")}
    shown = {"amount": round(hit.shown.amount, 2), "currency": hit.shown.currency} if hit.shown else None
    return row | {
        "price": hit.price.model_dump(mode="json", exclude_none=True) if hit.price else None,
        "shown_price": shown,
    }


def _print_hits(hits: list[Hit]) -> None:
    today = date.today()
    if console.width < WIDTH_OF_TABLE:
        for hit in hits:
            console.print(f"[bold]{hit.id}[/]  {hit.category.label}")
            line = joined((f"{hit.title}: {hit.summary}", dated_words(hit.shown, today) if hit.shown else ""), "; ")
            console.print(Padding(escape(line), (0, 0, 0, 2)), soft_wrap=False)
        return
    table = Table(Column(tr("Id"), no_wrap=True), tr("Category"), tr("Part"), tr("Figures"), tr("Price"), box=None)
    for hit in hits:
        words = dated_words(hit.shown, today) if hit.shown else ""
        table.add_row(hit.id, hit.category.label, escape(hit.title), escape(hit.summary), words)
    console.print(table)


def _print_facets(facets: tuple[Facet, ...], currency: str, as_json: bool) -> None:
    if as_json:
        with spoken("en"):
            print_json([asdict(facet) | {"label": facet.label} for facet in facets])
        return
    table = Table(tr("Figure"), tr("Name"), Column(tr("Known"), justify="right"), tr("Values"), box=None)
    for facet in facets:
        name = joined((facet.label, currency if facet.field in PRICE_FIGURES else ""), ", ")
        table.add_row(facet.field, name, str(facet.parts), escape(_values(facet)))
    console.print(table)


def _values(facet: Facet) -> str:
    if facet.low is not None and len(facet.choices) not in range(1, SHOWN_CHOICES + 1):
        return f"{facet.low:g} to {facet.high:g}"
    shown = [f"{_plain(choice.value)} ({choice.count})" for choice in facet.choices[:SHOWN_CHOICES]]
    return ", ".join(shown) + (", …" if len(facet.choices) > SHOWN_CHOICES else "")


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _price_words(part: Part, price: Price | Estimate | None) -> str:
    """As it is shown, and what it was made of."""
    if isinstance(price, Estimate):
        return price.words
    if price is None:
        return UNKNOWN
    several = f" ({price.range_words})" if price.range_words else ""
    words = f"{price.amount:,.2f} {price.currency}{several}, {PRICE_KINDS[price.kind]}, {price.as_of.isoformat()}"
    if part.price is None or part.price.currency == price.currency:
        return words
    return tr("{price}; listed at {listed}", price=words, listed=full_words(part.price))


def _coverage_cells(row: FieldCoverage) -> tuple[str, ...]:
    shares = (f"{row.known_share:.0%}", f"{row.confirmed_share:.0%}", f"{row.twice_share:.0%}")
    return (row.category.label, field_words(row.field), str(row.parts), *shares)


def _print_part(part: Part, guide: PriceGuide) -> None:
    """All figures of a part, how well each is supported, its price, and the sources."""
    console.print(f"[bold]{escape(part.title)}[/]  {part.category.label}  [dim]{part.id}[/]\n")
    known = part.spec.model_dump(mode="json", exclude_none=True)
    for field in type(part.spec).model_fields:
        if field != "category":
            word = shlex.quote(as_typed(part.category, field, known.get(field)))
            console.print(f"[dim]{part.evidence(field).value:<12}[/]{escape(word)}")
    past = guide.past(part)
    asked = uncounted([(part, past)]) if past else ""
    words = tr("price: {price}", price=_price_words(part, guide.price(part)))
    console.print("\n  " + joined((words, escape(asked)), "\n  ") + "\n")
    for source in part.sources:
        console.print(
            "  "
            + tr(
                "source: {title} {address}",
                title=escape(source.title),
                address=escape(source.url or tr("(not confirmed)")),
            )
        )
        for field, said in (source.says or {}).items():
            console.print(f"    [dim]{field}: {escape(str(said))}[/]")
    if part.note:
        console.print("  " + tr("note: {note}", note=escape(part.note)))
    console.print(
        "\n"
        + tr(
            "Correct a figure with: rigwright parts set {part} FIGURE=VALUE. --as-command "
            "prints the command that makes a part of your own like it.",
            part=part.id,
        )
    )
