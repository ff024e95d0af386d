"""Figures as one types them: every figure of every category has a form, and what cannot be is refused in words."""

import pytest

from core.parts.entered import plain_figures
from core.parts.form_figure import FieldKind, checked, decides, form_figures_of, range_text, shown, typed
from core.parts.shipped import shipped_parts
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from tests.gui.parts.editing import figure


@pytest.mark.parametrize("category", list(Category))
def test_every_figure_of_a_category_has_a_name_and_a_kind(category):
    figures = form_figures_of(category)
    assert figures
    assert all(one.label[0].isupper() or not one.label[0].isalpha() for one in figures)
    assert all(one.columns for one in figures if one.kind is FieldKind.TABLE)
    assert all(one.choices for one in figures if one.kind in (FieldKind.CHOICE, FieldKind.CHOICES))
    deciding = [decides(category, one.name) for one in figures]
    assert deciding == sorted(deciding, reverse=True), "those that decide come first"


def test_what_is_shown_of_a_part_reads_back_as_the_same(shipped):
    for part in shipped_parts(shipped):
        plain = plain_figures(part)
        for one in form_figures_of(part.category):
            value = plain[one.name]
            if one.kind not in (FieldKind.TABLE, FieldKind.CHOICES):
                assert typed(one, shown(one, value)) == value
            elif value is not None:
                assert checked(one, value) == value


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("length_mm", "267", 267),
        ("length_mm", " 267.5 ", 267.5),
        ("length_mm", "", None),
        ("fan_count", "3", 3),
        ("length_mm", "10.5 in", 266.7),
        ("length_mm", "26,7 cm", 267),
        ("cooling", "open air", "open_air"),
        ("pcie_lanes", "16", 16),
        ("ecc", "yes", True),
    ],
)
def test_a_figure_is_read_as_typed(name, text, value):
    assert typed(figure(Category.GPU, name), text) == value


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("length_mm", "26.7", "between 100 and 500 mm"),
        ("length_mm", "1,600", "can be 1600 or 1.600"),
        ("length_mm", "long", "not a number"),
        ("length_mm", "inf", "not a number"),
        ("fan_count", "2.5", "not a whole number"),
        ("product", "", "required"),
        ("cooling", "steam", "none of"),
        ("ecc", "perhaps", "yes or no"),
        ("fp64_tflops", "-1", "^-1 is not greater than 0.$"),
        ("length_mm", "-1", "between 100 and 500 mm"),
        ("pcie_generation", "0", "^0 is less than 1.$"),
        ("pcie_generation", "99", "^99 is more than 7.$"),
    ],
)
def test_what_cannot_be_is_refused_in_words(name, text, words):
    with pytest.raises(BadInput, match=words):
        typed(figure(Category.GPU, name), text)


def test_ranges_are_reported_with_their_unit():
    assert range_text(figure(Category.GPU, "length_mm")) == "100 – 500 mm"
    assert figure(Category.MOTHERBOARD, "slots").heading == "Slots"
    assert figure(Category.GPU, "power_limit_w").heading == "Power limit, W"


def test_lane_sharing_is_typed_as_names_with_numbers():
    column = figure(Category.MOTHERBOARD, "lane_cases").columns[1]
    assert typed(column, "PCIE2=8; PCIE3 = 0") == {"PCIE2": 8, "PCIE3": 0}
    with pytest.raises(BadInput, match="PCIE2=8"):
        typed(column, "PCIE2")
