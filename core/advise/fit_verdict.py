"""Whether a part fits into a build, by what check() says of the build with it.

With the part put in, a finding *counts* if it names the part, or if it was not there before: check() of the build as
it stands has no finding of its rule, about the same other parts and slots, that is as grave. An UNKNOWN is that of each
rule by itself, as in `answers`, before check() gathers them by figure. Then, the first that is true:

- a FAIL counts: the part *does not fit*;
- an UNKNOWN of a rule that can fail counts: it *cannot be told* whether it fits, and the finding names the figures
  that are missing;
- a WARN counts: it *fits with warnings*;
- else it *fits*.

What was wrong before, and has nothing to do with the part, is not held against it; what is wrong with the part is, even
if the part in its place is as bad. Temperatures and noise take a prediction and are not judged: no rule on them fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.parts.figures import field_words
from core.parts.vocabulary import Category
from core.rules.finding import Finding, Status
from core.rules.registry import RULES
from core.rules.rule import Rule
from core.words import Worded, clauses, listed, plain, tr
from core.words.units import counted, number


class FitState(Worded):
    """In the order of use: what fits comes first."""

    FITS = "fits", tr("fits")
    WARNS = "fits_with_warnings", tr("fits with warnings")
    UNKNOWN = "cannot_be_told", tr("unknown whether it fits")
    DOES_NOT = "does_not_fit", tr("does not fit")

    @property
    def fits(self) -> bool:
        """Whether the part can be put in."""
        return self in (FitState.FITS, FitState.WARNS)

    def counted(self, count: int) -> str:
        """So many parts: "4 with warnings"."""
        shown = number(count, 0)
        match self:
            case FitState.FITS:
                return tr("{count} fit", count=shown)
            case FitState.WARNS:
                return tr("{count} with warnings", count=shown)
            case FitState.UNKNOWN:
                return tr("{count} unknown", count=shown)
            case FitState.DOES_NOT:
                return tr("{count} do not fit", count=shown)


TITLE_PLACEHOLDER = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for the title in sentences."""
RANK = {state: rank for rank, state in enumerate(FitState)}
_STATE = {Status.FAIL: FitState.DOES_NOT, Status.UNKNOWN: FitState.UNKNOWN, Status.WARN: FitState.WARNS}
_AS_GRAVE = {Status.FAIL: (Status.FAIL,), Status.WARN: (Status.FAIL, Status.WARN), Status.UNKNOWN: (Status.UNKNOWN,)}
"""Findings before that make one of this status no news."""
_LIMITING = (
    *(Category.PSU, Category.CASE, Category.MOTHERBOARD, Category.UPS, Category.PDU),
    *(Category.RISER, Category.CABLE),
)
"""Parts that give what others need: a limit that is exceeded is their figure, and comes first."""
ASKED: tuple[Rule[Any], ...] = tuple(rule for rule in RULES if rule.gravest is not Status.NOTE and not rule.predicted)
"""Rules whose answers count."""
_ORDER = {rule.id: place for place, rule in enumerate(ASKED)}
_CAN_FAIL = {rule.id for rule in ASKED if rule.can_fail}


@dataclass(frozen=True, slots=True)
class FitReason:
    """One finding that counts, told of whatever part it holds for."""

    rule: str
    status: Status
    message: str
    """With `TITLE_PLACEHOLDER` where the title of the part belongs."""
    measured: float | None = None
    limit: float | None = None
    unit: str = ""
    missing: tuple[tuple[str, str], ...] = ()
    """Figures that an UNKNOWN lacks: the title of the part, empty for the one in question, and the figure."""

    def sentence(self, title: str) -> str:
        """What check() says of the build with a part of this title."""
        return self.message.replace(TITLE_PLACEHOLDER, title)

    def figures(self, category: Category) -> str:
        """What decides, as short as it can be said: "1600 < 2125 W", "power limit unknown"; empty without a figure.

        The figure of the part in question, which is of this category, comes first.
        """
        if self.status is Status.UNKNOWN:
            return self._missing_words()
        if self.measured is None or self.limit is None or self.measured == self.limit:
            return ""
        first, last = self.measured, self.limit
        if category in _LIMITING and first > last:
            first, last = last, first
        return compared(first, last, self.unit)

    def _missing_words(self) -> str:
        own = [field_words(field) for title, field in self.missing if not title]
        others: dict[str, list[str]] = {}
        for title, field in self.missing:
            if title:
                others.setdefault(title, []).append(field_words(field))
        names = [listed(own)] if own else []
        names += [tr("{figures} of {part}", figures=listed(words), part=title) for title, words in others.items()]
        return tr("{figures} unknown", figures=clauses(names)) if names else ""


def compared(first: float, last: float, unit: str) -> str:
    """Two figures of a unit that differ, with as many digits as that takes: "1600 < 2125 W"."""
    sign = "<" if first < last else ">"
    least = 0 if max(first, last) >= 100 else 1 if max(first, last) >= 10 else 2
    digits = next((d for d in range(least, 3) if f"{first:.{d}f}" != f"{last:.{d}f}"), 3)
    ends = {"first": _shown(first, digits), "last": _shown(last, digits)}
    if not unit:
        return plain(f"{{first}} {sign} {{last}}", **ends)
    return plain(f"{{first}} {sign} {{last}} {{unit}}", **ends, unit=counted(2, unit))


@dataclass(frozen=True, slots=True)
class FitVerdict:
    """The state, and all that counts: what decides first."""

    state: FitState
    reasons: tuple[FitReason, ...] = ()

    @property
    def reason(self) -> FitReason | None:
        """What decides."""
        return self.reasons[0] if self.reasons else None


FITS = FitVerdict(FitState.FITS)


def verdict(reasons: Iterable[FitReason]) -> FitVerdict:
    """The verdict on a part, of which these count. A reason with figures comes before one without."""
    ranked = sorted(
        reasons,
        key=lambda one: (
            -RANK[_STATE[one.status]],
            one.measured is None or one.limit is None,
            _ORDER.get(one.rule, -1),
        ),
    )
    return FitVerdict(_STATE[ranked[0].status], tuple(ranked)) if ranked else FITS


def refused(sentence: str) -> FitVerdict:
    """The verdict on a part that cannot even be put in."""
    return FitVerdict(FitState.DOES_NOT, (FitReason("", Status.FAIL, sentence),))


class Before:
    """What check() says of the build as it stands."""

    def __init__(self, findings: Iterable[Finding], replaced: str | None) -> None:
        """`replaced` is the id of the part that goes: what is left of its findings is about the other parts."""
        self._gone = replaced
        self._counts = Counter((self._about(finding), finding.status) for finding in findings)

    def counting(self, findings: Iterable[Finding], part_id: str, titles: Mapping[str, str]) -> list[FitReason]:
        """Of the findings of one rule about the build with the part: those that count."""
        reasons, counts = [], Counter[Any]()
        for finding in findings:
            if finding.status not in _STATE or (finding.status is Status.UNKNOWN and finding.rule not in _CAN_FAIL):
                continue
            about = self._about(finding)
            counts[about, finding.status] += 1
            earlier = sum(self._counts[about, status] for status in _AS_GRAVE[finding.status])
            if part_id in finding.parts or counts[about, finding.status] > earlier:
                reasons.append(_reason(finding, part_id, titles))
        return reasons

    def _about(self, finding: Finding) -> tuple[Any, ...]:
        return finding.rule, tuple(part for part in finding.parts if part != self._gone), finding.slots


def _reason(finding: Finding, part_id: str, titles: Mapping[str, str]) -> FitReason:
    missing = []
    for figure in finding.needed:
        whose, _, field = figure.rpartition(".")
        missing.append(("" if whose == part_id else titles.get(whose, whose), field))
    return FitReason(
        finding.rule,
        finding.status,
        finding.message,
        finding.measured,
        finding.limit,
        finding.unit,
        tuple(sorted(missing)),
    )


def _shown(number: float, digits: int) -> str:
    shown = f"{number:.{digits}f}"
    decimals = len(shown.rstrip("0").partition(".")[2]) if digits else 0
    return plain(f"{{number:.{decimals}f}}", number=float(shown))
