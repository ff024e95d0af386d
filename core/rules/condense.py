"""Many empty answers become few lines: one per figure that rules wait for, one for all that is still to be chosen.

Figures that the same rule needs together stand on one line: entering one of them alone would not let it answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from core.rules.context import RuleContext
from core.rules.finding import Finding, Status
from core.rules.words import count_of, figures_listed, listed, verb

MISSING = "missing-figure"
NOT_CHOSEN = "not-chosen"
"""Ids of findings that no single rule gives: they name the rules that wait in `Finding.waiting`."""

Waiting = Mapping[str, Sequence[str]]
"""What rules wait for that no part of the build gives yet, by the id of the rule: "motherboard", "PSU"."""


def condensed(machine: RuleContext, findings: Iterable[Finding], hints: frozenset[str]) -> list[Finding]:
    """The findings with the UNKNOWN ones gathered by the figures that they wait for.

    `hints` are rules that never warn: what they alone wait for decides nothing, and is no question to the user. They
    stay in the list, not checked, with the figure that they lacked.
    """
    told: list[Finding] = []
    open_: list[Finding] = []
    for finding in findings:
        (open_ if finding.status is Status.UNKNOWN else told).append(finding)
    for group in _groups(open_):
        deciding = [finding for finding in group if finding.rule not in hints]
        if deciding:
            told.append(_question(machine, group))
        else:
            told += [finding._replace(status=Status.PASS, checked=False, needed=()) for finding in group]
    return told


def not_chosen(waiting: Waiting) -> list[Finding]:
    """One line for all rules whose parts are still to be chosen; none where every rule could be asked."""
    if not waiting:
        return []
    lacking = list(dict.fromkeys(what for obstacles in waiting.values() for what in obstacles))
    count = len(waiting)
    message = f"Not chosen yet: {listed(lacking)}; {count_of(count, 'rule')} {verb(count, 'wait')} for that."
    return [Finding(NOT_CHOSEN, Status.NOTE, message, checked=False, waiting=tuple(sorted(waiting)))]


def _question(machine: RuleContext, group: Sequence[Finding]) -> Finding:
    """The rules that wait for the same figures, and what to enter."""
    rules = tuple(sorted({finding.rule for finding in group}))
    figures = tuple(sorted({figure for finding in group for figure in finding.needed}))
    parts = tuple(sorted({figure.rpartition(".")[0] for figure in figures}))
    slots = tuple(sorted({slot for finding in group for slot in finding.slots}))
    unconfirmed = tuple(sorted({figure for finding in group for figure in finding.unconfirmed}))
    count = len(rules)
    enter = "enter them" if len(figures) > 1 else "enter it"
    message = f"{count_of(count, 'rule')} {verb(count, 'wait')} for {figures_listed(machine, figures)}: {enter}."
    basis = "A rule never passes on a figure that is not known."
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
