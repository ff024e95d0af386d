"""Runs all rules over a build, and gathers many empty answers into few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.missing import is_sealed, still_missing
from core.predict.prediction import Prediction
from core.rules.context import RuleContext
from core.rules.finding import SEVERITY, Finding, Status, figure_words, figures_listed
from core.rules.registry import RULES
from core.rules.rule import Reader, Rule, UnknownFigure
from core.words import joined, listed, tr, trn

HINTS = frozenset(rule.id for rule in RULES if rule.gravest is Status.NOTE)
"""Rules that never warn."""


def check(build: Build, prediction: Prediction | None = None) -> tuple[Finding, ...]:
    """All findings, the most urgent first. Pure, and independent of the order of the build's lines.

    Questions that lack a figure are gathered: one finding for all rules that wait for the same figures, and one for
    all that wait for parts (see `condense`).

    `prediction` is what `predict` says of the same build; without it temperatures and noise are not judged.
    """
    return check_in(RuleContext(build, prediction=prediction))


def check_in(context: RuleContext) -> tuple[Finding, ...]:
    """As `check`, of a build with what is worked out about it already."""
    there, predicted = context.single, context.prediction is not None
    waiting = {
        rule.id: why
        for rule in RULES
        if not (there.issuperset(rule.requires) and (predicted or not rule.predicted))
        and (why := _obstacles(rule, context))
    }
    findings = [finding for rule in RULES if rule.id not in waiting for finding in _findings_of(rule, context)]
    gathered = condensed(context, findings, HINTS)
    unasked = () if is_sealed(context.build) else not_chosen(waiting, still_missing(context.build))
    return _in_order((*gathered, *unasked))


def answers(build: Build, prediction: Prediction | None = None) -> tuple[Finding, ...]:
    """As `check`, with what each rule says for itself: an UNKNOWN for every question that lacks a figure."""
    return answers_in(RuleContext(build, prediction=prediction))


def answers_in(context: RuleContext) -> tuple[Finding, ...]:
    """As `answers`, of a build with what is worked out about it already."""
    return _in_order(finding for rule in RULES for finding in run(rule, context))


_about = attrgetter("rule", "slots", "parts", "message")


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: (SEVERITY[finding.status], _about(finding))))


def failures(rule: Rule[Any], machine: RuleContext) -> list[str]:
    """What one rule says where it fails, for those who ask for nothing else: the same as in its findings."""
    messages = []
    if rule.can_fail and not _obstacles(rule, machine):
        for subject in rule.subjects.each(machine):
            with suppress(UnknownFigure):
                answer = rule.judge(Reader(machine), subject)
                messages += [answer.message] if answer.status is Status.FAIL else []
    return messages


def run(rule: Rule[Any], machine: RuleContext) -> list[Finding]:
    """The findings of one rule, each by itself; at least one."""
    if obstacles := _obstacles(rule, machine):
        return [_not_yet(rule, obstacles)]
    return _findings_of(rule, machine)


def _findings_of(rule: Rule[Any], machine: RuleContext) -> list[Finding]:
    findings = [_ask(rule, machine, subject) for subject in rule.subjects.each(machine)]
    if len(findings) < 2:
        return findings or [_NOTHING.get(rule.id) or _nothing(rule)]
    return alike_once(findings)


def summary(findings: Iterable[Finding]) -> dict[Status, int]:
    """How many answers of each status, in order of urgency; zeros included. What was not asked is not counted."""
    counts = Counter(finding.status for finding in findings if finding.checked)
    return {status: counts[status] for status in SEVERITY}


def counts_words(findings: Iterable[Finding]) -> str:
    """ "2 fail, 3 warn, 1 unknown, 0 note, 40 pass". What was not asked is not counted."""
    return joined([status.counted(count) for status, count in summary(findings).items()], ", ")


def not_checked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What this check does not vouch for: unknown figures, and rules whose parts are not chosen yet."""
    return tuple(
        finding
        for finding in findings
        if finding.status is Status.UNKNOWN or (not finding.checked and finding.status is not Status.PASS)
    )


def _obstacles(rule: Rule[Any], machine: RuleContext) -> tuple[str, ...]:
    """What must come before the rule can be asked, in words: "motherboard", "one case of 2"."""
    lacking: tuple[str, ...] = ()
    if not machine.single.issuperset(rule.requires):
        lacking = tuple(words for category in rule.requires if (words := _obstacle(machine, category)))
    return lacking or ((tr("prediction"),) if rule.predicted and machine.prediction is None else ())


def _obstacle(machine: RuleContext, category: Category) -> str | None:
    kinds = len(machine.lines(category))
    if kinds == 0:
        return category.phrase
    single = kinds > 1 and category in (Category.MOTHERBOARD, Category.CASE)
    return tr("one {part} of {kinds}", part=category.phrase, kinds=kinds) if single else None


def _not_yet(rule: Rule[Any], obstacles: tuple[str, ...]) -> Finding:
    message = tr("{rule}: not checked until there is a {obstacles}.", rule=rule.title, obstacles=listed(obstacles))
    return Finding(rule.id, Status.NOTE, message, basis=rule.basis, source=rule.source, checked=False)


def _nothing(rule: Rule[Any]) -> Finding:
    return Finding(rule.id, Status.PASS, rule.subjects.nothing, basis=rule.basis, source=rule.source, checked=False)


_NOTHING = {rule.id: _nothing(rule) for rule in RULES}
"""What each rule says without a subject."""


def _ask(rule: Rule[Any], machine: RuleContext, subject: object) -> Finding:
    reader = Reader(machine)
    try:
        answer = rule.judge(reader, subject)
    except UnknownFigure:
        return _unanswered(rule, reader)
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


def _unanswered(rule: Rule[Any], reader: Reader) -> Finding:
    """UNKNOWN with the figures that were needed; nothing to ask where all belongs to one complete system."""
    machine, (parts, unconfirmed, missing) = reader.machine, reader.looked_at()
    message = tr("{rule} cannot be checked: {figures}.", rule=rule.title, figures=figure_words(machine, missing))
    unknown = Finding(
        rule.id,
        Status.UNKNOWN,
        message,
        parts,
        basis=rule.basis,
        source=rule.source,
        unconfirmed=unconfirmed,
        missing=missing,
        needed=reader.needed,
    )
    if not machine.unit.issuperset(parts):
        return unknown
    fields = {"rule": rule.title, "case": reader.case.title}
    settled = tr("{rule}: settled by the maker of {case}, which is sold complete.", **fields)
    return unknown._replace(status=Status.PASS, message=settled, unconfirmed=(), needed=(), checked=False)


MISSING = "missing-figure"
COMPLETE = "complete"
NOT_CHOSEN = "not-chosen"
"""Ids of findings that no single rule gives: they name the rules that wait in `Finding.waiting`."""

Waiting = Mapping[str, Sequence[str]]
"""What rules wait for that no part of the build gives yet, by the id of the rule: "motherboard", "PSU"."""


def condensed(machine: RuleContext, findings: Iterable[Finding], hints: frozenset[str]) -> list[Finding]:
    """The findings with the UNKNOWN ones gathered by the figures that they wait for.

    Figures that the same rule needs together stand on one line: entering one of them alone would not let it answer.
    `hints` are rules that never warn: what they alone wait for decides nothing, and is no question to the user. They
    stay in the list, not checked, with the figure that they lacked.
    """
    gathered: list[Finding] = []
    open_: list[Finding] = []
    for finding in findings:
        (open_ if finding.status is Status.UNKNOWN else gathered).append(finding)
    for group in _groups(open_):
        deciding = [finding for finding in group if finding.rule not in hints]
        if deciding:
            gathered.append(_question(machine, group))
        else:
            gathered += [finding._replace(status=Status.PASS, checked=False, needed=()) for finding in group]
    return gathered


def alike_once(findings: list[Finding]) -> list[Finding]:
    """The findings of one rule with those that say the same word for word as one, about all their parts and slots."""
    if len({finding.message for finding in findings}) == len(findings):
        return findings
    by_words: dict[object, Finding] = {}
    for finding in findings:
        key = finding if finding.status is Status.UNKNOWN else (finding.status, finding.message)
        other = by_words.get(key)
        by_words[key] = finding if other is None else _merged(other, finding)
    return list(by_words.values())


def _merged(one: Finding, other: Finding) -> Finding:
    return one._replace(
        parts=tuple(sorted({*one.parts, *other.parts})),
        slots=tuple(sorted({*one.slots, *other.slots})),
        unconfirmed=tuple(sorted({*one.unconfirmed, *other.unconfirmed})),
        missing=tuple(sorted({*one.missing, *other.missing})),
    )


def is_incomplete(findings: Iterable[Finding]) -> bool:
    """Whether parts are still missing: the findings say nothing of the machine as a whole."""
    return any(finding.rule == COMPLETE for finding in findings)


def not_chosen(waiting: Waiting, missing: Sequence[Category] = ()) -> list[Finding]:
    """One line for the parts that are still missing, with all rules that cannot be asked yet; without missing parts,
    one for what these rules wait for; none where every rule could be asked."""
    rules = tuple(sorted(waiting))
    if missing:
        names = listed([category.phrase for category in missing])
        message = trn(
            "Not in the build yet: {lacking}; {count} rule waits for that.",
            "Not in the build yet: {lacking}; {count} rules wait for that.",
            lacking=names,
            count=len(rules),
        )
        basis = tr("A machine needs board, CPU, cooler, RAM, drive, PSU, case and GPU; a complete system brings some.")
        return [Finding(COMPLETE, Status.UNKNOWN, message, basis=basis, source="definition", waiting=rules)]
    if not waiting:
        return []
    lacking = list(dict.fromkeys(what for obstacles in waiting.values() for what in obstacles))
    message = trn(
        "Not chosen yet: {lacking}; {count} rule waits for that.",
        "Not chosen yet: {lacking}; {count} rules wait for that.",
        lacking=listed(lacking),
        count=len(waiting),
    )
    return [Finding(NOT_CHOSEN, Status.NOTE, message, checked=False, waiting=rules)]


def _question(machine: RuleContext, group: Sequence[Finding]) -> Finding:
    """The rules that wait for the same figures, and what to enter."""
    rules = tuple(sorted({finding.rule for finding in group}))
    figures = tuple(sorted({figure for finding in group for figure in finding.needed}))
    parts = tuple(sorted({figure.rpartition(".")[0] for figure in figures}))
    slots = tuple(sorted({slot for finding in group for slot in finding.slots}))
    unconfirmed = tuple(sorted({figure for finding in group for figure in finding.unconfirmed}))
    enter = tr("enter them") if len(figures) > 1 else tr("enter it")
    fields = {"count": len(rules), "figures": figures_listed(machine, figures), "enter": enter}
    message = trn("{count} rule waits for {figures}: {enter}.", "{count} rules wait for {figures}: {enter}.", **fields)
    basis = tr("A rule never passes on a figure that is not known.")
    return Finding(
        MISSING, Status.UNKNOWN, message, parts, slots, basis=basis, unconfirmed=unconfirmed, missing=figures,
        needed=figures, waiting=rules,
    )  # fmt: skip


def _groups(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings that share a figure, directly or through others."""
    groups: list[tuple[set[str], list[Finding]]] = []
    for finding in findings:
        figures, members = set(finding.needed), [finding]
        apart = []
        for group in groups:
            if group[0] & figures:
                figures |= group[0]
                members = group[1] + members
            else:
                apart.append(group)
        groups = [*apart, (figures, members)]
    return [members for _, members in groups]
