"""What a build costs beside its budget, and what is left for one more part or for another one."""

from datetime import date
from pathlib import Path

import pytest

from core.assessment import Assessment
from core.parts.money import PER_USD, MoneyTerms
from core.parts.part import Part, Price
from core.parts.price_guide import PriceGuide
from core.parts.vocabulary import Category
from core.plan.budget import Budget
from core.plan.build import Build
from core.plan.edits import Several
from core.plan.file import dump_build, load_build, parse_build
from core.plan.line import Line
from core.plan.price_edits import SetBudget, typed_budget
from core.platform.errors import BadInput
from core.predict.budget import BudgetState, left_for_one
from tests.rules.machines import good_build, part

TODAY = date(2026, 11, 1)


def _priced(one: Part, amount: float, currency: str = "USD") -> Part:
    price = Price(amount=amount, currency=currency, as_of=TODAY, kind="street")
    return one.model_copy(update={"price": price})


def _card(suffix: str, amount: float | None, product: str = "RTX A") -> Part:
    made = part("gpu", suffix=suffix, product=product)
    return _priced(made, amount) if amount else made


LIKES = tuple(_card(f"-{amount}", amount) for amount in (900, 1000, 1100))
GUIDE = PriceGuide(
    {Category.GPU: tuple((one, one.price) for one in LIKES if one.price)}, terms=MoneyTerms(currency="USD"), today=TODAY
)


def _assessment(budget: Budget | None, *lines: Line, guide: PriceGuide = GUIDE) -> Assessment:
    return Assessment(Build(lines=lines, budget=budget), guide=guide)


def test_only_prices_that_decide_about_the_budget_are_named() -> None:
    wide, narrow = Line(_card("-wide", None), 4), Line(_card("-narrow", None))
    priced = Line(_card("-x", 500))
    low, high = _assessment(None, wide, narrow, priced).price.totals[0].range
    assert _assessment(None, wide, narrow, priced).deciding_prices == ()
    assert _assessment(Budget(low - 1, "USD"), wide, narrow, priced).deciding_prices == (), "it is over in any case"
    assert _assessment(Budget(high + 1, "USD"), wide, narrow, priced).deciding_prices == (), "it is within in any case"
    assert _assessment(Budget((low + high) / 2, "USD"), wide, narrow, priced).deciding_prices == (wide.part.id,)
    assert _assessment(Budget((low + high) / 2, "USD"), priced).deciding_prices == (), "all is known"


def test_a_part_without_any_price_decides_as_long_as_the_rest_is_within() -> None:
    lost = Line(part("ups"))
    priced = Line(_card("-x", 500))
    assert _assessment(Budget(600, "USD"), priced, lost).deciding_prices == (lost.part.id,)
    assert _assessment(Budget(400, "USD"), priced, lost).deciding_prices == ()


def test_a_total_is_within_over_or_in_doubt_where_only_the_high_end_is_over() -> None:
    priced, unknown = Line(_card("-x", 500)), Line(_card("-y", None))
    low, high = _assessment(None, priced, unknown).price.totals[0].range
    assert low < high, "one is estimated"
    middle = (low + high) / 2
    for amount, state in (
        (high + 1, BudgetState.WITHIN),
        (middle + 1, BudgetState.DOUBT),
        (middle - 1, BudgetState.OVER),
    ):
        use = _assessment(Budget(amount, "USD"), priced, unknown).budget
        assert use and use.state is state, amount
    assert "over it if estimates go to" in _assessment(Budget(middle + 1, "USD"), priced, unknown).budget_words
    assert _assessment(Budget(400, "USD"), priced).budget_words == "500 of 400 USD: 100 over the budget"
    assert _assessment(Budget(600, "USD"), priced).budget_words == "500 of 600 USD: 100 left"


def test_parts_without_a_price_leave_it_open_and_are_reported() -> None:
    assessment = _assessment(Budget(600, "USD"), Line(_card("-x", 500)), Line(part("psu"), 2))
    assert assessment.budget and assessment.budget.state is BudgetState.OPEN
    assert assessment.budget_words.endswith("100 left; 2 parts without a price not counted")


def test_the_budget_is_converted_into_the_currency_of_the_total() -> None:
    assessment = _assessment(Budget(1000, "EUR"), Line(_card("-x", 500)))
    assert assessment.budget and assessment.budget.as_dict()["amount"] == pytest.approx(1000 / PER_USD["EUR"], abs=0.01)
    without = _assessment(Budget(1000, "VND"), Line(_card("-x", 500)))
    assert without.budget is None and without.budget_words == "1000 VND; no rate is set for its currency"
    assert _assessment(None, Line(_card("-x", 500))).budget_words == ""


def test_what_is_left_counts_the_line_that_is_replaced_and_is_for_each_of_it() -> None:
    two, other = Line(_card("-x", 500), 2), Line(_card("-w", 300, "Other"))
    build = Build(lines=(two, other), budget=Budget(1500, "USD"))
    assert [
        left_for_one(build, GUIDE, replaced, quantity).amount  # type: ignore[union-attr]
        for replaced, quantity in ((None, 1), (None, 2), (two.part.id, 1), (other.part.id, 1))
    ] == [200, 100, 600, 500]
    euros = PriceGuide(terms=MoneyTerms(currency="EUR"), today=TODAY)
    left = left_for_one(build, euros, None)
    assert left and left.currency == "EUR" and left.amount == pytest.approx(200 * PER_USD["EUR"])
    assert left_for_one(Build(lines=(two,)), GUIDE, None) is None


def test_a_file_keeps_it_an_older_one_has_none_and_undo_takes_it_back(tmp_path: Path) -> None:
    build = good_build()
    edit = SetBudget(Budget(9000, "EUR"))
    after = edit.apply(build)
    assert edit.title == "Set the budget to 9000 EUR"
    assert SetBudget(None).title == "Remove the budget"
    path = tmp_path / "x.rig.json"
    path.write_text(dump_build(after))
    assert load_build(path, lambda _: None) == after
    assert '"budget"' not in dump_build(build)
    assert parse_build(dump_build(build), lambda _: None).budget is None
    assert edit.inverse(build).apply(after) == build
    assert Several("both", (edit,)).apply(build) == after


@pytest.mark.parametrize(
    "stored", ['{"amount": 0, "currency": "EUR"}', '{"amount": 5, "currency": "euro"}', '{"amount": 5}']
)
def test_a_file_with_no_budget_at_all_in_it_is_refused(stored: str) -> None:
    text = dump_build(SetBudget(Budget(7, "EUR")).apply(good_build()))
    start = text.index('"budget": ') + len('"budget": ')
    with pytest.raises(BadInput):
        parse_build(text[:start] + stored + text[text.index("}", start) + 1 :], lambda _: None)


@pytest.mark.parametrize(
    ("typed", "budget"),
    [
        ("10.000 €", Budget(10_000, "EUR")),
        ("8000", Budget(8000, "CNY")),
        ("usd 5,500.50", Budget(5500.5, "USD")),
        (" ", None),
    ],
)
def test_a_budget_is_typed_like_a_price(typed: str, budget: Budget | None) -> None:
    assert typed_budget(typed, "CNY") == budget


@pytest.mark.parametrize("typed", ["much", "0", "-5 EUR", "5 EURO"])
def test_what_is_no_budget_is_reported(typed: str) -> None:
    with pytest.raises(BadInput, match="is not a budget"):
        typed_budget(typed, "EUR")
