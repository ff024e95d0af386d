"""The build: what it may hold, and what it tells."""

from typing import Any

import pytest

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Card, Line
from core.plan.mains import BY_ID, CIRCUITS
from core.plan.slots import covered_positions, slot_at


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (lambda parts: Line(parts.psu, 0), "a quantity is 1 to 64, not 0"),
        (lambda parts: Line(parts.psu, 65), "a quantity is 1 to 64, not 65"),
        (lambda parts: Line(parts.one_slot, 1, (1, 2)), "2 slots for 1 cards"),
        (lambda parts: Line(parts.one_slot, 2, (1, 1)), "names a slot twice"),
        (lambda parts: Line(parts.one_slot, 1, (0,)), "slot positions are 1 to 24"),
        (lambda parts: Line(parts.psu, 1, (1,)), "does not sit in an expansion slot"),
        (lambda parts: Line(parts.module, 1, (1,)), "does not sit in an expansion slot"),
    ],
)
def test_a_line_that_cannot_be_is_refused(parts: Any, line: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        line(parts)


def test_a_part_stands_in_one_line_only(parts: Any) -> None:
    with pytest.raises(ValueError, match="two lines"):
        Build(lines=(Line(parts.psu), Line(parts.psu, 2)))


def test_a_region_is_one_of_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown region 'moon'"):
        Build(region="moon")
    assert Build(region="us-120v-15a").circuit.continuous_w == 1440
    assert len(BY_ID) == len(CIRCUITS), "ids are unique"


def test_cards_come_singly_with_their_slots(parts: Any) -> None:
    build = Build(lines=(Line(parts.psu), Line(parts.two_slots, 2, (3,)), Line(parts.module, 8), Line(parts.nic)))
    assert build.cards() == (Card(parts.two_slots, 1, 3), Card(parts.two_slots, 2, None), Card(parts.nic, 1, None))
    assert build.count(Category.GPU) == 10


@pytest.mark.parametrize(
    ("name", "slot", "covered"),
    [
        ("one_slot", 2, range(2, 3)),
        ("two_slots", 2, range(2, 4)),
        ("odd_width", 2, range(2, 5)),
        ("unknown_width", 2, None),
        ("two_slots", None, None),
    ],
)
def test_a_card_covers_whole_slots(parts: Any, name: str, slot: int | None, covered: range | None) -> None:
    assert covered_positions(Card(getattr(parts, name), 1, slot)) == covered


def test_slots_are_known_only_with_exactly_one_board(parts: Any) -> None:
    one = Build(lines=(Line(parts.small_board),))
    assert [slot.position for slot in one.board_slots()] == [1, 4]
    fourth = slot_at(one, 4)
    assert fourth.lanes == 4
    assert slot_at(one, 2) is None
    assert Build(lines=(Line(parts.board), Line(parts.small_board))).board_slots() == ()
    assert Build(lines=(Line(parts.unknown_board),)).board_slots() == ()
    assert Build().board_slots() == ()
