"""Enums whose members carry their words: `PASS = "pass", tr("passed")`."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Worded(StrEnum):
    """Each member states its value and its label; a class with further words takes them in its `__init__`."""

    label: str

    def __new__(cls, value: str, label: str = "", *_more: object) -> Self:
        """Without a label, the value is one."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label or value
        return member
