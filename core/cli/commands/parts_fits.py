"""The command that says which parts of a category fit into a build."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace as with_fields
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from core.advise.add_or_replace import usually_replaced
from core.advise.fit_verdict import RANK, FitReason, FitState, FitVerdict
from core.advise.fits import WhatFits, collector_at_rest
from core.cli.lookup import find_build, open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.parts.catalogue import Catalogue
from core.parts.price_guide import count_unpriced, read_guide, unpriced_words
from core.parts.query import Filter, Hit, Query
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.file import load_build
from core.platform.errors import BadInput
from core.predict.budget import left_for_one
from core.present.report.document import Badge, Tone, table
from core.present.report.terminal import print_blocks
from core.words import joined, plain, tr
from core.words.units import number

ALL = 1_000_000
_TONES = dict(zip(FitState, (Tone.PASS, Tone.WARN, Tone.NOTE, Tone.FAIL), strict=True))
Judged = list[tuple[Hit, FitVerdict]]


def register(parts: typer.Typer) -> None:
    """Adds the command of this module."""
    parts.command(
        "fits",
        help=tr(
            "List for every part of a category whether it fits into a build: what check would say "
            "with the part installed.\n\nWithout --add or --replace, the only board, case, CPU, CPU "
            "cooler, PSU or kind of RAM is replaced; others are added."
        ),
    )(parts_fits)


def parts_fits(
    file: Annotated[str, typer.Argument(help=tr("A build file, or the name of a template."))],
    category: Annotated[str, typer.Argument(help=tr("A category, such as gpu or psu."))],
    text: Annotated[list[str] | None, typer.Argument(help=tr("Words that a part must have."))] = None,
    add: Annotated[bool, typer.Option("--add", help=tr("Add the part to what the build has."))] = False,
    replace: Annotated[
        str | None, typer.Option("--replace", metavar="PART", help=tr("Replace this part of the build with it."))
    ] = None,
    only_fitting: Annotated[bool, typer.Option("--only-fitting", help=tr("List only what fits."))] = False,
    within_budget: Annotated[
        bool,
        typer.Option(
            "--within-budget",
            help=tr("List only what the budget of the build leaves room for, with the price of what is replaced."),
        ),
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=ALL, help=tr("Parts to list."))] = 50,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    chosen, left_out = _category(category), ""
    with open_catalogue(folder) as catalogue:
        build = load_build(find_build(file), catalogue.part)
        replaced = _replaced(build, chosen, replace, add=add)
        query = Query(" ".join(text or []), chosen, limit=ALL)
        if within_budget:
            query, left_out = _in_budget(query, build, replaced, catalogue)
        judged = _judged(build, chosen, replaced, catalogue, query)
    counts = Counter(verdict.state for _, verdict in judged)
    shown = [row for row in judged if row[1].state.fits or not only_fitting][:limit]
    if as_json:
        print_json(_document(build, chosen, replaced, judged, counts) | {"answers": [_as_row(*row) for row in shown]})
        return
    console.print(f"{_heading(build, chosen, replaced)}\n", markup=False)
    if left_out:
        console.print(f"{left_out}\n", markup=False)
    _print(shown)
    console.print(
        "\n"
        + tr(
            "{counts}. Shown: {number:,}.",
            counts=joined([state.counted(counts[state]) for state in FitState], ", "),
            number=len(shown),
        )
    )


def _category(word: str) -> Category:
    try:
        return Category(word.lower())
    except ValueError as error:
        raise BadInput(
            tr("There is no category {word!r}. Known: {categories}.", word=word, categories=", ".join(Category))
        ) from error


def _replaced(build: Build, category: Category, replace: str | None, *, add: bool) -> str | None:
    if add and replace is not None:
        raise BadInput(tr("--add and --replace exclude each other: a part is added, or replaces another."))
    if add or replace is not None:
        return replace
    return usually_replaced(build, category)


def _in_budget(query: Query, build: Build, replaced: str | None, catalogue: Catalogue) -> tuple[Query, str]:
    """With the limit that the budget sets, and what that is, in words. Raises BadInput for a build without one."""
    left = left_for_one(build, read_guide(catalogue, (line.part for line in build.lines)), replaced)
    if left is None:
        raise BadInput(
            tr('{build} has no budget. Set one with: rigwright set FILE --budget "10000 EUR"', build=build.name)
        )
    amount = max(left.amount, 0.0)
    limited = with_fields(query, filters=(Filter("price", high=amount),))
    words = plain("{amount} {currency}", amount=number(amount, 0), currency=left.currency)
    sentence = tr("The budget leaves {amount} for each.", amount=words) if amount else tr("The budget leaves nothing.")
    return limited, joined((sentence, unpriced_words(count_unpriced(catalogue, limited))))


def _judged(build: Build, category: Category, replaced: str | None, catalogue: Catalogue, query: Query) -> Judged:
    """The most useful first; parts alike in use stay in the order of the search."""
    today = datetime.now(UTC).date()
    with collector_at_rest():
        fits = WhatFits(build, category, catalogue, replaced)
        judged = [(hit, fits.verdict(hit.id)) for hit in catalogue.find(query)]
    return sorted(judged, key=lambda row: (RANK[row[1].state], fits.rank(row[0].id, today)))


def _heading(build: Build, category: Category, replaced: str | None) -> str:
    line = build.line(replaced) if replaced else None
    if line is None:
        return tr("Adding a {category} to {build}", category=category.phrase, build=build.name)
    others = (
        tr("the {quantity} {part}", quantity=line.quantity, part=line.part.title)
        if line.quantity > 1
        else line.part.title
    )
    return tr("Replacing {others} in {build}", others=others, build=build.name)


def _document(
    build: Build, category: Category, replaced: str | None, judged: Judged, counts: Counter[FitState]
) -> dict[str, Any]:
    return {
        "build": build.name,
        "category": category.value,
        "way": "add" if replaced is None else "replace",
        "replaced": replaced,
        "parts": len(judged),
        "fit": sum(count for state, count in counts.items() if state.fits),
        "states": {state.value: counts[state] for state in FitState},
    }


def _as_row(hit: Hit, verdict: FitVerdict) -> dict[str, Any]:
    row = {"id": hit.id, "title": hit.title, "state": verdict.state.value, "fits": verdict.state.fits}
    reasons = [_as_reason(reason, hit) for reason in verdict.reasons]
    return row | (reasons[0] if reasons else {}) | {"reasons": reasons}


def _as_reason(reason: FitReason, hit: Hit) -> dict[str, Any]:
    return {
        "rule": reason.rule,
        "status": reason.status.value,
        "figures": reason.figures(hit.category),
        "measured": reason.measured,
        "limit": reason.limit,
        "unit": reason.unit,
        "missing": [{"part": title or hit.title, "figure": field} for title, field in reason.missing],
        "sentence": reason.sentence(hit.title),
    }


def _print(judged: Judged) -> None:
    rows = (
        (hit.id, hit.title, Badge(verdict.state.label, _TONES[verdict.state]), _why(hit, verdict))
        for hit, verdict in judged
    )
    print_blocks(console, [table((tr("Id"), tr("Part"), tr("Does it fit"), tr("Why")), rows)])


def _why(hit: Hit, verdict: FitVerdict) -> str:
    """The figure that decides, the sentence, the rule, and how many more there are."""
    reason = verdict.reason
    if reason is None:
        return ""
    more = len(verdict.reasons) - 1
    rule = ", ".join(filter(None, (reason.rule, tr("and {more} more", more=more) if more else "")))
    return joined((reason.figures(hit.category), reason.sentence(hit.title), f"({rule})"), "  ")
