"""What holds for every rule in any machine: what it reads, what it says of what is unknown, what a file keeps.

Each test goes through all rules and builds, gathers what is wrong, and counts what it looked at.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.file import dump_build, parse_build
from core.plan.line import Line
from core.plan.placement.links import LINK_READS, links
from core.plan.water_blocks import BLOCK_READS, fitted_blocks
from core.plan.wiring.wire import WIRING_READS, wire
from core.predict.airflow.airflow import AIR_READS, airflow
from core.predict.conditions import LoadCase
from core.predict.power import WALL_READS, predict_power
from core.predict.prediction import predict
from core.rules.context import RuleContext
from core.rules.engine import check, failures, run
from core.rules.finding import SEVERITY, Status
from core.rules.registry import RULES
from core.rules.rule import Rule
from tests.rotation import share
from tests.rules.machines import good_build
from tests.rules.random_builds import forgetful, random_build
from tests.shipped import templates


@contextmanager
def looking() -> Iterator[set[str]]:
    """Collects "category.field" of every figure that is looked at within the block."""
    looked: set[str] = set()
    with_own_look = [_watch(category, looked) for category in Category]
    try:
        yield looked
    finally:
        for model in with_own_look:
            type.__delattr__(model, "__getattribute__")


def _watch(category: Category, looked: set[str]) -> Any:
    model = spec_model(category)
    fields = frozenset(model.model_fields) - {"category"}
    look = object.__getattribute__

    def noted(spec: Any, name: str) -> Any:
        if name in fields:
            looked.add(f"{category}.{name}")
        return look(spec, name)

    type.__setattr__(model, "__getattribute__", noted)
    return model


PLANNED = {**templates(), "good": good_build()}
RANDOM_BUILDS, FORGETFUL_BUILDS, ROUND_TRIPS, FAILED_BUILDS = 150, 60, 40, 12


def test_an_unknown_answer_names_figures_that_it_reads_and_that_are_unknown() -> None:
    unfounded, answers = [], 0
    for seed in range(FORGETFUL_BUILDS):
        build = forgetful(Random(seed), random_build(Random(seed)), 4)
        machine = RuleContext(build)
        for rule in RULES:
            for finding in run(rule, machine):
                if finding.status is Status.UNKNOWN:
                    answers += 1
                    figures = [figure for figure in finding.missing if not _is_read_and_unknown(rule, build, figure)]
                    if figures or not finding.missing:
                        unfounded.append((seed, rule.id, finding.message, figures))
    assert unfounded == []
    assert answers > 10 * FORGETFUL_BUILDS


def _is_read_and_unknown(rule: Rule[object], build: Build, figure: str) -> bool:
    """A list may be there and still not say enough: a slot without its attachment."""
    part_id, _, field = figure.rpartition(".")
    part = next(line.part for line in reversed(build.lines) if line.part.id == part_id)
    value = getattr(part.spec, field)
    return f"{part.category}.{field}" in rule.reads and (value is None or isinstance(value, tuple))


def test_a_figure_that_is_forgotten_is_named_where_it_was_needed() -> None:
    """Without it the answer stays, or is UNKNOWN, or goes on with less: that names what is unknown of the part.

    Never is an answer milder for what is not known.
    """
    wrong, changed = [], 0
    for name, build in PLANNED.items():
        machine = RuleContext(build)
        before = {rule.id: list(run(rule, machine)) for rule in RULES}
        for line, field in _figures(build):
            forgotten = RuleContext(_without(build, line, field))
            for rule in (one for one in RULES if f"{line.part.category}.{field}" in one.reads):
                messages = {finding.message for finding in before[rule.id]}
                mildest = max(SEVERITY[finding.status] for finding in before[rule.id])
                for finding in (one for one in run(rule, forgotten) if one.message not in messages):
                    changed += 1
                    named = any(figure.startswith(f"{line.part.id}.") for figure in finding.missing)
                    answered = finding.checked and finding.status is not Status.UNKNOWN
                    if not named or (answered and SEVERITY[finding.status] > mildest):
                        wrong.append((name, rule.id, field, finding))
    assert wrong == []
    assert changed > len(RULES)


def _figures(build: Build) -> Iterator[tuple[Line, str]]:
    """What is known of the parts, and may be unknown."""
    for line in build.lines:
        for field, info in type(line.part.spec).model_fields.items():
            if info.default is None and getattr(line.part.spec, field) is not None:
                yield line, field


def _without(build: Build, line: Line, field: str) -> Build:
    blank = line.part.model_copy(update={"spec": line.part.spec.model_copy(update={field: None})})
    return build.with_lines(tuple(replace(other, part=blank) if other is line else other for other in build.lines))


@cache
def builds() -> tuple[Build, ...]:
    random = Random(20)
    whole = (*PLANNED.values(), *(random_build(random) for _ in range(RANDOM_BUILDS)))
    return (*whole, *(forgetful(random, build, 3) for build in whole))


@pytest.mark.parametrize("first", share(range(4), 4, rest=pytest.mark.soak))
def test_every_figure_that_a_rule_looks_at_stands_in_its_reads(first: int) -> None:
    """So "only what fits" need not ask again for parts alike in those. Each build afresh, since a machine remembers."""
    undeclared, looked_at = set(), 0
    some = builds()[first::4]
    with looking() as looked:
        for build in some:
            for rule in RULES:
                looked.clear()
                list(run(rule, RuleContext(replace(build))))
                looked_at += len(looked)
                undeclared |= {(rule.id, figure) for figure in looked - set(rule.looks_at)}
    assert undeclared == set()
    assert looked_at > len(RULES) * len(some)


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
    assert looked
    assert sorted(looked - set(declared)) == []


def test_reads_name_figures_that_there_are_each_once() -> None:
    names = [(rule.id, *name.partition(".")[::2]) for rule in RULES for name in rule.reads]
    assert [row for row in names if row[2] not in spec_model(Category(row[1])).model_fields] == []
    assert len(set(names)) == len(names) > len(RULES)


def test_failures_are_what_the_findings_of_a_rule_say_where_they_fail() -> None:
    others, failed = [], 0
    for seed in range(FAILED_BUILDS):
        build = random_build(Random(seed))
        prediction = predict(build) if seed % 2 else None
        for rule in RULES:
            findings = run(rule, RuleContext(build, prediction=prediction))
            messages = [finding.message for finding in findings if finding.status is Status.FAIL]
            failed += len(messages)
            if failures(rule, RuleContext(build, prediction=prediction)) != messages:
                others.append((seed, rule.id))
    assert others == []
    assert failed > FAILED_BUILDS


def test_a_build_that_is_saved_and_opened_again_is_judged_and_predicted_as_before() -> None:
    tried = {n: forgetful(Random(n), random_build(Random(n)), n % 5) for n in range(ROUND_TRIPS)}
    again = {name: parse_build(dump_build(build), lambda _: None) for name, build in {**tried, **PLANNED}.items()}
    assert [n for n, build in tried.items() if check(again[n]) != check(build)] == []
    whole = {name: (check(one, predict(one)), predict(one)) for name, one in PLANNED.items()}
    assert [n for n, before in whole.items() if (check(again[n], predict(again[n])), predict(again[n])) != before] == []
