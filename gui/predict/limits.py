"""Power limits of all GPUs together: what the machine does at each share of them, and the edits that set them. Qt-free
but for translation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import floor
from threading import Event

from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import Edit, Several
from core.plan.site_edits import SetFanShare
from core.predict.conditions import Conditions
from core.predict.curves import SHARES, AtLimit, over_limits
from core.predict.limit_for import Goal, LimitFor, limit_for
from core.words import tr
from gui.widgets.figures import number


def points(build: Build, conditions: Conditions, stop: Event) -> tuple[AtLimit, ...] | None:
    """One limit after the other; None once nobody wants to know any more."""
    result: list[AtLimit] = []
    for share in SHARES:
        if stop.is_set():
            return None
        result += over_limits(build, conditions, (share,))
    return tuple(result)


def answers(build: Build, conditions: Conditions, goals: tuple[Goal, ...], stop: Event) -> tuple[LimitFor, ...] | None:
    """One goal after the other; None once nobody wants to know any more."""
    result = []
    for goal in goals:
        if stop.is_set():
            return None
        result.append(limit_for(build, conditions, goal))
    return tuple(result)


def unlimited(build: Build) -> Build:
    """The build with every card at its own limit."""
    return build.with_lines(tuple(replace(line, power_limit_w=None) for line in build.lines))


def what_counts(build: Build) -> Build:
    """The build without what no prediction reads, to be compared."""
    return replace(build, name="-", notes="")


def edit_for(build: Build, answer: LimitFor) -> Edit | None:
    """The change that sets what was found; None where no limit does, or nothing would change.

    Whole watts, rounded down, so that the goal stays met.
    """
    if answer.share is None:
        return None
    limits: dict[str, float | None] = {part_id: float(floor(watts)) for part_id, watts in answer.limits_w.items()}
    if answer.share >= 1:
        limits = {line.part.id: None for line in build.of(Category.GPU)}
    edits = tuple(
        SetPowerLimit(line.part.id, limits[line.part.id])
        for line in build.of(Category.GPU)
        if line.part.id in limits and line.power_limit_w != limits[line.part.id]
    )
    return Several(_title(limits), edits) if edits else None


def what_if_edit(build: Build, tried: Build) -> Edit | None:
    """One undoable change to the limits and the fans of another build of the same parts; None where they are alike."""
    limits = {line.part.id: line.power_limit_w for line in tried.of(Category.GPU)}
    changed = [line for line in build.of(Category.GPU) if line.power_limit_w != limits[line.part.id]]
    edits: list[Edit] = [SetPowerLimit(line.part.id, limits[line.part.id]) for line in changed]
    titles = [_title({line.part.id: limits[line.part.id] for line in changed})] if changed else []
    if tried.fan_share != build.fan_share:
        fans = SetFanShare(tried.fan_share)
        edits.append(fans)
        titles.append(fans.title)
    return Several("; ".join(titles), tuple(edits)) if edits else None


def share_set(build: Build) -> float | None:
    """What all GPUs are set to, of their own limits; None where they differ, or a limit is unknown."""
    shares = {
        round(line.limit_w / spec.power_limit_w, 4) if line.limit_w and spec.power_limit_w else None
        for line, spec in build.gpus()
    }
    return shares.pop() if len(shares) == 1 else None


def limits_words(build: Build) -> str:
    """What one card may draw: "350 W", "250, 350 W"; empty where it is unknown."""
    limits = sorted({line.limit_w for line, _ in build.gpus() if line.limit_w})
    return f"{', '.join(number(watts) for watts in limits)} W" if limits else ""


def has_known_limit(build: Build) -> bool:
    """Whether there is a GPU whose own limit is known: else there is nothing to lower."""
    return any(isinstance(line.part.spec, GpuSpec) and line.part.spec.power_limit_w for line in build.of(Category.GPU))


def _title(limits: Mapping[str, float | None]) -> str:
    watts = sorted({limit for limit in limits.values() if limit is not None})
    if not watts:
        return tr("Reset all GPUs to their default power limit")
    return tr("Limit all GPUs to {watts} W", watts=", ".join(map(number, watts)))
