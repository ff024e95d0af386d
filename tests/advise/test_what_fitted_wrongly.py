"""Parts that "fitted" although the build with them fails."""

import pytest

from core.advise.add_or_replace import usually_replaced
from core.advise.fit_verdict import FitState
from core.advise.fits import WhatFits
from core.build.build import Build
from core.build.edits import AddPart, SwapPart
from core.errors import BadInput
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from tests.shipped import parts_by_id, templates

ATTEMPT, DEVBOX = templates()["six-rtx-3090-first-attempt"], templates()["digits-devbox"]


def state(build: Build, catalogue: Catalogue, part_id: str, *, replaced: str | None) -> tuple[FitState, str]:
    part = catalogue.require(part_id)
    verdict = WhatFits(build, part.category, catalogue, replaced).verdict(part_id)
    return verdict.state, verdict.reason.figures(part.category) if verdict.reason else ""


def test_a_psu_that_is_too_weak_does_not_fit_where_the_one_before_was_too_weak_as_well(catalogue: Catalogue) -> None:
    found, figures = state(ATTEMPT, catalogue, "corsair-rm650x-2021", replaced="corsair-rm850x-2021")
    assert found is FitState.DOES_NOT
    assert figures.startswith("650 < ")


def test_the_part_in_place_does_not_fit_if_it_fails(catalogue: Catalogue) -> None:
    assert state(ATTEMPT, catalogue, "corsair-rm850x-2021", replaced="corsair-rm850x-2021")[0] is FitState.DOES_NOT


def test_on_a_full_board_one_more_of_the_card_that_is_in_does_not_fit(catalogue: Catalogue) -> None:
    card = DEVBOX.of(Category.GPU)[0].part.id
    assert state(DEVBOX, catalogue, card, replaced=card)[0].fits
    assert state(DEVBOX, catalogue, card, replaced=None)[0] is FitState.DOES_NOT


def test_an_unknown_power_limit_is_no_yes(catalogue: Catalogue) -> None:
    build = SwapPart(ATTEMPT.of(Category.PSU)[0].part.id, parts_by_id()["corsair-ax1600i"]).apply(ATTEMPT)
    asked = WhatFits(build, Category.GPU, catalogue, ATTEMPT.of(Category.GPU)[0].part.id)
    unlimited = [
        part.id
        for part in catalogue.parts(category=Category.GPU)
        if getattr(part.spec, "power_limit_w", None) is None and getattr(part.spec, "form", "") == "pcie_card"
    ]
    assert unlimited
    for part_id in unlimited:
        verdict = asked.verdict(part_id)
        assert not verdict.state.fits
        waits = [reason for reason in verdict.reasons if reason.rule == "psu-power"]
        assert [figure for reason in waits for figure in reason.missing if not figure[0]] == [("", "power_limit_w")]


def test_a_part_of_another_line_cannot_take_a_second_place(catalogue: Catalogue) -> None:
    build = AddPart(parts_by_id()["corsair-ax1600i"]).apply(ATTEMPT)
    found = WhatFits(build, Category.PSU, catalogue, "corsair-rm850x-2021").verdict("corsair-ax1600i")
    assert found.state is FitState.DOES_NOT
    assert found.reason is not None
    assert "already in the build" in found.reason.sentence("")


def test_what_is_replaced_unsaid_is_the_only_part_of_a_kind_that_stands_alone() -> None:
    assert usually_replaced(ATTEMPT, Category.PSU) == "corsair-rm850x-2021"
    assert usually_replaced(ATTEMPT, Category.GPU) is None
    assert usually_replaced(AddPart(parts_by_id()["corsair-ax1600i"]).apply(ATTEMPT), Category.PSU) is None


@pytest.mark.parametrize(("category", "replaced"), [(Category.CASE, None), (Category.GPU, "corsair-rm850x-2021")])
def test_a_way_that_there_is_not_is_refused(catalogue: Catalogue, category: Category, replaced: str | None) -> None:
    with pytest.raises(BadInput):
        WhatFits(ATTEMPT, category, catalogue, replaced)
