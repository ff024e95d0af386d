"""The fixes of a finding: changes that were tried and make it go away without making anything else fail."""

from __future__ import annotations

from core.advise.fix import Fix, Shelf, bought, price_change
from core.advise.part_fixes import Maker
from core.advise.speed import speed_kept
from core.advise.table import FIXES
from core.advise.trial import TROUBLED, Trial
from core.build.build import Build
from core.build.edits import Edit, title_in
from core.predict.conditions import Conditions
from core.rules.finding import Finding

PER_KIND = 12
"""Trials of one kind of fix, so that the next kind has its turn."""


def fixes(
    build: Build, finding: Finding, shelf: Shelf, limit: int = 4, conditions: Conditions | None = None
) -> tuple[Fix, ...]:
    """At most `limit` fixes of a finding that fails or warns, the cheapest kind of change first; one of each kind.
    `conditions` are those under which it was found.

    Takes up to 40 checks of a changed build: for the finding that somebody looks at, not for all of them.
    """
    if finding.status not in TROUBLED:
        return ()
    trial = Trial(build, finding, conditions=conditions)
    found: list[Fix] = []
    for maker in FIXES.get(finding.rule, ()):
        fix = _first(maker, trial, shelf)
        if fix is not None and fix.edit not in [other.edit for other in found]:
            found.append(fix)
        if len(found) == limit:
            break
    return tuple(found)


def _first(maker: Maker, trial: Trial, shelf: Shelf) -> Fix | None:
    begun = trial.left
    for edit in maker(trial, shelf):
        if begun - trial.left >= PER_KIND:
            return None
        if trial.solves(edit):
            return _fix(trial, edit)
    return None


def _fix(trial: Trial, edit: Edit) -> Fix:
    build = trial.build
    changed = edit.apply(build)
    changes = bought(build, changed)
    remains = trial.remains(changed)
    return Fix(
        edit,
        title_in(edit, build),
        tuple(f"{count} x {part.title}" if count > 1 else part.title for part, count in changes if count > 0),
        price_change(changes),
        speed_kept(build, changed),
        tuple(other.message for other in remains),
        tuple(other.message for other in trial.brings(remains)),
    )
