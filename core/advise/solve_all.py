"""Fixes one after the other, each tried on what the last one left, until nothing more can be solved.

What fails comes first. A fix is taken if fewer findings fail with it or, of a warning, fewer warn; no rule then fails
more often than before. So it ends, and what comes out never fails more than what went in. Of the fixes of a finding the
one is taken that leaves the fewest failures, then the fewest open questions, then the cheapest. Nothing is taken out
that somebody chose: that is for a person to decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from core.advise.consequences import fix_of
from core.advise.fix import Fix, PartSource
from core.advise.fixes import fixes
from core.advise.trial import TROUBLED, Problem, troubled
from core.assessment import Assessment
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import Edit, Several
from core.platform.errors import BadInput
from core.predict.conditions import Conditions
from core.rules.finding import Finding, Status
from core.words import english, trn

WORTH = 10.0
"""What a warning may cost, as `fix_cost` counts: a board, or a tenth of the speed. A failure may cost more."""
STAYS = (
    *(Category.GPU, Category.NIC, Category.STORAGE, Category.CPU),
    *(Category.MOTHERBOARD, Category.PSU, Category.CASE),
)
"""Of these there are never fewer afterwards."""
Step = tuple[Finding, Fix]
Tally = tuple[int, int]
"""How many findings fail, and how many warn."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The fixes that are taken, and the build before and after them."""

    before: Assessment
    after: Assessment
    steps: tuple[Fix, ...]

    @property
    def unsolved(self) -> tuple[Finding, ...]:
        """What still fails or warns, the most urgent first."""
        return troubled(self.after.findings)

    @property
    def edit(self) -> Edit:
        """All steps as one change that undo takes back."""
        title = trn("Solve findings with {count} change", "Solve findings with {count} changes", count=len(self.steps))
        return Several(title, tuple(one for fix in self.steps for one in _flat(fix.edit)))

    @property
    def sum(self) -> Fix | None:
        """What all steps together buy, cost and bring; None where there is none."""
        first = next(iter(troubled(self.before.answers)), None)
        if not self.steps or first is None:
            return None
        problem = Problem(first, self.before)
        return replace(fix_of(problem, self.edit, problem.judged(self.after.build)), eased=False)

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in English; keys are stable."""
        whole = self.sum
        stored: dict[str, Any] = english(
            {
                "steps": [fix.as_dict() for fix in self.steps],
                "sum": whole.as_dict() if whole else None,
                "unsolved": [finding.as_dict() for finding in self.unsolved],
            }
        )
        return stored


def solve_all(
    build: Build,
    catalogue: PartSource,
    conditions: Conditions | None = None,
    *,
    guide: PriceGuide = NO_GUIDE,
    goes_on: Callable[[], bool] = lambda: True,
) -> Solution:
    """As many findings as can be solved. Deterministic. It is asked before each finding whether it `goes_on`; what
    was solved until then is the answer. `guide` tells what parts cost."""
    before = state = Assessment(build, conditions or Conditions(), guide)
    steps: list[Step] = []
    for status in (Status.FAIL, Status.WARN):
        given_up: set[object] = set()
        while goes_on():
            finding = next((one for one in state.answers if one.status is status and _about(one) not in given_up), None)
            if finding is None:
                break
            best = _best_step(state, finding, catalogue)
            if best is None:
                given_up.add(_about(finding))
                continue
            fix, state = best
            steps.append((finding, fix))
            if status is Status.FAIL:
                given_up.clear()  # another build: what could not be solved before may be now
    return _without_detours(before, steps, state)


def _without_detours(before: Assessment, steps: list[Step], after: Assessment) -> Solution:
    """Without the steps that later ones made needless; the effects of those that stay are told anew."""
    least, whole = _tally(after), len(steps)
    for step in steps[:-1]:
        rest = [other for other in steps if other is not step]
        shorter = _after(before, rest)
        if shorter is not None and _tally(shorter) <= least and not _failing(shorter) - _failing(before):
            steps, after = rest, shorter
    if len(steps) == whole:
        return Solution(before, after, tuple(fix for _, fix in steps))
    return Solution(before, after, tuple(_retold(before, steps)))


def _retold(state: Assessment, steps: list[Step]) -> Iterator[Fix]:
    for finding, fix in steps:
        problem = Problem(finding, state)
        outcome = problem.judged(fix.edit.apply(state.build))
        yield replace(fix_of(problem, fix.edit, outcome), eased=fix.eased)
        state = outcome.assessment


def _after(before: Assessment, steps: list[Step]) -> Assessment | None:
    """The build after these steps; None where one of them cannot be made without another."""
    build = before.build
    try:
        for _, fix in steps:
            build = fix.edit.apply(build)
    except BadInput:
        return None
    return replace(before, build=build)


def _about(finding: Finding) -> object:
    return finding.rule, finding.parts, finding.slots


def _best_step(state: Assessment, finding: Finding, catalogue: PartSource) -> tuple[Fix, Assessment] | None:
    """The best fix of a finding that is taken, and the build with it."""
    tally = _tally(state)
    best: tuple[tuple[int, int, tuple[float, ...]], Fix, Assessment] | None = None
    for fix in fixes(state.build, finding, catalogue, conditions=state.conditions, guide=state.guide):
        after = replace(state, build=fix.edit.apply(state.build))
        if not _is_taken(finding, fix, tally, state, after):
            continue
        unknown = sum(one.status is Status.UNKNOWN for one in after.answers)
        rank = (_tally(after)[0], unknown, fix.order)
        if best is None or rank < best[0]:
            best = rank, fix, after
    return best and best[1:]


def _is_taken(finding: Finding, fix: Fix, tally: Tally, state: Assessment, after: Assessment) -> bool:
    if any(after.build.count(category) < state.build.count(category) for category in STAYS):
        return False
    if finding.status is Status.WARN and fix.cost > WORTH:
        return False
    failing, now = _failing(state), _failing(after)
    return _tally(after) < tally and all(count <= failing[rule] for rule, count in now.items())


def _tally(state: Assessment) -> Tally:
    fails, warns = (sum(one.status is status for one in state.answers) for status in TROUBLED)
    return fails, warns


def _failing(state: Assessment) -> Counter[str]:
    return Counter(finding.rule for finding in state.answers if finding.status is Status.FAIL)


def _flat(edit: Edit) -> Iterator[Edit]:
    if isinstance(edit, Several):
        for one in edit.edits:
            yield from _flat(one)
    else:
        yield edit
