"""Runs all rules over a build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from core.build.build import Build
from core.parts.vocabulary import Category
from core.predict.prediction import Prediction
from core.rules.finding import SEVERITY, Finding, Status
from core.rules.machine import Machine
from core.rules.reader import Reader, UnknownFigure
from core.rules.registry import RULES
from core.rules.rule import Answer, Rule
from core.rules.words import category_words, figure_words, listed


def check(build: Build, prediction: Prediction | None = None) -> tuple[Finding, ...]:
    """All findings, the most urgent first. Pure, and independent of the order of the build's lines.

    `prediction` is what `predict` says of the same build; without it temperatures and noise are not judged.
    """
    machine = Machine(build, prediction=prediction)
    findings = [finding for rule in RULES for finding in run(rule, machine)]
    return tuple(sorted(findings, key=lambda f: (SEVERITY[f.status], f.rule, f.slots, f.parts, f.message)))


def failures(rule: Rule[Any], machine: Machine) -> list[str]:
    """What one rule says where it fails, for those who ask for nothing else: the same as in its findings."""
    found = []
    if rule.can_fail and _not_askable(rule, machine) is None:
        for subject in rule.subjects(machine):
            with suppress(UnknownFigure):
                answer = rule.judge(Reader(machine), subject)
                found += [answer.message] if answer.status is Status.FAIL else []
    return found


def run(rule: Rule[Any], machine: Machine) -> list[Finding]:
    """The findings of one rule; at least one."""
    if (why := _not_askable(rule, machine)) is not None:
        return [_not_yet(rule, why)]
    return [_ask(rule, machine, subject) for subject in rule.subjects(machine)] or [_nothing(rule)]


def summary(findings: Iterable[Finding]) -> dict[Status, int]:
    """How many answers of each status, in order of urgency; zeros included. What was not asked is not counted."""
    counts = Counter(finding.status for finding in findings if finding.checked)
    return {status: counts[status] for status in SEVERITY}


def not_checked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What this check does not vouch for: unknown figures, and rules whose parts are not chosen yet."""
    return tuple(
        finding
        for finding in findings
        if finding.status is Status.UNKNOWN or (not finding.checked and finding.status is not Status.PASS)
    )


def _not_askable(rule: Rule[Any], machine: Machine) -> str | None:
    """What must come before the rule can be asked."""
    if not machine.single.issuperset(rule.requires) and (obstacles := _obstacles(machine, rule.requires)):
        return f"the build has {listed(obstacles)}"
    return "nothing is predicted yet" if rule.predicted and machine.prediction is None else None


def _obstacles(machine: Machine, required: Iterable[Category]) -> list[str]:
    return [words for category in required if (words := _obstacle(machine, category))]


def _obstacle(machine: Machine, category: Category) -> str | None:
    kinds = len(machine.lines(category))
    if kinds == 0:
        return f"no {category_words(category)} yet"
    single = kinds > 1 and category in (Category.MOTHERBOARD, Category.CASE)
    return f"{kinds} different {category_words(category)}s" if single else None


def _not_yet(rule: Rule[Any], why: str) -> Finding:
    message = f"{rule.title}: not checked, {why}."
    return Finding(rule.id, Status.NOTE, message, basis=rule.basis, source=rule.source, checked=False)


def _nothing(rule: Rule[Any]) -> Finding:
    return Finding(rule.id, Status.PASS, rule.nothing, basis=rule.basis, source=rule.source, checked=False)


def _ask(rule: Rule[Any], machine: Machine, subject: object) -> Finding:
    reader = Reader(machine)
    try:
        answer = rule.judge(reader, subject)
    except UnknownFigure:
        for figure in reader.missing:
            machine.waiting.setdefault(figure, set()).add(rule.id)
        answer = Answer(Status.UNKNOWN, f"{rule.title} cannot be checked: {figure_words(machine, reader.missing)}.")
    status = Status.WARN if answer.status is Status.FAIL and not rule.can_fail else answer.status
    parts, unconfirmed, missing = reader.looked_at()
    return Finding(
        rule.id,
        status,
        answer.message,
        parts,
        answer.slots,
        answer.measured,
        answer.limit,
        answer.unit,
        rule.basis,
        answer.source or rule.source,
        unconfirmed,
        missing,
    )
