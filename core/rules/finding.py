"""What a rule says about a build."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple


class Status(StrEnum):
    """PASS and FAIL are certain, WARN works with a drawback, NOTE informs, UNKNOWN lacks a figure."""

    PASS = "pass"
    NOTE = "note"
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"


SEVERITY = {
    status: rank for rank, status in enumerate((Status.FAIL, Status.WARN, Status.UNKNOWN, Status.NOTE, Status.PASS))
}
"""How urgent: the smaller, the earlier in the list."""


class Finding(NamedTuple):
    """One answer of one rule.

    `unconfirmed` and `missing` name figures as "part-id.field": those it rests on that have no confirmed source, and
    those it lacked. Only UNKNOWN could not answer without them. `checked` is False where nothing was asked: a NOTE says
    which parts are still to be chosen, a PASS that the rule has no subject in this build (no bridge, no UPS).
    """

    rule: str
    status: Status
    message: str
    parts: tuple[str, ...] = ()
    slots: tuple[int, ...] = ()
    measured: float | None = None
    limit: float | None = None
    unit: str = ""
    basis: str = ""
    source: str = ""
    unconfirmed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    checked: bool = True

    def as_dict(self) -> dict[str, Any]:
        """For JSON; keys are stable."""
        shown = self._asdict()
        lists = {name: list(value) for name, value in shown.items() if isinstance(value, tuple)}
        return shown | lists | {"status": self.status.value}
