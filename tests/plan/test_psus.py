"""Which PSU feeds what, as the user sets it: the edit, and what becomes of it when the PSUs change."""

import pytest

from core.parts.part import Part
from core.plan.build import Build
from core.plan.card_edits import SetPsu
from core.plan.edits import AddPart, RemovePart, SetQuantity, SwapPart, title_in
from core.plan.line import Line
from core.plan.psus import psus_by_place
from core.platform.errors import BadInput
from tests.plan.wiring.parts import build_of, gpu, psu_of

CARD = gpu(("pcie_8pin", 2))
STRONG, WEAK = psu_of(suffix="-strong", power_w=1600), psu_of(suffix="-weak", power_w=1000)


def psus(build: Build, part: Part = CARD) -> tuple[int | None, ...]:
    line = build.line(part.id)
    return line.psus


def test_psu_1_is_the_strongest_whatever_the_order_of_the_lines() -> None:
    assert psus_by_place(build_of(WEAK, (STRONG, 2))) == (("psu-strong", 1), ("psu-strong", 2), ("psu-weak", 1))


def test_a_psu_is_set_for_all_cards_of_a_line_or_for_some_and_taken_back() -> None:
    build = build_of((CARD, 3), (STRONG, 2))
    every = SetPsu("gpu", 2).apply(build)
    assert psus(every) == (2, 2, 2)
    assert psus(SetPsu("gpu", 1, (2,)).apply(every)) == (2, 1, 2)
    assert psus(SetPsu("gpu", 2, (2,)).apply(build)) == (None, 2)
    assert SetPsu("gpu", None).apply(every) == build
    assert SetPsu("gpu", 2).inverse(build).apply(every) == build


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (SetPsu("gpu", 3), "The build has no PSU 3; it has 2, counted from 1."),
        (SetPsu("gpu", 0), "The build has no PSU 0; it has 2, counted from 1."),
        (SetPsu("gpu", 1, (4,)), "Test GPU: there is no number 4 of 3."),
        (SetPsu("psu-strong", 1), "Test PSU-STRONG is not a GPU, riser or board: no PSU can be set for it."),
    ],
)
def test_what_cannot_be_set_is_refused_in_a_sentence(edit: SetPsu, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        edit.apply(build_of((CARD, 3), (STRONG, 2)))
    assert str(refused.value) == sentence


def test_the_edit_is_called_by_what_it_does() -> None:
    build = build_of((CARD, 3), (STRONG, 2))
    assert title_in(SetPsu("gpu", 2, (1, 3)), build) == "Feed Test GPU 1, 3 from PSU 2"
    assert title_in(SetPsu("gpu", None), build) == "Choose the PSU of Test GPU automatically"


def test_cards_stay_on_their_psu_when_its_number_changes() -> None:
    build = Build(lines=(Line(CARD, 2, psus=(1, 2)), Line(WEAK, 2)))
    stronger = AddPart(STRONG).apply(build)
    assert psus(stronger) == (2, 3)
    assert psus(RemovePart("psu-strong").apply(stronger)) == (1, 2)
    assert psus(SwapPart("psu-weak", psu_of(suffix="-other", power_w=2000)).apply(stronger)) == (1, 2)


def test_cards_of_a_psu_that_is_gone_are_wired_automatically() -> None:
    build = Build(lines=(Line(CARD, 3, psus=(1, 2, 3)), Line(STRONG), Line(WEAK, 2)))
    assert psus(SetQuantity("psu-weak", 1).apply(build)) == (1, 2)
    assert psus(RemovePart("psu-strong").apply(build)) == (None, 1, 2)


def test_a_swapped_card_keeps_its_psu_and_fewer_cards_keep_theirs() -> None:
    build = Build(lines=(Line(CARD, 3, psus=(1, 2, 2)), Line(WEAK, 2)))
    other = gpu(("12v_2x6", 1), suffix="-other")
    assert psus(SwapPart("gpu", other).apply(build), other) == (1, 2, 2)
    assert psus(SetQuantity("gpu", 2).apply(build)) == (1, 2)
