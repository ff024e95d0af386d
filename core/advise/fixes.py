"""The suggested fixes of a finding: changes that were tried and make it go away without making anything else fail.

First every kind of change that the rule names; where none of them does, two changes together; last,
and only for what fails, going without something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from core.advise import part_fixes, setting_fixes
from core.advise.consequences import fix_of
from core.advise.fix import Fix, PartSource, and_then
from core.advise.trial import TROUBLED, Problem, Trial, TrialOutcome
from core.assessment import Assessment
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.plan.build import Build
from core.plan.edits import Edit, Several, title_in
from core.predict.conditions import Conditions
from core.rules.changes import Add, Change, Fewer, Move, OneMore, SeveralTimes, Swap, takes_away
from core.rules.finding import Finding, Status
from core.rules.registry import BY_ID

_MOVES: dict[Move, Callable[[Trial, PartSource], Iterator[Edit]]] = {
    Move.ARRANGE: setting_fixes.arrange,
    Move.OFF_RISERS: setting_fixes.off_risers,
    Move.PUT_ON_RISER: setting_fixes.put_on_riser,
    Move.OTHER_SOCKET: setting_fixes.other_socket,
    Move.OLDER_GENERATION: setting_fixes.older_generation,
    Move.FULL_GENERATION: setting_fixes.full_generation,
    Move.DISPLAY_CARD: setting_fixes.display_card,
    Move.FEWER_CARDS: setting_fixes.fewer_cards,
    Move.LIMIT_POWER: setting_fixes.limit_power,
    Move.ALLOWED_LIMIT: setting_fixes.allowed_limit,
    Move.FASTER_FANS: setting_fixes.faster_fans,
    Move.SLOWER_FANS: setting_fixes.slower_fans,
    Move.SHARE_OUT: setting_fixes.share_out,
    Move.SECOND_PSU: part_fixes.second_psu,
    Move.STRONGER_PSUS: part_fixes.stronger_psus,
    Move.ANGLED_PLUGS: setting_fixes.angled_plugs,
    Move.ANOTHER_CIRCUIT: setting_fixes.another_circuit,
    Move.ONE_MORE_CIRCUIT: setting_fixes.one_more_circuit,
}


def attempts(change: Change, trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """Edits to try, the most promising first."""
    match change:
        case Move():
            return _MOVES[change](trial, catalogue)
        case Swap():
            return part_fixes.swap(change, trial, catalogue)
        case Add():
            return part_fixes.add(change, trial, catalogue)
        case OneMore():
            return part_fixes.one_more(change, trial, catalogue)
        case SeveralTimes():
            return part_fixes.several_times(change, trial, catalogue)
        case Fewer():
            return part_fixes.fewer(change, trial, catalogue)


TRIALS, PAIR_TRIALS, LAST_TRIALS = 60, 40, 8
"""Predictions and checks of a changed build for one finding, about 5 ms each: for one change, for two together, for
going without something."""
PER_KIND = 8
"""Changes of one kind that are tried, so that the next kind has its turn."""
FIRST_OF_TWO = 4
"""First changes that a second one is tried for."""
PAIRS = 2
"""Two changes together that are suggested."""
BREAKS = 2
"""A first change that makes more than so many findings fail is none to go on from."""
LEAST_SPEED, LEAST_SPEED_BOUGHT = 0.5, 0.9
"""Of the speed before, that a fix leaves, and one with new parts, unless there is no other."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A change and what it does."""

    change: Change
    edit: Edit
    outcome: TrialOutcome


def fixes(
    build: Build,
    finding: Finding,
    catalogue: PartSource,
    limit: int = 4,
    conditions: Conditions | None = None,
    guide: PriceGuide = NO_GUIDE,
) -> tuple[Fix, ...]:
    """At most `limit` fixes of a finding that fails or warns, the cheapest first, going without something last.
    `conditions` are those under which it was found, `guide` tells what parts cost.

    Takes up to 108 checks of a changed build: for the finding that somebody looks at, not for all of them.
    """
    if finding.status not in TROUBLED:
        return ()
    problem = Problem(finding, Assessment(build, conditions or Conditions(), guide))
    trial = Trial(problem, TRIALS)
    tried = [list(_of_kind(change, trial, catalogue, PER_KIND)) for change in _changes(finding.rule)]
    suggested = [fix for of_kind in tried for fix in _best(problem, of_kind)]
    if all(fix.eased for fix in suggested):
        suggested += _pairs(problem, [one for of_kind in tried for one in of_kind], catalogue)
    suggested = _affordable(suggested)[:limit]
    last = finding.status is Status.FAIL and len(suggested) < limit
    return (*suggested, *(_without(problem, catalogue) if last else ()))


def _affordable(candidates: list[Fix]) -> list[Fix]:
    """Each once, the cheapest first; without those that cost most of the speed, where there is another."""
    different: list[Fix] = []
    for fix in sorted(candidates, key=lambda fix: fix.order):
        if fix.edit not in [other.edit for other in different]:
            different.append(fix)
    return [fix for fix in different if not _is_too_slow(fix)] or different


def _is_too_slow(fix: Fix) -> bool:
    """Whether it costs more of the speed than anybody would pay, or be paid for with a new part."""
    return fix.speed is not None and fix.speed.expected < (LEAST_SPEED_BOUGHT if fix.buys else LEAST_SPEED)


def _changes(rule: str, *, last: bool = False) -> Iterator[Change]:
    return (change for change in BY_ID[rule].fixes if takes_away(change) is last)


def _of_kind(change: Change, trial: Trial, catalogue: PartSource, most: int) -> Iterator[Tried]:
    """What was tried of one kind, until the finding is gone and nothing new fails or warns."""
    for edit in islice(attempts(change, trial, catalogue), most):
        outcome = trial.outcome(edit)
        if outcome is not None:
            yield Tried(change, edit, outcome)
            if outcome.solved and not outcome.breaks and not trial.problem.brings(outcome):
                return


def _best(problem: Problem, of_kind: Iterable[Tried]) -> list[Fix]:
    """The change of a kind with which the finding is gone at the least cost, and that which eases it, if it costs less.

    Of those that cost the same the first one, which is the nearest to what there is.
    """
    helping = [fix_of(problem, one.edit, one.outcome) for one in of_kind if one.outcome.helps]
    gone = min((fix for fix in helping if not fix.eased), key=lambda fix: round(fix.cost), default=None)
    eased = min((fix for fix in helping if fix.eased), key=lambda fix: round(fix.cost), default=None)
    if gone is not None and eased is not None and eased.cost >= gone.cost:
        eased = None
    return [fix for fix in (gone, eased) if fix is not None]


def _pairs(problem: Problem, tried: list[Tried], catalogue: PartSource) -> Iterator[Fix]:
    """Two changes: the second makes good what the first one broke, or goes on where the first one was not enough."""
    left, paired = PAIR_TRIALS, set[Change]()
    for first in sorted(filter(_may_lead_on, tried), key=_promise)[:FIRST_OF_TWO]:
        still = (one for one in first.outcome.troubled if one.rule == problem.finding.rule)
        rest = first.outcome.breaks or tuple(still)
        if not rest or first.change in paired:
            continue
        trial = Trial(problem, left, first.outcome.assessment.build, rest[0])
        for change in _changes(rest[0].rule, last=False):
            if change == first.change:
                continue
            helping = next((one for one in _of_kind(change, trial, catalogue, PER_KIND) if one.outcome.helps), None)
            if helping is not None:
                yield fix_of(problem, _together(problem.assessment.build, first, helping), helping.outcome)
                paired.add(first.change)
                break
        left = trial.left
        if not left or len(paired) == PAIRS:
            return


def _may_lead_on(one: Tried) -> bool:
    outcome = one.outcome
    return not outcome.helps and len(outcome.breaks) <= BREAKS and (outcome.solved or not outcome.breaks)


def _promise(one: Tried) -> tuple[int, float]:
    """Those that solve the finding and break little come first, then those that come nearest."""
    outcome = one.outcome
    if outcome.solved:
        return len(outcome.breaks), 0.0
    return BREAKS + 1, outcome.gap


def _together(build: Build, first: Tried, second: Tried) -> Edit:
    titles = [title_in(first.edit, build), title_in(second.edit, first.outcome.assessment.build)]
    edits = [edit.edits if isinstance(edit, Several) else (edit,) for edit in (first.edit, second.edit)]
    return Several(and_then(*titles), (*edits[0], *edits[1]))


def _without(problem: Problem, catalogue: PartSource) -> Iterator[Fix]:
    """The last resort."""
    trial = Trial(problem, LAST_TRIALS)
    for change in _changes(problem.finding.rule, last=True):
        for one in _of_kind(change, trial, catalogue, LAST_TRIALS):
            if one.outcome.helps:
                yield fix_of(problem, one.edit, one.outcome)
                return
