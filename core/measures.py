"""Figures in the units of who reads or types them: inches for millimetres, °F for °C, CFM for m³/h.

Everything is computed, recorded and written in the metric units of `core.units`. What converts is `US_MEASURES` there;
here messages are said with it, and what people type is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from core.errors import BadInput
from core.language import Message, current_language, into, plain, tr
from core.language.catalog import number_marks
from core.units import SPELLINGS, US_MEASURES, Measure, number


class System(StrEnum):
    """Units that somebody thinks in."""

    METRIC = "metric"
    US = "us"


def measure_of(unit: str, system: System) -> Measure | None:
    """How figures of a metric unit are shown; None as they are."""
    return US_MEASURES.get(unit) if system is System.US else None


def said_in(text: str, system: System) -> str:
    """A message with its figures in the units of a system, in the language spoken now; other text as it is."""
    if system is System.METRIC or not isinstance(text, Message):
        return text
    return text.remeasured(_in_us)


_UNIT = "|".join(sorted(map(re.escape, US_MEASURES), key=len, reverse=True))
_FIELD = r"\{(\w+)(?:![rs])?(?::([^{}]*))?\}"
_BETWEEN = r"(?: ?(?:to|bis|and|und|x|[–~～×至到<>-]) ?)"
_RUN = re.compile(
    rf"(?P<run>{_FIELD}(?:{_BETWEEN}{_FIELD})*)(?P<gap>[ \u00a0\u202f]?)(?P<unit>{_UNIT}|\{{unit\}})(?![A-Za-z0-9/²³])"
    rf"(?P<more> ?[(（]{_FIELD}(?:{_BETWEEN}{_FIELD})?[)）])?"
)
"""Figures in front of a unit, and a band in brackets behind it: "{low:.0f} to {high:.0f} °C"."""
_HEAD = re.compile(rf"(?P<mark>[,，]\s?)(?P<unit>{_UNIT})$")
"""The end of a heading: "Coolant, °C"."""
_ONE = re.compile(_FIELD)
_FIXED = re.compile(r"[^{}]*\.(\d+)f")


def _in_us(words: str, fields: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    made = dict(fields)

    def run(found: re.Match[str]) -> str:
        unit = found["unit"]
        measure = US_MEASURES.get(str(fields.get("unit")) if unit == "{unit}" else unit)
        if measure is None:
            return found[0]
        converted = [_convert(place, fields, measure, made) for place in _ONE.finditer(found["run"])]
        if not converted[-1]:
            return found[0]  # its figure is words; those before it are no figures of this unit either
        told = _rewritten(found["run"], fields, made)
        more = found["more"] or ""
        if more and all(_convert(place, fields, measure, made) for place in _ONE.finditer(more)):
            more = _rewritten(more, fields, made)
        return f"{told}{found['gap'] or ''}{measure.unit}{more}"

    said = _RUN.sub(run, words)
    if "{" not in said:
        said = _HEAD.sub(lambda found: f"{found['mark']}{US_MEASURES[found['unit']].unit}", said)
    return said, made


def _convert(place: re.Match[str], fields: Mapping[str, Any], measure: Measure, made: dict[str, Any]) -> bool:
    """Puts a field's figure into `made` in the other unit; whether it is a figure."""
    value = fields.get(place[1])
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float)):
        made[place[1]] = measured(value, measure, _decimals(place[2] or "", value))
        return True
    if not isinstance(value, Message):
        return False
    figures = value.figures(lambda words, inner: _all_in(words, inner, measure))
    if figures is None:
        return False
    made[place[1]] = figures
    return True


def _all_in(words: str, fields: Mapping[str, Any], measure: Measure) -> tuple[str, Mapping[str, Any]]:
    """A message of nothing but figures of one unit: "{low:.0f}–{high:.0f}"."""
    made = dict(fields)
    for place in _ONE.finditer(words):
        _convert(place, fields, measure, made)
    return _rewritten(words, fields, made), made


def _rewritten(words: str, fields: Mapping[str, Any], made: Mapping[str, Any]) -> str:
    """Fields that hold a converted figure are texts from now on: their format was that of the other unit."""
    return _ONE.sub(lambda place: f"{{{place[1]}}}" if made[place[1]] is not fields[place[1]] else place[0], words)


def _decimals(spec: str, value: float) -> int | None:
    """How many decimals a format asks for; None for as many as count."""
    fixed = _FIXED.fullmatch(spec)
    if fixed:
        return int(fixed[1])
    return 0 if not spec and isinstance(value, int) else None


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


def read_number(text: str) -> float:
    """A number as one types it: "12.5", "12,5", "1 600", "1,234.5". Raises BadInput where a mark could be either."""
    bare = "".join(text.split())
    decimal = number_marks(current_language()).get(ord("."), ".")
    other = "," if decimal == "." else "."
    points, commas = bare.count("."), bare.count(",")
    if points and commas:
        last = max(".,", key=bare.rfind)
        group = "," if last == "." else "."
        whole, _, rest = bare.partition(last)
        if last in rest or group in rest or not _grouped(whole, group):
            raise BadInput(tr("{text} is not a number.", text=text))
        bare = f"{whole.replace(group, '')}.{rest}"
    elif points + commas > 1:
        group = "." if points else ","
        if not _grouped(bare, group):
            raise BadInput(tr("{text} is not a number.", text=text))
        bare = bare.replace(group, "")
    elif bare.count(other) == 1 and _grouped(bare, other):
        whole, _, rest = bare.partition(other)
        raise BadInput(
            tr(
                "{text} can be {large} or {small}: write it without thousands separators.",
                text=text.strip(),
                large=f"{whole}{rest}",
                small=f"{whole}{decimal}{rest}",
            )
        )
    else:
        bare = bare.replace(",", ".")
    try:
        value = float(bare) if "_" not in bare else math.nan
    except ValueError as error:
        raise BadInput(tr("{text} is not a number.", text=text)) from error
    if not math.isfinite(value):
        raise BadInput(tr("{text} is not a number.", text=text))
    return value


def _grouped(text: str, mark: str) -> bool:
    """Whether a mark stands where one stands between thousands."""
    return re.fullmatch(rf"[+-]?[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+", text) is not None


def read_figure(text: str, unit: str, system: System = System.METRIC) -> float:
    """What was typed, in the metric `unit`: "80 F", "12 in", "12,5". Without a unit it is of the system's.

    Raises BadInput for what is no number or of another kind of unit.
    """
    measure = US_MEASURES.get(unit)
    found = _TYPED.fullmatch(text.strip())
    if found is None or not found["unit"].strip():
        value = read_number(text)
        return measure.metric(value) if measure is not None and system is System.US else value
    value, typed = read_number(found["figure"]), found["unit"].strip().lower()
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
                typed=found["unit"].strip(),
                unit=unit,
                other=measure.unit,
            )
        )
    if unit:
        raise BadInput(
            tr("{typed} is not a unit of this figure. Write {unit}.", typed=found["unit"].strip(), unit=unit)
        )
    raise BadInput(tr("{text} is not a number.", text=text))
