"""Edits: each does what it says, and can be taken back exactly."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import PlaceAll, SetPowerLimit
from core.plan.edits import AddPart, Edit, PlaceCards, RemovePart, SetDetails, SetQuantity, SwapPart, title_in
from core.plan.line import Line
from core.plan.slots import covered_positions
from core.platform.errors import BadInput
from tests.rules import machines as machine

SEVERAL = 12


def applied(build: Build, *edits: Edit) -> Build:
    for edit in edits:
        build = edit.apply(build)
    return build


@given(data=st.data())
def test_the_inverse_of_an_edit_restores_the_build_exactly(data: st.DataObject, builds: Any, edits: Any) -> None:
    before, edit = data.draw(builds), data.draw(edits)
    try:
        after = edit.apply(before)
    except BadInput as refusal:
        assert str(refusal).endswith((".", "?"))
        return
    inverse = edit.inverse(before)
    assert inverse.apply(after) == before
    assert inverse.inverse(after).apply(before) == after, "redo"


@given(data=st.data())
def test_undoing_everything_leads_back_to_the_start(data: st.DataObject, builds: Any, edits: Any) -> None:
    build = start = data.draw(builds)
    undo = []
    for edit in data.draw(st.lists(edits, max_size=SEVERAL)):
        try:
            after = edit.apply(build)
        except BadInput:
            continue
        undo.append(edit.inverse(build))
        build = after
    while undo:
        build = undo.pop().apply(build)
    assert build == start


@given(data=st.data())
def test_cards_added_to_a_board_never_overlap(data: st.DataObject, parts: Any) -> None:
    cards = [parts.one_slot, parts.two_slots, parts.odd_width, parts.nic]
    build = Build(lines=(Line(data.draw(st.sampled_from([parts.board, parts.small_board]))),))
    for part in data.draw(st.lists(st.sampled_from(cards), max_size=8)):
        build = AddPart(part, data.draw(st.integers(1, 3))).apply(build)
    covered = [position for card in build.cards() for position in covered_positions(card) or ()]
    assert len(covered) == len(set(covered))


# -- adding and removing -----------------------------------------------------------------------------------------


def test_cards_go_to_the_first_slots_with_all_their_lanes(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.board), AddPart(parts.two_slots, 3))
    assert build.line("two-slots") == Line(parts.two_slots, 3, (1, 3, 5))


def test_a_card_falls_back_to_fewer_lanes_and_then_to_no_slot(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.board), AddPart(parts.one_slot, 8))
    assert build.line("one-slot") == Line(parts.one_slot, 8, (1, 3, 5, 7, 2, 4, 6))


def test_a_long_card_does_not_go_into_a_short_closed_slot(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.small_board), AddPart(parts.two_slots, 2))
    assert build.line("two-slots") == Line(parts.two_slots, 2, (1,))


def test_without_a_known_board_cards_are_not_placed(parts: Any) -> None:
    for start in (Build(), AddPart(parts.unknown_board).apply(Build())):
        assert AddPart(parts.two_slots).apply(start).line("two-slots") == Line(parts.two_slots)


def test_a_module_is_never_placed(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.board), AddPart(parts.module, 8))
    assert build.line("module") == Line(parts.module, 8)


def test_adding_a_part_again_raises_its_quantity(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.psu), AddPart(parts.psu))
    assert build.lines == (Line(parts.psu, 2),)


def test_a_line_keeps_its_figures_when_the_catalogue_has_newer_ones(parts: Any) -> None:
    newer = parts.two_slots.model_copy(update={"spec": parts.odd_width.spec})
    start = applied(
        Build(), AddPart(parts.board), AddPart(parts.nic), PlaceCards("nic", (5,)), AddPart(parts.two_slots)
    )
    build = AddPart(newer).apply(start)
    assert build.line("two-slots") == Line(parts.two_slots, 2, (1, 3)), "a card of 2.7 slots would not fit above slot 5"


def test_fewer_cards_leave_the_last_slots(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.board), AddPart(parts.two_slots, 3), SetQuantity("two-slots", 1))
    assert build.line("two-slots") == Line(parts.two_slots, 1, (1,))
    assert SetQuantity("two-slots", 2).apply(build).line("two-slots") == Line(parts.two_slots, 2, (1, 3))


def test_a_swap_keeps_place_quantity_and_slots(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.board), AddPart(parts.two_slots, 2), AddPart(parts.psu))
    swapped = SwapPart("two-slots", parts.odd_width).apply(build)
    assert [line.part.id for line in swapped.lines] == ["board", "odd-width", "psu"]
    assert swapped.line("odd-width") == Line(parts.odd_width, 2, (1, 3))
    assert SwapPart("two-slots", parts.module).apply(build).line("module") == Line(parts.module, 2)


def test_removing_takes_the_whole_line(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.psu, 2), RemovePart("psu"))
    assert build == Build()
    assert build.count(Category.PSU) == 0


# -- refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda parts: AddPart(parts.psu, 0), "A quantity is 1 to 64, not 0"),
        (
            lambda parts: AddPart(parts.two_slots, 63),
            "at most 64 parts of the category GPU, not 66; plan several machines",
        ),
        (lambda parts: SetQuantity("two-slots", 0), "A quantity is 1 to 64, not 0"),
        (lambda parts: SetQuantity("gone", 1), "The build has no part 'gone'"),
        (lambda parts: RemovePart("gone"), "The build has no part 'gone'"),
        (lambda parts: SwapPart("two-slots", parts.psu), "Maker psu is a PSU, not a GPU"),
        (lambda parts: SwapPart("two-slots", parts.one_slot), "Maker one-slot is already in the build"),
        (lambda parts: PlaceCards("board", (1,)), "Maker board does not sit in an expansion slot"),
        (lambda parts: PlaceCards("two-slots", (1, 3, 5)), "3 slots given for 2 cards"),
        (lambda parts: PlaceCards("two-slots", (1, 1)), "a slot is named twice"),
        (lambda parts: PlaceCards("two-slots", (9,)), "The board has no slot 9; it has 1, 2, 3"),
        (lambda parts: PlaceCards("two-slots", (0,)), r"slot positions are 1 to 24, not \[0\]"),
        (lambda parts: SetDetails(region="moon"), "Unknown region 'moon'. Known: us-120v-15a"),
        (lambda parts: SetDetails(name=""), "the name of a build has 1 to 200 characters, not 0"),
        (lambda parts: SetDetails(notes="x" * 20_001), "notes have at most 20000 characters"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(parts: Any, edit: Any, sentence: str) -> None:
    build = applied(Build(), AddPart(parts.board), AddPart(parts.two_slots, 2), AddPart(parts.one_slot))
    with pytest.raises(BadInput, match=sentence):
        edit(parts).apply(build)


def test_positions_are_free_while_the_board_is_unknown(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.two_slots, 2), PlaceCards("two-slots", (1, 5)))
    assert build.line("two-slots") == Line(parts.two_slots, 2, (1, 5))
    with pytest.raises(BadInput, match="slot positions are 1 to 24"):
        PlaceCards("two-slots", (25,)).apply(build)


@pytest.mark.parametrize(
    ("edit", "title"),
    [
        (SetDetails(name="a", notes="b"), "Change name and notes"),
        (SetDetails(), "Change nothing"),
        (PlaceCards("card", (1, 3)), "Place card in slots 1, 3"),
        (PlaceCards("card", ()), "Remove card from all slots"),
    ],
)
def test_undo_says_what_it_takes_back(edit: Edit, title: str) -> None:
    assert edit.title == title


@pytest.mark.parametrize(
    ("edit", "title"),
    [
        (RemovePart("two-slots"), "Remove Maker two-slots"),
        (SetQuantity("two-slots", 4), "Set quantity of Maker two-slots to 4"),
        (PlaceCards("two-slots", (1, 3)), "Place Maker two-slots in slots 1, 3"),
        (RemovePart("nothing"), "Remove nothing"),
        (SetDetails(name="a"), "Change name"),
    ],
)
def test_a_build_gives_titles_the_names_of_its_parts(parts: Any, edit: Edit, title: str) -> None:
    build = applied(Build(), AddPart(parts.two_slots, 2))
    assert title_in(edit, build) == title


def test_a_swap_names_both_parts(parts: Any) -> None:
    build = applied(Build(), AddPart(parts.two_slots))
    swap = SwapPart("two-slots", parts.two_slots)
    assert title_in(swap, build) == f"Replace {parts.two_slots.title} with {parts.two_slots.title}"


def test_a_card_under_a_water_block_is_offered_a_slot_by_the_width_of_the_block() -> None:
    build = machine.with_line(machine.good_build(), machine.part("water_block"), 4)
    fresh = AddPart(machine.part("gpu"), 4).apply(RemovePart("gpu").apply(build))
    assert [line.slots for line in fresh.lines if line.part.id == "gpu"] == [(1, 2, 3, 4)]


def test_a_slot_of_an_absent_cpu_or_below_the_case_is_offered_last() -> None:
    slots = [machine.slot(1, cpu=1), machine.slot(3), machine.slot(8)]
    build = machine.changed(machine.good_build(), "motherboard", slots=slots)
    build = AddPart(machine.part("gpu"), 3).apply(RemovePart("gpu").apply(build))
    assert [line.slots for line in build.lines if line.part.id == "gpu"] == [(3, 8)]


def test_all_cards_are_arranged_at_once_with_their_risers_and_back() -> None:
    before = machine.good_build()
    edit = PlaceAll({"gpu": (2, 4, 6)}, {"gpu": (6,)})
    after = edit.apply(before)
    line = after.line("gpu")
    assert (line.slots, line.risers) == ((2, 4, 6), (6,))
    assert edit.inverse(before).apply(after) == before


@pytest.mark.parametrize(
    ("figures", "limit_w"),
    [
        ({}, 250),
        ({"product": "Test 400"}, None),
        ({"power_limit_max_w": 240}, None),
        ({"power_limit_min_w": 260}, None),
    ],
)
def test_a_limit_stays_with_another_card_of_the_product_that_takes_it(
    figures: dict[str, Any], limit_w: float | None
) -> None:
    build = SetPowerLimit("gpu", 250).apply(Build(lines=(Line(machine.part("gpu"), 4),)))
    other = machine.part("gpu", suffix="-other", **figures)
    assert SwapPart("gpu", other).apply(build).lines[0].power_limit_w == limit_w
