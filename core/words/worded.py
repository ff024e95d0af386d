"""Enums whose members carry their words: `PASS = "pass", tr("passed")`."""

from __future__ import annotations

from enum import StrEnum
from inspect import get_annotations
from typing import Any, Self


class Worded(StrEnum):
    """Each member states its value, its label and what the class annotates beside it, in this order."""

    label: str

    def __new__(cls, value: str, label: str = "", *more: Any) -> Self:
        """Without a label, the value is one."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label or value
        for name, words in zip(get_annotations(cls), more, strict=True):
            setattr(member, name, words)
        return member
