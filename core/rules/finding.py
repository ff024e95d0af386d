"""What a rule says about a build, and the sentences for missing figures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

from core.parts.figures import field_words
from core.plan.build import Build
from core.rules.context import RuleContext
from core.words import Worded, clauses, english, enumerated, listed, tr, trn


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


def figure_words(machine: RuleContext, figures: Iterable[str]) -> str:
    """Names unknown figures by part: "length and height of ASUS X are unknown"."""
    pairs = [figure.rsplit(".", 1) for figure in sorted(figures)]
    if not pairs:
        return tr("a figure is unknown")
    many = len(pairs) > 1 or _is_plural(pairs[0][1])
    stated = [_is_stated(machine, *pair) for pair in pairs]
    names, count = figures_listed(machine, figures), 2 if many else 1
    if all(stated):
        return trn("{figures} is incomplete", "{figures} are incomplete", figures=names, count=count)
    if any(stated):
        fields = {"figures": names, "count": count}
        return trn("{figures} is unknown or incomplete", "{figures} are unknown or incomplete", **fields)
    return trn("{figures} is unknown", "{figures} are unknown", figures=names, count=count)


def _is_plural(field: str) -> bool:
    """Whether English names a figure in the plural: "power inputs", "fans of the case"."""
    words = str(english(field_words(field))).removesuffix(" in slots")
    return bool(re.search(r"s( of|$)", words))


def figures_listed(machine: RuleContext, figures: Iterable[str]) -> str:
    """Figures ("part-id.field") by part: "length and height of ASUS X; inlet of Corsair Y"."""
    phrases = []
    pairs = [figure.rsplit(".", 1) for figure in sorted(figures)]
    for part_id, group in groupby(pairs, key=lambda pair: pair[0]):
        line = machine.build.line(part_id)
        fields = [field_words(field) for _, field in group]
        phrases.append(tr("{figures} of {part}", figures=listed(fields), part=line.part.title if line else part_id))
    return clauses(phrases)


def _is_stated(machine: RuleContext, part_id: str, field: str) -> bool:
    """Whether the part has the figure, and only a row or a piece of it is lacking."""
    line = machine.build.line(part_id)
    return line is not None and getattr(line.part.spec, field, None) is not None


def figures_by_part(build: Build, figures: Iterable[str]) -> list[tuple[str, str]]:
    """Title of each part and its figures ("part-id.field"): ("Maker X", "length, power limit")."""
    pairs = [figure.rpartition(".") for figure in sorted(set(figures))]
    titles = {line.part.id: line.part.title for line in build.lines}
    return [
        (titles.get(part_id, part_id), enumerated([field_words(field) for _, _, field in group]))
        for part_id, group in groupby(pairs, key=lambda pair: pair[0])
    ]


def figure_phrase(build: Build, figures: Iterable[str]) -> str:
    """All in one phrase: "Maker X: length, power limit; Maker Y: height"."""
    return clauses([tr("{part}: {figures}", part=title, figures=of) for title, of in figures_by_part(build, figures)])
