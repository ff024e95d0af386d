"""The command that finds parts: parts search, by words, category, figures and price."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from datetime import date
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.parts.facets import PRICE_FIGURES, Facet
from core.parts.money import MoneyTerms
from core.parts.price_guide import count_unpriced, unpriced_words
from core.parts.query import Filter, Hit, Query
from core.parts.spelling import unknown_words
from core.parts.vocabulary import Category
from core.plan.price_edits import typed_budget
from core.platform.errors import BadInput
from core.present.report.document import figures_column, table
from core.present.report.terminal import print_blocks
from core.words import joined, plain, spoken, tr

SHOWN_CHOICES = 12
CategoryOption = Annotated[str | None, typer.Option("--category", help=tr("Only this category, such as gpu or psu."))]


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "search", help=tr("Find parts by maker, model, part number or spec words, and by their figures and price.")
    )(search)


def search(
    text: Annotated[list[str] | None, typer.Argument(help=tr('Words, such as "3090 blower".'))] = None,
    category: CategoryOption = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help=tr('A limit on a figure: memory_gb>=24, cooling=blower|hybrid, "length_mm<=270". Repeatable.')
        ),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help=tr('Only parts with a price of today up to this, such as 800 or "800 EUR".'))
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
        if budget is not None:
            query = replace(query, filters=(*limits, at_most(budget, catalogue.money)))
        _refuse_unknown_figures(query, catalogue.fields(query.category))
        answer = catalogue.answer(query)
        if budget is not None and (unpriced := count_unpriced(catalogue, answer.query)):
            errors.print(unpriced_words(unpriced))
        if answer.unknown or answer.left_out:
            errors.print(escape(unknown_words(answer.unknown, answer.query.text, answer.left_out)))
        if facets:
            _print_facets(catalogue.facets(answer.query), catalogue.money.common, as_json)
            return
    if as_json:
        print_json([_as_row(hit) for hit in answer.hits])
    elif answer.hits:
        _print_hits(answer.hits)
    else:
        console.print(tr("No part matches. Try fewer words; list the categories with: rigwright parts categories"))


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
        field, separator, value = term.partition(sign)
        if not separator or not field.strip() or not value.strip():
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


def at_most(budget: str, terms: MoneyTerms) -> Filter:
    """The limit on prices that a typed amount is, in the currency in which lists are limited. Raises BadInput."""
    typed = typed_budget(budget, terms.common)
    factor = terms.factor(typed.currency, terms.common) if typed else None
    if typed is None or factor is None:
        raise BadInput(
            tr(
                "--budget {budget!r} cannot be compared: there is no rate from its currency to {currency}.",
                budget=budget,
                currency=terms.common,
            )
        )
    return Filter("price", high=typed.amount * factor)


def _refuse_unknown_figures(query: Query, figures: tuple[str, ...]) -> None:
    for field in (*(limit.field for limit in query.filters), *((query.sort,) if query.sort else ())):
        if field not in (*figures, "title"):
            raise BadInput(
                tr("No part has a figure {figure!r}. Known here: {figures}.", figure=field, figures=", ".join(figures))
            )


def _as_row(hit: Hit) -> dict[str, Any]:
    row = {key: getattr(hit, key) for key in ("id", "category", "title", "summary", "origin")}
    price, shown = hit.price, hit.shown
    return row | {
        "price": price.model_dump(mode="json", exclude_none=True) if price else None,
        "shown_price": {"amount": round(shown.amount, 2), "currency": shown.currency, "estimated": hit.brought}
        if shown
        else None,
    }


def _print_hits(hits: list[Hit]) -> None:
    today = date.today()
    rows = ((hit.id, hit.category.label, hit.title, hit.summary, hit.price_words(today)) for hit in hits)
    print_blocks(console, [table((tr("Id"), tr("Category"), tr("Part"), tr("Figures"), tr("Price")), rows)])


def _print_facets(facets: tuple[Facet, ...], currency: str, as_json: bool) -> None:
    if as_json:
        with spoken("en"):
            print_json([asdict(facet) | {"label": facet.label} for facet in facets])
        return
    rows = []
    for facet in facets:
        name = joined((facet.label, currency if facet.field in PRICE_FIGURES else ""), ", ")
        rows.append((facet.field, name, str(facet.parts), _values(facet)))
    print_blocks(console, [table((tr("Figure"), tr("Name"), figures_column(tr("Known")), tr("Values")), rows)])


def _values(facet: Facet) -> str:
    if facet.low is not None and len(facet.choices) not in range(1, SHOWN_CHOICES + 1):
        low, high = (plain("{end:g}", end=end) for end in (facet.low, facet.high))
        return tr("{low} to {high}", low=low, high=high)
    shown = [f"{plain_figure(choice.value)} ({choice.count})" for choice in facet.choices[:SHOWN_CHOICES]]
    return ", ".join(shown) + (", …" if len(facet.choices) > SHOWN_CHOICES else "")


def plain_figure(value: Any) -> str:
    """A word as it is, a number with the digits that count."""
    return value if isinstance(value, str) else f"{value:g}"
