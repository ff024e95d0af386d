"""Tries changes of a build for one finding: gone, and nothing broken?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.build.build import Build
from core.build.edits import Edit
from core.errors import BadInput
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from core.rules.engine import check
from core.rules.finding import Finding, Status
from core.rules.registry import RULES

TROUBLED = (Status.FAIL, Status.WARN)
MOST_TRIALS = 40
"""Checks of a changed build for one finding: 2 ms each."""


class Trial:
    """One finding of one build under these conditions. Counts its trials; when all are used up, nothing is found any
    more."""

    def __init__(
        self, build: Build, finding: Finding, trials: int = MOST_TRIALS, conditions: Conditions | None = None
    ) -> None:
        self.build = build
        self.finding = finding
        self._conditions = conditions
        self.left = trials
        self._predicts = any(rule.predicted and (rule.id == finding.rule or rule.can_fail) for rule in RULES)
        before = self._check(build)
        self._failing = _count(before, Status.FAIL)
        self._same = _count_of(before, finding.rule)
        self._troubled: Counter[str] | None = None

    def solves(self, edit: Edit) -> bool:
        """Whether a change makes the finding go away and breaks nothing.

        Gone: its rule has fewer findings that fail or warn, none about the same parts and slots, and knows no less.
        """
        if self.left <= 0:
            return False
        try:
            after = edit.apply(self.build)
        except BadInput:
            return False
        if after == self.build:
            return False
        self.left -= 1
        found = self._check(after)
        return self._is_gone(found) and self._breaks_nothing(found)

    def remains(self, after: Build) -> tuple[Finding, ...]:
        """What fails or warns after a change, temperatures and noise included."""
        return _troubled(check(after, predict(after, self._conditions)))

    def brings(self, remaining: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Of what remains, the findings of rules that fail or warn more often than before."""
        if self._troubled is None:
            self._troubled = Counter(finding.rule for finding in self.remains(self.build))
        now = Counter(finding.rule for finding in remaining)
        return tuple(finding for finding in remaining if now[finding.rule] > self._troubled[finding.rule])

    def _check(self, build: Build) -> tuple[Finding, ...]:
        return check(build, predict(build, self._conditions) if self._predicts else None)

    def _is_gone(self, found: tuple[Finding, ...]) -> bool:
        own = self.finding
        counts = _count_of(found, own.rule)
        stays = any(
            other.rule == own.rule and other.status in TROUBLED and (other.parts, other.slots) == (own.parts, own.slots)
            for other in found
        )
        fewer = sum(counts[status] for status in TROUBLED) < sum(self._same[status] for status in TROUBLED)
        return fewer and not stays and counts[Status.UNKNOWN] <= self._same[Status.UNKNOWN]

    def _breaks_nothing(self, found: tuple[Finding, ...]) -> bool:
        failing = _count(found, Status.FAIL)
        return all(failing[rule] <= self._failing[rule] for rule in failing)


def _troubled(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.status in TROUBLED)


def _count(findings: Iterable[Finding], status: Status) -> Counter[str]:
    return Counter(finding.rule for finding in findings if finding.status is status)


def _count_of(findings: Iterable[Finding], rule: str) -> Counter[Status]:
    return Counter(finding.status for finding in findings if finding.rule == rule)
