"""The command that says which parts of a category would do in a build."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Column, Table

from core.advise.fits import Obstacle, fits
from core.build.build import Build
from core.build.file import load_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.planning import find_build, open_catalogue
from core.errors import BadInput
from core.parts.catalogue import Catalogue, Hit
from core.parts.query import Query
from core.parts.vocabulary import Category

ALL = 1_000_000
Judged = list[tuple[Hit, Obstacle | None]]


def register(parts: typer.Typer) -> None:
    """Adds the command of this module."""
    parts.command("fits")(parts_fits)


def parts_fits(
    file: Annotated[str, typer.Argument(help="A build file, or the name of a template.")],
    category: Annotated[str, typer.Argument(help="A category, such as gpu or psu.")],
    text: Annotated[list[str] | None, typer.Argument(help="Words that a part must have.")] = None,
    only_fitting: Annotated[bool, typer.Option("--only-fitting", help="Leave out what would fail.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=ALL, help="Parts to list.")] = 50,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Say of every part of a category whether it would do in a build, or which rule would fail."""
    wanted = _category(category)
    with open_catalogue(folder) as catalogue:
        build = load_build(find_build(file), catalogue.part)
        judged = _judged(build, wanted, catalogue, " ".join(text or []))
    fitting = [row for row in judged if row[1] is None]
    shown = (fitting if only_fitting else fitting + [row for row in judged if row[1] is not None])[:limit]
    if as_json:
        counts = {"build": build.name, "category": wanted.value, "parts": len(judged), "fit": len(fitting)}
        print_json(counts | {"answers": [_as_row(hit, obstacle) for hit, obstacle in shown]})
        return
    _print(shown)
    console.print(f"\n{len(fitting):,} of {len(judged):,} parts fit. Shown: {len(shown):,}.")


def _category(word: str) -> Category:
    try:
        return Category(word.lower())
    except ValueError as error:
        raise BadInput(f"There is no category {word!r}. Known: {', '.join(Category)}.") from error


def _judged(build: Build, category: Category, catalogue: Catalogue, text: str) -> Judged:
    answers = fits(build, category, catalogue)
    return [(hit, answers.get(hit.id)) for hit in catalogue.find(Query(text, category, limit=ALL))]


def _as_row(hit: Hit, obstacle: Obstacle | None) -> dict[str, Any]:
    row = {"id": hit.id, "title": hit.title, "fits": obstacle is None}
    return row | ({"rule": obstacle.rule, "sentence": obstacle.sentence} if obstacle else {})


def _print(judged: Judged) -> None:
    table = Table(Column("Id", no_wrap=True), "Part", "Would it do", box=None)
    for hit, obstacle in judged:
        words = f"no: {escape(obstacle.sentence)}  [dim]({obstacle.rule})[/]" if obstacle else "[green]yes[/]"
        table.add_row(hit.id, escape(hit.title), words)
    console.print(table)
