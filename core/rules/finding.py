"""What a rule says about a build."""

from __future__ import annotations

from typing import Any, NamedTuple

from core.words import Worded, english, tr, trn


class Status(Worded):
    """PASS and FAIL are certain, WARN works with a drawback, NOTE informs, UNKNOWN lacks a figure."""

    PASS = "pass", tr("PASS")
    NOTE = "note", tr("NOTE")
    WARN = "warn", tr("WARN")
    FAIL = "fail", tr("FAIL")
    UNKNOWN = "unknown", tr("UNKNOWN")

    def counted(self, count: int) -> str:
        """So many findings: "3 warn"."""
        match self:
            case Status.PASS:
                return trn("{count} pass", "{count} pass", count=count)
            case Status.NOTE:
                return trn("{count} note", "{count} note", count=count)
            case Status.WARN:
                return trn("{count} warn", "{count} warn", count=count)
            case Status.FAIL:
                return trn("{count} fail", "{count} fail", count=count)
            case Status.UNKNOWN:
                return tr("{count} unknown", count=count)


SEVERITY = {
    status: rank for rank, status in enumerate((Status.FAIL, Status.WARN, Status.UNKNOWN, Status.NOTE, Status.PASS))
}
"""How urgent: the smaller, the earlier in the list."""


class Finding(NamedTuple):
    """One answer of one rule.

    `unconfirmed` and `missing` name figures as "part-id.field": those it rests on that have no confirmed source, and
    those it lacked. Only UNKNOWN could not answer without them. `checked` is False where nothing was asked: a NOTE says
    which parts are still to be chosen, a PASS that the rule has no subject in this build (no bridge, no UPS), that the
    maker of a complete system settled it, or that a hint lacks its figure. `waiting` names the rules that could not
    answer for want of the same figures or parts: in a check they make one finding.
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
    needed: tuple[str, ...] = ()
    """Of the missing figures those without which there is no answer; only of an UNKNOWN."""
    waiting: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in English; keys are stable."""
        shown: dict[str, Any] = english(self._asdict())
        lists = {name: list(value) for name, value in shown.items() if isinstance(value, tuple)}
        return shown | lists | {"status": self.status.value}
