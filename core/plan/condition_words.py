"""Whether a line is new, used or owned, in words, and why where nobody chose it or no used price is known."""

from __future__ import annotations

from datetime import date

from core.parts.condition import Condition
from core.parts.price_guide import PriceGuide
from core.plan.build import Build
from core.plan.contents import IN_SYSTEM
from core.plan.line import Line
from core.words import tr


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
