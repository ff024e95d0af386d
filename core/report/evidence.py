"""What a stage found on a device, from the recorded evidence into words.

Loads choose their own keys. A key that is a metric has that metric's title and unit; "rates" has the unit that stands
under "rate_unit"; any other key carries its unit in its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.report.words import labelled, number, plain
from core.telemetry.metrics import BY_NAME, Metric

_ALIASES = {"tflops": BY_NAME["throughput_tflops"]}
_WARNINGS = "warnings"
_UNIT = "_unit"


def evidence_lines(evidence: Mapping[str, Any]) -> Iterator[str]:
    """All figures in one line, "name value unit" each, then a line for each warning. What is empty is left out."""
    units = {key.removesuffix(_UNIT) + "s": str(value) for key, value in evidence.items() if key.endswith(_UNIT)}
    figures = [
        _entry(key, value, units.get(key))
        for key, value in evidence.items()
        if key != _WARNINGS and not key.endswith(_UNIT) and not _is_empty(value)
    ]
    if figures:
        yield "; ".join(figures)
    warnings = evidence.get(_WARNINGS) or ()
    yield from (f"Warning: {text}" for text in ([warnings] if isinstance(warnings, str) else warnings))


def _entry(key: str, value: Any, unit: str | None = None) -> str:
    metric = _metric(key)
    title, named_unit = (metric.title, metric.unit) if metric else labelled(key)
    unit = named_unit if unit is None else unit
    if isinstance(value, Mapping):
        return f"{title}: {', '.join(_inner(str(name), item, unit) for name, item in value.items())}"
    return f"{title}: {_value(value, unit)}"


def _inner(name: str, item: Any, unit: str) -> str:
    if isinstance(item, Mapping):
        return f"{name} ({', '.join(_inner(str(key), value, unit) for key, value in item.items())})"
    metric = _metric(name)
    title, named_unit = (metric.title, metric.unit) if metric else labelled(name)
    return f"{title if named_unit else name.replace('_', ' ')} {_value(item, unit or named_unit)}"


def _value(value: Any, unit: str) -> str:
    if isinstance(value, list):
        return ", ".join(_value(item, unit) for item in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{number(value)} {unit}".strip()
    if isinstance(value, str) and value in BY_NAME:
        return BY_NAME[value].title
    return plain(value)


def _metric(key: str) -> Metric | None:
    return BY_NAME.get(key) or _ALIASES.get(key)


def _is_empty(value: Any) -> bool:
    return isinstance(value, (list, Mapping, str)) and not value
