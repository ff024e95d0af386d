"""Speed of the build's cards, and the catalogue's GPUs in the order of what counts for a network."""

import pytest
from PySide6.QtCore import Qt

from core.parts.vocabulary import Category
from core.plan.card_edits import SetPowerLimit
from core.predict.speed.networks import Network
from core.present.report.build_speed import MODEL
from tests.gui.conftest import FIRST_ATTEMPT, QUIET
from tests.gui.predict.conftest import settle, texts


@pytest.fixture
def gpus(document, show):
    document.open(FIRST_ATTEMPT)
    return show("gpus")


def test_the_chosen_network_is_reported_card_by_card_with_its_reasons(document, show):
    document.open(QUIET)
    panel = show("speed")
    assert "ResNet-50" in panel.lead.text()
    networks, cards = panel.table("Speed by network"), panel.table("Speed of each card").figures
    alone = cards.cell(0, 1).order
    networks.choose(Network.TRANSFORMER)
    assert "GPT-2" in panel.lead.text()
    assert cards.cell(0, 1).order != alone
    assert cards.cell(0, 0).text.startswith("6 × ")
    assert "gradients" in panel.texts()
    assert "GB of a card" in panel.texts()


def test_cards_of_different_speed_are_told_apart_by_their_slots(document, show):
    document.open(FIRST_ATTEMPT)
    panel = show("speed")
    figures = panel.table("Speed of each card").figures
    places = [figures.cell(row, 0).below for row in range(figures.rowCount())]
    assert places == ["slot 2", "slot 5", "slot 7", "no slot"]
    document.open(QUIET)
    assert panel.table("Speed of each card").figures.cell(0, 0).below == "slots 1, 2, 3, 4, 5, 7"


def test_a_limit_slows_the_cards_and_is_marked(document, show):
    document.open(QUIET)
    panel = show("speed")
    networks = panel.table("Speed by network").figures
    before = networks.cell(0, 1).order
    document.edit(SetPowerLimit(document.build.of(Category.GPU)[0].part.id, 200))
    assert networks.cell(0, 1).order < before
    assert panel.table("Speed of each card").figures.cell(0, 2).tone == "warn"


def test_the_order_follows_the_network_and_says_why(qtbot, gpus):
    first = gpus.table.key
    assert gpus.table.model().index(0, 0).data().startswith("1. ")
    assert "tensor cores" in gpus.lead.text()
    assert "What counts first" in gpus.reasons.text()
    gpus.choices.network_box.setCurrentIndex(list(Network).index(Network.LSTM))
    settle(qtbot, gpus)
    assert "memory bandwidth" in gpus.lead.text()
    assert gpus.table.key == first, "the choice stays"
    assert "tokens/s" in gpus.table.figures.headerData(2, Qt.Orientation.Horizontal)


def test_gpus_are_ordered_by_a_heading_and_found_by_words(qtbot, gpus):
    for column, heading in ((2, "Speed"), (3, "Memory"), (5, "Speed for the price"), (0, "Suitability")):
        gpus.table.heading_clicked.emit(column)
        assert gpus.choices.order.currentText() == heading
    gpus.choices.search.setText("4090 geforce")
    assert all("RTX 4090" in row[0] for row in texts(gpus.table))
    assert texts(gpus.table)


def test_the_ranking_is_narrowed_by_fit_price_and_memory_and_counts_the_rest(qtbot, document, gpus):
    document.open(QUIET)
    settle(qtbot, gpus)
    every = len(texts(gpus.table))
    assert gpus._ranking.failing
    gpus.choices.only_fitting.click()
    settle(qtbot, gpus)
    assert not gpus._ranking.failing and 0 < len(texts(gpus.table)) < every
    assert "not fit" in gpus._note.text()
    gpus.choices.memory.box.click()
    gpus.choices.memory.setValue(20)
    gpus.choices.price.box.click()
    gpus.choices.price.setValue(2000)
    settle(qtbot, gpus)
    ranked = gpus._ranking.gpus
    assert ranked
    assert all(one.part.spec.memory_gb >= 20 and one.price.amount <= 2000 for one in ranked)
    assert "with less memory" in gpus._note.text() and "cost" in gpus._note.text()


def test_a_model_that_fits_no_card_says_over_how_many(qtbot, gpus):
    assert gpus.table.isColumnHidden(MODEL)
    gpus.choices.model_size.box.click()
    gpus.choices.model_size.setValue(7)
    settle(qtbot, gpus)
    assert not gpus.table.isColumnHidden(MODEL)
    notes = {row[MODEL] for row in texts(gpus.table)}
    assert "fits" in notes
    assert any(words.startswith("across ") for words in notes)


def test_what_would_fail_in_the_build_is_said_before_it_is_swapped_in(qtbot, document, page, gpus):
    failing = gpus._ranking.failing
    bad = next(part_id for part_id in failing if gpus.table.figures.row_of(part_id) is not None)
    gpus.table.choose(bad)
    assert failing[bad] in gpus.reasons.text()
    before = document.build
    gpus.swap.click()
    assert document.build.line(bad).quantity == before.of(Category.GPU)[0].quantity
    document.undo_stack.undo()
    assert document.build == before


def test_into_an_empty_build_a_gpu_is_added(qtbot, document, gpus):
    document.new()
    settle(qtbot, gpus)
    assert not gpus.swap.isVisible()
    gpus.add.click()
    assert [line.part.id for line in document.build.lines] == [gpus.table.key]
    settle(qtbot, gpus)
    assert not gpus.swap.isEnabled(), "it is that card already"


def test_another_catalogue_is_asked_anew(qtbot, gpus, connection):
    connection.changed.emit()
    assert gpus.busy
    settle(qtbot, gpus)
