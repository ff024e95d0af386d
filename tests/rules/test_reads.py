"""A rule says which figures it looks at, so that "only what fits" need not ask it again for parts alike in those."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from core.build.build import Build
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.rules.context import RuleContext
from core.rules.engine import run
from core.rules.registry import RULES
from core.rules.rule import ALWAYS_READ, Rule
from tests.rules.looks import looking
from tests.rules.machines import good_build
from tests.rules.random_builds import forgetful, random_build, templates

RANDOM_BUILDS = 150
IDS = [rule.id for rule in RULES]


@cache
def builds() -> tuple[Build, ...]:
    random = Random(20)
    planned = (*templates().values(), good_build())
    tried = tuple(random_build(random) for _ in range(RANDOM_BUILDS))
    forgotten = tuple(forgetful(random, build, 3) for build in (*planned, *tried))
    return (*planned, *tried, *forgotten)


@cache
def looked_at() -> dict[str, frozenset[str]]:
    """Figures that each rule looks at in any of the builds; each build afresh, since a machine remembers."""
    found: dict[str, set[str]] = {rule.id: set() for rule in RULES}
    with looking() as looked:
        for build in builds():
            for rule in RULES:
                looked.clear()
                list(run(rule, RuleContext(build)))
                found[rule.id] |= looked
    return {rule_id: frozenset(fields) for rule_id, fields in found.items()}


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_every_figure_that_a_rule_looks_at_stands_in_its_reads(rule: Rule[object]) -> None:
    undeclared = sorted(looked_at()[rule.id] - set(rule.reads) - set(ALWAYS_READ))
    assert undeclared == []


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_reads_name_figures_that_there_are(rule: Rule[object]) -> None:
    for name in rule.reads:
        category, _, field = name.partition(".")
        assert field in spec_model(Category(category)).model_fields, name
    assert len(set(rule.reads)) == len(rule.reads)
