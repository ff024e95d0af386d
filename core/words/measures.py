"""Figures in the units of who reads or types them: inches for millimetres, °F for °C, CFM for m³/h.

Everything is computed, recorded and written in the metric units of `core.words.units`. What converts is `US_MEASURES`
there; here messages are said with it, and what people type is read. Which figures of a message have a unit is read once
from its English template, where the unit stands behind them; a translation has it behind the last of the same fields.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from core.platform.errors import BadInput
from core.words import Message, current_language, into, plain, tr
from core.words.catalog import decimal_mark
from core.words.message import CONTROL
from core.words.units import SPELLINGS, US_MEASURES, Measure, number


class System(StrEnum):
    """Units that somebody thinks in."""

    METRIC = "metric"
    US = "us"


def measure_of(unit: str, system: System) -> Measure | None:
    """How figures of a metric unit are shown; None as they are."""
    return US_MEASURES.get(unit) if system is System.US else None


def said_in(text: str, system: System, controls: Mapping[str, str] | None = None) -> str:
    """A message in the language spoken now, with its figures in the units of a system; other text as it is.

    `controls` are what the reader's surroundings call what commands name: "--slots", "rigwright runs".
    """
    if not isinstance(text, Message) or (system is System.METRIC and not (controls and CONTROL.search(text))):
        return text

    def retold(sentence: str, template: str, fields: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        named = {name: words for name, words in (controls or {}).items() if f"{{{name}}}" in template}
        shown = {**fields, **named}
        return (sentence, shown) if system is System.METRIC else _in_us(sentence, template, shown)

    return text.remeasured(retold)


_FIELD = re.compile(r"(\{(\w+)(?::[^{}]*?(?:\.(\d+)f)?)?\})")
_UNIT = "|".join(sorted(map(re.escape, US_MEASURES), key=len, reverse=True))
_RUN = re.compile(
    rf"(?P<fields>{_FIELD.pattern}(?:(?: ?(?:to|and|x|[–~×<>-]) ?){_FIELD.pattern})*)[ \u00a0]?"
    rf"(?P<unit>{_UNIT}|\{{unit\}})(?![A-Za-z0-9/²³])"
    rf"(?P<more> ?\({_FIELD.pattern}(?:[ \u00a0]to[ \u00a0]{_FIELD.pattern})?\))?"
)
_HEAD = re.compile(rf"[^{{}}]*,\s(?P<unit>{_UNIT})")


class _Run(NamedTuple):
    """Fields of one unit in an English template, and those of a band in brackets behind it."""

    unit: str
    """"{unit}" where a field says it."""
    fields: tuple[tuple[str, str, str], ...] = ()
    """As written, name and decimals: ("{low:.0f}", "low", "0"). None in the heading of a column, "Coolant, °C"."""
    more: tuple[tuple[str, str, str], ...] = ()


@cache
def _runs(template: str) -> tuple[_Run, ...]:
    if head := _HEAD.fullmatch(template):
        return (_Run(head["unit"]),)
    return tuple(
        _Run(run["unit"], tuple(_FIELD.findall(run["fields"])), tuple(_FIELD.findall(run["more"] or "")))
        for run in _RUN.finditer(template)
    )


@cache
def _with_units_as_fields(sentence: str, template: str) -> str:
    """A translation with "{unit 0}" in the place of the unit behind a field of the first run."""
    for place, run in enumerate(_runs(template)):
        for before in (f"{field}{gap}" for field, *_ in run.fields for gap in ("", " ", "-", "\N{NO-BREAK SPACE}")):
            sentence = sentence.replace(f"{before}{run.unit}", f"{before}{{unit {place}}}")
        if not run.fields:
            sentence = f"{sentence.removesuffix(run.unit)}{{unit {place}}}"
    return sentence


class _Shown(str):
    """A figure in another unit: the format of its field was for the metric one."""

    def __format__(self, spec: str) -> str:
        return str(self)


def _in_us(sentence: str, template: str, fields: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    made = dict(fields)
    for place, run in enumerate(_runs(template)):
        unit = fields.get("unit") if run.unit == "{unit}" else run.unit
        measure = US_MEASURES.get(str(unit))
        shown = _converted(run.fields, fields, measure) if measure else {}
        if measure and (not run.fields or run.fields[-1][1] in shown):
            made |= shown | _converted(run.more, fields, measure)
            unit = measure.unit
        made[f"unit {place}"] = unit
    return _with_units_as_fields(sentence, template), made


def _converted(written: Iterable[Sequence[str]], fields: Mapping[str, Any], measure: Measure) -> dict[str, str]:
    """Those of the fields that are figures, in the other unit."""
    made: dict[str, str] = {}
    for field, name, decimals in written:
        value = fields.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            whole = ":" not in field and isinstance(value, int)
            made[name] = _Shown(measured(value, measure, int(decimals or 0) if decimals or whole else None))
        elif isinstance(value, Message) and value.parts[3] == "":
            template, inner, *_ = value.parts
            figures = {**inner, **_converted(_FIELD.findall(template), inner, measure)}
            made[name] = _Shown(Message(template, figures, context=""))
    return made


def measured(value: float, measure: Measure, decimals: int | None = None) -> str:
    """A metric figure in another unit, as fine as it was: `decimals` are those of the metric one."""
    shown = measure.shown(value)
    if decimals is None:
        return number(shown)
    return number(shown, min(decimals + measure.finer, 4)) if shown else plain("{value:.0f}", value=0.0)


_FACTORS: dict[str, dict[str, float]] = {
    "mm": {"mm": 1, "cm": 10, "m": 1000, "in": 25.4, "ft": 304.8},
    "m": {"m": 1, "mm": 0.001, "cm": 0.01, "in": 0.0254, "ft": 0.3048},
    "g": {"g": 1, "kg": 1000, "lb": 453.59237, "oz": 28.349523125},
    "kg": {"kg": 1, "g": 0.001, "lb": 0.45359237, "oz": 0.028349523125},
}
"""Units beside those of the table that a figure may be typed in, as factors of the metric one."""
_TYPED = re.compile(r"(?P<figure>[+-]?[\d.,\s]*\d[.,]?(?:[eE][+-]?\d+)?)\s*(?P<unit>(?:[^\d\s.,].*)?)")
_GROUPED = re.compile(r"([+-]?[1-9]\d{0,2}([.,])\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d*(?:[eE][+-]?\d+)?))?")


def read_number(text: str) -> float:
    """A number as one types it: "12.5", "12,5", "1 600", "1,234.5". Raises BadInput where a mark could be either."""
    bare, decimal = "".join(text.split()), decimal_mark(current_language())
    if grouped := _GROUPED.fullmatch(bare):
        whole, mark, rest = grouped.groups()
        if rest is not None or whole.count(mark) > 1:
            bare = f"{whole.replace(mark, '')}.{rest or 0}"
        elif mark != decimal:
            raise BadInput(
                tr(
                    "{text} can be {large} or {small}: write it without thousands separators.",
                    text=text.strip(),
                    large=bare.replace(mark, ""),
                    small=bare.replace(mark, decimal),
                )
            )
    try:
        value = float(bare.replace(",", ".")) if "_" not in bare else math.nan
    except ValueError as error:
        raise BadInput(tr("{text} is not a number.", text=text)) from error
    if not math.isfinite(value):
        raise BadInput(tr("{text} is not a number.", text=text))
    return value


def read_figure(text: str, unit: str, system: System = System.METRIC) -> float:
    """What was typed, in the metric `unit`: "80 F", "12 in", "12,5". Without a unit it is of the system's.

    Raises BadInput for what is no number or of another kind of unit.
    """
    measure = US_MEASURES.get(unit)
    match = _TYPED.fullmatch(text.strip())
    if match is None or not match["unit"].strip():
        value = read_number(text)
        return measure.metric(value) if measure is not None and system is System.US else value
    value, typed = read_number(match["figure"]), match["unit"].strip().lower()
    if typed in (unit.lower(), into(unit).lower()):
        return value
    name = next((name for name, spellings in SPELLINGS.items() if typed in spellings), None)
    if name == unit:
        return value
    if measure is not None and name == measure.unit:
        return measure.metric(value)
    if name is not None and name in _FACTORS.get(unit, {}):
        return value * _FACTORS[unit][name]
    if unit and measure is not None:
        raise BadInput(
            tr(
                "{typed} is not a unit of this figure. Write {unit} or {other}.",
                typed=match["unit"].strip(),
                unit=unit,
                other=measure.unit,
            )
        )
    if unit:
        raise BadInput(
            tr("{typed} is not a unit of this figure. Write {unit}.", typed=match["unit"].strip(), unit=unit)
        )
    raise BadInput(tr("{text} is not a number.", text=text))
