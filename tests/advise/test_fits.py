"""What "only what fits" says is what checking every part one by one would say."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from core.advise.fits import fits
from core.advise.putting_in import putting_in
from core.build.build import Build
from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.rules.engine import check
from core.rules.finding import Status
from core.rules.words import category_words
from tests.rules.machines import good_build
from tests.rules.random_builds import random_build, templates

SAMPLE = 14
BUILDS = {
    **templates(),
    "good": good_build(),
    "empty": Build(),
    **{f"random {n}": random_build(Random(n)) for n in range(8)},
}


def failures(build: Build) -> Counter[str]:
    return Counter(finding.rule for finding in check(build) if finding.status is Status.FAIL)


def by_trial(build: Build, part: Part, now: Counter[str], selected: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """The sentences of every rule that fails more often with the part."""
    edit = putting_in(build, part, selected)
    after = check(edit.apply(build)) if edit else ()
    failed = [finding for finding in after if finding.status is Status.FAIL]
    counts = Counter(finding.rule for finding in failed)
    return {
        rule: [finding.message for finding in failed if finding.rule == rule]
        for rule in counts
        if counts[rule] > now[rule]
    }


@pytest.mark.parametrize("category", Category)
@pytest.mark.parametrize("name", BUILDS)
def test_the_answer_is_that_of_trying_every_part(catalogue: Catalogue, name: str, category: Category) -> None:
    build = BUILDS[name]
    answer = fits(build, category, catalogue)
    assert set(answer) == {part.id for part in catalogue.parts(category=category)}
    now = failures(build)
    own = f"this {category_words(category)}"
    for part_id in Random(name).sample(sorted(answer), min(SAMPLE, len(answer))):
        part = catalogue.require(part_id)
        tried, obstacle = by_trial(build, part, now), answer[part_id]
        if obstacle is None:
            assert tried == {}, part_id
        else:
            assert obstacle.rule in tried, (part_id, obstacle)
            told = [sentence.replace(part.title, own).lower() for sentence in tried[obstacle.rule]]
            assert obstacle.sentence.lower() in told, part_id


def test_a_load_that_shifts_between_two_circuits_is_judged_for_every_cpu(catalogue: Catalogue) -> None:
    """With more power a CPU may drive cards to the other supply: its circuit then carries less."""
    build = random_build(Random(106))
    assert len(build.other_loads_w) == 2
    cpu = build.of(Category.CPU)[0].part.id
    now = failures(build)
    for part_id, obstacle in fits(build, Category.CPU, catalogue, (cpu,)).items():
        tried = by_trial(build, catalogue.require(part_id), now, (cpu,))
        assert (obstacle.rule in tried) if obstacle else (tried == {}), part_id
