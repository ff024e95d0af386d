"""What a change costs and brings, from the predictions before and after.

Both are of the machine as it can run: with its cards in the slots that the placement search gives them. A card that
hangs in the air, or lies on another one, has no temperature worth comparing with.

The cost puts the cheapest fix first, all in per cent of training speed. Speed counts as it is. The rest is what
builders commonly give up speed for, by our estimate: work with the screwdriver, money for a part of a category, a new
warning, noise. It orders suggestions and is never shown.
"""

from __future__ import annotations

from dataclasses import replace

from core.advise.fix import Fix, bought, price_change
from core.advise.trial import TROUBLED, Problem, TrialOutcome
from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import AddPart, Edit, RemovePart, SetDetails, SetQuantity, Several, SwapPart, title_in
from core.plan.line import is_card
from core.plan.placement.best import SeatCards
from core.plan.site_edits import SetAssumptions, SetCircuits
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.power_limit import speed_at_limit
from core.predict.prediction import Prediction
from core.rules.slots import SEATING
from core.words import plain

_PART: dict[Category, float] = {
    Category.CABLE: 1,
    Category.FAN: 1,
    Category.NVLINK_BRIDGE: 2,
    Category.RISER: 3,
    Category.CARRIER: 4,
    Category.STORAGE: 3,
    Category.CPU_COOLER: 3,
    Category.RADIATOR: 3,
    Category.PUMP: 3,
    Category.WATER_BLOCK: 4,
    Category.RAM: 4,
    Category.NIC: 4,
    Category.PSU: 5,
    Category.UPS: 5,
    Category.PDU: 4,
    Category.CASE: 6,
    Category.SYSTEM: 9,
    Category.CPU: 7,
    Category.GPU: 7,
    Category.MOTHERBOARD: 9,
}
"""Buying and fitting one."""
_SETTING = 0.5
"""A limit, other slots, another cable."""
_CIRCUIT = 9.0
"""An electrician's visit."""
_WITHOUT = 4.0
"""Going without a part that somebody had chosen."""
_WARNING, _UNKNOWN, _DB = 3.0, 0.5, 0.5
"""Each new warning, each question that gets no answer any more, each dB more."""


def fix_cost(
    build: Build, edit: Edit, *, speed: Band | None, noise_db: float | None, warnings: int, unknown: int
) -> float:
    """In per cent of speed; of a change of this build with these consequences."""
    slower = 0.0 if speed is None else max(0.0, 100 * (1 - speed.expected))
    louder = max(0.0, noise_db or 0.0)
    return slower + effort(build, edit) + _DB * louder + _WARNING * warnings + _UNKNOWN * unknown


def effort(build: Build, edit: Edit) -> float:
    """Work and money of a change alone, in per cent of speed."""
    match edit:
        case Several(edits=edits):
            return _effort_of_all(build, edits)
        case AddPart(part=part, quantity=quantity):
            return _PART[part.category] * quantity
        case SwapPart(part_id=part_id, part=part):
            line = build.line(part_id)
            return _PART[part.category] * (line.quantity if line else 1)
        case SetQuantity(part_id=part_id, quantity=quantity):
            line = build.line(part_id)
            more = quantity - (line.quantity if line else 0)
            return _PART[line.part.category] * more if line and more > 0 else _WITHOUT
        case RemovePart():
            return _WITHOUT
        case SetCircuits() | SetDetails():
            return _CIRCUIT
        case SetAssumptions():
            return _PART[Category.CABLE]
        case _:
            return _SETTING


def _effort_of_all(build: Build, edits: tuple[Edit, ...]) -> float:
    """Each on the build that those before it led to."""
    whole = 0.0
    for edit in edits:
        whole += effort(build, edit)
        build = edit.apply(build)
    return whole


Shares = tuple[float, float, float]
SAME = 0.005
"""A change of speed below this is none."""


def speed_change(before: Build, was: Prediction, after: Build, now: Prediction) -> Band | None:
    """Training speed after a change over the speed before; None where it stays, or nothing is known of it.

    Cards that train together wait for the slowest of them: the speed is their number times that of the slowest.
    """
    old, new = _speed(before, was), _speed(after, now)
    if old is None:
        return None
    low, expected, high = sorted(n / o for n, o in zip(new or (0.0, 0.0, 0.0), old, strict=True))
    return None if max(abs(1 - low), abs(1 - expected), abs(1 - high)) < SAME else Band(low, expected, high, "")


def _speed(build: Build, prediction: Prediction) -> Shares | None:
    """In speeds of one card at its own limit: low, expected, high."""
    lines = [line for line, _ in build.workers()]
    if not lines:
        return None
    cards = build.worker_count
    kept_shares: dict[str, float] = {}
    for card in prediction.heat.cards:
        kept_shares[card.part_id] = min(card.kept_share, kept_shares.get(card.part_id, 1.0))
    # what the hottest card of a line may draw after heat has taken its share; its limit where nothing is known
    speeds = [speed_at_limit(line.part, kept_shares.get(line.part.id, 1.0) * (line.limit_w or 0.0)) for line in lines]
    slowest = min(speeds, key=lambda speed: speed.expected)
    return cards * slowest.low, cards * slowest.expected, cards * slowest.high


WATTS, DECIBELS = 5.0, 0.5
"""Less than this is no change."""


def fix_of(problem: Problem, edit: Edit, outcome: TrialOutcome) -> Fix:
    """The change with its consequences."""
    build, after = problem.assessment.build, outcome.assessment.build
    changes = bought(build, after)
    speed, wall_w, noise_db = _effects(problem.assessment, outcome.assessment)
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
        price_change(build, changes, problem.assessment.guide),
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


def _effects(assessment: Assessment, changed: Assessment) -> tuple[Band | None, float | None, float | None]:
    """Speed, W at the wall, dB; None where nothing changes, and where cards run that could not run before."""
    was, now = as_it_runs(assessment), as_it_runs(changed)
    planned = changed.build.count(Category.GPU) - assessment.build.count(Category.GPU)
    if now.build.count(Category.GPU) - was.build.count(Category.GPU) != planned:
        return None, None, None
    before, after = was.prediction, now.prediction
    return (
        speed_change(was.build, before, now.build, after),
        _noticed(after.wall_w[LoadCase.TRAINING].expected - before.wall_w[LoadCase.TRAINING].expected, WATTS),
        _noticed(after.noise_load.expected - before.noise_load.expected, DECIBELS),
    )


def as_it_runs(assessment: Assessment) -> Assessment:
    """With its cards placed, and without those that find no slot, where not every card has one of its own."""
    if not any(finding.rule in SEATING and finding.status in TROUBLED for finding in assessment.answers):
        return assessment
    placed = SeatCards(anew=True).apply(assessment.build)
    return replace(assessment, build=_without_seatless(placed))


def _without_seatless(build: Build) -> Build:
    lines = []
    for line in build.lines:
        seated = len(line.slots) if is_card(line.part) else line.quantity
        if seated:
            lines.append(replace(line, quantity=seated, psus=line.psus[:seated]))
    return build.with_lines(tuple(lines))


def _noticed(change: float, least: float) -> float | None:
    return change if abs(change) >= least else None
