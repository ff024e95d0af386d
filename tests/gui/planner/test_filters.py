"""FilterState the list of parts: words, what is remembered, and one figure to choose from."""

import pytest

from core.parts.facets import Facet, FacetChoice
from core.parts.query import BY_TITLE, Filter, Query
from core.parts.vocabulary import Category
from gui.planner.parts.figure_names import heading, limit_words, ordered, rounded, with_unit
from gui.planner.parts.filters_panel import FilterState
from gui.planner.parts.filters_section import FilterSection
from gui.planner.parts.search import found_words


def facet(field, *values, parts=9):
    numbers = [value for value in values if not isinstance(value, str)]
    low, high = (min(numbers), max(numbers)) if numbers else (None, None)
    return Facet(field, parts, tuple(FacetChoice(value, 1) for value in values), low, high)


# -- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "category", "shown"),
    [
        (
            ("year", "architecture", "maker", "price", "memory_gb", "length_mm", "cores"),
            Category.GPU,
            ["length_mm", "memory_gb", "price", "maker", "year", "architecture", "cores"],
        ),
        (("maker", "graphics_plugs"), Category.PSU, ["graphics_plugs", "maker"]),
        (("memory_gb", "maker", "price"), None, ["price", "maker"]),
    ],
    ids=["deciding ones first", "those made of others where those stand", "of all categories what all have"],
)
def test_figures_to_filter_by_have_their_order(fields, category, shown):
    assert [row.field for row in ordered([facet(field, 1, 2) for field in fields], category)] == shown


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (Filter("memory_gb", (24.0, 48.0)), "Memory: 24, 48 GB"),
        (Filter("power_limit_w", (), None, 350.0), "Power limit: ≤ 350 W"),
        (Filter("price", (), 500.0, 1500.0), "Price: 500–1500 USD"),
        (Filter("year", (), 2020), "Year: ≥ 2020"),
        (Filter("ecc", ("yes",)), "ECC: yes"),
        (Filter("origin", ("imported",)), "Origin: imported"),
    ],
)
def test_a_chip_says_its_limit_in_words(limit, words):
    assert limit_words(limit, "USD").replace("\u202f", " ") == words


@pytest.mark.parametrize(
    ("value", "text"), [(0.04321, "0.0432"), (2.75, "2.75"), (24.0, "24"), (0, "0"), (1600, "1600"), (133.3, "133")]
)
def test_a_small_figure_keeps_the_digits_that_count(value, text):
    assert rounded(value).replace("\u202f", " ") == text


def test_a_price_per_performance_has_the_currency_in_its_unit():
    assert with_unit("price_per_tflops", 12.344, "USD") == "12.3 USD/TFLOPS"


@pytest.mark.parametrize(
    ("listed", "count", "total", "words"),
    [
        (31, 31, 74, "31 of 74"),
        (74, 74, 74, "74 parts"),
        (1, 1, 1, "1 part"),
        (300, 3589, 5000, "first 300 of 3589"),
        (300, None, 5000, "first 300 of …"),
        (300, 300, 5000, "300 of 5000"),
        (0, 0, 74, "0 of 74"),
    ],
)
def test_the_list_says_how_much_of_what_it_shows(listed, count, total, words):
    assert found_words(listed=listed, count=count, total=total, limit=300).replace("\u202f", " ") == words


# -- what is remembered -----------------------------------------------------------------------------------------------


def test_limits_and_order_are_kept_for_each_category(qtbot):
    state = FilterState()
    state.show(Category.GPU)
    state.set_limit(Filter("memory_gb", (24.0,)))
    state.sort_by("memory_gb")
    state.show(Category.PSU)
    assert state.query("", 9) == Query("", Category.PSU, limit=9)
    state.show(Category.GPU)
    assert state.query("x", 9) == Query("x", Category.GPU, (Filter("memory_gb", (24.0,)),), "memory_gb", True, 9)


def test_an_empty_limit_takes_the_one_before_away(qtbot):
    state = FilterState()
    state.set_limit(Filter("year", (), 2020))
    state.set_limit(Filter("year"))
    assert state.view.filters == ()


def test_nothing_is_said_where_nothing_changes(qtbot):
    state = FilterState()
    state.set_limit(Filter("year", (), 2020))
    with qtbot.assertNotEmitted(state.changed):
        state.set_limit(Filter("year", (), 2020))
        state.clear("maker")
        state.show(None)


@pytest.mark.parametrize(("field", "descending"), [("price", False), (BY_TITLE, False), ("", False), ("cores", True)])
def test_an_order_begins_at_its_useful_end(qtbot, field, descending):
    state = FilterState()
    state.sort_by(field)
    assert state.view.descending is descending


# -- one figure -------------------------------------------------------------------------------------------------------


@pytest.fixture
def shown_section(qtbot):
    def make(field, shown, limit=None):
        made = FilterSection(field)
        qtbot.addWidget(made)
        made.resize(260, 400)
        made.show()
        made.unfold(True)
        made.show_facet(shown, limit, "USD")
        return made

    return make


def test_many_choices_are_shown_on_demand_and_the_chosen_one_at_once(shown_section):
    made = shown_section("maker", facet("maker", *(f"maker {n:02}" for n in range(30))), Filter("maker", ("maker 29",)))
    assert len(made.boxes) == 10
    assert made.boxes["maker 29"].isChecked()
    made.more.click()
    assert len(made.boxes) == 30
    assert made.more.isHidden()


def test_few_numbers_are_choices_and_many_a_range(shown_section):
    assert shown_section("pcie_generation", facet("pcie_generation", 3, 4, 5)).range.isHidden()
    many = shown_section("power_limit_w", facet("power_limit_w", *range(100, 160)))
    assert not many.boxes
    assert many.range.isVisible()
    assert many.range.low.suffix() == " W"
    assert "100–159 W" in many.range.hint.text()
    prices = shown_section("price", facet("price", 499.0, 999.0))
    assert prices.range.isVisible(), "always"
    assert not prices.boxes


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("memory_gb", "Memory, GB"),
        ("voltage_v", "Voltage, V"),
        ("width_slots", "Width in slots"),
        ("price_per_gb", "Price per GB, USD"),
        ("maker", "Maker"),
    ],
)
def test_a_heading_tells_the_unit_once(field, words):
    assert heading(field, "USD") == words


def test_the_ends_of_a_range_are_no_limits(qtbot, shown_section):
    made = shown_section("power_limit_w", facet("power_limit_w", *range(100, 160)))
    with qtbot.waitSignal(made.limited) as limited:
        made.range.high.setValue(150)
    assert limited.args[0] == Filter("power_limit_w", (), None, 150)
    with qtbot.waitSignal(made.limited) as limited:
        made.range.high.setValue(159)
    assert limited.args[0] == Filter("power_limit_w")


def test_a_limit_beyond_what_there_is_now_stays_as_it_was_set(shown_section):
    made = shown_section("power_limit_w", facet("power_limit_w", 100, 150, 160), Filter("power_limit_w", (), 90, 300))
    assert made.range.ends() == (90, 300)
    assert (made.range.low.minimum(), made.range.high.maximum()) == (90, 300)


def test_a_chosen_value_that_no_part_has_now_can_still_be_taken_back(qtbot, shown_section):
    made = shown_section("maker", facet("maker", "a", "b"), Filter("maker", ("gone",)))
    with qtbot.waitSignal(made.limited) as limited:
        made.boxes["gone"].click()
    assert limited.args[0] == Filter("maker")


def test_names_from_data_are_no_markup_and_no_shortcut(shown_section):
    made = shown_section("maker", facet("maker", "A & B", "<b>" + "x" * 60))
    assert made.boxes["A & B"].text() == "A && B (1)"
    assert made.boxes["<b>" + "x" * 60].toolTip().startswith("<span>&lt;b&gt;")
