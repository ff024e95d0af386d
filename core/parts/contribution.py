"""A file of parts as a contribution: its JSON Schema, what it must pass, how much is known, and odd figures.

A figure in which a part alone differs from its siblings (of the same chip, platform, or maker and size) is no fault by
itself: a maker may build one card otherwise. It is where a wrong unit, a neighbour's row or a typing error shows, so
that somebody looks again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import create_model

from core.parts.compute import vector_tflops
from core.parts.figures import deciding, field_words, figure_heading, figures_of, must_have, ranges
from core.parts.part import BESIDE, About, Evidence, Part, Source, covers_unknown, leads_to_figure
from core.parts.shipped import Common, NamedSource, RowOfFile, each_part_of
from core.parts.specs import spec_model
from core.parts.values import Several, Value
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.words import english, joined, spoken, tr

ADDRESS = "https://json-schema.org/draft/2020-12/schema"


def file_schema(category: Category | None = None) -> dict[str, Any]:
    """The JSON Schema of a part file of a category, or of any; the folder says the category, so a spec need not."""
    fields: dict[str, Any] = {"series": (str | None, None), "sources": (Several[Source | NamedSource], ())}
    if category is not None:
        fields["spec"] = (spec_model(category), ...)
    name = "PartRow" if category is None else english(category.label)
    rows: Any = tuple[create_model(name, __base__=Part, **fields), ...]  # type: ignore[misc]
    whole: dict[str, Any] = {"part": (rows, ...), "shared": (Common, Common()), "series": (dict[str, Common], {})}
    model = create_model("PartFile", __base__=Value, **whole)
    schema = model.model_json_schema()
    for definition in schema["$defs"].values():
        definition.get("properties", {}).pop("origin", None)
    for one in Category:
        schema["$defs"].get(spec_model(one).__name__, {}).pop("required", None)  # a series may state it
    for one in Category if category is None else (category,):
        _explain(schema["$defs"].get(spec_model(one).__name__, {}).get("properties", {}), one)
    what = "parts" if category is None else f"parts of the category {english(category.label)}"
    return {"$schema": ADDRESS, **schema, "title": f"Rigwright {what}"}


def _explain(properties: dict[str, Any], category: Category) -> None:
    """Adds what the model knows of each figure: its name for people, and the range that `read_contribution` holds."""
    for field, figure in figures_of(category).items():
        if field in properties:
            with spoken("en"):
                properties[field]["title"] = figure_heading(field)
            if figure.within is not None:
                properties[field] |= {"minimum": figure.within[0], "maximum": figure.within[1]}


def read_contributions(paths: Iterable[Path]) -> dict[str, list[Part]]:
    """The parts of several files by their names. Raises BadInput with all faults of all files."""
    made, faults = dict[str, list[Part]](), list[str]()
    ids: dict[str, Path] = {}
    for path in paths:
        try:
            parts, wrong = _parts_and_faults(path, ids)
        except BadInput as error:
            faults.append(error.args[0])
            continue
        made[str(path)] = parts
        faults += wrong
    if faults:
        raise BadInput("\n".join(faults))
    return made


def _parts_and_faults(path: Path, ids: dict[str, Path]) -> tuple[list[Part], list[str]]:
    """`ids` are those of the files before, and take in those of this one."""
    made, faults = list[Part](), list[str]()
    for row in each_part_of(path.resolve()):
        made += [row.part] if row.part is not None else []
        faults += row.faults
        if not row.raw:
            continue
        part_id = row.raw.get("id")
        if isinstance(part_id, str) and part_id in ids:
            faults.append(_twice(path, part_id, ids[part_id]))
        elif isinstance(part_id, str):
            ids[part_id] = path
        faults += (tr("{where}: {fault}", where=row.where, fault=fault) for fault in faults_of(row, path.parent.name))
    return made, faults


def _twice(path: Path, part_id: str, other: Path) -> str:
    if other == path:
        return tr(
            "{path} has two parts with the id {part_id}. Give one of them another id.", path=path, part_id=part_id
        )
    return tr(
        "{path}: the id {part_id} is already used in {file}. Give one of them another id.",
        path=path,
        part_id=part_id,
        file=other,
    )


@dataclass(frozen=True, slots=True)
class FieldCoverage:
    """One deciding figure over the parts of a category that should have it."""

    category: Category
    field: str
    parts: int
    known: int
    confirmed: int
    twice: int
    """By two sources of different places."""
    lacking: tuple[str, ...]
    """Ids of the parts of which it is unknown."""

    @property
    def known_share(self) -> float:
        """0 to 1."""
        return self.known / self.parts

    @property
    def confirmed_share(self) -> float:
        """0 to 1."""
        return self.confirmed / self.parts

    @property
    def twice_share(self) -> float:
        """0 to 1."""
        return self.twice / self.parts


def coverage(parts: Iterable[Part]) -> list[FieldCoverage]:
    """Per category and deciding figure, in the order of both lists; without those that no part should have."""
    due: dict[tuple[Category, str], list[Part]] = defaultdict(list)
    for part in parts:
        for field in must_have(part):
            due[part.category, field].append(part)
    order = [(category, field) for category in Category for field in deciding(category)]
    return [_row(category, field, due[category, field]) for category, field in order if (category, field) in due]


def _row(category: Category, field: str, parts: list[Part]) -> FieldCoverage:
    evidence = [part.evidence(field) for part in parts]
    lacking = tuple(part.id for part, one in zip(parts, evidence, strict=True) if one is Evidence.UNKNOWN)
    twice = sum(
        one is Evidence.CONFIRMED and len(part.confirming_places(field)) > 1
        for part, one in zip(parts, evidence, strict=True)
    )
    stated = len(parts) - len(lacking)
    return FieldCoverage(category, field, len(parts), stated, evidence.count(Evidence.CONFIRMED), twice, lacking)


# What is wrong with the figures and sources of a row of a part file, whether or not the row is a part.

ROUNDED = 0.1
"""How far an FP32 rate may be from cores x boost clock x 2: makers round, up to 6 %."""


def faults_of(row: RowOfFile, folder: str) -> Iterator[str]:
    """All that is wrong beside its form; figures whose form is wrong are left out."""
    category = Category(folder)
    figures = _figures(row, category)
    sources = [source for source in _list(row.raw.get("sources")) if isinstance(source, dict)]
    yield from _out_of_range(figures, category)
    fields = spec_model(category).model_fields
    for name in row.raw["spec"].keys() - fields:
        yield from _meant(name, fields)
    for source in sources:
        unknown = _covered(source) - {*fields, *BESIDE}
        for name in sorted(unknown):
            yield from _meant(name, fields)
        if unknown and row.part is None and "" not in row.refused:
            yield f"{covers_unknown(str(source.get('title', '?')), unknown)}."
        yield from _misleading(source)
        yield from _contradictions(source, figures, row.raw)
    if (rates := _differing_rates(figures)) is not None:
        yield tr(
            "fp32_tflops is {stated:g}, cores and boost clock make {computed:.4g}. Leave out dual issue, matrix cores.",
            stated=rates[0],
            computed=rates[1],
        )
    yield from _unsourced(figures, sources)


def _figures(row: RowOfFile, category: Category) -> dict[str, Any]:
    """Those that are stated: as the part has them or, where the row is none, as they stand there."""
    refused = {place.split(".")[1] for place in row.refused if place.startswith("spec.")}
    fields = spec_model(category).model_fields.keys() - {"category"} - refused
    stated = row.part.spec.model_fields_set if row.part is not None else row.raw["spec"].keys()
    raw = row.raw["spec"]
    values = {name: getattr(row.part.spec, name) if row.part is not None else raw[name] for name in stated & fields}
    return {name: value for name, value in values.items() if value is not None}


def _out_of_range(figures: Mapping[str, Any], category: Category) -> Iterator[str]:
    for field, (low, high) in ranges(category).items():
        value = figures.get(field)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not low <= value <= high:
            yield tr(
                "{figure} ({field}) is {value:g}, outside {low:g} to {high:g}. Check the unit.",
                figure=field_words(field),
                field=field,
                value=value,
                low=low,
                high=high,
            )


def _differing_rates(figures: Mapping[str, Any]) -> tuple[float, float] | None:
    """The FP32 rate of a GPU as stated, and as cores and clock make it, where these differ."""
    stated, cores, clock = (figures.get(name) for name in ("fp32_tflops", "cores", "boost_clock_mhz"))
    if not (
        isinstance(stated, (int, float))
        and isinstance(cores, int)
        and isinstance(clock, (int, float))
        and cores * clock
    ):
        return None
    computed = vector_tflops(cores, clock)
    return None if abs(stated / computed - 1) <= ROUNDED else (stated, computed)


def _misleading(source: Mapping[str, Any]) -> Iterator[str]:
    """A link that leads elsewhere tomorrow, and a source of something else that does not say of which figures."""
    title, url = str(source.get("title", "?")), source.get("url")
    if source.get("read", True) and isinstance(url, str) and not leads_to_figure(url):
        yield tr(
            "{source!r} leads to {address}, which shows something else after the next change. Link the page or, at "
            "GitHub, the file at a commit; a source that cannot be linked so has read = false.",
            source=title,
            address=url,
        )
    if source.get("about", About.PART) != About.PART and not _covered(source):
        yield tr("{source!r} is not about the part itself. Name its figures.", source=title)


def _contradictions(source: Mapping[str, Any], figures: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[str]:
    """Where a source gives another number than the part; words of a source are its own."""
    price = row.get("price")
    beside = {"year": row.get("year"), "price": price.get("amount") if isinstance(price, dict) else None}
    says = source.get("says")
    for field, quoted in (says if isinstance(says, dict) else {}).items():
        stated = beside[field] if field in beside else figures.get(field)
        if not isinstance(quoted, (bool, int, float)) or quoted == stated or isinstance(stated, (dict, list)):
            continue
        yield tr(
            "{source!r} says {said} for {field}, the part has {stated}. Correct one, or quote in words.",
            source=str(source.get("title", "?")),
            said=quoted,
            field=field,
            stated="none" if stated is None else str(stated),
        )


def _unsourced(figures: Mapping[str, Any], sources: list[dict[str, Any]]) -> Iterator[str]:
    """The figures that no source covers, not even general knowledge."""
    covered = [_covered(source) for source in sources]
    if sources and all(covered) and (bare := sorted(figures.keys() - set[str]().union(*covered))):
        yield tr("no source covers {fields}. Name one, or leave them out.", fields=", ".join(bare))


def _meant(name: str, fields: Mapping[str, Any]) -> Iterator[str]:
    if close := get_close_matches(name, fields, n=1):
        yield joined((tr("{name}: there is no such figure.", name=name), tr("Did you mean {close}?", close=close[0])))


def _covered(source: Mapping[str, Any]) -> set[str]:
    return _names(source.get("fields")) | _names(source.get("says"))


def _names(value: Any) -> set[str]:
    return {name for name in value if isinstance(name, str)} if isinstance(value, (list, dict)) else set()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


ALIKE: dict[Category, tuple[tuple[str, ...], ...]] = {
    Category.GPU: (("product", "memory_gb", "form"),),
    Category.CPU: (("socket", "architecture"),),
    Category.MOTHERBOARD: (("socket", "chipset"),),
    Category.RAM: (("ram_type", "kind", "speed_mts"),),
    Category.STORAGE: (("kind", "form_factor"),),
    Category.PSU: (("maker", "efficiency_level"), ("form_factor", "power_w")),
    Category.CPU_COOLER: (("maker", "kind", "radiator_mm"),),
    Category.FAN: (("maker", "size_mm"),),
    Category.RADIATOR: (("length_mm", "fan_size_mm"),),
    Category.NVLINK_BRIDGE: (("generation",),),
    Category.RISER: (("maker", "kind"),),
}
"""By category, the figures (and the maker) in which siblings agree."""
MIN_SIBLINGS = 4
"""So many others must have one value, and no other value than the odd one may be among them."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A figure that differs from that of all siblings."""

    part: Part
    field: str
    value: Any
    usual: Any
    siblings: int
    shared: tuple[str, ...]
    """In what the siblings agree."""


def odd_figures(parts: Iterable[Part], among: Iterable[Part] = ()) -> list[Odd]:
    """The figures of `parts` that differ from those of their siblings, here and in `among`."""
    checked = {part.id: part for part in parts}
    compared = checked | {part.id: part for part in among if part.id not in checked}
    differing: dict[tuple[str, str], Odd] = {}
    for shared, group in _groups(compared.values()):
        for odd in _odd_in(shared, group):
            if odd.part.id in checked:
                differing.setdefault((odd.part.id, odd.field), odd)
    return list(differing.values())


def _groups(parts: Iterable[Part]) -> Iterator[tuple[tuple[str, ...], list[Part]]]:
    groups: dict[tuple[Any, ...], list[Part]] = defaultdict(list)
    for part in parts:
        for shared in ALIKE.get(part.category, ()):
            values = tuple(part.maker if name == "maker" else getattr(part.spec, name) for name in shared)
            if None not in values:
                groups[(part.category, shared, values)].append(part)
    yield from ((shared, group) for (_, shared, _), group in groups.items() if len(group) > MIN_SIBLINGS)


def _odd_in(shared: tuple[str, ...], group: list[Part]) -> Iterator[Odd]:
    for field in type(group[0].spec).model_fields:
        having: dict[str, list[Part]] = defaultdict(list)
        for part in group:
            value = getattr(part.spec, field)
            if value not in (None, ()):
                having[repr(value)].append(part)
        if len(having) != 2:
            continue
        (odd, *more), many = sorted(having.values(), key=len)
        if not more and len(many) >= MIN_SIBLINGS:
            yield Odd(odd, field, getattr(odd.spec, field), getattr(many[0].spec, field), len(many), shared)
