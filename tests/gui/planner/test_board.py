import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetrics

from core.parts.vocabulary import Category
from core.plan.card_edits import PutOnRisers
from core.plan.edits import AddPart, PlaceCards
from gui.planner.board.painter import BoardLayout
from gui.planner.board.picture import (
    board_picture,
    card_words,
    limit_words,
    link_with_limit,
    picture_words,
    root_text,
    slot_text,
    slot_words,
)
from tests.gui.conftest import FIRST_ATTEMPT, QUIET


def picture_of(document):
    return board_picture(document.build, document.assessment.links)


@pytest.fixture
def crowded(document):
    """The picture of a board with more cards than it has room for."""
    document.open(FIRST_ATTEMPT)
    return picture_of(document)


def gpu_id(document):
    return document.build.of(Category.GPU)[0].part.id


def test_without_a_board_there_is_no_picture(document):
    assert picture_of(document) is None


def test_every_slot_and_every_placed_card_is_in_the_picture(document):
    document.open(QUIET)
    picture = picture_of(document)
    assert [row.position for row in picture.rows] == list(range(1, 8))
    assert all(row.slot is not None for row in picture.rows)
    assert [box.slot for box in picture.boxes] == [1, 2, 3, 4, 5, 7]
    assert not any(box.clashes or box.off_board for box in picture.boxes)
    assert picture.waiting == ()


def test_cards_that_claim_the_same_place_clash_and_pitches_without_a_connector_have_a_row(crowded):
    assert {box.slot: box.clashes for box in crowded.boxes} == {2: False, 5: True, 7: True}
    assert len(crowded.waiting) == 3
    assert len(crowded.rows) == 9, "the last card reaches two pitches below the board"
    slots = {row.position: row.slot for row in crowded.rows}
    assert slots[1] is None
    assert slots[2] is not None


@pytest.mark.parametrize("slots", [(), (2,), (2, 5)])
def test_cards_that_are_not_placed_wait(document, slots):
    document.open(FIRST_ATTEMPT)
    document.edit(PlaceCards(gpu_id(document), slots))
    assert len(picture_of(document).waiting) == 6 - len(slots)


def test_the_picture_is_described_in_words(crowded):
    words = picture_words(crowded)
    assert "slot 5: ASUS TUF" in words
    assert "Gen4 x8" in words
    assert "3 not placed" in words
    clash = next(box for box in crowded.boxes if box.clashes)
    assert "It overlaps another card" in card_words(clash)
    assert "no slot" in slot_words(crowded.rows[0])


def test_a_card_tells_the_link_it_really_gets_what_holds_it_and_what_it_covers(crowded):
    first, second, third = crowded.boxes
    assert link_with_limit(first.link) == "Gen4 x8 of x16"
    assert "shares lanes with PCIEX16_2" in card_words(first).replace("Shares", "shares")
    assert "limited by the slot" in limit_words(second.link)
    assert root_text(third.link.slot, cpus=1) == "chipset"
    assert "of 31.5" not in card_words(third)
    assert "7.9 GB/s each way, the card could do 31.5" in card_words(third)
    assert [slot.label for slot in first.covers] == ["PCIEX1_1"]
    assert "covers slot 4 (PCIEX1_1)" in card_words(first)


def test_a_card_on_a_riser_covers_its_slot_alone_and_stands_beside_it(document):
    document.open(FIRST_ATTEMPT)
    document.edit(PutOnRisers(gpu_id(document), (5,)))
    picture = picture_of(document)
    on_risers = picture.boxes[1]
    assert on_risers.on_riser
    assert not any(box.clashes for box in picture.boxes)
    assert "On a riser that the build does not have yet" in card_words(on_risers)
    sheet = BoardLayout.of(picture, QRectF(0, 0, 500, 300), QFontMetrics(QFont()))
    assert sheet.card(on_risers).height() < sheet.card(picture.boxes[0]).height()
    assert sheet.card(on_risers).left() > sheet.card(picture.boxes[0]).left()
    assert sheet.card(on_risers).right() <= 500


def test_cards_on_risers_share_a_slot_side_by_side(document, catalogue):
    document.open(FIRST_ATTEMPT)
    other = catalogue.require("asus-turbo-rtx-3090-24g")
    document.edit(PlaceCards(gpu_id(document), (2, 5)))
    document.edit(AddPart(other))
    document.edit(PlaceCards(other.id, (5,)))
    for part_id in (gpu_id(document), other.id):
        document.edit(PutOnRisers(part_id, (5,)))
    picture = picture_of(document)
    on_risers = [box for box in picture.boxes if box.slot == 5]
    assert [box.share for box in on_risers] == [(0, 2), (1, 2)]
    assert not any(box.clashes for box in on_risers)
    sheet = BoardLayout.of(picture, QRectF(0, 0, 500, 300), QFontMetrics(QFont()))
    assert not sheet.card(on_risers[0]).intersects(sheet.card(on_risers[1]))
    assert "overlap" not in slot_words(picture.rows[4])


def test_slots_of_several_cpus_are_told_apart(document):
    document.open(QUIET)
    slot = document.build.board_slots()[0].model_copy(update={"root": None})
    assert root_text(slot, cpus=1) == "CPU"
    assert root_text(slot.model_copy(update={"cpu": 1}), cpus=2) == "CPU 2"
    assert root_text(slot.model_copy(update={"root": "C0"}), cpus=1) == "CPU, root C0"
    assert slot_text(slot, cpus=1) == "Gen4 x16 CPU"
