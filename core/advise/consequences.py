"""What a change costs and brings, from the predictions before and after.

Both are of the machine as it can run: with its cards in the slots that the placement search gives them. A card that
hangs in the air, or lies on another one, has no temperature worth comparing with.
"""

from __future__ import annotations

from dataclasses import replace

from core.advise.fix import Fix, bought
from core.advise.fix_cost import fix_cost, speed_change
from core.advise.fix_price import price_change
from core.advise.trial import TROUBLED, Problem, TrialOutcome
from core.assessment import Assessment
from core.build.build import Build
from core.build.edits import Edit, title_in
from core.build.line import is_card
from core.language import plain
from core.parts.vocabulary import Category
from core.placement.best import SeatCards
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.prediction import Prediction
from core.rules.slots import SEATING

WATTS, DECIBELS = 5.0, 0.5
"""Less than this is no change."""


def fix_of(problem: Problem, edit: Edit, outcome: TrialOutcome) -> Fix:
    """The change with its consequences."""
    build, after = problem.known.build, outcome.known.build
    changes = bought(build, after)
    speed, wall_w, noise_db = _effects(problem.known, outcome.known)
    brings = problem.brings(outcome)
    eased = not outcome.solved
    return Fix(
        edit,
        title_in(edit, build),
        tuple(
            plain("{number} x {part}", number=count, part=part.title) if count > 1 else part.title
            for part, count in changes
            if count > 0
        ),
        price_change(build, changes, problem.known.guide),
        speed,
        wall_w,
        noise_db,
        tuple(other.message for other in outcome.troubled),
        tuple(other.message for other in brings),
        eased,
        fix_cost(
            build,
            edit,
            speed=speed,
            noise_db=noise_db,
            warnings=len(brings) + eased,
            unknown=problem.more_unknown(outcome),
        ),
    )


def _effects(known: Assessment, changed: Assessment) -> tuple[Band | None, float | None, float | None]:
    """Speed, W at the wall, dB; None where nothing changes, and where cards run that could not run before."""
    was, now = as_it_runs(known), as_it_runs(changed)
    planned = changed.build.count(Category.GPU) - known.build.count(Category.GPU)
    if now.build.count(Category.GPU) - was.build.count(Category.GPU) != planned:
        return None, None, None
    before, after = was.prediction, now.prediction
    return (
        speed_change(was.build, before, now.build, after),
        _noticed(_wall_w(after) - _wall_w(before), WATTS),
        _noticed(after.noise_load.expected - before.noise_load.expected, DECIBELS),
    )


def as_it_runs(known: Assessment) -> Assessment:
    """With its cards placed, and without those that find no slot, where not every card has one of its own."""
    if not any(finding.rule in SEATING and finding.status in TROUBLED for finding in known.answers):
        return known
    placed = SeatCards(anew=True).apply(known.build)
    return replace(known, build=_without_seatless(placed))


def _without_seatless(build: Build) -> Build:
    lines = []
    for line in build.lines:
        seated = len(line.slots) if is_card(line.part) else line.quantity
        if seated:
            lines.append(replace(line, quantity=seated, psus=line.psus[:seated]))
    return build.with_lines(tuple(lines))


def _wall_w(prediction: Prediction) -> float:
    return prediction.wall_w[LoadCase.TRAINING].expected


def _noticed(change: float, least: float) -> float | None:
    return change if abs(change) >= least else None
