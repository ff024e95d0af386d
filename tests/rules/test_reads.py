"""A rule says which figures it looks at, so that "only what fits" need not ask it again for parts alike in those."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from core.build.build import Build
from core.build.water_blocks import BLOCK_READS, fitted_blocks
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.placement.links import LINK_READS, links
from core.predict.airflow.airflow import AIR_READS, airflow
from core.predict.conditions import LoadCase
from core.predict.power import WALL_READS, predict_power
from core.rules.context import RuleContext
from core.rules.engine import run
from core.rules.registry import RULES
from core.rules.rule import Rule
from core.wiring.wire import WIRING_READS, wire
from tests.rules.looks import looking
from tests.rules.machines import good_build
from tests.rules.random_builds import forgetful, random_build
from tests.shipped import templates

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
                list(run(rule, RuleContext(replace(build))))
                found[rule.id] |= looked
    return {rule_id: frozenset(fields) for rule_id, fields in found.items()}


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_every_figure_that_a_rule_looks_at_stands_in_its_reads(rule: Rule[object]) -> None:
    undeclared = sorted(looked_at()[rule.id] - set(rule.looks_at))
    assert undeclared == []


WORKED_OUT: tuple[tuple[str, Callable[[Build], object], tuple[str, ...]], ...] = (
    ("water blocks", fitted_blocks, BLOCK_READS),
    ("links", links, LINK_READS),
    ("wiring", wire, WIRING_READS),
    ("wall power", lambda build: predict_power(build).wall_w[LoadCase.TRAINING], WALL_READS),
    ("air", airflow, AIR_READS),
)


@pytest.mark.parametrize(("what", "work_out", "declared"), WORKED_OUT, ids=[row[0] for row in WORKED_OUT])
def test_what_is_worked_out_for_several_rules_declares_what_it_reads(
    what: str, work_out: Callable[[Build], object], declared: tuple[str, ...]
) -> None:
    afresh = [replace(build) for build in builds()]  # a build remembers what was asked of it
    with looking() as looked:
        for build in afresh:
            work_out(build)
    assert sorted(looked - set(declared)) == []


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_reads_name_figures_that_there_are(rule: Rule[object]) -> None:
    for name in rule.reads:
        category, _, field = name.partition(".")
        assert field in spec_model(Category(category)).model_fields, name
    assert len(set(rule.reads)) == len(rule.reads)
