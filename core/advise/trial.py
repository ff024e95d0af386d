"""Tries changes of a build for one finding: gone, or eased, and what broke?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.assessment import Assessment
from core.plan.build import Build
from core.plan.edits import Edit
from core.platform.errors import BadInput
from core.rules.finding import Finding, Status

TROUBLED = (Status.FAIL, Status.WARN)


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What a changed build does to the finding. `solved`: gone. `eased`: it failed and now only warns, or
    warned of more than the limit and now warns of less."""

    assessment: Assessment
    """The changed build."""
    solved: bool
    eased: bool
    breaks: tuple[Finding, ...]
    """Failures of rules that fail more often than before."""
    gap: float
    """How far the finding's rule still is from content: the worst excess over its limit as a share, per finding."""

    @property
    def helps(self) -> bool:
        """Whether the finding is gone or eased, and nothing broke."""
        return (self.solved or self.eased) and not self.breaks

    @property
    def troubled(self) -> tuple[Finding, ...]:
        """What fails or warns, the most urgent first."""
        return troubled(self.assessment.answers)


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding that is to be solved, and all that was predicted and found before."""

    finding: Finding
    assessment: Assessment
    """The build as it is, under the conditions in which the finding was made."""

    def brings(self, outcome: TrialOutcome) -> tuple[Finding, ...]:
        """What fails or warns after a change, of rules that do so more often than before."""
        before = Counter(finding.rule for finding in troubled(self.assessment.answers))
        remaining = troubled(outcome.assessment.answers)
        now = Counter(finding.rule for finding in remaining)
        return tuple(finding for finding in remaining if now[finding.rule] > before[finding.rule])

    def more_unknown(self, outcome: TrialOutcome) -> int:
        """How many questions more than before have no answer."""
        before, now = (_how_many(one.answers, (Status.UNKNOWN,)) for one in (self.assessment, outcome.assessment))
        return max(0, now - before)

    def judged(self, after: Build) -> TrialOutcome:
        """What a changed build does to the finding."""
        assessment = replace(self.assessment, build=after)
        answers = assessment.answers
        failing, now = (_failing(findings) for findings in (self.assessment.answers, answers))
        return TrialOutcome(
            assessment,
            solved=self._is_gone(answers, TROUBLED),
            eased=self._is_eased(answers),
            breaks=tuple(one for one in answers if one.status is Status.FAIL and now[one.rule] > failing[one.rule]),
            gap=sum(_gap(one) for one in answers if one.rule == self.finding.rule and one.status in TROUBLED),
        )

    def _is_eased(self, answers: tuple[Finding, ...]) -> bool:
        """Whether a failure is a warning now, or what warned of too much says that it is no more than the limit."""
        if self.finding.status is Status.FAIL:
            return self._is_gone(answers, (Status.FAIL,))
        own = [one for one in answers if one.rule == self.finding.rule]
        left = [one for one in own if one.status in TROUBLED]
        unknown = any(one.status is Status.UNKNOWN for one in own)
        return bool(exceeds(self.finding)) and not unknown and all(exceeds(one) is False for one in left)

    def _is_gone(self, answers: tuple[Finding, ...], statuses: tuple[Status, ...]) -> bool:
        """Its rule has fewer findings of these statuses, none about the same parts and slots, and knows no less."""
        own = self.finding
        before, now = ([one for one in of if one.rule == own.rule] for of in (self.assessment.answers, answers))
        stays = any(one.status in statuses and (one.parts, one.slots) == (own.parts, own.slots) for one in now)
        fewer = _how_many(now, statuses) < _how_many(before, statuses)
        no_more_unknown = _how_many(now, (Status.UNKNOWN,)) <= _how_many(before, (Status.UNKNOWN,))
        return fewer and no_more_unknown and not stays


class Trial:
    """Counts the changes that are tried for a problem; when all trials are used up, nothing is tried any more.

    Makers of changes look at `build` and `finding`: those of the problem, or, for a second change, what a first one led
    to and what is then to be looked at. What is held to be solved is always the finding of the problem.
    """

    def __init__(
        self, problem: Problem, trials: int, build: Build | None = None, finding: Finding | None = None
    ) -> None:
        self.problem = problem
        self.left = trials
        self.build = build or problem.assessment.build
        self.finding = finding or problem.finding
        self._outcomes: list[tuple[Edit, TrialOutcome | None]] = []

    def outcome(self, edit: Edit) -> TrialOutcome | None:
        """What a change does; None where it cannot be made, changes nothing, or no trial is left. One that was tried
        before costs none."""
        for other, previous in self._outcomes:
            if other == edit:
                return previous
        if self.left <= 0:
            return None
        result = self._try(edit)
        self._outcomes.append((edit, result))
        return result

    def _try(self, edit: Edit) -> TrialOutcome | None:
        try:
            after = edit.apply(self.build)
        except BadInput:
            return None
        if after == self.build:
            return None
        self.left -= 1
        return self.problem.judged(after)


def exceeds(finding: Finding) -> bool | None:
    """Whether a finding fails or measured more than its limit; None where it states no figures."""
    if finding.status is Status.FAIL:
        return True
    if finding.measured is None or finding.limit is None:
        return None
    return finding.measured > finding.limit


def _gap(finding: Finding) -> float:
    """1 for each that fails or warns, and how far it is from its limit as a share."""
    if finding.measured is None or not finding.limit:
        return 1.0
    return 1.0 + min(1.0, abs(finding.measured / finding.limit - 1))


def troubled(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that fail or warn."""
    return tuple(finding for finding in findings if finding.status in TROUBLED)


def _failing(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.rule for finding in findings if finding.status is Status.FAIL)


def _how_many(findings: Iterable[Finding], statuses: tuple[Status, ...]) -> int:
    return sum(finding.status in statuses for finding in findings)
