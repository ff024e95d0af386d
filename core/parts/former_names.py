"""What builds, own parts and corrections of before call otherwise."""

from __future__ import annotations

import json
from typing import Any

FORMER_NAMES = {"max_power_w": "sustained_power_w"}
"""Figures that were called otherwise."""

_COUNTED_PLUGS, _CABLES = "connectors", "cables"
"""Plugs of a PSU that were counted stood by themselves, beside its cables."""


def with_present_names(stored: str) -> str:
    """The JSON of parts with today's names of figures; nothing but a name stands in quotes by itself."""
    for former, present in FORMER_NAMES.items():
        stored = stored.replace(f'"{former}"', f'"{present}"')
    if f'"{_COUNTED_PLUGS}"' not in stored:
        return stored
    try:
        return json.dumps(_with_plugs_among_cables(json.loads(stored)), ensure_ascii=False)
    except (ValueError, RecursionError):
        return stored  # Who reads it says what is wrong with it.


def _with_plugs_among_cables(node: Any) -> Any:
    if isinstance(node, list):
        if all(isinstance(entry, str) for entry in node):  # Fields that a source names.
            return list(dict.fromkeys(_CABLES if entry == _COUNTED_PLUGS else entry for entry in node))
        return [_with_plugs_among_cables(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    counted = node.get(_COUNTED_PLUGS)
    if counted is not None and not isinstance(counted, list):
        return {name: _with_plugs_among_cables(value) for name, value in node.items()}
    present = {name: _with_plugs_among_cables(value) for name, value in node.items() if name != _COUNTED_PLUGS}
    if not counted:
        return present
    cables = present.get(_CABLES) or []
    kinds = [_kind(row) for row in cables]
    return present | {_CABLES: [*cables, *(row for row in counted if _kind(row) not in kinds)]}


def _kind(row: Any) -> Any:
    return row.get("kind") if isinstance(row, dict) else row
