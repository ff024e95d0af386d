"""Builds side by side: what differs, what is best, and taking a line over."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from core.assessment import Assessment
from core.parts.money import PER_USD
from core.parts.part import Condition, Price
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import RemovePart, SetQuantity
from core.plan.price_edits import SetCondition, SetPrices
from core.platform.errors import BadInput
from core.present.share.comparison import Comparison, compare, take

Template = Callable[[str], Assessment]
TODAY = date.today()
DESK, OPEN = "two-rtx-5090-desktop", "seven-rtx-3090-open-frame"


def test_a_build_beside_itself_differs_in_nothing(template: Template) -> None:
    comparison = compare([template(DESK), template(DESK)])
    assert not [row for row in (*comparison.figures, *comparison.parts) if row.differs]
    assert all(figure.best == () for figure in comparison.figures)


def test_sums_are_compared_in_one_currency(template: Template) -> None:
    one = template(DESK)
    paid = [(line.part.id, Price(amount=100, currency="EUR", as_of=TODAY, kind="own")) for line in one.build.lines]
    other = Assessment(SetPrices(tuple(paid)).apply(one.build))
    assert {row.currency for assessment in (one, other) for row in assessment.price.totals} == {"USD", "EUR"}
    totals = [price.totals[0] for price in compare([one, other]).prices]
    assert [total.currency for total in totals] == ["USD", "USD"]
    parts = sum(line.quantity for line in one.build.lines)
    assert totals[1].amount == pytest.approx(100 * parts / PER_USD["EUR"])


def test_the_cooler_and_the_faster_build_are_named_best(template: Template) -> None:
    comparison = compare([template(DESK), template(OPEN)])
    best = {figure.label: figure.best for figure in comparison.figures}
    assert best["At the wall, training"] == (0,)
    assert best["Hottest GPU"] == (1,)
    assert next(figure for figure in comparison.figures if figure.label.startswith("Speed")).best == (1,)


def test_a_lower_power_limit_is_a_difference_of_the_line_and_of_the_watts(template: Template) -> None:
    assessment = template(OPEN)
    ((gpu, _),) = assessment.build.gpus()
    cooler = Assessment(SetPowerLimit(gpu.part.id, 200.0).apply(assessment.build))
    comparison = compare([assessment, cooler])
    assert [row.category for row in comparison.parts if row.differs] == [Category.GPU]
    assert "At the wall, training" in {figure.label for figure in comparison.figures if figure.differs}


def test_a_figure_that_a_build_lacks_is_none_and_never_the_best(template: Template) -> None:
    comparison = compare([template(DESK), Assessment(Build())])
    by_label = {figure.label: figure for figure in comparison.figures}
    assert by_label["Hottest GPU"].values[1] is None
    assert by_label["Hottest GPU"].best == ()


@pytest.mark.parametrize("count", [1, 5])
def test_one_build_or_five_are_refused_with_a_sentence(template: Template, count: int) -> None:
    with pytest.raises(BadInput, match=f"2 to 4 builds can be compared, not {count}"):
        compare([template(DESK)] * count)


def _taken_over(one: Assessment, other: Assessment) -> Build:
    """The first build with all lines of the other, taken over row by row."""
    comparison: Comparison = compare([one, other])
    build = one.build
    for row in comparison.parts:
        edit = take(row, 0, 1)
        build = edit.apply(build) if edit else build
    return build


@pytest.mark.parametrize(("here", "there"), [(DESK, OPEN), (OPEN, DESK), (OPEN, "six-rtx-3090-quiet")])
def test_taking_every_line_over_gives_the_parts_of_the_other_build(template: Template, here: str, there: str) -> None:
    one, other = template(here), template(there)
    taken = {line.part.id: (line.quantity, line.power_limit_w) for line in _taken_over(one, other).lines}
    assert taken == {line.part.id: (line.quantity, line.power_limit_w) for line in other.build.lines}


def test_taking_a_line_over_can_be_undone(template: Template) -> None:
    one, other = template(DESK), template(OPEN)
    row = next(row for row in compare([one, other]).parts if row.category is Category.GPU)
    edit = take(row, 0, 1)
    assert edit.inverse(one.build).apply(edit.apply(one.build)) == one.build


def test_a_line_that_both_have_alike_needs_no_edit_and_one_that_is_missing_there_is_removed(template: Template) -> None:
    one = template(DESK)
    fan = next(line for line in one.build.lines if line.part.category is Category.FAN)
    bare = Assessment(RemovePart(fan.part.id).apply(one.build))
    rows = {row.category: row for row in compare([one, bare]).parts}
    assert take(rows[Category.CPU], 0, 1) is None
    removed = take(rows[Category.FAN], 0, 1)
    assert removed is not None and removed.apply(one.build).line(fan.part.id) is None


def test_two_builds_of_one_name_keep_their_columns_apart(template: Template) -> None:
    one = template(DESK)
    ((gpu, _),) = one.build.gpus()
    other = Assessment(replace(SetQuantity(gpu.part.id, 1).apply(one.build), name=one.build.name))
    document = compare([one, other]).as_dict()
    assert document["builds"] == [one.build.name, one.build.name]
    assert [line["quantity"] for line in document["parts"][0]["lines"]] == [2, 1]


def test_a_line_that_is_owned_differs_and_is_taken_over_with_its_condition(template: Template) -> None:
    assessment = template(DESK)
    part = assessment.build.lines[0].part
    owned = Assessment(SetCondition(part.id, Condition.OWNED).apply(assessment.build))
    comparison = compare([assessment, owned])
    (row,) = [row for row in comparison.parts if row.differs]
    edit = take(row, 0, 1)
    line = edit.apply(assessment.build).line(part.id)
    assert line is not None and line.condition is Condition.OWNED
