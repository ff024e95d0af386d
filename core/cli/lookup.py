"""What the arguments of a command name: a build file, a part of the catalogue or of the build; by id, or by words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.price_guide import PriceGuide, read_guide
from core.parts.query import Hit, Query
from core.parts.search import match_expressions
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.file import load_build
from core.plan.file_name import SUFFIX
from core.plan.line import Line
from core.platform.errors import BadInput
from core.platform.paths import ASSETS, data_dir
from core.words import tr

TEMPLATES = ASSETS / "templates"

NAMED = 5
"""Parts named where several could be meant."""


def find_part(catalogue: Catalogue, words: str, category: Category | None = None) -> Part:
    """The part of the catalogue with this id, else the only one that has all the words.

    Raises BadInput that names the nearest parts where there is none or more than one.
    """
    part = catalogue.part(words)
    if part is not None:
        return part
    query = Query(words, category, limit=NAMED)
    hits = catalogue.find(query) if match_expressions(words) else []
    exact = [hit for hit in hits if hit.title.casefold() == words.strip().casefold()]
    if len(exact) == 1 or len(hits) == 1:
        return catalogue.require((exact or hits)[0].id)
    if hits:
        count = catalogue.count(query)
        raise BadInput(
            tr(
                "{words!r} matches {number} parts. Add words, or give the id of one: {parts}.",
                words=words,
                number=count,
                parts=_listed(hits, count),
            )
        )
    if near := catalogue.answer(query).hits or _near(catalogue, query):
        raise BadInput(
            tr("The catalogue has no part {words!r}. Similar: {parts}.", words=words, parts=_listed(near, len(near)))
        )
    return catalogue.require(words)


def find_line(build: Build, words: str) -> Line:
    """The line of the build whose part has this id, else the only one whose id, title or category has all the words.

    Raises BadInput that names the parts of the build.
    """
    if (line := build.line(words)) is not None:
        return line
    terms = words.casefold().split()
    matches = [line for line in build.lines if terms and all(word in _searchable(line.part) for word in terms)]
    if len(matches) == 1:
        return matches[0]
    if not build.lines:
        raise BadInput(tr("{build} has no parts yet. Add one with: rigwright add FILE PART", build=build.name))
    ids = ", ".join(line.part.id for line in matches or build.lines)
    if not matches:
        raise BadInput(
            tr(
                "{build} has no part that matches {words!r}. Give the id of one: {ids}.",
                build=build.name,
                words=words,
                ids=ids,
            )
        )
    raise BadInput(
        tr(
            "{number} parts of {build} match {words!r}. Give the id of one: {ids}.",
            number=len(matches),
            build=build.name,
            words=words,
            ids=ids,
        )
    )


def _searchable(part: Part) -> str:
    return f"{part.id} {part.title} {part.category.value} {part.category.label}".casefold()


def _near(catalogue: Catalogue, query: Query) -> list[Hit]:
    """Parts that have all the words but one."""
    typed = query.text.split()[:16]
    for number in reversed(range(len(typed))):
        fewer = " ".join(typed[:number] + typed[number + 1 :])
        if fewer and (hits := catalogue.find(Query(fewer, query.category, limit=NAMED))):
            return hits
    return []


def _listed(hits: list[Hit], count: int) -> str:
    named = ", ".join(f"{hit.id} ({hit.title})" for hit in hits)
    return tr("{named}, and {number} more", named=named, number=count - len(hits)) if count > len(hits) else named


@contextmanager
def open_catalogue(folder: Path | None) -> Iterator[Catalogue]:
    """The catalogue of a data folder, closed afterwards."""
    catalogue = Catalogue(data_dir(folder))
    try:
        yield catalogue
    finally:
        catalogue.close()


def read_build(file: str, folder: Path | None) -> Build:
    """A build from a file, or a template by its name."""
    with open_catalogue(folder) as catalogue:
        return load_build(find_build(file), catalogue.part)


def read_priced_build(file: str, folder: Path | None) -> tuple[Build, PriceGuide]:
    """As `read_build`, with what the catalogue knows of the prices of such parts."""
    with open_catalogue(folder) as catalogue:
        build = load_build(find_build(file), catalogue.part)
        return build, read_guide(catalogue, (line.part for line in build.lines))


def find_build(file: str) -> Path:
    """The path of a build file, or of the template of that name. Raises BadInput where neither is there."""
    if not file:
        raise BadInput(tr("The name of the build is empty. Give a build file, or the name of a template."))
    path = Path(file)
    template = TEMPLATES / f"{path.name.removesuffix(SUFFIX)}{SUFFIX}"
    if path.is_file():
        return path
    if path.is_dir():
        raise BadInput(tr("{file!r} cannot be opened: it is a folder, not a build file.", file=file))
    if path.name == file and template.is_file():
        return template
    raise BadInput(tr("{file!r} cannot be opened: there is no file or template of that name.", file=file))
