"""UNKNOWN appears exactly when a figure that the answer needs is unknown."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from core.build.build import Build
from core.build.line import Line
from core.rules.context import RuleContext
from core.rules.engine import run
from core.rules.finding import SEVERITY, Finding, Status
from core.rules.registry import RULES
from core.rules.rule import Rule
from tests.rules.machines import good_build
from tests.rules.random_builds import forgetful, random_build
from tests.shipped import templates

BUILDS = 60
PLANNED = {**templates(), "good": good_build()}
IDS = [rule.id for rule in RULES]


def told(rule: Rule[object], build: Build) -> list[Finding]:
    return list(run(rule, RuleContext(build)))


@pytest.mark.parametrize("seed", range(BUILDS))
def test_an_unknown_answer_names_figures_that_it_reads_and_that_are_unknown(seed: int) -> None:
    build = forgetful(Random(seed), random_build(Random(seed)), 4)
    lines = {line.part.id: line.part for line in build.lines}
    for rule in RULES:
        for finding in told(rule, build):
            if finding.status is not Status.UNKNOWN:
                continue
            assert finding.missing, finding.message
            for figure in finding.missing:
                part_id, _, field = figure.rpartition(".")
                part, value = lines[part_id], getattr(lines[part_id].spec, field)
                assert f"{part.category}.{field}" in rule.reads, (rule.id, figure)
                # A list may be there and still not say enough: a slot without its attachment.
                assert value is None or isinstance(value, tuple), (rule.id, figure)


@pytest.mark.parametrize("rule", RULES, ids=IDS)
@pytest.mark.parametrize("name", PLANNED)
def test_a_figure_that_is_forgotten_is_named_where_it_was_needed(name: str, rule: Rule[object]) -> None:
    """Without it the answer stays, or is UNKNOWN, or goes on with less: that names what is unknown of the part.

    Never is an answer milder for what is not known.
    """
    build = PLANNED[name]
    before = told(rule, build)
    known = {finding.message for finding in before}
    mildest = max(SEVERITY[finding.status] for finding in before)
    for line in build.lines:
        for field in _read_of(rule, line.part.category):
            if getattr(line.part.spec, field) is None or type(line.part.spec).model_fields[field].default is not None:
                continue
            for finding in told(rule, _without(build, line, field)):
                if finding.message not in known:
                    named = any(figure.startswith(f"{line.part.id}.") for figure in finding.missing)
                    answered = finding.checked and finding.status is not Status.UNKNOWN
                    milder = answered and SEVERITY[finding.status] > mildest
                    assert named, (field, finding.message)
                    assert not milder, (field, finding)


def _without(build: Build, line: Line, field: str) -> Build:
    blank = line.part.model_copy(update={"spec": line.part.spec.model_copy(update={field: None})})
    lines = (replace(other, part=blank) if other is line else other for other in build.lines)
    return build.with_lines(tuple(lines))


def _read_of(rule: Rule[object], category: str) -> list[str]:
    return [name.partition(".")[2] for name in rule.reads if name.partition(".")[0] == category]
