"""What is said of a line in words: what its GPUs are for, and whether it is new, used or owned."""

from __future__ import annotations

from datetime import date

from core.parts.compute import GpuSpec
from core.parts.part import Condition
from core.parts.price_guide import PriceGuide
from core.plan.build import Build
from core.plan.line import IN_SYSTEM, Line, Role
from core.words import joined, tr, trn


def role_words(build: Build, line: Line) -> str:
    """Of one line: "display (guessed by size)"; empty for what is no GPU."""
    if not isinstance(line.part.spec, GpuSpec):
        return ""
    role = build.role(line.part.id)
    if line.role is None and role is not Role.WORKER:
        return tr("{role} (guessed by size)", role=role.label)
    return role.label


def gpu_words(build: Build) -> str:
    """Of all GPUs: "3 workers + 1 display card (guessed by size)"; empty where every card is one worker."""
    cards = dict.fromkeys(Role, 0)
    for line, _ in build.gpus():
        cards[build.role(line.part.id)] += line.quantity
    if build.worker_count == cards[Role.WORKER] == sum(cards.values()):
        return ""
    workers = trn("{count} worker", "{count} workers", count=build.worker_count)
    if build.worker_count != cards[Role.WORKER]:
        workers = trn(
            "{workers} on {count} card", "{workers} on {count} cards", workers=workers, count=cards[Role.WORKER]
        )
    words = [workers]
    if count := cards[Role.DISPLAY]:
        shown_by = trn("{count} display card", "{count} display cards", count=count)
        guessed = any(line.role is None and build.role(line.part.id) is Role.DISPLAY for line, _ in build.gpus())
        words.append(tr("{cards} (guessed by size)", cards=shown_by) if guessed else shown_by)
    if count := cards[Role.SPARE]:
        words.append(trn("{count} spare", "{count} spares", count=count))
    return joined(words, " + ")


def free_words(build: Build, line: Line, today: date) -> str:
    """Why a line costs nothing: it is owned, or part of a system that is paid for; empty for what costs something."""
    if build.is_contained(line):
        return IN_SYSTEM
    condition = build.condition_of(line, today)
    return condition.label if condition is Condition.OWNED else ""


def condition_words(build: Build, line: Line, guide: PriceGuide) -> str:
    """ "used", "owned"; empty for what is bought new."""
    condition = build.condition_of(line, guide.today)
    if condition is not Condition.USED:
        return "" if condition is Condition.NEW else condition.label
    if guide.counts_as_new(line.part):
        return tr("used, at the price new: no used price is known")
    if line.condition is None and build.condition is Condition.NEW:
        if guide.used_price(line.part) is None:
            return tr("used: no longer sold new")
        return tr("no longer sold new: used price")
    return condition.label
