"""Reads the shipped catalogue: assets/catalogue/<category>/<family>.toml, a list of [[part]] tables each.

What several rows have in common they may leave to others: `[shared]` holds for all parts of a file, `[series.NAME]` for
those with `series = "NAME"`. A source of either stands for the figures that a row leaves to it, never for those that
the row states itself. `from = "opendb"` names a source of sources.toml, whose title and address have places for what
`of` and `at` say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from core.parts.part import About, Origin, Part, Source
from core.parts.values import Several, Value
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_text, read_toml
from core.platform.paths import ASSETS
from core.version import __version__
from core.words import joined, shown, tr
from core.words.refusal import refusals

SOURCES = "sources.toml"
_SHIPPED = ASSETS / "catalogue" / SOURCES
MAX_BYTES = 16_000_000
"""Of a part file; the largest that is shipped has 0.3 MB."""


class KnownSource(Value):
    """Where many rows have figures from; `{of}` stands for the part's name there, `{at}` for its place."""

    title: str
    url: str | None = None
    read: bool = True
    about: About = About.PART


class NamedSource(Value):
    """A source of a row by the name of a known one."""

    name: str = Field(alias="from")
    of: str = ""
    at: str = ""
    fields: Several[str] = ()
    says: dict[str, int | float | bool | str] | None = None
    about: About | None = None
    read: bool | None = None


class Common(Value):
    """What several rows have in common."""

    spec: dict[str, Any] = Field(default_factory=dict)
    sources: Several[Source | NamedSource] = ()


Known = Mapping[str, KnownSource]
_KNOWN: TypeAdapter[dict[str, KnownSource]] = TypeAdapter(dict[str, KnownSource])


def known_sources(folder: Path) -> Known:
    """Those beside the folders of a catalogue; the shipped ones where it has none. Raises BadInput."""
    path = folder / SOURCES
    return _shipped() if path == _SHIPPED or not path.is_file() else _read(path)


@cache
def _shipped() -> Known:
    """The program's own do not change while it runs."""
    return _read(_SHIPPED)


def _read(path: Path) -> Known:
    try:
        return _KNOWN.validate_python(toml_of(path))
    except ValidationError as error:
        raise BadInput("\n".join(f"{path}, {field}: {reason}." for field, reason in refusals(error))) from error


def toml_of(path: Path) -> dict[str, Any]:
    """What a file says. Raises BadInput when it is no TOML."""
    try:
        return read_toml(read_text(path, MAX_BYTES))
    except Unreadable as error:
        raise BadInput(tr("{path} is not valid TOML: {reason}.", path=path, reason=error.args[0])) from error


@dataclass(frozen=True, slots=True)
class CommonOfFile:
    """What the rows of a file may leave to it."""

    shared: Common
    series: Mapping[str, Common]
    named_sources: Known

    def whole(self, row: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """A row with what it leaves to its series and its file, and which of these names are nobody's."""
        line, faults = row.get("series"), list[str]()
        layers = [self.shared]
        if isinstance(line, str) and line in self.series:
            layers.insert(0, self.series[line])
        elif line is not None:
            faults.append(tr("the file has no [series.{series}]", series=shown(line)))
        whole = {name: value for name, value in row.items() if name != "series"} | {"spec": dict(row["spec"])}
        if isinstance(sources := row.get("sources", []), list):
            own = [_written_out(one, self.named_sources, faults) for one in sources]
            sources = [one for one in own if one is not None]
            for layer in layers:
                for one in layer.sources:
                    if (inherited := _source(one, self.named_sources, faults).without(whole["spec"])) is not None:
                        sources = _with(sources, inherited)
                whole["spec"] = {**layer.spec, **whole["spec"]}
            if sources or "sources" in row:
                whole["sources"] = sources
        return whole, faults


def common_of(shared: Any, series: Any, named_sources: Known) -> tuple[CommonOfFile, list[tuple[str, str]]]:
    """The tables [shared] and [series.NAME] of a file, and what is wrong with them, by place."""
    faults: list[tuple[str, str]] = []
    tables = {"shared": shared}
    if isinstance(series, dict):
        tables |= {f"series.{name}": table for name, table in series.items()}
    else:
        faults.append(("series", tr("this is not a table of tables, each a [series.NAME]")))
    read = dict.fromkeys(tables, Common())
    for place, table in tables.items():
        try:
            read[place] = Common.model_validate(table)
        except ValidationError as error:
            faults += ((f"{place}.{field}", reason) for field, reason in refusals(error))
    of_file = read.pop("shared")
    of_series = {name.removeprefix("series."): one for name, one in read.items()}
    return CommonOfFile(of_file, of_series, named_sources), faults


def _with(sources: list[Any], more: Source) -> list[Any]:
    """Sources and one more; a page that the row has already stands there once, with the figures of both."""
    added, page = more.model_dump(mode="json", exclude_defaults=True), (more.title, more.url, more.about, more.read)
    for place, one in enumerate(sources):
        if isinstance(one, dict) and _page(one) == page:
            fields = [*one.get("fields", ()), *added.get("fields", ())]
            says = {**one.get("says", {}), **added.get("says", {})}
            both = one | {"fields": fields} | ({"says": says} if says else {})
            return [*sources[:place], both, *sources[place + 1 :]]
    return [*sources, added]


def _page(source: dict[str, Any]) -> tuple[Any, ...]:
    return source.get("title"), source.get("url"), source.get("about", About.PART), source.get("read", True)


def _source(one: Source | NamedSource, named_sources: Known, faults: list[str]) -> Source:
    if isinstance(one, Source):
        return one
    written = _written_out(one.model_dump(by_alias=True, exclude_none=True), named_sources, faults)
    return Source.model_validate(written or {"title": one.name, "fields": one.fields})


def _written_out(source: Any, named_sources: Known, faults: list[str]) -> Any:
    """A source with title and address where it names a known one, None where nobody knows it.

    What is no source at all is left to the model, which says so.
    """
    if not isinstance(source, dict) or "from" not in source:
        return source
    entry = named_sources.get(source["from"]) if isinstance(source["from"], str) else None
    if entry is None:
        faults.append(tr("{name} is no source of {file}", name=shown(source["from"]), file=SOURCES))
        return None
    of, at = str(source.get("of", "")), str(source.get("at", ""))
    rest = {name: value for name, value in source.items() if name not in ("from", "of", "at")}
    url = entry.url and entry.url.replace("{at}", at)
    return {"title": entry.title.replace("{of}", of), "url": url, "read": entry.read, "about": entry.about} | rest


CATALOGUE = ASSETS / "catalogue"


def catalogue_files(folder: Path = CATALOGUE) -> list[Path]:
    """All part files, in a stable order."""
    return sorted(folder.glob("*/*.toml"))


def fingerprint(folder: Path = CATALOGUE) -> str:
    """Changes exactly when a shipped file changes; the program's own do not while it runs."""
    return _own_fingerprint() if folder == CATALOGUE else _fingerprint(folder)


@cache
def _own_fingerprint() -> str:
    return _fingerprint(CATALOGUE)


def _fingerprint(folder: Path) -> str:
    digest = sha256()
    for path in (*catalogue_files(folder), *folder.glob(SOURCES)):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def shipped_parts(folder: Path = CATALOGUE) -> Iterator[Part]:
    """All parts, validated. Raises BadInput naming file, part and field."""
    seen: dict[str, Path] = {}
    for path in catalogue_files(folder):
        for part in parts_of(path):
            if part.id in seen:
                raise BadInput(
                    tr(
                        "{path}: the id {part_id} is already used in {file}. Give one of them another id.",
                        path=path,
                        part_id=part.id,
                        file=seen[part.id],
                    )
                )
            seen[part.id] = path
            yield part


def parts_of(path: Path) -> Iterator[Part]:
    """The parts of one file, whose folder is named by their category. Raises BadInput for the first fault."""
    for row in each_part_of(path):
        if row.part is None:
            raise BadInput(row.faults[0])
        yield row.part


@dataclass(frozen=True, slots=True)
class RowOfFile:
    """A part of a file or, where it is none, all that is wrong with its form."""

    part: Part | None
    faults: tuple[str, ...] = ()
    where: str = ""
    """The file and the part, for what else is wrong with it."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The row as it stands there, with what it leaves to its series and its file."""
    refused: frozenset[str] = frozenset()
    """The places whose form is wrong, such as spec.length_mm; empty where the whole is."""


def each_part_of(path: Path) -> Iterator[RowOfFile]:
    """Each part of a file, and what is wrong with the file itself. Raises BadInput when it is no such file at all."""
    category = _category(path)
    rows, common, faults = _rows(path)
    yield from (RowOfFile(None, (fault,)) for fault in faults)
    for row in rows:
        yield _row(row, common, category, path)


def _category(path: Path) -> Category:
    try:
        return Category(path.parent.name)
    except ValueError as error:
        raise BadInput(
            tr(
                "{path} is in the folder {folder!r}, which is not a category. Known: {categories}.",
                path=path,
                folder=path.parent.name,
                categories=", ".join(Category),
            )
        ) from error


def _rows(path: Path) -> tuple[list[dict[str, Any]], CommonOfFile, list[str]]:
    """The parts, what they have in common, and what is wrong with the file around them."""
    content = toml_of(path)
    rows, shared, series = content.pop("part", []), content.pop("shared", {}), content.pop("series", {})
    faults: list[str] = [
        tr("{path} has the unknown key {key!r}; parts are [[part]] tables.", path=path, key=key) for key in content
    ]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        faults.append(tr("{path}: 'part' is not a list of tables. Write [[part]] before each part.", path=path))
        rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    common, wrong = common_of(shared, series, known_sources(path.parent.parent))
    return rows, common, [*faults, *(f"{path}, {place}: {reason}." for place, reason in wrong)]


def _row(row: dict[str, Any], common: CommonOfFile, category: Category, path: Path) -> RowOfFile:
    where = tr("{path}, part {part_id}", path=path, part_id=shown(row.get("id", "?")))
    faults: list[str] = []
    spec = row.get("spec")
    if not isinstance(spec, dict):
        faults.append(tr("{where} has no [part.spec] table.", where=where))
        spec = {}
    if (stated := spec.get("category", category)) != category:
        faults.append(
            tr("{where} says it is a {stated}, not a {category}.", where=where, stated=shown(stated), category=category)
        )
    own, unknown = common.whole({**row, "spec": spec})
    faults += (tr("{where}: {fault}", where=where, fault=fault) for fault in unknown)
    own["spec"] |= {"category": category}
    try:
        made = Part.model_validate(own | {"origin": Origin.SHIPPED})
    except ValidationError as error:
        refused = refusals(error, without=(category.value,))
        untold = () if isinstance(row.get("spec"), dict) else ("spec",)
        reported = ((place, reason) for place, reason in refused if not place.startswith(untold))
        faults += (f"{joined((where, place), ', ')}: {reason}." for place, reason in reported)
        return RowOfFile(None, tuple(faults), where, own, frozenset(place for place, _ in refused))
    return RowOfFile(None if faults else made, tuple(faults), where, own)


def program() -> str:
    """Changes with the program, since stored parts and words follow its models.

    While the sources lie beside this file their text counts as well: a developer's version number stays for long.
    """
    digest = sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
