"""The panel of filters, the order and the words of the list, in a window on a small catalogue."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.parts.query import BY_TITLE, Filter, Query
from core.parts.vocabulary import Category
from gui.planner.parts import search
from gui.planner.parts.model import SUPPORT_ROLE
from gui.planner.parts.search import FilterLoader, answer


@pytest.fixture
def panel(qtbot, small_window):
    shown = small_window.plan.parts
    shown.show_category(Category.GPU)
    return shown


@pytest.fixture
def opened(qtbot, panel):
    panel.bar.toggle.click()
    qtbot.waitUntil(lambda: "memory_gb" in panel.filters.sections)
    return panel


def titles(panel):
    return [panel.parts.hit(row).title for row in range(panel.parts.rowCount())]


def section(panel, field):
    unfolded = panel.filters.sections[field]
    unfolded.unfold(True)
    return unfolded


def sort_by(panel, field):
    panel.bar.sort.order.activated.emit(panel.bar.sort.order.findData(field))


# -- the panel --------------------------------------------------------------------------------------------------------


def test_choosing_values_narrows_the_list_and_shows_a_chip(qtbot, opened):
    section(opened, "maker").boxes["Acme"].click()
    assert titles(opened) == ["Acme Card 3", "Acme Card 1", "Acme Card 5"], "with a price, then the newest"
    assert [chip.words for chip in opened.bar.chips.chips] == ["Maker: Acme"]
    section(opened, "maker").boxes["Bolt & Co"].click()
    assert len(titles(opened)) == 5
    assert opened.bar.found_label.text() == "GPU: 5 of 8"


def test_counts_follow_the_other_limits(qtbot, opened):
    section(opened, "maker").boxes["Acme"].click()
    memory = section(opened, "memory_gb")
    qtbot.waitUntil(lambda: set(memory.boxes) == {8, 24, 40})
    maker = opened.filters.sections["maker"]
    assert maker.boxes["Cirrus"].text() == "Cirrus (2)"


def test_a_chip_takes_its_limit_away_and_clear_all_takes_all(qtbot, opened):
    opened.filter_state.set_limit(Filter("maker", ("Acme",)))
    opened.filter_state.set_limit(Filter("memory_gb", (), 20.0))
    opened.bar.chips.chips[0].click()
    assert opened.filter_state.view.filters == (Filter("memory_gb", (), 20.0),)
    opened.bar.clear_all.click()
    assert len(titles(opened)) == 8
    assert opened.bar.chips.isHidden()


def test_filters_come_back_with_their_category(qtbot, opened):
    opened.filter_state.set_limit(Filter("maker", ("Acme",)))
    opened.show_category(Category.PSU)
    assert titles(opened) == ["Acme PSU"]
    assert not opened.bar.chips.chips
    opened.show_category(Category.GPU)
    assert len(titles(opened)) == 3
    assert opened.bar.chips.chips


def test_the_keyboard_goes_through_the_filters_in_their_order_and_escape_leaves(qtbot, opened):
    opened.filter_state.set_limit(Filter("maker", ("Acme",)))
    opened.bar.toggle.setFocus()
    seen = []
    for _ in range(60):
        QApplication.focusWidget().focusNextChild()
        seen.append(QApplication.focusWidget())
        if seen[-1] is opened.results:
            break
    places = {name: seen.index(widget) for name, widget in (
        ("chip", opened.bar.chips.chips[0]),
        ("clear", opened.bar.clear_all),
        ("first", min(opened.filters.sections.values(), key=lambda one: one.y()).heading),
        ("last", max(opened.filters.sections.values(), key=lambda one: one.y()).heading),
        ("list", opened.results),
    )}  # fmt: skip
    assert sorted(places, key=places.get) == list(places)
    opened.filters.sections["maker"].heading.setFocus()
    qtbot.keyClick(opened.filters.sections["maker"].heading, Qt.Key.Key_Escape)
    assert opened.filters.isHidden()
    assert opened.bar.toggle.hasFocus()


def test_the_categories_stay_in_sight_beside_open_filters(qtbot, opened):
    assert opened.category_view.isVisible()
    assert opened.category_view.height() >= opened.category_view.sizeHint().height()
    opened.show_category(Category.PSU)
    assert opened.filters.isVisible()
    assert opened.filter_state.category is Category.PSU


def test_everything_in_the_filters_has_a_name(qtbot, opened):
    for one in opened.filters.sections.values():
        one.unfold(True)
        for stop in one.tab_stops():
            assert stop.accessibleName() or stop.text() or stop.isHidden()


# -- order ------------------------------------------------------------------------------------------------------------


def test_the_list_is_sorted_by_a_figure_and_shows_it(qtbot, opened):
    qtbot.waitUntil(lambda: opened.bar.sort.order.findData("power_limit_w") > 0)
    sort_by(opened, "power_limit_w")
    assert titles(opened)[0] == "Acme Card 5"
    support = opened.parts.index(0).data(SUPPORT_ROLE)
    assert support.figure == "500 W"
    opened.bar.sort.direction.click()
    assert opened.parts.index(0).data(SUPPORT_ROLE).figure == "100 W"


def test_an_unconfirmed_figure_is_reported_where_the_list_is_sorted_by_it(qtbot, panel):
    qtbot.waitUntil(lambda: panel.bar.sort.order.findData("power_limit_w") > 0)
    sort_by(panel, "power_limit_w")
    spoken = panel.parts.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Power limit: 500 W (unconfirmed)" in spoken
    sort_by(panel, "memory_gb")
    assert "Memory: 40 GB, " in panel.parts.index(0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_orders_offered_are_match_name_price_and_the_numbers(qtbot, panel):
    qtbot.waitUntil(lambda: panel.bar.sort.order.count() > 2)
    order = panel.bar.sort.order
    fields = [order.itemData(row) for row in range(order.count())]
    assert fields[:3] == ["", BY_TITLE, "price"]
    assert {"memory_gb", "power_limit_w", "year"} <= set(fields)
    assert "maker" not in fields


def test_parts_without_the_figure_come_last_with_a_question_mark(qtbot, panel):
    panel.filter_state.sort_by("year")
    assert panel.parts.index(panel.parts.rowCount() - 1).data(SUPPORT_ROLE).figure == "?"


# -- what the list says -----------------------------------------------------------------------------------------------


def test_a_long_list_says_how_many_more_there_are(qtbot, panel, monkeypatch):
    monkeypatch.setattr(search, "LIMIT", 3)
    panel.refresh()
    assert panel.bar.found_label.text() == "GPU: first 3 of 8"
    panel.show_category(None)
    qtbot.waitUntil(lambda: panel.bar.found_label.text() == "first 3 of 9")


def test_too_narrow_filters_offer_to_be_cleared(qtbot, panel):
    panel.filter_state.set_limit(Filter("maker", ("Nobody",)))
    assert panel.results.isHidden()
    assert panel.nothing.label.text() == "No part matches all these filters. Remove one."
    panel.nothing.clear_filters.click()
    assert len(titles(panel)) == 8
    assert panel.nothing.isHidden()


def test_words_that_another_category_has_can_be_looked_for_there(qtbot, panel):
    panel.search.setText("psu")
    assert panel.nothing.label.text() == "No part of the category GPU has all these words. Use fewer words."
    panel.nothing.all_categories.click()
    assert titles(panel) == ["Acme PSU"]


# -- beside the window ------------------------------------------------------------------------------------------------


def test_only_the_last_of_several_questions_is_answered(qtbot, small_folder):
    loader, answers = FilterLoader(), []
    loader.answered.connect(answers.append)
    for word in ("c", "ca", "card"):
        loader.ask(small_folder, Query(word, Category.GPU), facets=True)
    qtbot.waitUntil(lambda: bool(answers))
    assert [reply.query.text for reply in answers] == ["card"]


def test_facets_are_worked_out_only_where_they_are_looked_at(small_folder):
    assert answer(small_folder, Query(category=Category.GPU), facets=False).facets is None
    assert answer(small_folder, Query(category=Category.GPU), facets=True).facets


def test_a_catalogue_that_cannot_be_read_is_reported_in_the_panel(qtbot, opened, small_shipped):
    (small_shipped / "gpu" / "cards.toml").write_text("[[part]]\nid = 3\n")
    opened.search.setText("card 1")
    qtbot.waitUntil(lambda: "cards.toml" in opened.filters.message.text())
    assert titles(opened)


def test_filters_never_make_the_window_grow(qtbot, small_window, panel):
    small_window.resize(900, small_window.minimumSizeHint().height())
    height = small_window.height()
    for field in ("maker", "origin", "product", "memory_type", "architecture"):
        panel.filter_state.set_limit(Filter(field, ("a long word that fills a row",)))
    panel.bar.toggle.click()
    qtbot.wait(50)
    assert small_window.height() == height
    assert small_window.minimumSizeHint().height() <= height
