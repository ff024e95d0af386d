"""What fits is what check() says of the changed build: held to it part by part, with no short cut."""

from datetime import date
from functools import cache
from random import Random

import pytest

from core.advise.add_or_replace import ALONE, add_or_replace, usually_replaced
from core.advise.fit_verdict import FITS, TITLE_PLACEHOLDER, FitReason, FitState, FitVerdict, verdict
from core.advise.fits import RANK_FIELDS, SEEN_IN_SHOPS, WhatFits, fits, part_ranks
from core.parts.catalogue import Catalogue
from core.parts.figures import must_have
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import AddPart, SwapPart
from core.platform.errors import BadInput
from core.rules.engine import answers, check
from core.rules.finding import Finding, Status
from core.rules.registry import RULES
from tests.rotation import share
from tests.rules.machines import good_build
from tests.rules.random_builds import random_build
from tests.shipped import parts_by_id, templates

ASKED, HELD = 10, 3
"""Parts that are asked about, so that some have the answer of others; and those of them tried one by one."""
BUILDS = {
    **templates(),
    "good": good_build(),
    "empty": Build(),
    **{f"random {n}": random_build(Random(n)) for n in range(5)},
}
CAN_FAIL = {rule.id for rule in RULES if rule.can_fail}
Reasons = set[tuple[str, Status, str]]


@cache
def before(name: str) -> tuple[Finding, ...]:
    return found_in(BUILDS[name])


def found_in(build: Build) -> tuple[Finding, ...]:
    """What check() says; it gathers UNKNOWN by figure, so that these are those of each rule by itself."""
    open_ = [finding for finding in answers(build) if finding.status is Status.UNKNOWN]
    return (*(finding for finding in check(build) if finding.status is not Status.UNKNOWN), *open_)


def counting(now: tuple[Finding, ...], after: tuple[Finding, ...], part_id: str, replaced: str | None) -> Reasons:
    """Rule, status and sentence of every finding that names the part, or that was not there before."""

    def about(finding: Finding) -> tuple[object, ...]:
        return finding.rule, {*finding.parts} - {replaced}, finding.slots

    def as_grave(finding: Finding, other: Finding) -> bool:
        return other.status is finding.status or (finding.status is Status.WARN and other.status is Status.FAIL)

    reasons: Reasons = set()
    for place, finding in enumerate(after):
        if finding.status in (Status.PASS, Status.NOTE):
            continue
        if finding.status is Status.UNKNOWN and finding.rule not in CAN_FAIL:
            continue
        alike = [one for one in now if about(one) == about(finding) and as_grave(finding, one)]
        nth = [one for one in after[: place + 1] if about(one) == about(finding) and one.status is finding.status]
        if part_id in finding.parts or len(nth) > len(alike):
            reasons.add((finding.rule, finding.status, finding.message))
    return reasons


def changed(build: Build, part: Part, replaced: str | None) -> Build:
    if part.id == replaced:
        return build
    return add_or_replace(build, part, replaced).apply(build)


def state(reasons: Reasons) -> FitState:
    worst = {status for _, status, _ in reasons}
    if Status.FAIL in worst:
        return FitState.DOES_NOT
    return FitState.UNKNOWN if Status.UNKNOWN in worst else FitState.WARNS if worst else FitState.FITS


def reasons_of(answer: FitVerdict, part: Part) -> Reasons:
    return {(reason.rule, reason.status, reason.sentence(part.title)) for reason in answer.reasons}


def hold_to_check(name: str, answer: FitVerdict, part: Part, replaced: str | None) -> None:
    try:
        after = found_in(changed(BUILDS[name], part, replaced))
    except BadInput as error:
        assert (answer.state, reasons_of(answer, part)) == (FitState.DOES_NOT, {("", Status.FAIL, str(error))})
        return
    expected = counting(before(name), after, part.id, replaced)
    assert reasons_of(answer, part) ^ expected == set(), part.id
    assert answer.state is state(expected), part.id


def ways(build: Build, category: Category) -> list[str | None]:
    """What can be replaced, and None where a part can be added."""
    inside: list[str | None] = [line.part.id for line in build.of(category)]
    return inside if inside and category in ALONE else [None, *inside]


@pytest.mark.parametrize("category", Category)
@pytest.mark.parametrize("name", share(BUILDS, 6, rest=pytest.mark.soak))
def test_a_verdict_is_what_check_says_of_the_changed_build(catalogue: Catalogue, name: str, category: Category) -> None:
    build, random = BUILDS[name], Random(f"{name} {category}")
    usual = usually_replaced(build, category)
    replaced = random.choice([usual, random.choice(ways(build, category))])
    what_fits = WhatFits(build, category, catalogue, replaced)
    ids = random.sample(what_fits.ids, min(ASKED, len(what_fits.ids)))
    inside = [line.part.id for line in build.of(category) if line.part.id in what_fits.ids][:1]
    answers = {part_id: what_fits.verdict(part_id) for part_id in [*ids, *inside]}
    for part_id in [*ids[-HELD:], *inside]:
        hold_to_check(name, answers[part_id], catalogue.require(part_id), replaced)


@pytest.mark.soak
@pytest.mark.parametrize("category", Category)
@pytest.mark.parametrize("name", BUILDS)
def test_every_verdict_is_what_check_says(catalogue: Catalogue, name: str, category: Category) -> None:
    for replaced in ways(BUILDS[name], category):
        for part_id, answer in fits(BUILDS[name], category, catalogue, replaced).items():
            hold_to_check(name, answer, catalogue.require(part_id), replaced)


@pytest.mark.parametrize(
    ("category", "measured", "limit", "unit", "words"),
    [
        (Category.PSU, 2125.3, 1600, "W", "1600 < 2125 W"),
        (Category.GPU, 2125.3, 1600, "W", "2125 > 1600 W"),
        (Category.CASE, 357, 330, "mm", "330 < 357 mm"),
        (Category.GPU, 1600.4, 1600, "W", "1600.4 > 1600 W"),
        (Category.GPU, 6.1, 7.5, "", "6.1 < 7.5"),
        (Category.MOTHERBOARD, 0, 1, "slots", "0 < 1 slots"),
        (Category.PSU, 2, 2, "PSUs", ""),
        (Category.PSU, None, 2, "PSUs", ""),
    ],
)
def test_the_figure_of_the_part_comes_first(
    category: Category, measured: float | None, limit: float, unit: str, words: str
) -> None:
    assert FitReason("a", Status.FAIL, "", measured, limit, unit).figures(category) == words


def test_the_missing_figures_are_named_those_of_the_part_first() -> None:
    missing = (("", "power_limit_w"), ("AMD X", "sustained_power_w"))
    reason = FitReason("a", Status.UNKNOWN, "", missing=missing)
    assert reason.figures(Category.GPU) == "power limit; sustained power limit of AMD X unknown"


def test_a_reason_is_told_of_the_part_that_it_is_asked_for() -> None:
    assert (
        FitReason("a", Status.FAIL, f"{TITLE_PLACEHOLDER} is too long.").sentence("Acme One") == "Acme One is too long."
    )


@pytest.mark.parametrize(
    ("statuses", "state"),
    [
        ((), FitState.FITS),
        ((Status.WARN,), FitState.WARNS),
        ((Status.WARN, Status.UNKNOWN), FitState.UNKNOWN),
        ((Status.WARN, Status.UNKNOWN, Status.FAIL), FitState.DOES_NOT),
    ],
)
def test_the_gravest_decides_and_comes_first(statuses: tuple[Status, ...], state: FitState) -> None:
    answer = verdict([FitReason("a", status, "") for status in statuses])
    assert answer.state is state
    assert [reason.status for reason in answer.reasons] == list(reversed(statuses))
    assert answer == FITS or answer.reason is not None


TODAY = date(2026, 6, 1)


@pytest.mark.parametrize("category", Category)
def test_the_standing_of_every_part_is_that_of_its_own_figures(catalogue: Catalogue, category: Category) -> None:
    columns = catalogue.columns(category, RANK_FIELDS[category])
    ranks = part_ranks(category, columns, TODAY)
    for part_id, kind in zip(columns.ids, columns.kinds, strict=True):
        part = catalogue.require(part_id)
        assert ranks[kind][1] == sum(getattr(part.spec, field) is None for field in must_have(part)), part_id
        seen = part.price.as_of.year if part.price and part.price.kind in SEEN_IN_SHOPS else None
        latest = max(part.year or 0, seen or 0)
        ended = (part.spec.discontinued or TODAY.year + 1) <= TODAY.year
        assert ranks[kind][0] == (2 if ended else 0 if latest >= 2021 else 2 if latest else 1), part_id


ATTEMPT, DEVBOX = templates()["six-rtx-3090-first-attempt"], templates()["digits-devbox"]


def test_a_psu_does_not_fit_that_is_as_weak_as_the_one_in_place_nor_does_that_one(catalogue: Catalogue) -> None:
    what_fits = WhatFits(ATTEMPT, Category.PSU, catalogue, "corsair-rm850x-2021")
    for part_id, figures in (("corsair-rm650x-2021", "650 < "), ("corsair-rm850x-2021", "850 < ")):
        answer = what_fits.verdict(part_id)
        assert answer.state is FitState.DOES_NOT
        assert answer.reason.figures(Category.PSU).startswith(figures)


def test_on_a_full_board_one_more_of_the_card_that_is_in_does_not_fit(catalogue: Catalogue) -> None:
    card = DEVBOX.of(Category.GPU)[0].part.id
    assert WhatFits(DEVBOX, Category.GPU, catalogue, card).verdict(card).state.fits
    assert WhatFits(DEVBOX, Category.GPU, catalogue).verdict(card).state is FitState.DOES_NOT


def test_a_card_without_a_power_limit_is_not_said_to_fit(catalogue: Catalogue) -> None:
    build = SwapPart(ATTEMPT.of(Category.PSU)[0].part.id, parts_by_id()["corsair-ax1600i"]).apply(ATTEMPT)
    what_fits = WhatFits(build, Category.GPU, catalogue, ATTEMPT.of(Category.GPU)[0].part.id)
    unlimited = [
        part.id
        for part in catalogue.parts(category=Category.GPU)
        if getattr(part.spec, "power_limit_w", None) is None and getattr(part.spec, "form", "") == "pcie_card"
    ]
    assert unlimited
    for part_id in unlimited:
        verdict = what_fits.verdict(part_id)
        assert not verdict.state.fits
        waits = [reason for reason in verdict.reasons if reason.rule == "psu-power"]
        assert [figure for reason in waits for figure in reason.missing if not figure[0]] == [("", "power_limit_w")]


def test_a_part_of_another_line_cannot_take_a_second_place(catalogue: Catalogue) -> None:
    build = AddPart(parts_by_id()["corsair-ax1600i"]).apply(ATTEMPT)
    answer = WhatFits(build, Category.PSU, catalogue, "corsair-rm850x-2021").verdict("corsair-ax1600i")
    assert answer.state is FitState.DOES_NOT
    assert "already in the build" in answer.reason.sentence("")


def test_what_is_replaced_unsaid_is_the_only_part_of_a_kind_that_stands_alone() -> None:
    assert usually_replaced(ATTEMPT, Category.PSU) == "corsair-rm850x-2021"
    assert usually_replaced(ATTEMPT, Category.GPU) is None
    assert usually_replaced(AddPart(parts_by_id()["corsair-ax1600i"]).apply(ATTEMPT), Category.PSU) is None


@pytest.mark.parametrize(("category", "replaced"), [(Category.CASE, None), (Category.GPU, "corsair-rm850x-2021")])
def test_a_way_that_there_is_not_is_refused(catalogue: Catalogue, category: Category, replaced: str | None) -> None:
    with pytest.raises(BadInput):
        WhatFits(ATTEMPT, category, catalogue, replaced)
