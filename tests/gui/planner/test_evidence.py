"""Every figure is marked by how well it is supported, and every part by whose it is."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from core.parts.own import correction
from core.parts.part import About, Evidence, Origin, Source
from core.parts.support import evidence_of, support_words
from core.parts.vocabulary import Category
from core.plan.edits import AddPart
from gui.planner.lines.model import PART, LinesModel
from gui.planner.parts.evidence import ATTRIBUTION, is_from_opendb, unconfirmed_in_summary, unconfirmed_words
from gui.planner.parts.model import PartsModel
from gui.planner.parts.part_card import PartCard
from gui.widgets.text import tip
from tests.gui.planner.conftest import MAKER_PAGE

TOOLTIP = Qt.ItemDataRole.ToolTipRole


@pytest.fixture
def card(qtbot):
    cards = []

    def make(part, change=None):
        made = PartCard(part, correction=change)
        qtbot.addWidget(made)
        cards.append(made)
        return made

    return make


@pytest.fixture
def listed(qtbot, small_catalogue):
    model = PartsModel(find_part=small_catalogue.part)
    model.show_hits(small_catalogue.search("", Category.GPU), sort="power_limit_w")
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    yield {model.hit(row).id: model.index(row) for row in range(model.rowCount())}
    model.deleteLater()


@pytest.mark.parametrize("part_id", ["samsung-990-pro-2tb", "zotac-rtx-3090-arcticstorm", "seasonic-prime-tx-1600"])
def test_a_card_is_read_without_scrolling_sideways(qtbot, catalogue, card, part_id):
    shown = card(catalogue.require(part_id))
    with qtbot.waitExposed(shown):
        shown.show()
    assert shown.text.horizontalScrollBar().maximum() == 0


def test_sources_of_a_figure_are_those_that_its_evidence_is_judged_by(small_catalogue):
    part = small_catalogue.require("card-1")
    for field in ("memory_gb", "power_limit_w"):
        confirmed = any(part.is_confirmed_by(source, field) for source in part.sources_of(field))
        assert (part.evidence(field) is Evidence.CONFIRMED) == confirmed


@pytest.mark.parametrize(
    ("field", "evidence"),
    [
        ("memory_gb", Evidence.CONFIRMED),
        ("power_limit_w", Evidence.UNCONFIRMED),
        ("length_mm", Evidence.UNKNOWN),
        ("noise", Evidence.UNKNOWN),
        ("price", Evidence.UNCONFIRMED),
        ("price_per_tflops", Evidence.UNKNOWN),
        ("part_numbers", Evidence.UNKNOWN),
        ("maker", Evidence.CONFIRMED),
    ],
)
def test_figures_beside_the_spec_are_judged_too(small_catalogue, field, evidence):
    assert evidence_of(small_catalogue.require("card-1"), field) is evidence


def test_only_unconfirmed_figures_of_the_short_line_are_named(small_catalogue):
    part = small_catalogue.require("card-1")
    assert unconfirmed_in_summary(part) == ("power_limit_w",)
    assert unconfirmed_words(part) == "Unconfirmed: power limit, price"
    assert unconfirmed_words(small_catalogue.require("psu")) == ""


def test_a_row_tells_what_is_unconfirmed_and_whose_it_is(listed):
    assert "Unconfirmed: power limit" in listed["card-1"].data(TOOLTIP)
    assert ATTRIBUTION in listed["opendb-1"].data(TOOLTIP)
    assert "Your own" in listed["mine"].data(TOOLTIP)
    assert ATTRIBUTION not in listed["card-1"].data(TOOLTIP)


def test_the_data_set_is_named_below_a_list_with_its_rows(qtbot, small_window):
    panel = small_window.plan.parts
    panel.search.setText("imported")
    assert panel._attribution.isVisible()
    panel.search.setText("psu")
    assert not panel._attribution.isVisible()


def test_the_build_s_table_tells_what_is_unconfirmed(qtbot, small_window):
    document, catalogue = small_window.document, small_window.connection.catalogue()
    document.edit(AddPart(catalogue.require("opendb-1")))
    tooltip = LinesModel(document, document).index(0, PART).data(TOOLTIP)
    assert "Unconfirmed: cooling, power limit, memory" in tooltip
    assert ATTRIBUTION in tooltip


def test_the_card_shows_each_figure_with_support_and_source(small_catalogue, card):
    made = card(small_catalogue.require("card-1"))
    text, html = made.text.toPlainText(), made.text.toHtml()
    assert "✓ confirmed\n1 · Page of the maker" in text
    assert "~ unconfirmed\n2 · General knowledge" in text
    assert "? unknown" in text
    assert 'href="https://example.org/card"' in html


def test_a_figure_that_was_read_of_the_chip_says_so(small_catalogue, card):
    part = small_catalogue.require("card-1")
    chip = Source(title="List of chips", url=MAKER_PAGE, fields=("power_limit_w", "price"), about=About.CHIP)
    lent = part.model_copy(update={"sources": (*part.sources, chip)})
    assert support_words(lent, "power_limit_w") == support_words(lent, "price") == "from the chip"
    assert support_words(part, "power_limit_w") == "unconfirmed"
    assert "~ from the chip\n3 · List of chips" in card(lent).text.toPlainText()


def test_the_card_credits_the_data_set(small_catalogue, card):
    assert ATTRIBUTION in card(small_catalogue.require("opendb-1")).text.toPlainText()


def test_the_card_tells_a_part_of_ones_own_from_a_corrected_one(small_catalogue, card):
    assert "part of your own" in card(small_catalogue.require("mine")).text.toPlainText()
    small_catalogue.correct({"opendb-2": correction({"power_limit_w": 200.0})})
    corrected = small_catalogue.require("opendb-2")
    assert corrected.origin is Origin.USER
    assert is_from_opendb(corrected)
    text = card(corrected, small_catalogue.corrections()["opendb-2"]).text.toPlainText()
    assert "You corrected this part: power limit." in text
    assert "unconfirmed, your figure" in text
    assert ATTRIBUTION in text


def test_the_page_opens_the_card_of_a_corrected_part_as_such(qtbot, small_window):
    small_window.connection.catalogue().correct(
        {"card-2": correction({"length_mm": 300.0}, url="https://example.org/x")}
    )
    small_window.plan.explain("card-2")
    made = small_window.plan.findChild(PartCard)
    assert "You corrected this part: length." in made.text.toPlainText()
    made.close()


def test_text_of_parts_is_never_markup(small_catalogue, card):
    nasty = "<img src='x'>"
    part = small_catalogue.require("card-1").model_copy(update={"name": nasty, "note": nasty})
    assert card(part).text.toPlainText().count(nasty) == 2
    assert tip(f"{nasty}\nsecond") == "<span>&lt;img src=&#x27;x&#x27;&gt;<br>second</span>"
    assert tip("a & b") == "a & b"
