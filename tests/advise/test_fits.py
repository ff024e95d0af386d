"""What fits is what check() says of the changed build: held to it part by part, with no short cut."""

from functools import cache
from random import Random

import pytest

from core.advise.add_or_replace import ALONE, add_or_replace, usually_replaced
from core.advise.fit_verdict import FitState, FitVerdict
from core.advise.fits import WhatFits, fits
from core.build.build import Build
from core.errors import BadInput
from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.rules.engine import answers, check
from core.rules.finding import Finding, Status
from core.rules.registry import RULES
from tests.rotation import share
from tests.rules.machines import good_build
from tests.rules.random_builds import random_build
from tests.shipped import templates

ASKED, HELD = 10, 3
"""Parts that are asked about, so that some have the answer of others; and those of them tried one by one."""
BUILDS = {
    **templates(),
    "good": good_build(),
    "empty": Build(),
    **{f"random {n}": random_build(Random(n)) for n in range(5)},
}
CAN_FAIL = {rule.id for rule in RULES if rule.can_fail}
Told = set[tuple[str, Status, str]]


@cache
def before(name: str) -> tuple[Finding, ...]:
    return found_in(BUILDS[name])


def found_in(build: Build) -> tuple[Finding, ...]:
    """What check() says; it gathers UNKNOWN by figure, so that these are those of each rule by itself."""
    open_ = [finding for finding in answers(build) if finding.status is Status.UNKNOWN]
    return (*(finding for finding in check(build) if finding.status is not Status.UNKNOWN), *open_)


def counting(now: tuple[Finding, ...], after: tuple[Finding, ...], part_id: str, replaced: str | None) -> Told:
    """Rule, status and sentence of every finding that names the part, or that was not there before."""

    def about(finding: Finding) -> tuple[object, ...]:
        return finding.rule, {*finding.parts} - {replaced}, finding.slots

    def as_grave(finding: Finding, other: Finding) -> bool:
        return other.status is finding.status or (finding.status is Status.WARN and other.status is Status.FAIL)

    found: Told = set()
    for place, finding in enumerate(after):
        if finding.status in (Status.PASS, Status.NOTE):
            continue
        if finding.status is Status.UNKNOWN and finding.rule not in CAN_FAIL:
            continue
        known = [one for one in now if about(one) == about(finding) and as_grave(finding, one)]
        nth = [one for one in after[: place + 1] if about(one) == about(finding) and one.status is finding.status]
        if part_id in finding.parts or len(nth) > len(known):
            found.add((finding.rule, finding.status, finding.message))
    return found


def changed(build: Build, part: Part, replaced: str | None) -> Build:
    if part.id == replaced:
        return build
    return add_or_replace(build, part, replaced).apply(build)


def state(found: Told) -> FitState:
    worst = {status for _, status, _ in found}
    if Status.FAIL in worst:
        return FitState.DOES_NOT
    return FitState.UNKNOWN if Status.UNKNOWN in worst else FitState.WARNS if worst else FitState.FITS


def told(answer: FitVerdict, part: Part) -> Told:
    return {(reason.rule, reason.status, reason.sentence(part.title)) for reason in answer.reasons}


def hold_to_check(name: str, answer: FitVerdict, part: Part, replaced: str | None) -> None:
    try:
        after = found_in(changed(BUILDS[name], part, replaced))
    except BadInput as error:
        assert (answer.state, told(answer, part)) == (FitState.DOES_NOT, {("", Status.FAIL, str(error))})
        return
    found = counting(before(name), after, part.id, replaced)
    assert told(answer, part) ^ found == set(), part.id
    assert answer.state is state(found), part.id


def ways(build: Build, category: Category) -> list[str | None]:
    """What can be replaced, and None where a part can be added."""
    inside: list[str | None] = [line.part.id for line in build.of(category)]
    return inside if inside and category in ALONE else [None, *inside]


@pytest.mark.parametrize("category", Category)
@pytest.mark.parametrize("name", share(BUILDS, 3, rest=pytest.mark.soak))
def test_a_verdict_is_what_check_says_of_the_changed_build(catalogue: Catalogue, name: str, category: Category) -> None:
    build, random = BUILDS[name], Random(f"{name} {category}")
    usual = usually_replaced(build, category)
    replaced = random.choice([usual, random.choice(ways(build, category))])
    asked = WhatFits(build, category, catalogue, replaced)
    ids = random.sample(asked.ids, min(ASKED, len(asked.ids)))
    inside = [line.part.id for line in build.of(category) if line.part.id in asked.ids][:1]
    answers = {part_id: asked.verdict(part_id) for part_id in [*ids, *inside]}
    for part_id in [*ids[-HELD:], *inside]:
        hold_to_check(name, answers[part_id], catalogue.require(part_id), replaced)


@pytest.mark.soak
@pytest.mark.parametrize("category", Category)
@pytest.mark.parametrize("name", BUILDS)
def test_every_verdict_is_what_check_says(catalogue: Catalogue, name: str, category: Category) -> None:
    for replaced in ways(BUILDS[name], category):
        for part_id, answer in fits(BUILDS[name], category, catalogue, replaced).items():
            hold_to_check(name, answer, catalogue.require(part_id), replaced)
