"""What a stage found on a device, from the recorded evidence into words.

Loads choose their own keys. A key that is a metric has that metric's title and unit; any other carries its unit in
its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.report.words import labelled, number, plain
from core.telemetry.metrics import BY_NAME

_ELSEWHERE = ("warnings",)
"""Shown apart, one sentence each."""


def evidence_sentences(evidence: Mapping[str, Any]) -> tuple[str, ...]:
    """One "name: value unit" for each entry, then the warnings."""
    figures = [_entry(key, value) for key, value in evidence.items() if key not in _ELSEWHERE]
    warnings = [f"Warning: {text}" for key in _ELSEWHERE for text in _texts(evidence.get(key))]
    return (*figures, *warnings)


def _entry(key: str, value: Any) -> str:
    title, unit = _name(key)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{name} {_value(item, unit)}" for name, item in value.items())
        return f"{title}: {inner or 'none'}"
    return f"{title}: {_value(value, unit)}"


def _name(key: str) -> tuple[str, str]:
    metric = BY_NAME.get(key)
    return (metric.title, metric.unit) if metric else labelled(key)


def _value(value: Any, unit: str) -> str:
    if isinstance(value, Mapping):
        return "(" + ", ".join(_entry(str(name), item) for name, item in value.items()) + ")"
    if isinstance(value, list):
        return ", ".join(_value(item, unit) for item in value) or "none"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{number(value)} {unit}".strip()
    if isinstance(value, str) and value in BY_NAME:
        return BY_NAME[value].title.lower()
    return plain(value)


def _texts(value: Any) -> Iterable[str]:
    if value is None:
        return ()
    return (str(item) for item in value) if isinstance(value, (list, tuple)) else (str(value),)
