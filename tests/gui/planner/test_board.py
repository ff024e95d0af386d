import pytest

from core.build.edits import PlaceCards
from core.parts.vocabulary import Category
from gui.planner.board_picture import board_picture
from gui.planner.board_words import card_words, picture_words, slot_words
from tests.gui.conftest import FIRST_ATTEMPT, QUIET


def gpu_id(document):
    return document.build.of(Category.GPU)[0].part.id


def test_without_a_board_there_is_no_picture(document):
    assert board_picture(document.build) is None


def test_every_slot_and_every_placed_card_is_in_the_picture(document):
    document.open(QUIET)
    picture = board_picture(document.build)
    assert [row.position for row in picture.rows] == list(range(1, 8))
    assert all(row.slot is not None for row in picture.rows)
    assert [box.slot for box in picture.boxes] == [1, 2, 3, 4, 5, 7]
    assert not any(box.clashes or box.off_board for box in picture.boxes)
    assert picture.waiting == ()


def test_cards_that_claim_the_same_place_clash(document):
    document.open(FIRST_ATTEMPT)
    picture = board_picture(document.build)
    assert {box.slot: box.clashes for box in picture.boxes} == {2: False, 5: True, 7: True}
    assert len(picture.waiting) == 3
    assert len(picture.rows) == 9, "the last card reaches two pitches below the board"


def test_pitches_without_a_connector_are_kept(document):
    document.open(FIRST_ATTEMPT)
    rows = {row.position: row.slot for row in board_picture(document.build).rows}
    assert rows[1] is None
    assert rows[2] is not None


@pytest.mark.parametrize("slots", [(), (2,), (2, 5)])
def test_cards_that_are_not_placed_wait(document, slots):
    document.open(FIRST_ATTEMPT)
    document.edit(PlaceCards(gpu_id(document), slots))
    assert len(board_picture(document.build).waiting) == 6 - len(slots)


def test_the_picture_is_told_in_words(document):
    document.open(FIRST_ATTEMPT)
    picture = board_picture(document.build)
    words = picture_words(picture)
    assert "slot 5: ASUS TUF" in words
    assert "3 not placed" in words
    clash = next(box for box in picture.boxes if box.clashes)
    assert "another card needs" in card_words(clash)
    assert "no slot" in slot_words(picture.rows[0])
