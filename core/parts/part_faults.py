"""What is wrong with the figures and sources of a row of a part file, whether or not the row is a part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from core.language import joined, tr
from core.parts.compute import vector_tflops
from core.parts.figures import field_words, ranges
from core.parts.part import BESIDE, About, covers_unknown, leads_to_figure
from core.parts.shipped import RowOfFile
from core.parts.specs import spec_model
from core.parts.vocabulary import Category

ROUNDED = 0.1
"""How far an FP32 rate may be from cores x boost clock x 2: makers round, up to 6 %."""


def faults_of(row: RowOfFile, folder: str) -> Iterator[str]:
    """All that is wrong beside its form; figures whose form is wrong are left out."""
    category = Category(folder)
    figures = _figures(row, category)
    sources = [source for source in _list(row.raw.get("sources")) if isinstance(source, dict)]
    yield from _out_of_range(figures, category)
    known = spec_model(category).model_fields
    for name in row.raw["spec"].keys() - known:
        yield from _meant(name, known)
    for source in sources:
        unknown = _covered(source) - {*known, *BESIDE}
        for name in sorted(unknown):
            yield from _meant(name, known)
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
    for field, said in (says if isinstance(says, dict) else {}).items():
        stated = beside[field] if field in beside else figures.get(field)
        if not isinstance(said, (bool, int, float)) or said == stated or isinstance(stated, (dict, list)):
            continue
        yield tr(
            "{source!r} says {said} for {field}, the part has {stated}. Correct one, or quote in words.",
            source=str(source.get("title", "?")),
            said=said,
            field=field,
            stated="none" if stated is None else str(stated),
        )


def _unsourced(figures: Mapping[str, Any], sources: list[dict[str, Any]]) -> Iterator[str]:
    """The figures that no source covers, not even general knowledge."""
    covered = [_covered(source) for source in sources]
    if sources and all(covered) and (bare := sorted(figures.keys() - set[str]().union(*covered))):
        yield tr("no source covers {fields}. Name one, or leave them out.", fields=", ".join(bare))


def _meant(name: str, known: Mapping[str, Any]) -> Iterator[str]:
    if close := get_close_matches(name, known, n=1):
        yield joined((tr("{name}: there is no such figure.", name=name), tr("Did you mean {close}?", close=close[0])))


def _covered(source: Mapping[str, Any]) -> set[str]:
    return _names(source.get("fields")) | _names(source.get("says"))


def _names(value: Any) -> set[str]:
    return {name for name in value if isinstance(name, str)} if isinstance(value, (list, dict)) else set()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
