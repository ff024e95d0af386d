"""Figures of any kind in words: lists, tables and yes or no."""

from __future__ import annotations

from pydantic import BaseModel
from PySide6.QtCore import QCoreApplication

from core.parts.field_words import field_words, unit_of
from core.parts.specs import ConnectorCount
from core.parts.summary import CONNECTOR_LABELS
from gui.planner.figures import DASH, UNKNOWN
from gui.planner.parts.figure_names import rounded

_CONNECTORS = {str(kind): label for kind, label in CONNECTOR_LABELS.items()}


def shown(value: object) -> str:
    """A value as text, unknown as a question mark, nothing as a dash."""
    match value:
        case None:
            return UNKNOWN
        case bool():
            yes, no = QCoreApplication.translate("Filters", "yes"), QCoreApplication.translate("Filters", "no")
            return yes if value else no
        case int() | float():
            return rounded(value)
        case ConnectorCount():
            return f"{value.count} × {shown(str(value.kind))}"
        case BaseModel():
            return ", ".join(_named(key, item) for key, item in value if item not in (None, (), False))
        case tuple() | list():
            return "; ".join(map(shown, value)) or DASH
        case dict():
            return ", ".join(f"{shown(key)} {shown(item)}" for key, item in value.items())
    text = str(value)
    return _CONNECTORS.get(text, text.replace("_", " ").replace("pcie", "PCIe"))


def _named(field: str, item: object) -> str:
    name, unit = field_words(field), unit_of(field) if isinstance(item, (int, float)) else ""
    return f"{name} {shown(item)} {'' if unit == name else unit}".strip()
