"""Which columns of a meter's table are sound levels, and with which weighting, by what their headings say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from core.machine.tables.time_table import TimeColumn, TimeTable
from core.words import plain

LEVELS_DBA = (5.0, 140.0)
"""What meters show."""
_PLAUSIBLE_SHARE = 0.9
_NO_LEVEL = re.compile(
    r"max|(?<!\d)(?<!\d )min(?!ut)|(?<!s)peak|\bl?[acz]?pk\b|spitze|crest|\btemp|\bhum|feucht|\bbatt|akku|\bdose|"
    r"twa|\bsel\b|\bl[acz]?e\b|exposure|\bover|\bunder|calib|offset|limit|thresh|\bstd|\bdev(iation)?\b|lden|lnight|ldn|"
    r"\bl[acz]?[fsi]?_?\d{2}|\d\s*%|percent|takt|\blaft|\bpa\b|\bvolt|\bwind\b|\brain|\blat|\blon|\bgps|\balt\b|speed|"
    r"\bcount\b|duration|range|\bprev|\d['′]|(eq|[fs])-l",
    re.IGNORECASE,
)
_BAND = re.compile(r"\d\s*k?hz\b|^\d+([.,]\d+)?k?$", re.IGNORECASE)
_WEIGHTED = re.compile(
    r"(?<![a-z])l_?p?,?_?(?P<one>[aczbdg])(?:_?(?:eq|[fsi]p?(?![a-z])|p\b)|[,_]|\b)|"
    r"(?<![a-z])db\s?[-_]?[(\[]?\s?(?P<two>[aczbg])(?![a-z])|\b(?P<three>[acz])[- ]?(?:weight|bewert|pond)|"
    r"(?:leq|spl|lp|level)[ _(,-]*(?P<four>[acz])(?![a-z])",
    re.IGNORECASE,
)
_RUSSIAN_A = re.compile(r"\bдб\s?\(?[аa]\b", re.IGNORECASE)
_FLAT = re.compile(r"\blin\b|linear|unweight|\bflat\b|dbfs|unbewertet", re.IGNORECASE)
_LEVEL = re.compile(
    r"\bdb\b|decibel|dezibel|\bl_?eq|\bspl\b|\blp\b|sound|noise|schall|l[äa]rm|pegel|bruit|ruido|sonor|rumore|level|niveau|nivel|"
    r"噪声|分贝|声级|騒音|소음|шум|звук|дб",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"value|reading|messwert|wert|valeur|valor|data|measure|main|average|avg|mean|数值", re.IGNORECASE)
_COUNTER = re.compile(
    r"^(no|nr|num|number|#|index|idx|id|n|count|record|row|sample|point|item|lfd)\b\.?", re.IGNORECASE
)
_WEIGHTING_KEY = re.compile(r"weight|bewertung|pond[ée]ration|frequency filter|\bfilter\b|spl mode", re.IGNORECASE)
_UNIT_KEY = re.compile(r"unit|einheit|mode|weight|bewertung|func|unidad|unité", re.IGNORECASE)


class Weighting(Enum):
    """How a level was weighted."""

    A = "A"
    OTHER = "other"
    UNSAID = "unsaid"


@dataclass(frozen=True, slots=True)
class LevelColumn:
    """A column that may be the level over time."""

    name: str
    """As people choose it: the heading with its unit, and its number where several have the same."""
    column: TimeColumn
    weighting: Weighting
    by_figures: bool = False
    """Whether only its figures speak for it, no heading."""


@dataclass(frozen=True, slots=True)
class LevelColumns:
    """The columns of figures of a table, by how they may be its level."""

    likely: tuple[LevelColumn, ...]
    """A-weighted ones; if there are none those of an unsaid weighting; if there are none the only column of figures."""
    not_a_weighted: tuple[LevelColumn, ...]
    """Of another weighting: told, and never taken."""
    possible: tuple[LevelColumn, ...]
    """Those that somebody may choose by name, the likely ones among them."""
    names: tuple[str, ...]
    """Of all columns."""


def level_columns(table: TimeTable) -> LevelColumns:
    """Temperatures, maxima, peaks, percentiles, bands and the like are never levels."""
    by_header = _of_header(table.header)
    names = _names(table.columns)
    columns = [_row_weighted(table, column) for column in table.columns]
    possible = [
        LevelColumn(name, column, _weighting(column, by_header))
        for name, column in zip(names, columns, strict=True)
        if _may_be_level(column)
    ]
    not_a_weighted = tuple(level for level in possible if level.weighting is Weighting.OTHER)
    eligible = tuple(level for level in possible if level.weighting is not Weighting.OTHER)
    a_weighted = tuple(level for level in eligible if level.weighting is Weighting.A and _is_level(level.column))
    unsaid = tuple(level for level in eligible if _is_level(level.column))
    likely = a_weighted or unsaid or (() if not_a_weighted else _by_figures(eligible))
    return LevelColumns(likely, not_a_weighted, eligible, names)


def weighting_of(text: str) -> Weighting:
    """What a heading, a unit or a cell says: dBA, LAeq,1s and A-weighted are A; Leq and dB say none."""
    if match := _WEIGHTED.search(text):
        return Weighting.A if next(filter(None, match.groups())) in "aA" else Weighting.OTHER
    if _RUSSIAN_A.search(text):
        return Weighting.A
    return Weighting.OTHER if _FLAT.search(text) else Weighting.UNSAID


def _names(columns: Sequence[TimeColumn]) -> tuple[str, ...]:
    names: list[str] = []
    for column in columns:
        name = column.name or plain("column {place}", place=column.place)
        name = f"{name} [{column.unit}]" if column.unit else name
        occurrences = sum(1 for earlier in names if earlier == name or earlier.startswith(f"{name} #"))
        names.append(f"{name} #{occurrences + 1}" if occurrences else name)
    return tuple(names)


def _words(column: TimeColumn) -> str:
    return f"{column.name} {column.unit}".strip()


def _may_be_level(column: TimeColumn) -> bool:
    of_figures = not column.texts and bool(np.isfinite(column.numbers).any())
    counts = bool(_COUNTER.match(column.name)) or _even_steps(column)
    return of_figures and not counts and not _NO_LEVEL.search(_words(column)) and not _BAND.search(column.name)


def _is_level(column: TimeColumn) -> bool:
    return weighting_of(_words(column)) is not Weighting.UNSAID or bool(_LEVEL.search(_words(column)))


def _weighting(column: TimeColumn, by_header: Weighting) -> Weighting:
    weighting = weighting_of(_words(column))
    return by_header if weighting is Weighting.UNSAID and _is_level(column) else weighting


def _by_figures(columns: Sequence[LevelColumn]) -> tuple[LevelColumn, ...]:
    """The one column of figures without a telling heading, where a meter shows such figures."""
    if len(columns) != 1:
        return ()
    (only,) = columns
    if only.column.unit or (only.column.name and not _PLAIN.search(only.column.name)):
        return ()
    values = only.column.numbers[np.isfinite(only.column.numbers)]
    plausible = ((values >= LEVELS_DBA[0]) & (values <= LEVELS_DBA[1])).mean() >= _PLAUSIBLE_SHARE
    return (replace(only, by_figures=True),) if plausible else ()


def _even_steps(column: TimeColumn) -> bool:
    """Whether it counts rows, without a heading that says so."""
    steps = np.diff(column.numbers)
    return not column.name and steps.size > 1 and bool((steps == 1).all())


def _row_weighted(table: TimeTable, column: TimeColumn) -> TimeColumn:
    """A column whose rows say their unit or weighting each: without the rows that are not A-weighted, if some are."""
    plain = not column.texts and not column.unit and bool(_PLAIN.search(column.name) or _LEVEL.search(column.name))
    units = next((one for one in table.columns if one.texts and _UNIT_KEY.search(one.name)), None)
    if units is None or not plain:
        return column
    weightings = {text: _of_cell(text) for text in set(units.texts)}
    if Weighting.A not in weightings.values():
        other_weightings = [text for text, weighting in weightings.items() if weighting is Weighting.OTHER]
        first = next(iter(other_weightings), "")
        unit = f"dB({first})" if len(first) == 1 else first
        return replace(column, unit=unit) if first else column
    is_a_weighted = np.array([weightings[text] is Weighting.A for text in units.texts])
    return replace(column, unit="dBA", numbers=np.where(is_a_weighted, column.numbers, np.nan))


def _of_header(header: Mapping[str, str]) -> Weighting:
    """What the lines above the table say of all of it."""
    keys = (key for key in header if _WEIGHTING_KEY.search(key) and not re.search("time|zeit", key, re.IGNORECASE))
    stated = (_of_cell(header[key]) for key in keys)
    return next((one for one in stated if one is not Weighting.UNSAID), Weighting.UNSAID)


def _of_cell(text: str) -> Weighting:
    """What a cell or a line says that may have the letter alone."""
    if letter := re.match(r"\W*([aczbg])\b", text, re.IGNORECASE):
        return Weighting.A if letter[1] in "aA" else Weighting.OTHER
    return weighting_of(text)
