"""Tries changes that take parts of the catalogue: another one, one more, or one fewer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from core.advise.add_or_replace import add_or_replace
from core.advise.fix import PartSource
from core.advise.suitability import is_suitable, mismatch, runs_at
from core.advise.trial import Trial
from core.parts.facets import number
from core.parts.part import Origin, Part
from core.parts.query import Filter, Query
from core.parts.specs import RamSpec
from core.parts.vocabulary import Category, PowerConnector
from core.plan.build import Build
from core.plan.edits import AddPart, Edit, RemovePart, SetQuantity, Several, SwapPart
from core.plan.line import Line
from core.plan.missing import is_complete
from core.predict.power import CONTINUOUS_SHARE
from core.rules.changes import STRONGER_PSU, Add, Fewer, OneMore, SeveralTimes, Swap, SwapModules, limits, of_at_least
from core.rules.finding import Finding
from core.rules.psu import MEASURES_DEMAND
from core.words import tr, trn

NEEDED = (Category.CPU, Category.MOTHERBOARD, Category.RAM, Category.STORAGE, Category.PSU, Category.CASE)
"""Without any of these nothing is fixed."""
KNOWN, LITTLE_KNOWN = 120, 60
"""How many parts are looked at: of those whose figures somebody read, and of imported ones."""
KNOWN_TRIED, IMPORTED_TRIED = 6, 3
MOST_ADDED = 4
MOST_MORE_PSUS, STRONGER_TRIED = 2, 3


def swap(change: Swap, trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """Another part for each line of the finding, or of the category; the nearest first, then in growing steps."""
    lines = trial.build.of(change.category)
    for line in [line for line in lines if line.part.id in trial.finding.parts] or lines:
        for part in _instead_of(line, change, trial, catalogue):
            as_modules = isinstance(change, SwapModules)
            yield _modules_swapped(trial, line, part) if as_modules else add_or_replace(trial.build, part, line.part.id)


def _instead_of(line: Line, change: Swap, trial: Trial, catalogue: PartSource) -> Iterator[Part]:
    limits = change.criteria(trial.build, trial.finding, line)
    target = _target(change, limits, line)
    down = any(limit.field == change.near and limit.low is None and limit.high is not None for limit in limits)

    def offered(count: int, *origins: Origin) -> list[Part]:
        query = Query("", change.category, (*limits, Filter("origin", origins)), change.near, down, count)
        parts = (catalogue.part(hit.id) for hit in catalogue.find(query))
        others = (part for part in parts if part is not None and trial.build.line(part.id) is None)
        suitable = [part for part in others if is_suitable(trial.build, part, line.part)]
        return sorted(suitable, key=lambda part: (mismatch(part, change.near, target), -(part.year or 0), part.id))

    yield from in_growing_steps(offered(KNOWN, Origin.SHIPPED, Origin.USER), KNOWN_TRIED)
    # makers that the shipped catalogue knows, or the user: others are no names to a builder
    known_makers = Query("", change.category, (Filter("origin", (Origin.SHIPPED, Origin.USER)),), limit=KNOWN)
    makers = {part.maker for hit in catalogue.find(known_makers) if (part := catalogue.part(hit.id)) is not None}
    others = offered(LITTLE_KNOWN, Origin.IMPORTED)
    yield from in_growing_steps([part for part in others if part.maker in makers], IMPORTED_TRIED)


def _target(change: Swap, limits: Iterable[Filter], line: Line) -> float | None:
    for limit in limits:
        if limit.field == change.near:
            return limit.low if limit.low is not None else limit.high
    return number(line.part, change.near) if change.near else None


def _modules_swapped(trial: Trial, line: Line, part: Part) -> Edit:
    old, new = line.part.spec, part.spec
    assert isinstance(old, RamSpec)
    assert isinstance(new, RamSpec)
    board = trial.build.motherboard
    slots = board[1].ram_slots if board else None
    modules = line.quantity * (old.modules or 1)
    kits = max(1, min(modules, slots or modules) // (new.modules or 1))
    swapped = SwapPart(line.part.id, part)
    if kits == line.quantity:
        return swapped
    title = tr("Replace {old} with {number} x {new}", old=line.part.title, number=kits, new=part.title)
    return Several(title, (swapped, SetQuantity(part.id, kits)))


def in_growing_steps(parts: Sequence[Part], most: int) -> Iterator[Part]:
    """The first ones, then further and further ones: the nearest that does is near the front, and none is too far."""
    at = 0
    for step in range(most):
        if at < len(parts):
            yield parts[at]
        at += max(1, step)


def add(change: Add, trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """One more part, or as many as are lacking, the most modest first."""
    hits = catalogue.find(Query("", change.category, change.only, change.near, limit=KNOWN))
    candidates = (catalogue.part(hit.id) for hit in hits)
    suitable = [part for part in candidates if part is not None and is_suitable(trial.build, part)]
    # the least first, the unknown last
    near = {part.id: number(part, change.near) for part in suitable}
    suitable.sort(key=lambda part: (near[part.id] is None, near[part.id] or 0.0, mismatch(part, "", None), part.id))
    measured, limit = trial.finding.measured, trial.finding.limit
    lacking = abs(round(measured - limit)) if measured is not None and limit is not None else 1
    for quantity in sorted({1, 2, min(max(lacking, 1), MOST_ADDED)}):
        for part in suitable[: change.tried]:
            yield AddPart(part, quantity)


def one_more(change: OneMore, trial: Trial, _: PartSource) -> Iterator[Edit]:
    """One more of each line."""
    for line in _running(trial, change.category):
        yield SetQuantity(line.part.id, line.quantity + 1)


def _running(trial: Trial, category: Category) -> list[Line]:
    """What is there and runs at the mains of the build: more of a UPS for 120 V are no help at 230 V."""
    return [line for line in trial.build.of(category) if runs_at(trial.build, line.part)]


def second_psu(trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """One more of the PSUs, then two, with what starts them together."""
    build = trial.build
    for more in range(1, MOST_MORE_PSUS + 1):
        for line, spec in build.psus():
            if spec.cables != () and not is_complete(build):
                title = trn(
                    "Add another {psu}, and an adapter that starts both together",
                    "Add {count} more {psu}, and adapters that start all together",
                    psu=line.part.title,
                    count=more,
                )
                psus = (SetQuantity(line.part.id, line.quantity + more),)
                yield Several(title, (*psus, *_starters(build, build.count(Category.PSU) + more, catalogue)))


def stronger_psus(trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """Two stronger PSUs in the place of a single one, then three, where a second one like it is not enough."""
    build, finding = trial.build, trial.finding
    lines = build.of(Category.PSU)
    second = next(second_psu(trial, catalogue), None)
    if second is None or len(lines) != 1 or lines[0].quantity != 1:
        return
    outcome = trial.outcome(second)
    if outcome is not None and outcome.solved and outcome.helps:
        return
    old = lines[0].part
    for count in range(2, MOST_MORE_PSUS + 2):
        watts = finding.measured or 0.0 if finding.rule in MEASURES_DEMAND else 0.0
        least = watts / CONTINUOUS_SHARE / count
        strong = Swap(Category.PSU, "power_w", limits(of_at_least("power_w", least), STRONGER_PSU.criteria))
        for part in islice(_instead_of(lines[0], strong, trial, catalogue), STRONGER_TRIED):
            fields = {"old": old.title, "number": count, "new": part.title}
            title = tr("Replace {old} with {number} x {new}, and adapters that start all together", **fields)
            psus = (SwapPart(old.id, part), SetQuantity(part.id, count))
            yield Several(title, (*psus, *_starters(build, count, catalogue)))


def _starters(build: Build, psus: int, catalogue: PartSource) -> Iterator[Edit]:
    """An adapter of the start signal for each PSU behind the first that has none, if one can be bought."""
    there = sum(
        line.quantity
        for line in build.of(Category.CABLE)
        if getattr(line.part.spec, "source_kind", None) is PowerConnector.ATX_24PIN
    )
    hits = catalogue.find(Query("", Category.CABLE, (Filter("source_kind", (PowerConnector.ATX_24PIN.value,)),)))
    offered = (part for hit in hits if (part := catalogue.part(hit.id)) is not None)
    starter = next((part for part in offered if is_suitable(build, part)), None)
    if starter is not None and psus - 1 > there:
        yield AddPart(starter, psus - 1 - there)


def several_times(change: SeveralTimes, trial: Trial, _: PartSource) -> Iterator[Edit]:
    """One more of what is there, then twice as many, four and eight times; of modules that are to fill channels as
    many as fill them."""
    for line in _running(trial, change.category):
        numbers = dict.fromkeys((line.quantity + 1, *(line.quantity * factor for factor in (2, 4, 8))))
        for quantity in _filling(change, trial.finding, line) or numbers:
            yield SetQuantity(line.part.id, quantity)


def _filling(change: SeveralTimes, finding: Finding, line: Line) -> list[int]:
    """The first two numbers of kits that leave no channel without a module, if it is modules that fill channels."""
    per_kit = int(number(line.part, change.fills) or 0) if change.fills else 0
    if not finding.limit or finding.measured is None or not per_kit:
        return []
    others = finding.measured - line.quantity * per_kit
    most = line.quantity + 2 * int(finding.limit)
    more = range(line.quantity + 1, most + 1)
    return [kits for kits in more if (others + kits * per_kit) % finding.limit == 0][:2]


def fewer(change: Fewer, trial: Trial, _: PartSource) -> Iterator[Edit]:
    """Fewer of what is there, or without it, if the machine runs without."""
    lines = trial.build.of(change.category)
    for line in [line for line in lines if line.part.id in trial.finding.parts] or lines:
        for left in range(line.quantity - 1, 0, -1):
            yield SetQuantity(line.part.id, left)
        if len(lines) > 1 or change.category not in NEEDED:
            yield RemovePart(line.part.id)
